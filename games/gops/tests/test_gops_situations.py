"""The situations of `arena check` bring about what their names say."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from arena import Situation
from arena.check.trials import Plan
from arena.entrants import entrant
from arena.hosting import House, Result, host
from arena.observer import Observer
from arena_gops import GAME, Bids, Prize
from arena_gops.situations import SITUATIONS

NAMES = [situation.name for situation in SITUATIONS]


class Table(Observer):
    """Keeps the prizes and the bids."""

    def __init__(self) -> None:
        self.prizes, self.bids = list[int](), list[tuple[int, ...]]()

    def told(self, seat: int | None, event: object) -> None:
        match event:
            case Prize(card):
                self.prizes.append(card)
            case Bids(cards):
                self.bids.append(cards)


def played(words: str, bot: str = "match", cards: int = 13) -> tuple[Table, Result]:
    """Let a bot sit in the situation of these words: give the table, and the result."""
    variant = GAME.read_variant({"cards": cards})
    plan = Plan(GAME, variant, entrant(GAME, bot), "1")
    (batch,) = [batch for batch in plan.batches() if words in batch.name]
    (trial,) = batch.trials
    seen = Table()
    return seen, host(trial.setting, trial.seated, House(), [seen])


@pytest.mark.parametrize("cards", [1, 2, 13])
@pytest.mark.parametrize("situation", SITUATIONS, ids=NAMES)
def test_a_situation_can_be_played(situation: Situation, cards: int) -> None:
    """By every bundled bot, with any number of cards, and only who is to fail does."""
    for bot in GAME.bots:
        _, result = played(situation.name, bot, cards)
        failing = [make.__name__ == "Failing" for make in situation.others]
        failing.insert(situation.seat, False)
        assert all(failing[seat] for seat in result.outcome.verdicts)
        assert result.outcome.end == "finished"


def test_names_differ() -> None:
    """A finding names its situation."""
    assert len({*NAMES}) == len(NAMES)


def test_the_opponent_bids_in_order() -> None:
    """From the highest card down, or from the lowest up."""
    assert [bids[1] for bids in played("highest card down")[0].bids] == [*range(13, 0, -1)]
    assert [bids[0] for bids in played("lowest card up")[0].bids] == [*range(1, 14)]


@pytest.mark.parametrize(
    ("words", "prizes"), [("lowest up", range(1, 14)), ("highest down", range(13, 0, -1))]
)
def test_the_prizes_come_in_order(words: str, prizes: Sequence[int]) -> None:
    """One after the other."""
    assert played(f"come from the {words}")[0].prizes == [*prizes]


def test_two_always_tie() -> None:
    """So prizes that nobody bids more for are lost, carried over, or shared."""
    for fate, total in (("lost", 0), ("carried over", 0), ("shared", 91)):
        table, result = played(f"always tie, and prizes are {fate}", "ordered")
        scores = result.outcome.scores or ()
        assert all(len({*bids}) < 3 for bids in table.bids)
        assert (sum(scores) == total) is (fate == "shared")


def test_an_opponent_fails() -> None:
    """In the middle of the game, which goes on."""
    _, result = played("an opponent fails")
    (verdict,) = result.outcome.verdicts.values()
    assert (verdict.kind, verdict.ask, result.outcome.rounds) == ("crashed", 8, 13)


def test_nine_bids_are_shown() -> None:
    """Beside one's own."""
    assert {len(bids) for bids in played("nine bids")[0].bids} == {10}
