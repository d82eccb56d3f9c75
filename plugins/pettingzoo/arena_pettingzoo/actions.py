"""Actions by number: which answer a number means, and which may be given now."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arena import Game, Question

Mask = NDArray[np.int8]
"""1 for each action that may be taken now, 0 for each other."""


class Actions:
    """All answers that are ever legal, in a fixed order: an action is the number of one."""

    def __init__(self, answers: Sequence[Any]) -> None:
        self._answers = answers
        self._numbers = {key(answer): number for number, answer in enumerate(answers)}

    @classmethod
    def of(cls, game: Game, variant: Any, seats: int) -> Actions:
        """Return those of a game; raise ValueError where it lists none."""
        if game.actions is None:
            raise ValueError(
                f"{game.name} does not list its actions (Game.actions), "
                "so it is no environment for machines that learn"
            )
        return _listed(game.actions, variant, seats)

    def __len__(self) -> int:
        return len(self._numbers)

    def answer(self, action: int) -> Any:
        """Return the answer that an action means, or raise ValueError."""
        if not 0 <= action < len(self):
            raise ValueError(f"action {action} is not one of 0 to {len(self) - 1}")
        return self._answers[action]

    def mask(self, question: Question[Any] | None) -> Mask:
        """Mark what may be answered: nothing, where nothing is asked."""
        mask = np.zeros(len(self), np.int8)
        if question is not None:
            mask[self._allowed(question)] = 1
        return mask

    def _allowed(self, question: Question[Any]) -> list[int]:
        numbers, asked = self._numbers, type(question).__name__
        options: Any = question.options
        if not isinstance(options, Iterable):
            raise ValueError(f"{asked}: {options!r} cannot be listed, so there is no mask")  # noqa: TRY004
        try:
            return [numbers[key(answer)] for answer in options]
        except KeyError as missing:
            raise ValueError(f"{asked}: {missing} may be answered, and is no action") from None


@lru_cache(maxsize=16)
def _listed(actions: Any, variant: Any, seats: int) -> Actions:
    """Make the list once for each game, variant and number of seats: it may be long."""
    return Actions(actions(variant, seats))


def key(answer: Any) -> Any:
    """Return the key that finds an answer in a dict, where True is not 1.

    >>> key(True) == key(1), key(("AH", 1)) == key(("AH", 1))
    (False, True)
    """
    if isinstance(answer, tuple):
        return tuple(map(key, answer))
    return type(answer), answer
