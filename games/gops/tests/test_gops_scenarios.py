"""The situations of `arena check` bring about what their names say."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from attrs import frozen

from arena import Scenario
from arena.host import Result
from arena_gops import GAME, Bids, Prize
from arena_gops.bots import SCENARIOS
from tests.support.scenarios import assert_playable, play_scenario


@frozen
class Table:
    """The prizes and the bids, and how it came out."""

    prizes: list[int]
    bids: list[tuple[int, ...]]
    result: Result


def played(words: str, bot: str = "match") -> Table:
    """Let a bot sit in the situation of these words."""
    sat = play_scenario(GAME, words, bot)
    prizes = [event.card for event in sat.events if isinstance(event, Prize)]
    return Table(
        prizes, [event.cards for event in sat.events if isinstance(event, Bids)], sat.result
    )


@pytest.mark.parametrize("situation", SCENARIOS, ids=lambda situation: situation.name)
def test_a_situation_can_be_played_with_one_card(situation: Scenario) -> None:
    """By every bundled bot, and only who is to fail does."""
    assert_playable(GAME, situation, cards=1)


def test_the_opponent_bids_in_order() -> None:
    """From the highest card down, or from the lowest up."""
    assert [bids[1] for bids in played("highest card down").bids] == [*range(13, 0, -1)]
    assert [bids[0] for bids in played("lowest card up").bids] == [*range(1, 14)]


@pytest.mark.parametrize(
    ("words", "prizes"), [("lowest up", range(1, 14)), ("highest down", range(13, 0, -1))]
)
def test_the_prizes_come_in_order(words: str, prizes: Sequence[int]) -> None:
    """One after the other."""
    assert played(f"come from the {words}").prizes == [*prizes]


def test_two_always_tie() -> None:
    """So prizes that nobody bids more for are lost, carried over, or shared."""
    for fate, total in (("lost", 0), ("carried over", 0), ("shared", 91)):
        table = played(f"always tie, and prizes are {fate}", "ordered")
        scores = table.result.outcome.scores or ()
        assert all(len({*bids}) < 3 for bids in table.bids)
        assert (sum(scores) == total) is (fate == "shared")


def test_an_opponent_fails() -> None:
    """In the middle of the game, which goes on."""
    result = played("an opponent fails").result
    (verdict,) = result.outcome.verdicts.values()
    assert (verdict.kind, verdict.ask, result.outcome.rounds) == ("crashed", 8, 13)


def test_nine_bids_are_shown() -> None:
    """Beside one's own."""
    assert {len(bids) for bids in played("nine bids").bids} == {10}
