"""A hint gives the bids of the solution, from what a seat was told and nothing else."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from arena import Hint, InformationState, OneOf, UserError
from arena.plugins import get_plugins
from arena.wires import Greeting
from arena_gops import Bids, Gops, Prize
from arena_gops.rules import Bid
from arena_gops_solver.bots import Nash, NashWin
from arena_gops_solver.commentary import HINTS

FIRST = Prize(3)


@pytest.fixture(autouse=True)
def _nothing_solved(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))


def state(events: Sequence[Any], *, cards: int = 5, seat: int = 0) -> InformationState:
    bids = [event.cards[seat] for event in events if isinstance(event, Bids)]
    hand = tuple(card for card in range(1, cards + 1) if card not in bids)
    greeting = Greeting("gops", seat, 2, Gops(cards=cards), "seed")
    return InformationState(greeting, tuple(events), Bid(OneOf(hand)))


def hint(*events: Any, cards: int = 5, seat: int = 0) -> Hint:
    return HINTS.compute_hint(state(events, cards=cards, seat=seat))


def shares(found: Hint) -> dict[int, float]:
    return {hinted.answer: hinted.share for hinted in found.answers}


@pytest.mark.parametrize("seat", [0, 1])
def test_a_hint_gives_the_probabilities_of_the_bot_that_plays_the_solution(seat: int) -> None:
    """The solver's bot finds them in the table of the whole game, the hint in the rest of it."""
    events = (FIRST, Bids((4, 2)), Prize(5))
    found = shares(hint(*events, seat=seat))
    bot, known = Nash(), state(events, seat=seat)
    bot.greet(known.greeting)
    for event in known.events:
        bot.hear(event)
    assert found == pytest.approx(bot.mix(known.question), abs=1e-9)
    assert sum(found.values()) == pytest.approx(1)


def test_a_hint_tells_both_seats_the_same_value_from_their_own_side() -> None:
    """Who won 3 points and kept the worse cards is behind or ahead by as much as the other."""
    events = (FIRST, Bids((5, 1)), Prize(4))
    texts = [hint(*events, seat=seat).text for seat in (0, 1)]
    values = [text.rpartition(" to end ")[2].split() for text in texts]
    assert values[0][0] == values[1][0]
    assert {value[-1] for value in values} == {"ahead.", "behind."}


def test_a_game_that_is_solved_to_win_has_hints_to_win() -> None:
    """They are those of the bot that plays this solution, and say what they are for."""
    events = (FIRST, Bids((4, 2)), Prize(5))
    known = state(events)
    bot = NashWin()
    bot.greet(known.greeting)
    for event in known.events:
        bot.hear(event)
    found = hint(*events)
    assert shares(found) == pytest.approx(bot.mix(known.question), abs=1e-9)
    assert found.text.endswith(" fewer wins than losses in 100 games.")
    assert hint(FIRST).text.endswith("to win, expect as many wins as losses.")


def test_the_last_card_is_named_with_the_result() -> None:
    """Two cards were bid for 1 and 2; the last one is all that is left to bid."""
    found = hint(Prize(1), Bids((1, 2)), Prize(2), Bids((2, 1)), Prize(3), cards=3)
    assert shares(found) == {3: 1}
    assert found.text.startswith("One bid is best:")
    assert found.text.endswith("expect to end 1.00 points ahead.")


def test_the_first_card_of_a_large_game_needs_its_solution() -> None:
    """It says when hints begin, and to the host alone how to have them from the start."""
    with pytest.raises(UserError, match=r"hints begin when \d+ cards .* --cards 13") as refusal:
        hint(FIRST, cards=13)
    assert re.fullmatch(r"hints begin when \d+ cards are left", refusal.value.message)


@pytest.mark.parametrize(
    ("variant", "seats"), [(Gops(cards=5, ties="carry"), 2), (Gops(cards=5), 3)]
)
def test_a_variant_without_a_solution_has_no_hints(variant: Gops, seats: int) -> None:
    """So that a page shows no button for them."""
    with pytest.raises(UserError):
        HINTS.check_support(variant, seats)


def test_the_plugin_brings_the_hints() -> None:
    """They are found by the name of the game, and asked before a bot."""
    assert get_plugins().list_hint_sources("gops")[0] == HINTS
    assert HINTS not in get_plugins().list_hint_sources("bs")
