"""The playing style of Hearts: what is passed, how many points are taken, who shoots the moon."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from arena import Insights, Observation, Statistic
from arena_hearts.cards import QUEEN

RANKS = {rank: place for place, rank in enumerate("23456789TJQKA", 2)}
SUITS = {"C": "clubs", "D": "diamonds", "S": "spades", "H": "hearts"}
GROUPS = ((0, "0"), (3, "1-3"), (8, "4-8"), (13, "9-13"), (25, "14-25"))
EVERYTHING = "26 or more"

STATISTICS = (
    Statistic("points", "Points in a deal", "points"),
    Statistic("clean", "Deals without a point", "%"),
    Statistic("moons", "Moons shot", "%"),
    Statistic("queen", "Queen of spades passed, when held", "%"),
    Statistic("passed_rank", "Rank of a passed card (2 to 14)"),
    Statistic("suits", "Cards passed, by suit", "%", across="suit"),
    Statistic("shares", "Deals, by points taken", "%", across="points"),
)


def group_points(points: int) -> str:
    """Return the name of the group to which the points of a deal belong.

    >>> group_points(0), group_points(5), group_points(26)
    ('0', '4-8', '26 or more')
    """
    return next((name for most, name in GROUPS if points <= most), EVERYTHING)


def observe_deals(lines: Sequence[Mapping[str, Any]]) -> Iterator[Observation]:
    """Yield the observations of each deal of a match."""
    seats = range(len(lines[0]["seats"]))
    hands: dict[int, Sequence[str]] = {}
    own = [True for _ in seats]  # did the player itself play the whole deal?
    taken = [0 for _ in seats]
    for line in lines[1:]:
        if "question" in line:
            if line["question"]["ask"] == "Pass":
                hands[line["to"]] = line["question"]["options"]["some_of"]
        elif "answer" in line:
            own[line["from"]] = own[line["from"]] and not line["fallback"]
            if isinstance(line["answer"], list) and not line["fallback"]:
                yield from _observe_pass(line["from"], hands[line["from"]], line["answer"])
        elif event := line.get("event"):
            if event["tell"] == "Taken":
                taken[event["seat"]] += event["points"]
            elif event["tell"] == "Scored":
                yield from _observe_scores(own, taken)
                own, taken = [True for _ in seats], [0 for _ in seats]


def _observe_pass(seat: int, hand: Sequence[str], cards: Sequence[str]) -> Iterator[Observation]:
    if QUEEN in hand:
        yield Observation(seat, "queen", QUEEN in cards)
    for card in cards:
        yield Observation(seat, "passed_rank", RANKS[card[0]])
        for suit, name in SUITS.items():
            yield Observation(seat, "suits", card[1] == suit, name)


def _observe_scores(own: Sequence[bool], taken: Sequence[int]) -> Iterator[Observation]:
    """Yield the observations of the points taken in a deal, before a moon turns them round."""
    for seat, points in enumerate(taken):
        if own[seat]:
            yield Observation(seat, "points", points)
            yield Observation(seat, "clean", points == 0)
            yield Observation(seat, "moons", points > 0 and points == sum(taken))
            group = group_points(points)
            for name in (*(name for _, name in GROUPS), EVERYTHING):
                yield Observation(seat, "shares", name == group, name)


INSIGHTS = Insights(STATISTICS, observe_deals, "hearts")
