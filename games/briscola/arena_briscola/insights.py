"""The playing style of Briscola: what tricks bring, what trumps take, and which cards are lost."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from attrs import define, field

from arena import Insights, Observation, Seat, Statistic
from arena.cards import Card, rank_of, suit_of
from arena_briscola.rules import POINTS, count_points, count_sides

HIGH_POINTS = 10  # of a three; an ace has 11

STATISTICS = (
    Statistic("taken", "Tricks taken", "%", about="A habit: what counts is the points in them."),
    Statistic(
        "value",
        "Points in a trick taken",
        "points",
        about="More are better.",
        least=0,
        better="more",
        advice="Take the tricks that have points, and let the empty ones go.",
    ),
    Statistic(
        "given",
        "Points of the own card in a trick of the others",
        "points",
        about="Fewer are better: a lost trick should get a card that counts nothing.",
        least=0,
        most=11,
        better="less",
        advice="Where you cannot take a trick, play a card that counts nothing.",
    ),
    Statistic(
        "high_lost",
        "Aces and threes that the others take",
        "%",
        about="Fewer are better: each counts 10 or 11 of the 120 points.",
        better="less",
        advice="Keep aces and threes until you play last, or can take the trick with them.",
    ),
    Statistic(
        "trump_value",
        "Points in a trick taken with a trump",
        "points",
        about="More are better: a trump is wasted where there is little to take.",
        least=0,
        better="more",
        advice="Keep your trumps for tricks with an ace or a three.",
    ),
    Statistic(
        "trumps_lost",
        "Trumps that take nothing",
        "%",
        about="Fewer are better: these were played, and another card took the trick.",
        better="less",
        advice="Play a trump last in a trick, when no higher one can follow.",
    ),
    Statistic(
        "plain_leads",
        "Leads with a card that counts nothing",
        "%",
        about="A habit: whoever plays after a card with points can take them.",
    ),
    Statistic(
        "leads_held",
        "Leads that take the trick",
        "%",
        about="A habit: a lead that nobody takes was safe, but it rarely brings points.",
    ),
    Statistic("leads", "Cards led, by what they count", "%", across="points"),
)


@define
class _Trick:
    """A trick: its trump, and the cards in the order in which they were played."""

    trump: Card
    cards: dict[Seat, Card] = field(factory=dict)

    def is_trump(self, seat: Seat) -> bool:
        """Return whether a seat has played a trump."""
        return suit_of(self.cards[seat]) == suit_of(self.trump)


def observe_tricks(lines: Sequence[Mapping[str, Any]]) -> Iterator[Observation]:
    """Yield the observations of each trick of a match, of those who chose their card."""
    seats = len(lines[0]["seats"])
    trick = _Trick("")
    own = [True] * seats
    for line in lines[1:]:
        match line:
            case {"event": {"tell": "Trick", "trump": trump}}:
                trick = _Trick(trump)
            case {"from": seat, "fallback": fallback}:
                own[seat] = not fallback
            case {"event": {"tell": "Played", "seat": seat, "card": card}}:
                trick.cards[seat] = card
            case {"event": {"tell": "Taken", "seat": taker}}:
                for seat in trick.cards:
                    if own[seat]:
                        is_other = (seat - taker) % count_sides(seats) != 0
                        yield from _observe_card(trick, seat, taker, is_other=is_other)


def _observe_card(
    trick: _Trick, seat: Seat, taker: Seat, *, is_other: bool
) -> Iterator[Observation]:
    """Yield the observations of a seat's card; the taker may be of the other side."""
    points = POINTS.get(rank_of(trick.cards[seat]), 0)
    yield Observation(seat, "taken", seat == taker)
    if seat == taker:
        value = count_points(trick.cards.values())
        yield Observation(seat, "value", value)
        if trick.is_trump(seat):
            yield Observation(seat, "trump_value", value)
    if is_other:
        yield Observation(seat, "given", points)
    if points >= HIGH_POINTS:
        yield Observation(seat, "high_lost", is_other)
    if trick.is_trump(seat):
        yield Observation(seat, "trumps_lost", seat != taker)
    if seat == next(iter(trick.cards)):
        yield Observation(seat, "plain_leads", points == 0)
        yield Observation(seat, "leads_held", seat == taker)
        for count in (0, *sorted(POINTS.values())):
            yield Observation(seat, "leads", points == count, count)


INSIGHTS = Insights(STATISTICS, observe_tricks, "briscola")
