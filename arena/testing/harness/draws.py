"""Rounds that are played with a generator that records its draws, and can exchange one of them."""

from __future__ import annotations

import contextlib
import random
import sys
from collections.abc import Iterator, MutableSequence, Sequence
from random import Random
from typing import Any

from attrs import Factory, field, frozen

from arena.rules import Table
from arena.testing.harness.snapshots import LimitedPosition

DRAW_BITS = 64  # of the number that a draw is made of
OWN_FILES = {__file__, random.__file__, contextlib.__file__}  # whose lines are none of the rules


@frozen
class RecordedDraw:
    """A draw: what was asked of the generator, and whether in a shuffle or a sample."""

    kind: str
    size: int
    joint: bool
    where: str = field(eq=False)
    told: int = field(eq=False)  # how many events were told before it since the last answer

    def __str__(self) -> str:
        """Describe the place in the rules where it is made."""
        return f"the draw {self.where}"


class RecordingRandom(Random):
    """A generator that records its draws, and can exchange one of them, given by number.

    It takes one number from its stream for each draw, however much the draw needs: so an exchanged
    one does not shift those behind it.
    """

    def __init__(self, seed: str, table: Table, exchanged: int | None = None, by: int = 0) -> None:
        self.draws: list[RecordedDraw] = []
        self._table = table
        self._open_shuffles = 0  # shuffles that are under way
        self._stream = Random(seed)
        self._exchanged, self._replacement_stream = exchanged, Random(f"{seed}/{exchanged}/{by}")
        super().__init__(seed)

    def _number(self, kind: str, size: int) -> int:
        """Return the number that a draw is computed from, or another one where it is exchanged."""
        number = self._stream.getrandbits(DRAW_BITS)
        if len(self.draws) == self._exchanged:
            number = self._replacement_stream.getrandbits(DRAW_BITS)
        joint, told = self._open_shuffles > 0, len(self._table.told)
        self.draws.append(RecordedDraw(kind, size, joint, _describe_caller(), told))
        return number

    def random(self) -> float:
        """Draw a float from 0 up to 1."""
        return (self._number("random", 1) >> 11) / (1 << 53)

    def getrandbits(self, k: int, /) -> int:
        """Draw a number of `k` bits."""
        return Random(self._number("bits", k)).getrandbits(k)

    def _randbelow(self, n: int) -> int:
        """Draw a number below `n`; all draws from a list are based on this."""
        return self._number("below", n) * n >> DRAW_BITS

    def shuffle(self, x: MutableSequence[Any]) -> None:
        """Shuffle a sequence; the draws count as joint."""
        with self._joint_draws():
            super().shuffle(x)

    def sample(self, population: Sequence[Any], k: int, *, counts: Any = None) -> list[Any]:
        """Draw `k` elements; the draws count as joint."""
        with self._joint_draws():
            return super().sample(population, k, counts=counts)

    @contextlib.contextmanager
    def _joint_draws(self) -> Iterator[None]:
        self._open_shuffles += 1
        try:
            yield
        finally:
            self._open_shuffles -= 1


def _describe_caller() -> str:
    """Describe the line of the rules in which a draw is made."""
    frame = sys._getframe(1)  # noqa: SLF001
    while frame.f_back and frame.f_code.co_filename in OWN_FILES:
        frame = frame.f_back
    return f"in {frame.f_code.co_name}, {frame.f_code.co_filename}:{frame.f_lineno}"


@frozen(eq=False)
class VariedRoundPosition(LimitedPosition):
    """A position whose single round draws from a recording generator, which is kept."""

    exchanged: int | None = None  # the number of the draw
    by: int = 0  # one of many others
    generators: list[RecordingRandom] = Factory(list)

    async def round(self, table: Table) -> LimitedPosition:
        """Play the one round."""
        seed = f"{table._seed}/{table.number}"  # noqa: SLF001
        draws = RecordingRandom(seed, table, self.exchanged, self.by)
        self.generators[:] = [draws]
        table._random, table._drawn = draws, table.number  # noqa: SLF001
        return await super().round(table)

    @property
    def draws(self) -> list[RecordedDraw]:
        """The draws that have been made."""
        return self.generators[0].draws
