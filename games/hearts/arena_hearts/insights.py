"""The playing style of Hearts: what is passed, how many points are taken, who shoots the moon."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from attrs import define, field

from arena import Insights, Observation, Statistic
from arena_hearts.rules import QUEEN

RANKS = {rank: place for place, rank in enumerate("23456789TJQKA", 2)}
SUITS = {"C": "clubs", "D": "diamonds", "S": "spades", "H": "hearts"}
GROUPS = ((0, "0"), (3, "1-3"), (8, "4-8"), (13, "9-13"), (25, "14-25"))
EVERYTHING = "26 or more"
GROUP_NAMES = (*(name for _, name in GROUPS), EVERYTHING)

STATISTICS = (
    Statistic(
        "points",
        "Points in a deal",
        "points",
        about="Fewer are better: four players who are alike take 6.5 each.",
        least=0,
        most=26,
        better="less",
        advice="Lead low, and throw high hearts and the queen of spades where you cannot follow.",
    ),
    Statistic("clean", "Deals without a point", "%", about="More is better."),
    Statistic(
        "moons", "Moons shot", "%", about="Deals in which all 26 points were taken: more is better."
    ),
    Statistic(
        "queen",
        "Queen of spades passed, when held",
        "%",
        about="A habit: passing her is right with few spades beside her, keeping her with many.",
    ),
    Statistic(
        "passed_rank",
        "Rank of a passed card (2 to 14)",
        about="A habit: the higher, the fewer tricks are taken later; 14 is an ace.",
        least=min(RANKS.values()),
        most=max(RANKS.values()),
    ),
    Statistic("suits", "Cards passed, by suit", "%", across="suit"),
    Statistic("shares", "Deals, by points taken", "%", across="points"),
)


def group_points(points: int) -> str:
    """Return the name of the group to which the points of a deal belong.

    >>> group_points(0), group_points(5), group_points(26)
    ('0', '4-8', '26 or more')
    """
    return next((name for most, name in GROUPS if points <= most), EVERYTHING)


@define
class _Player:
    """What one player holds and takes in a deal, and what it took in those before it."""

    hand: Sequence[str] = ()
    own: bool = True  # has the player itself played the whole deal so far?
    taken: int = 0  # points, before a moon turns them round
    deals: int = 0  # that it played itself
    points: int = 0
    clean: int = 0  # deals without a point
    moons: int = 0
    groups: Counter[str] = field(factory=Counter)

    def end_deal(self, all_points: int) -> None:
        """Count the deal, if it was the player's own, and begin the next."""
        if self.own:
            self.deals += 1
            self.points += self.taken
            self.clean += self.taken == 0
            self.moons += 0 < self.taken == all_points
            self.groups[group_points(self.taken)] += 1
        self.own, self.taken = True, 0


def observe_deals(lines: Sequence[Mapping[str, Any]]) -> Iterator[Observation]:
    """Yield the observations of a match: of each pass, and of all deals together."""
    players = [_Player() for _ in lines[0]["seats"]]
    for line in lines[1:]:
        if "question" in line:
            if line["question"]["ask"] == "PassCards":
                players[line["to"]].hand = line["question"]["options"]["some_of"]
        elif "answer" in line:
            if line["fallback"]:
                players[line["from"]].own = False
            elif isinstance(line["answer"], list):
                yield from _observe_pass(line["from"], players[line["from"]].hand, line["answer"])
        elif event := line.get("event"):
            _note_event(players, event)
    for seat, player in enumerate(players):
        yield from _sum_deals(seat, player)


def _note_event(players: Sequence[_Player], event: Mapping[str, Any]) -> None:
    if event["tell"] == "Taken":
        players[event["seat"]].taken += event["points"]
    elif event["tell"] == "Scored":
        all_points = sum(player.taken for player in players)
        for player in players:
            player.end_deal(all_points)


def _observe_pass(seat: int, hand: Sequence[str], cards: Sequence[str]) -> Iterator[Observation]:
    if QUEEN in hand:
        yield Observation(seat, "queen", QUEEN in cards)
    many = len(cards)
    yield Observation(seat, "passed_rank", sum(RANKS[card[0]] for card in cards), many=many)
    suits = [card[1] for card in cards]
    for suit, name in SUITS.items():
        yield Observation(seat, "suits", suits.count(suit), name, many=many)


def _sum_deals(seat: int, player: _Player) -> Iterator[Observation]:
    """Yield the observations of all deals of one player."""
    many = player.deals
    if many:
        yield Observation(seat, "points", player.points, many=many)
        yield Observation(seat, "clean", player.clean, many=many)
        yield Observation(seat, "moons", player.moons, many=many)
        for name in GROUP_NAMES:
            yield Observation(seat, "shares", player.groups[name], name, many=many)


INSIGHTS = Insights(STATISTICS, observe_deals, "hearts")
