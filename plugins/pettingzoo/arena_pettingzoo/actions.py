"""Action numbers: the answers that they stand for, and the mask of the legal ones."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arena import Game, Question

Mask = NDArray[np.int8]
"""1 for each legal action, 0 for all others."""


class Actions:
    """All answers of a game in a fixed order; an action is the index of an answer."""

    def __init__(self, answers: Sequence[Any]) -> None:
        self._answers = answers
        self._numbers = {build_key(answer): number for number, answer in enumerate(answers)}

    @classmethod
    def of(cls, game: Game, variant: Any, seats: int) -> Actions:
        """Return the actions of a game; raise ValueError if it does not list them."""
        if game.actions is None:
            raise ValueError(
                f"{game.name} cannot be a learning environment: it does not list its actions "
                "(Game.actions)"
            )
        return _build_actions(game.actions, variant, seats)

    def __len__(self) -> int:
        return len(self._numbers)

    def answer(self, action: int) -> Any:
        """Return the answer of an action; raise ValueError if there is no such action."""
        if not 0 <= action < len(self):
            raise ValueError(f"action {action} is not one of 0 to {len(self) - 1}")
        return self._answers[action]

    def mask(self, question: Question[Any] | None) -> Mask:
        """Return the mask of the legal actions; all 0 if there is no question."""
        mask = np.zeros(len(self), np.int8)
        if question is not None:
            mask[self._find_legal(question)] = 1
        return mask

    def _find_legal(self, question: Question[Any]) -> list[int]:
        numbers, asked = self._numbers, type(question).__name__
        options: Any = question.options
        if not isinstance(options, Iterable):
            raise ValueError(f"{asked}: the answers {options!r} cannot be listed for a mask")  # noqa: TRY004
        try:
            return [numbers[build_key(answer)] for answer in options]
        except KeyError as missing:
            raise ValueError(
                f"{asked}: the answer {missing} is missing from Game.actions"
            ) from None


@lru_cache(maxsize=16)
def _build_actions(actions: Any, variant: Any, seats: int) -> Actions:
    """Build the actions once for each game, variant and number of seats: they may be many."""
    return Actions(actions(variant, seats))


def build_key(answer: Any) -> Any:
    """Return a dict key for an answer; those of True and 1 are different.

    >>> build_key(True) == build_key(1), build_key(("AH", 1)) == build_key(("AH", 1))
    (False, True)
    """
    if isinstance(answer, tuple):
        return tuple(map(build_key, answer))
    return type(answer), answer
