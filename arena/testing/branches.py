"""Two positions that go on by the same answers, as one seat sees them."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import Any

from attrs import define, field

from arena.plugins import Game
from arena.rules import Given, Play, Question, Score, Seat
from arena.testing.cases import LARGE, Case, advance, answer_to, legal
from arena.testing.snapshots import NO_ASK, Heard, listen

TRIES = 12  # draws until an answer is found that is legal in both positions


@define
class Branch:
    """One of two positions as it goes on, and all that is heard on the way."""

    play: Play
    seat: Seat  # who looks
    reveals: tuple[type, ...]
    heard: list[Heard] = field(factory=list)
    _scores: tuple[Score, ...] = field(init=False, default=())

    @classmethod
    def begin(cls, game: Game, case: Case, start: tuple[Any, int], seat: Seat) -> Branch:
        """Begin at a position with the number of its round, and hear what is told at once."""
        position, number = start
        branch = cls(Play(position, case.seats, case.seed, number), seat, game.reveals)
        branch._scores = (0,) * case.seats
        branch._listen(NO_ASK)
        return branch

    def answer(self, seat: Seat, answer: Any) -> None:
        """Go on by an answer."""
        question, before = self.play.pending[seat], self.play.closed
        self.play.answer(seat, answer)
        self.heard.append(Heard("say", seat, (question, answer)))
        self._listen(before)

    def catch_up(self, random: Random) -> None:
        """Let others who are asked before the seat answer, as long as it hears nothing of it."""
        known = self.known
        while not self.play.over and not self.question and self.known == known:
            before = self.play.closed
            advance(self.play, random.randrange(LARGE))
            self._listen(before)

    def _listen(self, before: int) -> None:
        self.heard += listen(self.play, before)
        if self.play.scores != self._scores:  # learning environments pay them out at each step
            self._scores = self.play.scores
            self.heard.append(Heard("score", None, self._scores))

    @property
    def question(self) -> Question[Any] | None:
        """Return what the seat is asked, if it is."""
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
        """Return what is heard up to so many things that the seat knows."""
        kept: list[Heard] = []
        for one in self.heard:
            count -= self._is_known(one)
            if count < 0:
                break
            kept.append(one)
        return kept

    def _is_known(self, one: Heard) -> bool:
        return one.seat in (None, self.seat)


def comparable(branches: Sequence[Branch]) -> list[list[Heard]]:
    """Return what was heard on both sides, up to where something comes to light on one of them."""
    ends = [end for end in (branch.until_revealed for branch in branches) if end is not None]
    return [branch.cut(min(ends)) if ends else branch.heard for branch in branches]


def common(here: Play, there: Play, but: Seat | None, random: Random) -> Given | None:
    """Find an answer that somebody who is asked, but this one, may give on both sides."""
    for seat in sorted((here.pending.keys() & there.pending.keys()) - {but}):
        for _ in range(TRIES):
            answer = answer_to(here.pending[seat], random.randrange(LARGE))
            if legal(there.pending[seat], answer):
                return seat, answer
    return None
