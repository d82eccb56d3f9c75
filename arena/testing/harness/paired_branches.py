"""Two positions that continue with the same answers, as one seat sees them."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import zip_longest
from random import Random
from typing import Any

from attrs import define, field

from arena.plugins import Game
from arena.rules import GivenAnswer, Play, Question, Score, Seat
from arena.testing.harness.cases import MOVE_RANGE, Case, apply_move, choose_legal_answer, is_legal
from arena.testing.harness.round_snapshots import NO_CLOSED_ASK, Message, collect_messages

MAX_ANSWER_DRAWS = 12  # draws until an answer is found that is legal in both positions


@define
class Branch:
    """One of two positions as it continues, and all messages on the way."""

    play: Play
    seat: Seat  # who looks
    reveals: tuple[type, ...]
    heard: list[Message] = field(factory=list)
    _scores: tuple[Score, ...] = field(init=False, default=())

    @classmethod
    def begin(cls, game: Game, case: Case, start: tuple[Any, int], seat: Seat) -> Branch:
        """Start at a position with the number of its round, and collect the first messages."""
        position, number = start
        branch = cls(Play(position, case.seats, case.seed, number), seat, game.reveals)
        branch._scores = (0,) * case.seats
        branch._listen(NO_CLOSED_ASK)
        return branch

    def answer(self, seat: Seat, answer: Any) -> None:
        """Give an answer, and collect the messages that follow."""
        question, before = self.play.pending[seat], self.play.closed
        self.play.answer(seat, answer)
        self.heard.append(Message("say", seat, (question, answer)))
        self._listen(before)

    def catch_up(self, random: Random) -> None:
        """Answer for others who are asked before the seat, as long as it hears nothing of it."""
        known = self.known_count
        while not self.play.over and not self.question and self.known_count == known:
            before = self.play.closed
            apply_move(self.play, random.randrange(MOVE_RANGE))
            self._listen(before)

    def _listen(self, before: int) -> None:
        self.heard += collect_messages(self.play, before)
        if self.play.scores != self._scores:  # learning environments pay them out at each step
            self._scores = self.play.scores
            self.heard.append(Message("score", None, self._scores))

    @property
    def question(self) -> Question[Any] | None:
        """The question that the seat is asked, or None."""
        return self.play.pending.get(self.seat)

    @property
    def known_count(self) -> int:
        """The number of messages that the seat itself was told, was asked, or sent."""
        return len(self.own_messages)

    @property
    def own_messages(self) -> list[Message]:
        """The messages that the seat itself was told, was asked, or sent."""
        return [heard for heard in self.heard if self._knows(heard)]

    @property
    def known_count_before_reveal(self) -> int | None:
        """The same number up to the first reveal, or None if nothing is revealed."""
        reveals = (at for at, heard in enumerate(self.own_messages) if self.is_reveal(heard))
        return next(reveals, None)

    def is_reveal(self, heard: Message) -> bool:
        """Whether a message is an event by which the rules reveal something."""
        return heard.kind == "tell" and isinstance(heard.content, self.reveals)

    def truncate(self, count: int) -> list[Message]:
        """Return the messages up to the first `count` that the seat knows."""
        kept: list[Message] = []
        for heard in self.heard:
            count -= self._knows(heard)
            if count < 0:
                break
            kept.append(heard)
        return kept

    def _knows(self, heard: Message) -> bool:
        return heard.seat in (None, self.seat)


def comparable_messages(branches: Sequence[Branch]) -> list[list[Message]]:
    """Return each branch's messages up to the first reveal that is not the same in both.

    A reveal that is the same tells the seat nothing about what differs.
    """
    known = [branch.own_messages for branch in branches]
    for at, pair in enumerate(zip_longest(*known)):
        if pair[0] != pair[1] and any(
            heard and branch.is_reveal(heard) for heard, branch in zip(pair, branches, strict=True)
        ):
            return [branch.truncate(at) for branch in branches]
    return [branch.heard for branch in branches]


def find_common_answer(
    here: Play, there: Play, but: Seat | None, random: Random
) -> GivenAnswer | None:
    """Return an answer that is legal in both plays, from a seat other than `but`, or None."""
    for seat in sorted((here.pending.keys() & there.pending.keys()) - {but}):
        for _ in range(MAX_ANSWER_DRAWS):
            answer = choose_legal_answer(here.pending[seat], random.randrange(MOVE_RANGE))
            if is_legal(there.pending[seat], answer):
                return seat, answer
    return None
