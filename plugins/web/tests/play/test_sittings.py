"""The scores of a sitting: summed for each player from match to match, as the game counts them."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from attrs import evolve

from arena.plugins import get_plugins
from arena_web.play.sitting import Sitting
from arena_web.play.tables import PlayTables
from tests.support.web.event_streams import run
from tests.support.web.seat_players import (
    build_setup,
    choose_first,
    play_seat,
    resume_match,
    seat_all,
    select_events,
)

MATCHES = 3
GAMES = {"kuhn": (["optimal"], "hands"), "coup": (["honest", "honest"], "matches")}


def read_total(row: dict[str, Any]) -> int:
    """Return the number in a total."""
    return int(row["total"].split()[0])


@pytest.mark.parametrize("game", GAMES)
def test_scores_are_summed_over_the_matches_of_a_sitting(game: str) -> None:
    """For whoever plays, in whatever seat, and after a restart of the server, too."""
    bots, noun = GAMES[game]
    count = get_plugins().games[game].presentation.count

    async def test() -> None:
        tables = PlayTables()
        table = seat_all(tables, evolve(build_setup(game, *bots), seed=None))
        sums = dict.fromkeys(table.names, 0.0)
        for number in range(1, MATCHES + 1):
            (chair,) = table.chairs.values()
            (end,) = select_events(await play_seat(table, chair, choose_first), "end")
            for row in end["rows"]:
                sums[row["name"]] += count.of(row["score"])
            assert end.get("counted_over", "") == (f"over {number} {noun}" if number > 1 else "")
            totals = {row["name"]: read_total(row) for row in end["rows"] if "total" in row}
            assert totals == ({} if number == 1 else sums)
            following = tables.reopen(table, swap=True)
            tables.close()
            await asyncio.to_thread(tables.join)
            tables = PlayTables(store=tables.store)
            table = await resume_match(tables, following.key)

    run(test)


def test_counts_have_a_sign_where_somebody_has_lost_some() -> None:
    """And none where all are level, or can never be below zero."""
    chips = get_plugins().games["kuhn"].presentation.count
    lead = Sitting().add({"Ann": 2, "Bob": -2}).add({"Bob": -1, "Ann": 1})
    assert lead.describe(chips) == {"Ann": "+3 chips", "Bob": "-3 chips"}
    level = Sitting().add({"Ann": 2, "Bob": -2}).add({"Bob": 2, "Ann": -2})
    assert level.describe(chips) == {"Ann": "0 chips", "Bob": "0 chips"}


def test_other_players_begin_another_sitting() -> None:
    """Whoever joins, or has another name now, has no part in the scores before."""
    sitting = Sitting().add({"Ann": 2, "Bob": 1}).add({"Ann": 2, "Eve": 1})
    assert (sitting.matches, sitting.scores) == (1, {"Ann": 2, "Eve": 1})
