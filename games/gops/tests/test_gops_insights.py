"""What is observed of the playing style of GOPS."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import pytest

from arena import Observation
from arena_gops.insights import STATISTICS, observe_bids


def lines(
    cards: int, *rounds: tuple[int, Sequence[int]], fallback: int = -1, ties: str = "discard"
) -> list[dict[str, object]]:
    """Return a transcript in which these prizes were bid for; one seat has the fallback bot."""
    told: list[dict[str, object]] = [{"variant": {"cards": cards, "ties": ties}}]
    for prize, bids in rounds:
        told.append({"to": None, "event": {"tell": "Prize", "card": prize}})
        told += [
            {"from": seat, "answer": bid, "fallback": seat == fallback}
            for seat, bid in enumerate(bids)
        ]
        told.append({"to": None, "event": {"tell": "Bids", "cards": bids}})
    return told


def values(found: Sequence[Observation], seat: int, key: str) -> list[float]:
    return [float(seen.value) for seen in found if (seen.seat, seen.key) == (seat, key)]


def test_bids_show_wins_ties_and_leads() -> None:
    """A tie below the highest bid is one, too; only a bid above all others wins."""
    found = [*observe_bids(lines(5, (4, (5, 2, 2)), (1, (1, 1, 3))))]
    assert values(found, 0, "won") == [1, 0]
    assert values(found, 0, "margin") == [3]
    assert values(found, 1, "tied") == [1, 1]
    assert values(found, 2, "overbid") == [-2, 2]
    assert [seen[3:5] for seen in found if seen[:2] == (2, "bids")] == [(4, 2), (1, 3)]


@pytest.mark.parametrize(
    ("ties", "points"), [("discard", [5, 5]), ("split", [6, 6]), ("carry", [7, 5])]
)
def test_few_prizes_may_be_worth_more_than_many(ties: str, points: list[int]) -> None:
    """The share of the value is that of the points that the rules give, of 12 in these rounds."""
    rounds = [(1, (2, 1)), (3, (5, 4)), (2, (1, 1)), (1, (3, 2)), (5, (4, 5))]
    found = [*observe_bids(lines(5, *rounds, ties=ties))]
    assert [sum(values(found, seat, "won")) for seat in (0, 1)] == [3, 1]
    assert [sum(values(found, seat, "value")) for seat in (0, 1)] == points
    assert sum(seen.many for seen in found if seen[:2] == (0, "value")) == 12


def test_bids_are_cards() -> None:
    """Points are what prizes are worth, and a bid is none."""
    units = {statistic.key: statistic.unit for statistic in STATISTICS}
    assert units["margin"] == units["overbid"] == "cards"
    assert "points" not in units.values()


def test_the_fallback_bot_is_not_observed() -> None:
    """It says nothing about the player that it replaces; of a large deck there is no heat map."""
    found = [*observe_bids(lines(99, (4, (5, 2)), fallback=1))]
    assert {seen.seat for seen in found} == {0}
    assert {seen.key for seen in found} == {"won", "value", "tied", "margin"}


def test_a_match_has_known_shares_of_ties_and_of_bids() -> None:
    """The heat map counts how often which card was bid for which prize."""
    rounds = [(4, (5, 2)), (1, (1, 1)), (5, (4, 5)), (2, (3, 3)), (3, (2, 4))]
    found = [*observe_bids(lines(5, *rounds)), *observe_bids(lines(5, *rounds[::-1]))]
    assert values(found, 0, "tied") == [0, 1, 0, 1, 0, 0, 1, 0, 1, 0]
    assert [sum(values(found, seat, "won")) for seat in (0, 1)] == [2, 4]
    cells = Counter(seen[3:5] for seen in found if seen[:2] == (0, "bids"))
    assert cells == {(prize, bids[0]): 2 for prize, bids in rounds}
