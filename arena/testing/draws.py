"""Rounds played again with one of their draws exchanged, and all others as they were.

`table.random` is replaced by a generator that takes one number from its stream for each draw,
however much the draw needs: so an exchanged one does not shift those behind it.
"""

from __future__ import annotations

import contextlib
import random
import sys
from collections.abc import Iterator, MutableSequence, Sequence
from random import Random
from typing import Any

from attrs import Factory, field, frozen

from arena.rules import Position, Table
from arena.testing.snapshots import Once

BITS = 64  # of the number that a draw is made of
OWN = {__file__, random.__file__, contextlib.__file__}  # whose lines are none of the rules


@frozen
class Draw:
    """What was asked of the generator, and whether in a shuffle or a sample."""

    kind: str
    size: int
    joint: bool
    where: str = field(eq=False)

    def __str__(self) -> str:
        """Say where in the rules it is made."""
        return f"the draw {self.where}"


class Draws(Random):
    """A generator that knows its draws by their number, and can exchange one of them."""

    def __init__(self, seed: str, exchanged: int | None = None, by: int = 0) -> None:
        self.made: list[Draw] = []
        self._joint = 0  # shuffles that are under way
        self._stream = Random(seed)
        self._exchanged, self._other = exchanged, Random(f"{seed}/{exchanged}/{by}")
        super().__init__(seed)

    def _number(self, kind: str, size: int) -> int:
        """Return the number that a draw comes from, or another one where it is exchanged."""
        number = self._stream.getrandbits(BITS)
        if len(self.made) == self._exchanged:
            number = self._other.getrandbits(BITS)
        self.made.append(Draw(kind, size, self._joint > 0, _where()))
        return number

    def random(self) -> float:
        """Draw from 0 up to 1."""
        return (self._number("random", 1) >> 11) / (1 << 53)

    def getrandbits(self, k: int, /) -> int:
        """Draw a number of bits."""
        return Random(self._number("bits", k)).getrandbits(k)

    def _randbelow(self, n: int) -> int:
        """Draw a number below this one: what all draws from a list are made of."""
        return self._number("below", n) * n >> BITS

    def shuffle(self, x: MutableSequence[Any]) -> None:
        """Shuffle; its draws belong together."""
        with self._together():
            super().shuffle(x)

    def sample(self, population: Sequence[Any], k: int, *, counts: Any = None) -> list[Any]:
        """Take some; the draws for them belong together."""
        with self._together():
            return super().sample(population, k, counts=counts)

    @contextlib.contextmanager
    def _together(self) -> Iterator[None]:
        self._joint += 1
        try:
            yield
        finally:
            self._joint -= 1


def _where() -> str:
    """Say in which line of the rules a draw is made."""
    frame = sys._getframe(1)  # noqa: SLF001
    while frame.f_back and frame.f_code.co_filename in OWN:
        frame = frame.f_back
    return f"in {frame.f_code.co_name}, {frame.f_code.co_filename}:{frame.f_lineno}"


@frozen(eq=False)
class Rolling(Once):
    """A position whose one round draws from another generator, which is kept."""

    exchanged: int | None = None  # the number of the draw
    by: int = 0  # one of many others
    kept: list[Draws] = Factory(list)

    async def round(self, table: Table) -> Once:
        """Play the one round."""
        draws = Draws(f"{table._seed}/{table.number}", self.exchanged, self.by)  # noqa: SLF001
        self.kept[:] = [draws]
        table._random, table._drawn = draws, table.number  # noqa: SLF001
        position: Position = self.position
        return Once(await position.round(table), over=True)

    @property
    def made(self) -> list[Draw]:
        """Return the draws that have been made."""
        return self.kept[0].made
