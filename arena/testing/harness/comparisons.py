"""Comparison: what a seat is sent while a match continues in two ways, which it may not tell apart.

A law that keeps a secret plays two branches of a match, which differ in that secret: another hidden
position, another draw of chance or another answer. In both, all seats give the same answers as long
as they can. The seat must be sent the same, byte by byte, up to the first message that differs and
by which the rules may reveal the secret to it. A revealing message that is the same in both
branches tells nothing about what differs, so the comparison goes on behind it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain, zip_longest
from random import Random
from typing import Any

from attrs import define, evolve, field, frozen

from arena.rules import GivenAnswer, Play, Question, Score, Seat
from arena.testing.harness.cases import MOVE_RANGE, apply_move, choose_legal_answer, is_legal
from arena.testing.harness.hypothesis_strategies import generate_wrong_answers
from arena.testing.harness.messages import (
    Message,
    codec_kinds,
    describe_reading,
    describe_ruling,
    has_public_options,
    pair_lines,
)
from arena.testing.harness.snapshots import NO_CLOSED_ASK, RoundSnapshot, collect_messages

__tracebackhide__ = True  # pytest shows the law that was broken, and not how it was found
MAX_ANSWER_DRAWS = 12  # draws until an answer is found that is legal in both branches


@define
class Branch:
    """One way in which a match continues from a snapshot, and all messages since."""

    play: Play
    heard: list[Message] = field(factory=list)
    _scores: tuple[Score, ...] | None = None  # learners are paid at each step; None: ignored

    @classmethod
    def begin(cls, snapshot: RoundSnapshot, position: Any, *, scores: bool = True) -> Branch:
        """Start at a position instead of the snapshot's, and collect the first messages."""
        case = snapshot.case
        play = Play(position, case.seats, case.seed, snapshot.number)
        branch = cls(play, scores=(0,) * case.seats if scores else None)
        branch._listen(NO_CLOSED_ASK)
        return branch

    def copy(self) -> Branch:
        """Return a branch that continues on its own."""
        return evolve(self, play=self.play.clone(), heard=[*self.heard])

    def answer(self, seat: Seat, answer: Any) -> None:
        """Give an answer, and collect the messages that follow."""
        question, before = self.play.pending[seat], self.play.closed
        self.play.answer(seat, answer)
        self.heard.append(Message("say", seat, (question, answer)))
        self._listen(before)

    def catch_up(self, seat: Seat, random: Random) -> None:
        """Answer for others who are asked before a seat, as long as it hears nothing of it."""
        known = len(self.list_known(seat))
        while self.play.pending and seat not in self.play.pending:
            if len(self.list_known(seat)) != known:
                break
            before = self.play.closed
            apply_move(self.play, random.randrange(MOVE_RANGE))
            self._listen(before)

    def _listen(self, before: int) -> None:
        self.heard += collect_messages(self.play, before)
        if self._scores is not None and self.play.scores != self._scores:
            self._scores = self.play.scores
            self.heard.append(Message("score", None, self._scores))

    def list_known(self, seat: Seat) -> list[int]:
        """Return the numbers of the messages that a seat was told, was asked, or sent."""
        return [at for at, heard in enumerate(self.heard) if heard.seat in (None, seat)]


def play_alike(
    branches: Sequence[Branch], random: Random, but: Seat | None = None
) -> Iterator[None]:
    """Give the same answers in both branches as long as possible, and yield before each.

    Nothing is answered for the seat `but`.
    """
    here, there = branches
    while True:
        yield
        answer = _find_common_answer(here.play, there.play, but, random)
        if answer is None:
            return
        here.answer(*answer)
        there.answer(*answer)


def _find_common_answer(
    here: Play, there: Play, but: Seat | None, random: Random
) -> GivenAnswer | None:
    """Return an answer that is legal in both plays, from a seat other than `but`, or None."""
    for seat in sorted((here.pending.keys() & there.pending.keys()) - {but}):
        for _ in range(MAX_ANSWER_DRAWS):
            answer = choose_legal_answer(here.pending[seat], random.randrange(MOVE_RANGE))
            if is_legal(there.pending[seat], answer):
                return seat, answer
    return None


BY_EVENTS = (
    "Or may the seat learn this here? Then list the event that reveals it in Secrecy.reveals."
)
TOLD_BEFORE = "If the rules reveal it here, tell it before, in an event that Secrecy.reveals lists."
BY_SCORES = (
    "Everybody sees `scores` after each round, so count there only what all may know."
    f" {TOLD_BEFORE}"
)
BY_QUESTIONS = (
    f"Who is asked, and may answer what, has to follow from what that seat was told. {TOLD_BEFORE}"
)
BY_ERRORS = f"Refuse for reasons that follow from what the seat was told. {TOLD_BEFORE}"
BY_CODECS = (
    "What the seat was told and asked is the same, so {kind} itself tells it. Let it write what"
    " stands in messages to its seat, and share nothing between seats."
)
"""What to do about a leak, by what it shows in."""

MayReveal = Callable[[Message, Sequence[Sequence[Message]]], bool]
"""Whether rules may reveal a fact by a message, given it and what came before in both branches."""


@frozen
class HiddenFact:
    """What a seat may not know, what may reveal it to that seat, and how a leak is described."""

    where: str  # such as `in round 3`
    subject: str
    otherwise: str  # how the second branch differs, such as `from another position`
    may_reveal: MayReveal  # of a message that only one branch has at its place
    advice: str = ""  # what to do if it is no leak, if not what it shows in says so
    more_advice: str = ""  # behind that


def reveal_by(*kinds: type) -> MayReveal:
    """Return what says that events of these kinds reveal a fact."""
    return lambda message, _: message.tells(*kinds)


@frozen
class Comparison:
    """Two branches as one seat sees them, up to where it may learn how they differ."""

    branches: Sequence[Branch]
    seat: Seat
    fact: HiddenFact
    messages: Sequence[Sequence[Message]] = field(init=False)  # of both branches, to that end

    @messages.default
    def _cut_messages(self) -> Sequence[Sequence[Message]]:
        known = (branch.list_known(self.seat) for branch in self.branches)
        for ends in zip_longest(*known):
            pair = [
                None if end is None else branch.heard[end]
                for end, branch in zip(ends, self.branches, strict=True)
            ]
            if pair[0] != pair[1]:
                before = [
                    branch.heard[:end] for end, branch in zip(ends, self.branches, strict=True)
                ]
                if any(heard and self.fact.may_reveal(heard, before) for heard in pair):
                    return before
        return [branch.heard for branch in self.branches]

    @property
    def is_cut(self) -> bool:
        """Whether the rules may have revealed the fact."""
        return any(
            len(messages) < len(branch.heard)
            for messages, branch in zip(self.messages, self.branches, strict=True)
        )

    @property
    def is_asked(self) -> bool:
        """Whether the seat is asked at the end of both branches."""
        return all(self.seat in branch.play.pending for branch in self.branches)

    def check_lines(self, snapshot: RoundSnapshot, bad_lines: Sequence[str] = ()) -> None:
        """Check that the seat is sent the same lines, and the same replies to bad lines at last."""
        for kind in codec_kinds(snapshot.game):
            speaking = [snapshot.copy_codecs(kind) for _ in self.branches]
            sent = [
                pair_lines(codecs, self.seat, messages)
                for codecs, messages in zip(speaking, self.messages, strict=True)
            ]
            first, second = ([line for _, line in pairs] for pairs in sent)
            if first != second:
                difference = _find_first_difference(first, second)
                last = _find_different_messages(*sent)
                if self._is_told_alike(last):
                    raise AssertionError(
                        self._describe("its lines", *difference, BY_CODECS.format(kind=kind), kind)
                    )
                self._report("its lines", *difference, _choose_advice(last), kind)
            for line in bad_lines:
                here, there = (
                    describe_reading(codecs[self.seat], branch.play.pending[self.seat], line)
                    for codecs, branch in zip(speaking, self.branches, strict=True)
                )
                if here != there:
                    self._report(f"the reply to the line {line!r}", here, there, BY_ERRORS, kind)

    def check_messages(self) -> None:
        """Check that the seat is told, is asked and answers the same."""
        here, there = (
            [heard.content for heard in messages if heard.seat in (None, self.seat)]
            for messages in self.messages
        )
        if here != there:
            self._report("what it is sent", here, there, BY_EVENTS)

    def check_question(self, pool: Iterable[Any] = ()) -> None:
        """Check that the open questions of the seat, and the errors for answers, are the same.

        The pool has answers to try; others are those of seats that are asked at the same time,
        which may contain what they hold.
        """
        here, there = (branch.play.pending[self.seat] for branch in self.branches)
        if repr(here) != repr(there):
            self._report("its question", here, there, BY_QUESTIONS)
        others = (
            choose_legal_answer(question, number)
            for branch in self.branches
            for seat, question in branch.play.pending.items()
            if seat != self.seat
            for number in (1, 2)
        )
        self._check_errors(here, there, chain(pool, others))

    def check_first_errors(self) -> None:
        """Check that answers to the first question that the seat is asked are refused alike."""
        asked = [
            [heard.content for heard in messages if (heard.kind, heard.seat) == ("ask", self.seat)]
            for messages in self.messages
        ]
        if all(asked):
            self._check_errors(asked[0][0], asked[1][0], by="an error")

    def _check_errors(
        self, here: Question[Any], there: Question[Any], pool: Iterable[Any] = (), by: str = ""
    ) -> None:
        """Compare the reasons for refusing answers to two questions; `pool` has some to try."""
        if has_public_options(here) and has_public_options(there):
            return
        others = {repr(answer): answer for answer in pool}
        for answer in generate_wrong_answers(here, tuple(others.values())):
            first, second = (describe_ruling(question, answer) for question in (here, there))
            if first != second:
                self._report(f"the reply to the answer {answer!r}", first, second, BY_ERRORS, by)

    def _is_told_alike(self, last: Sequence[Message | None]) -> bool:
        """Whether all that the seat was told and asked is the same, up to these messages."""
        known = [
            [message for message in messages[: at + 1] if message.seat in (None, self.seat)]
            for end, messages in zip(last, self.messages, strict=True)
            for at, message in enumerate(messages)
            if message is end
        ]
        return len(known) == len(last) and known[0] == known[1]

    def _report(self, source: str, here: object, there: object, advice: str, by: str = "") -> None:
        """Raise AssertionError: the seat can tell the branches apart, by what it is sent."""
        fact = self.fact
        raise AssertionError(
            self._describe(source, here, there, (fact.advice or advice) + fact.more_advice, by)
        )

    def _describe(self, source: str, here: object, there: object, advice: str, by: str) -> str:
        fact, by = self.fact, by and f"by {by}, "
        return (
            f"seat {self.seat} can tell, {by}{fact.where}, {fact.subject}, from {source}:\n{here}\n"
            f"and {fact.otherwise}\n{there}\nIs this a leak? {advice}"
        )


def _choose_advice(last: Sequence[Message | None]) -> str:
    """Return what to do about a leak whose first lines that differ are those of these messages."""
    kinds = {message.kind for message in last if message}
    if kinds == {"score"}:
        return BY_SCORES
    return BY_EVENTS if kinds <= {"tell", "score"} else BY_QUESTIONS


def _find_different_messages(
    first: Sequence[tuple[Message, str]], second: Sequence[tuple[Message, str]]
) -> tuple[Message | None, Message | None]:
    """Return the messages of the first lines that differ; None behind the last line."""
    pairs = zip_longest(first, second, fillvalue=(None, ""))
    return next((here, there) for (here, line), (there, other) in pairs if line != other)


def _find_first_difference(first: Sequence[str], second: Sequence[str]) -> tuple[object, object]:
    """Return the first lines that differ, with one line of context on both sides."""
    pairs = [*zip_longest(first, second)]
    at = next(at for at, (here, there) in enumerate(pairs) if here != there)
    return [*first[max(0, at - 1) : at + 2]], [*second[max(0, at - 1) : at + 2]]
