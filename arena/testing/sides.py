"""Two positions that go on by the same answers, as one seat sees them."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import Any

from attrs import define, field

from arena.game import Game
from arena.play import Given, Play
from arena.table import Question, Seat
from arena.testing.cases import LARGE, Case, advance, answer_to, legal, still_asked
from arena.testing.moments import Heard, listen

TRIES = 12  # draws until an answer is found that is legal in both positions


@define
class Side:
    """One of two positions as it goes on, and all that is heard on the way."""

    play: Play
    seat: Seat  # who looks
    reveals: tuple[type, ...]
    heard: list[Heard] = field(factory=list)

    @classmethod
    def begin(cls, game: Game, case: Case, start: tuple[Any, int], seat: Seat) -> Side:
        """Begin at a position with the number of its round, and hear what is told at once."""
        position, number = start
        side = cls(Play(position, case.seats, case.seed, number), seat, game.reveals)
        side._listen(set())
        return side

    def answer(self, seat: Seat, answer: Any) -> None:
        """Go on by an answer."""
        question, asked = self.play.pending[seat], still_asked(self.play)
        self.play.answer(seat, answer)
        self.heard.append(Heard("say", seat, (question, answer)))
        self._listen(asked)

    def catch_up(self, random: Random) -> None:
        """Let others who are asked before the seat answer, as long as it hears nothing of it."""
        known = self.known
        while not self.play.over and not self.question and self.known == known:
            asked = still_asked(self.play)
            advance(self.play, random.randrange(LARGE))
            self._listen(asked)

    def _listen(self, asked: set[Seat]) -> None:
        self.heard += listen(self.play, asked)

    @property
    def question(self) -> Question[Any] | None:
        """Give what the seat is asked, if it is."""
        return self.play.pending.get(self.seat)

    @property
    def known(self) -> int:
        """Count what the seat itself was told, asked, and said."""
        return sum(self._is_known(one) for one in self.heard)

    @property
    def until_revealed(self) -> int | None:
        """Count the same up to the first thing that comes to light; None if nothing does."""
        count = 0
        for one in self.heard:
            if self._is_known(one):
                if one.what == "tell" and isinstance(one.message, self.reveals):
                    return count
                count += 1
        return None

    def cut(self, count: int) -> list[Heard]:
        """Give what is heard up to so many things that the seat knows."""
        kept: list[Heard] = []
        for one in self.heard:
            count -= self._is_known(one)
            if count < 0:
                break
            kept.append(one)
        return kept

    def _is_known(self, one: Heard) -> bool:
        return one.seat in (None, self.seat)


def comparable(sides: Sequence[Side]) -> list[list[Heard]]:
    """Give what was heard on both sides, up to where something comes to light on one of them."""
    ends = [end for end in (side.until_revealed for side in sides) if end is not None]
    return [side.cut(min(ends)) if ends else side.heard for side in sides]


def common(here: Play, there: Play, but: Seat | None, random: Random) -> Given | None:
    """Find an answer that somebody who is asked, but this one, may give on both sides."""
    for seat in sorted((here.pending.keys() & there.pending.keys()) - {but}):
        for _ in range(TRIES):
            answer = answer_to(here.pending[seat], random.randrange(LARGE))
            if legal(there.pending[seat], answer):
                return seat, answer
    return None
