"""The contract names an event of which no person is ever told a word."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from attrs import evolve

from arena import Game, Narrator
from arena_bs import GAME as BS
from arena_kuhn import GAME as KUHN
from arena_kuhn import Acted, KuhnNarrator
from tests.testing.games.holding import contract


def give_narrator(game: Game, narrator: type[Narrator]) -> Game:
    """Return a game with another narrator."""
    return evolve(game, presentation=evolve(game.presentation, narrator=narrator))


class ForgetfulNarrator(KuhnNarrator):
    """Says nothing of what players do."""

    def describe(self, message: Any) -> Iterator[str]:
        return iter(()) if isinstance(message, Acted) else super().describe(message)


class SeldomNarrator(KuhnNarrator):
    """Tells of bets alone."""

    def describe(self, message: Any) -> Iterator[str]:
        silent = isinstance(message, Acted) and not message.bets
        return iter(()) if silent else super().describe(message)


def test_an_event_without_a_sentence_is_named() -> None:
    """With the narrator and its file, and with what to write if none is needed."""
    words = (
        r"^no player ever reads a word of Acted\(.*\); write a sentence for Acted in `describe` of"
        r" ForgetfulNarrator \(test_narration\.py:\d+\), or declare .*: silent = \(Acted,\)"
    )
    with pytest.raises(AssertionError, match=words):
        contract(give_narrator(KUHN, ForgetfulNarrator)).test_narration()


def test_a_declared_silence_is_kept() -> None:
    """BS shows its cards with the judgement; it would be asked if it did not say so."""
    options = {"fixed_options": {"max_turns": 12}}
    contract(BS, **options).test_narration()

    class Undeclared(BS.presentation.narrator):  # type: ignore[name-defined, misc]
        silent = ()

    with pytest.raises(AssertionError, match="write a sentence for Shown"):
        contract(give_narrator(BS, Undeclared), **options).test_narration()

    class Declared(ForgetfulNarrator):
        silent = (Acted,)

    contract(give_narrator(KUHN, Declared)).test_narration()


def test_once_is_enough() -> None:
    """An event may be worth a sentence now and then."""
    contract(give_narrator(KUHN, SeldomNarrator)).test_narration()
