"""Watching a bot in a match: the lines that it is sent, its answers, and its program."""

from __future__ import annotations

from collections.abc import Mapping
from io import RawIOBase
from typing import IO, TYPE_CHECKING, Any, cast

from attrs import define, field, frozen

from arena.host import Entrant, PlayerFactory, WorkingFolder
from arena.players import Player, Process
from arena.plugins import AcceptedAnswer, MatchSpec, Observer
from arena.rules import Question, Seat, Verdict, derive_seed
from arena.wires import Codec, Greeting, encode_withdrawal

if TYPE_CHECKING:
    from arena.sandbox import Sandbox


class ByteCounter(RawIOBase):
    """A file that only counts what is written to it."""

    def __init__(self) -> None:
        self.count = 0

    def write(self, data: Any) -> int:
        """Count it."""
        self.count += len(data)
        return len(data)


@define
class ObservedFactory:
    """A maker that keeps hold of the player that it made last."""

    factory: PlayerFactory
    latest: Player | None = None
    log: ByteCounter = field(factory=ByteCounter)

    @property
    def is_program(self) -> bool:
        """Whether it is a program, which needs a working folder."""
        return self.factory.is_program

    @property
    def sandbox(self) -> Sandbox | None:
        """The sandbox of the program, or None."""
        return self.factory.sandbox

    @property
    def processes(self) -> tuple[Process, ...]:
        """Return the player's, running or ended."""
        return tuple(self.latest.processes) if self.latest else ()

    @property
    def has_pending_output(self) -> bool:
        """Whether the program has written output that answers no question.

        What is on its way at this moment may be missed.
        """
        if self.latest:
            self.latest.look()
        return any(len(process.pipes.lines) for process in self.processes)

    @property
    def unasked_output(self) -> str:
        """Return the beginning of what it said and nobody asked for, when the match is over."""
        said = b"".join(map(_read_unasked, self.processes))
        return said.decode(errors="replace")

    def create_player(
        self, seat: Seat, folder: WorkingFolder | None, log: IO[bytes] | None
    ) -> Player:
        """Make one, and count what it writes to its stderr."""
        self.log = ByteCounter()
        self.latest = self.factory.create_player(seat, folder, cast("IO[bytes]", self.log))
        return self.latest


def _read_unasked(process: Process) -> bytes:
    """Return the unread output of a process, without the lines that answer withdrawn questions."""
    lines = process.pipes.lines
    said = lines.partial + process.pipes.late_output
    for _ in range(lines.owed):
        said = said.partition(b"\n")[2]
    return said


def build_codec(spec: MatchSpec, entrant: Entrant, seat: Seat) -> Codec:
    """Return the codec that an entrant's lines are in, or would be if it were a program."""
    return spec.game.build_codec(getattr(entrant.factory, "protocol", None), seat)


@frozen
class ObservedTurn:
    """Lines that were sent, and the line that answered them."""

    sent: tuple[str, ...]
    answered: str
    seconds: float


class MatchObserver(Observer):
    """A match as one seat has it: turns, and how it failed."""

    def __init__(self, spec: MatchSpec, seat: Seat, wire: Codec, watched: ObservedFactory) -> None:
        self.wire, self.turns = wire, list[ObservedTurn]()
        self.verdict: Verdict | None = None
        self.early = False  # was the answer there before the question?
        self.sent: list[str] = []  # since the last answer
        self.too_late = 0  # questions that were taken back
        self._seat, self._watched = seat, watched
        own = derive_seed(spec.key, "bot", seat)
        seats = len(spec.names)
        self.sent += wire.tell(Greeting(spec.game.name, seat, seats, spec.variant, own))

    @property
    def sent_lines(self) -> tuple[str, ...]:
        """Return all that was sent, up to its end or its failure."""
        return tuple(line for turn in self.turns for line in turn.sent) + tuple(self.sent)

    def on_event(self, seat: Seat | None, event: Any) -> None:
        """Take note of the lines by which the seat learns of it."""
        if seat in (None, self._seat) and self.verdict is None:
            self.sent += self.wire.tell(event)

    def on_questions(self, questions: Mapping[Seat, Question[Any]]) -> None:
        """Take note of the lines that ask, and of an answer that is there before."""
        if self._seat in questions and self.verdict is None:
            self.sent += self.wire.ask(questions[self._seat])
            self.early = self._watched.has_pending_output

    def on_answer(self, answer: AcceptedAnswer) -> None:
        """Take note of the answer, as a line."""
        if answer.seat == self._seat and not answer.fallback:
            said = self.wire.say(answer.question, answer.answer)
            self.turns.append(ObservedTurn(tuple(self.sent), said, answer.seconds))
            self.sent = []

    def on_withdrawal(self, questions: Mapping[Seat, Question[Any]]) -> None:
        """Take note that it was too late, and of the lines that say so."""
        if self._seat in questions and self.verdict is None:
            self.sent += encode_withdrawal(self.wire, questions[self._seat])
            self.too_late += 1

    def on_verdict(self, seat: Seat, verdict: Verdict) -> None:
        """Take note of how it failed."""
        if seat == self._seat:
            self.verdict = verdict


def answers_alike(first_match: MatchObserver, second_match: MatchObserver) -> bool | None:
    """Did it answer alike, as long as it was sent the same? None: they never were the same."""
    same = None
    for first, second in zip(first_match.turns, second_match.turns, strict=False):
        if first.sent != second.sent:
            return same
        if first.answered != second.answered:
            return False
        same = True
    return same
