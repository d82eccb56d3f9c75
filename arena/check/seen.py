"""Watching a bot in a match: the lines that it is sent, its answers, and its program."""

from __future__ import annotations

from collections.abc import Mapping
from io import RawIOBase
from typing import IO, TYPE_CHECKING, Any, cast

from attrs import define, field, frozen

from arena.host import Entrant, PlayerFactory, WorkingFolder
from arena.players import Player, Process
from arena.plugins import Answered, MatchSpec, Observer
from arena.rules import Question, Seat, Verdict, derived
from arena.wires import Codec, Greeting, withdrawal

if TYPE_CHECKING:
    from arena.sandbox import Sandbox


class Count(RawIOBase):
    """A file that only counts what is written to it."""

    def __init__(self) -> None:
        self.bytes = 0

    def write(self, data: Any) -> int:
        """Count it."""
        self.bytes += len(data)
        return len(data)


@define
class Watched:
    """A maker that keeps hold of the player that it made last."""

    factory: PlayerFactory
    latest: Player | None = None
    log: Count = field(factory=Count)

    @property
    def runs(self) -> bool:
        """Is it a program, which wants a folder?"""
        return self.factory.runs

    @property
    def sandbox(self) -> Sandbox | None:
        """Return what contains its program, if anything does."""
        return self.factory.sandbox

    @property
    def processes(self) -> tuple[Process, ...]:
        """Return the player's, running or ended."""
        return tuple(self.latest.processes) if self.latest else ()

    @property
    def waiting(self) -> bool:
        """Has it said something that nobody has asked for yet?

        What is on its way at this moment may be missed.
        """
        if self.latest:
            self.latest.look()
        return any(len(process.pipes.lines) for process in self.processes)

    @property
    def unasked(self) -> str:
        """Return the beginning of what it said and nobody asked for, when the match is over."""
        said = b"".join(map(_unasked, self.processes))
        return said.decode(errors="replace")

    def player(self, seat: Seat, folder: WorkingFolder | None, log: IO[bytes] | None) -> Player:
        """Make one, and count what it writes to its stderr."""
        self.log = Count()
        self.latest = self.factory.player(seat, folder, cast("IO[bytes]", self.log))
        return self.latest


def _unasked(process: Process) -> bytes:
    """Return what waits, except for lines that the program owed."""
    lines = process.pipes.lines
    said = lines.partial + process.pipes.late
    for _ in range(lines.owed):
        said = said.partition(b"\n")[2]
    return said


def wire_of(spec: MatchSpec, entrant: Entrant, seat: Seat) -> Codec:
    """Return the codec that an entrant's lines are in, or would be if it were a program."""
    return spec.game.wire(getattr(entrant.factory, "protocol", None), seat)


@frozen
class Turn:
    """Lines that were sent, and the line that answered them."""

    sent: tuple[str, ...]
    answered: str
    seconds: float


class Seen(Observer):
    """A match as one seat has it: turns, and how it failed."""

    def __init__(self, spec: MatchSpec, seat: Seat, wire: Codec, watched: Watched) -> None:
        self.wire, self.turns = wire, list[Turn]()
        self.verdict: Verdict | None = None
        self.early = False  # was the answer there before the question?
        self.sent: list[str] = []  # since the last answer
        self.too_late = 0  # questions that were taken back
        self._seat, self._watched = seat, watched
        own = derived(spec.key, "bot", seat)
        seats = len(spec.names)
        self.sent += wire.tell(Greeting(spec.game.name, seat, seats, spec.variant, own))

    @property
    def lines(self) -> tuple[str, ...]:
        """Return all that was sent, up to its end or its failure."""
        return tuple(line for turn in self.turns for line in turn.sent) + tuple(self.sent)

    def told(self, seat: Seat | None, event: Any) -> None:
        """Take note of the lines by which the seat learns of it."""
        if seat in (None, self._seat) and self.verdict is None:
            self.sent += self.wire.tell(event)

    def asked(self, questions: Mapping[Seat, Question[Any]]) -> None:
        """Take note of the lines that ask, and of an answer that is there before."""
        if self._seat in questions and self.verdict is None:
            self.sent += self.wire.ask(questions[self._seat])
            self.early = self._watched.waiting

    def answered(self, answer: Answered) -> None:
        """Take note of the answer, as a line."""
        if answer.seat == self._seat and not answer.fallback:
            said = self.wire.say(answer.question, answer.answer)
            self.turns.append(Turn(tuple(self.sent), said, answer.seconds))
            self.sent = []

    def withdrawn(self, questions: Mapping[Seat, Question[Any]]) -> None:
        """Take note that it was too late, and of the lines that say so."""
        if self._seat in questions and self.verdict is None:
            self.sent += withdrawal(self.wire, questions[self._seat])
            self.too_late += 1

    def failed(self, seat: Seat, verdict: Verdict) -> None:
        """Take note of how it failed."""
        if seat == self._seat:
            self.verdict = verdict


def alike(one: Seen, other: Seen) -> bool | None:
    """Did it answer alike, as long as it was sent the same? None: they never were the same."""
    same = None
    for first, second in zip(one.turns, other.turns, strict=False):
        if first.sent != second.sent:
            return same
        if first.answered != second.answered:
            return False
        same = True
    return same
