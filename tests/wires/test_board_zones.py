"""Zones of a board: what players did in an earlier round is not shown beside new cards."""

from __future__ import annotations

from arena import Zone, ZoneKind
from arena.wires import ActFilter, Zones


def build_board(title: str, *acts: str) -> Zones:
    """Return a table with this title, and a hand for each act."""
    hands = {
        f"hand{seat}": Zone(kind=ZoneKind.HAND, title=f"seat {seat}", of=seat, act=act)
        for seat, act in enumerate(acts)
    }
    return {**hands, "table": Zone(kind=ZoneKind.TABLE, title=title)}


def list_acts(zones: Zones) -> list[str]:
    """Return what the hands of a board say their owners did."""
    return [zone.act for zone in zones.values() if zone.kind is ZoneKind.HAND]


def test_acts_of_an_earlier_round_are_not_shown() -> None:
    """A table's new title begins a round: an act that was there before waits for the next one."""
    acts = ActFilter()
    assert list_acts(acts.update(build_board("Round 1", "bids 3", ""))) == ["bids 3", ""]
    assert list_acts(acts.update(build_board("Round 1", "bids 3", "bids 4"))) == [
        "bids 3",
        "bids 4",
    ]
    assert list_acts(acts.update(build_board("Round 2", "bids 3", "bids 4"))) == ["", ""]
    assert list_acts(acts.update(build_board("Round 2", "bids 3", "bids 5"))) == ["", "bids 5"]


def test_an_act_that_begins_a_round_is_shown() -> None:
    """Who leads does so in the step in which the title changes; what others did is old."""
    acts = ActFilter()
    acts.update(build_board("Trick 1", "takes 2 points", "plays 3"))
    assert list_acts(acts.update(build_board("Trick 2", "leads 9", "plays 3"))) == ["leads 9", ""]


def test_an_act_that_was_emptied_may_come_again() -> None:
    """A game that empties acts itself shows the same act in two rounds in a row."""
    acts = ActFilter()
    acts.update(build_board("Turn 1", "takes income"))
    acts.update(build_board("Turn 2", ""))
    assert list_acts(acts.update(build_board("Turn 2", "takes income"))) == ["takes income"]
