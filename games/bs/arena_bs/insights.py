"""The playing style of BS: who bluffs when, who is caught, and who calls rightly."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from attrs import define, field

from arena import Insights, Observation, Seat, Statistic
from arena_bs.rules import BS, SUITS

HAND_SIZES = ((1, "1"), (2, "2"), (3, "3"), (5, "4-5"), (8, "6-8"), (13, "9-13"), (20, "14-20"))
LARGEST_HANDS = "21 or more"

STATISTICS = (
    Statistic(
        "bluffs",
        "Plays that are a bluff",
        "%",
        about="A habit: who has none of the rank has to lie.",
    ),
    Statistic(
        "needless",
        "Bluffs where an honest play was possible",
        "%",
        about="A habit: each is a risk that was not forced.",
    ),
    Statistic(
        "caught",
        "Bluffs that are called",
        "%",
        about="Fewer are better: a lie that is called takes the pile.",
        better="less",
        advice="Lie with one card rather than with several, and while the pile is small.",
    ),
    Statistic(
        "doubted",
        "Honest plays that are called",
        "%",
        about="More are better: whoever calls the truth takes the pile.",
    ),
    Statistic(
        "calls",
        "Chances to call that are taken",
        "%",
        about="A habit: what counts is how many calls are right.",
    ),
    Statistic(
        "right",
        "Calls that are right",
        "%",
        about="More is better: a wrong call takes the pile.",
        better="more",
        advice="Call where the cards that you hold or saw make a claim unlikely, not by feeling.",
    ),
    Statistic("lies_called", "Bluffs of others, called", "%", about="More is better."),
    Statistic(
        "truths_called",
        "Honest plays of others, called",
        "%",
        about="Fewer is better: each takes the pile.",
        better="less",
        advice="Let a claim pass unless the cards that you hold make it unlikely.",
    ),
    Statistic(
        "certain_called",
        "Bluffs that the own hand proves, called",
        "%",
        about="All of them should be: these calls cannot fail.",
        better="more",
        advice="Count the rank that is claimed in your hand: call whatever it disproves.",
    ),
    Statistic(
        "pile",
        "Size of a pile taken",
        "cards",
        about="Smaller is better.",
        least=0,
        better="less",
        advice="Take no risk, neither a lie nor a call, while the pile is large.",
    ),
    Statistic("bluffs_by_hand", "Plays that are a bluff, by hand size", "%", across="hand"),
    Statistic(
        "calls_by_count", "Chances to call that are taken, by cards laid", "%", across="laid"
    ),
)


def group_hand_size(cards: int) -> tuple[int, str]:
    """Return the place and the name of the group of hands to which a size belongs.

    >>> group_hand_size(1), group_hand_size(7), group_hand_size(30)
    ((0, '1'), (4, '6-8'), (7, '21 or more'))
    """
    for place, (largest, name) in enumerate(HAND_SIZES):
        if cards <= largest:
            return place, name
    return len(HAND_SIZES), LARGEST_HANDS


@define
class _Turn:
    """What is known of a turn before it is over."""

    seat: Seat
    rank: str
    hand: int
    bluffing: bool = False
    own: bool = False  # did the player itself lay the cards?
    laid: int = 0
    hands: dict[Seat, Sequence[str]] = field(factory=dict)  # before the cards are laid
    declared: dict[Seat, str] = field(factory=dict)  # by those who spoke for themselves

    def count_claimed_cards(self, seat: Seat) -> int:
        """Return the number of cards of the claimed rank that a seat holds."""
        return sum(card[0] == self.rank for card in self.hands.get(seat, ()))


def observe_turns(lines: Sequence[Mapping[str, Any]]) -> Iterator[Observation]:
    """Yield the observations of each turn of a match."""
    turn: _Turn | None = None
    for line in lines[1:]:
        if event := line.get("event"):
            if event["tell"] == "Turn":
                (player, hand), *_ = event["players"]
                turn = _Turn(player["seat"], event["rank"], hand)
            elif event["tell"] == "Hand" and turn:
                turn.hands[line["to"]] = event["cards"]
            elif event["tell"] == "Called" and turn:
                yield from _observe_turn(turn, [player["seat"] for player in event["players"]])
            elif event["tell"] == "PileTaken":
                yield Observation(line["to"], "pile", len(event["cards"]))
        elif "answer" in line and turn:
            _note_answer(turn, line)


def _note_answer(turn: _Turn, line: Mapping[str, Any]) -> None:
    answer, own = line["answer"], not line["fallback"]
    if isinstance(answer, list):
        turn.own, turn.laid = own, len(answer)
        turn.bluffing = any(card[0] != turn.rank for card in answer)
    elif own and line["from"] != turn.seat:
        turn.declared[line["from"]] = answer


def _observe_turn(turn: _Turn, callers: Sequence[Seat]) -> Iterator[Observation]:
    if turn.own:
        yield Observation(turn.seat, "bluffs", turn.bluffing)
        if turn.count_claimed_cards(turn.seat):
            yield Observation(turn.seat, "needless", turn.bluffing)
        yield Observation(turn.seat, "bluffs_by_hand", turn.bluffing, group_hand_size(turn.hand)[1])
        yield Observation(turn.seat, "caught" if turn.bluffing else "doubted", bool(callers))
    for seat, word in turn.declared.items():
        called = word == BS
        yield Observation(seat, "calls", called)
        yield Observation(seat, "calls_by_count", called, turn.laid)
        if called:
            yield Observation(seat, "right", turn.bluffing)
        yield Observation(seat, "lies_called" if turn.bluffing else "truths_called", called)
        if turn.laid + turn.count_claimed_cards(seat) > len(SUITS):
            yield Observation(seat, "certain_called", called)


INSIGHTS = Insights(STATISTICS, observe_turns, "bs", version=2)
