"""An observer of a bot in a match: the lines it receives, its answers, and its program."""

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
    """A file that counts the bytes written to it."""

    def __init__(self) -> None:
        self.count = 0

    def write(self, data: Any) -> int:
        """Count the bytes of a write."""
        self.count += len(data)
        return len(data)


@define
class ObservedFactory:
    """A player factory that keeps a reference to the last player it created."""

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
        """The processes of the player, running or ended."""
        return tuple(self.latest.processes) if self.latest else ()

    @property
    def has_pending_output(self) -> bool:
        """Whether the program has written output that answers no question.

        Output that arrives at this moment may be missed.
        """
        if self.latest:
            self.latest.look()
        return any(len(process.pipes.lines) for process in self.processes)

    @property
    def unasked_output(self) -> str:
        """The beginning of the output that answers no question; read it after the match."""
        said = b"".join(map(_read_unasked, self.processes))
        return said.decode(errors="replace")

    def create_player(
        self, seat: Seat, folder: WorkingFolder | None, log: IO[bytes] | None
    ) -> Player:
        """Create a player, and count the bytes that it writes to stderr."""
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
    """Return the codec of an entrant's lines; a bot in this process gets the codec of a program."""
    return spec.game.build_codec(getattr(entrant.factory, "protocol", None), seat)


@frozen
class ObservedTurn:
    """The lines sent since the last answer, and the line that answers them."""

    sent: tuple[str, ...]
    answered: str
    seconds: float


class MatchObserver(Observer):
    """Records one seat's turns in a match, and its failure."""

    def __init__(self, spec: MatchSpec, seat: Seat, wire: Codec, watched: ObservedFactory) -> None:
        self.wire, self.turns = wire, list[ObservedTurn]()
        self.verdict: Verdict | None = None
        self.early = False  # whether an answer came before its question
        self.sent: list[str] = []  # the lines since the last answer
        self.too_late = 0  # the number of withdrawn questions
        self._seat, self._watched = seat, watched
        own = derive_seed(spec.key, "bot", seat)
        seats = len(spec.names)
        self.sent += wire.tell(Greeting(spec.game.name, seat, seats, spec.variant, own))

    @property
    def sent_lines(self) -> tuple[str, ...]:
        """Return all lines sent to the seat, up to the end of the match or its failure."""
        return tuple(line for turn in self.turns for line in turn.sent) + tuple(self.sent)

    def on_event(self, seat: Seat | None, event: Any) -> None:
        """Record the lines of an event."""
        if seat in (None, self._seat) and self.verdict is None:
            self.sent += self.wire.tell(event)

    def on_questions(self, questions: Mapping[Seat, Question[Any]]) -> None:
        """Record the lines of a question, and whether an answer came before it."""
        if self._seat in questions and self.verdict is None:
            self.sent += self.wire.ask(questions[self._seat])
            self.early = self._watched.has_pending_output

    def on_answer(self, answer: AcceptedAnswer) -> None:
        """Record the answer as a line."""
        if answer.seat == self._seat and not answer.fallback:
            said = self.wire.say(answer.question, answer.answer)
            self.turns.append(ObservedTurn(tuple(self.sent), said, answer.seconds))
            self.sent = []

    def on_withdrawal(self, questions: Mapping[Seat, Question[Any]]) -> None:
        """Record a withdrawn question, and the lines about it."""
        if self._seat in questions and self.verdict is None:
            self.sent += encode_withdrawal(self.wire, questions[self._seat])
            self.too_late += 1

    def on_verdict(self, seat: Seat, verdict: Verdict) -> None:
        """Record the seat's failure."""
        if seat == self._seat:
            self.verdict = verdict


def answers_alike(first_match: MatchObserver, second_match: MatchObserver) -> bool | None:
    """Return whether equal lines got equal answers in both matches; None if no lines were equal."""
    same = None
    for first, second in zip(first_match.turns, second_match.turns, strict=False):
        if first.sent != second.sent:
            return same
        if first.answered != second.answered:
            return False
        same = True
    return same
