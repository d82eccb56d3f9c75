"""Programs that play match after match in one process, because their bots have asked for it.

Such a process remembers what it has seen. A deal that is played again with the seats rotated would
show it the cards that it saw before in other hands. So each process carries the seeds of the deals
that it has played, and a pool gives out no process for a deal that it knows: nobody who plans
matches has to think of that.

After a match a program is asked whether it is ready for another one. It stays only if it says so in
time, and nothing else: whatever it says late belongs to the match that is over. A program with a
verdict has been ended by then, and so the next match starts a new one.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable, Sequence
from contextlib import ExitStack
from functools import partial
from types import TracebackType
from typing import IO, Self

from attrs import define, field

from arena.host.entrants import Entrant
from arena.host.folders import create_working_folder
from arena.host.player_factories import ProgramFactory
from arena.players import (
    FloodError,
    Player,
    PollLoop,
    Process,
    Program,
    end_processes,
    now,
)
from arena.rules import Seat
from arena.wires import MATCH_OVER_LINE, READY_LINE, Limits

MAX_IDLE_PROGRAMS = 16  # of a pool, unless a plan needs more: each keeps its memory while it waits


@define(eq=False)
class LastingProgram:
    """A program that plays match after match."""

    entrant: Entrant
    process: Process
    folder: ExitStack  # removes its working folder
    deals: set[str] = field(factory=set)  # the seeds of those that it has played

    @classmethod
    def start(cls, entrant: Entrant, factory: ProgramFactory, log: IO[bytes] | None) -> Self:
        """Start a new one; raise ProgramStartError."""
        with ExitStack() as stack:
            folder = create_working_folder(stack, is_sandboxed=False)
            return cls(entrant, factory.start(folder, log), stack.pop_all())

    def may_play(self, entrant: Entrant, deal: str) -> bool:
        """Return whether it is a program of this entrant that does not know the deal."""
        mine = self.entrant
        is_mine = entrant.name == mine.name and entrant.factory is mine.factory
        return is_mine and deal not in self.deals

    def is_quiet(self) -> bool:
        """Return whether it still runs, and has said nothing since it was ready."""
        if self.process.reaped:
            return False
        loop = PollLoop()
        self.process.join(loop)
        loop.wait(now())
        return self.process.running and not self.process.pipes.has_output

    def read_reply(self) -> bool | None:
        """Return whether it is ready for another match; None while it has not answered."""
        pipes = self.process.pipes
        try:
            line = pipes.lines.take()
        except FloodError:
            return False
        if line is None:
            return False if pipes.hung_up else None
        return line.decode(errors="replace").strip() == READY_LINE and not pipes.has_output


class ProgramPool:
    """Programs that wait for their next match; they end with the block."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._idle: list[LastingProgram] = []  # the last one used is the last
        self._grace = Limits().grace
        self._max_idle = MAX_IDLE_PROGRAMS

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, problem: object, trace: TracebackType | None
    ) -> None:
        self.close(0.0 if kind else None)

    def make_room(self, programs: int) -> None:
        """Let at least this number of programs wait, where a plan needs as many in turn."""
        self._max_idle = max(self._max_idle, programs)

    def take(self, entrant: Entrant, deal: str) -> LastingProgram | None:
        """Take a program of this entrant that may play this deal, if one waits."""
        while program := self._find(entrant, deal):
            if program.is_quiet():
                return program
            end_lasting([program], 0.0)
        return None

    def put(self, programs: Iterable[LastingProgram], grace: float) -> None:
        """Let programs wait for their next match; end those that have waited longest."""
        with self._lock:
            self._grace = grace
            self._idle += programs
            count = max(0, len(self._idle) - self._max_idle)
            oldest, self._idle = self._idle[:count], self._idle[count:]
        end_lasting(oldest, grace)

    def close(self, grace: float | None = None) -> None:
        """End all programs, after these seconds to end by themselves; None: as after a match."""
        with self._lock:
            idle, self._idle = self._idle, []
        end_lasting(idle, self._grace if grace is None else grace)

    def _find(self, entrant: Entrant, deal: str) -> LastingProgram | None:
        with self._lock:
            for program in reversed(self._idle):
                if program.may_play(entrant, deal):
                    self._idle.remove(program)
                    return program
        return None


def end_lasting(programs: Sequence[LastingProgram], grace: float) -> None:
    """End programs together, and remove their folders."""
    with ExitStack() as stack:
        for program in programs:
            stack.enter_context(program.folder)
        end_processes([program.process for program in programs], grace)


@define
class MatchPrograms:
    """The programs of one match that may play others after it; those that do not end with it."""

    pool: ProgramPool
    deal: str  # its seed
    earlier: dict[Seat, int] = field(factory=dict)  # matches that a seat's process had played
    _playing: list[LastingProgram] = field(factory=list)

    def list_earlier(self, seats: int) -> tuple[int | None, ...]:
        """Return for each seat how many matches its process had played; None: it ends with this."""
        return tuple(map(self.earlier.get, range(seats)))

    def create_player(self, entrant: Entrant, seat: Seat, log: IO[bytes] | None) -> Program:
        """Return a player whose program waits in the pool, or is started."""
        factory = entrant.factory
        assert isinstance(factory, ProgramFactory)
        return factory.create_program(seat, partial(self._start, entrant, factory, seat, log))

    def _start(
        self, entrant: Entrant, factory: ProgramFactory, seat: Seat, log: IO[bytes] | None
    ) -> Process:
        program = self.pool.take(entrant, self.deal)
        if program:
            program.process.pipes.begin_log(log)
        else:
            program = LastingProgram.start(entrant, factory, log)
        self.earlier[seat] = len(program.deals)
        program.deals.add(self.deal)
        self._playing.append(program)
        return program.process

    def end(self, players: Sequence[Player], grace: float) -> None:
        """End these players' programs, but not those that are ready for another match."""
        ending = [process for player in players for process in player.processes]
        playing = [program for program in self._playing if program.process in ending]
        ready = _ask_for_next_match(playing, grace) if grace else []
        staying = [program.process for program in ready]
        end_processes([process for process in ending if process not in staying], grace)
        for program in ready:
            program.process.pipes.end_log()
            self._playing.remove(program)
        self.pool.put(ready, grace)

    def close(self) -> None:
        """End what still runs, and remove the folders of the programs that have ended."""
        playing, self._playing = self._playing, []
        end_lasting(playing, 0.0)


def _ask_for_next_match(programs: Sequence[LastingProgram], grace: float) -> list[LastingProgram]:
    """Tell programs that a match is over, and return those that are ready for the next in time."""
    loop, until = PollLoop(), now() + grace
    for program in programs:
        program.process.join(loop)
        program.process.pipes.write(f"{MATCH_OVER_LINE}\n".encode())
    replies = {program: program.read_reply() for program in programs}
    while None in replies.values() and now() < until:
        loop.wait(until)
        replies |= {p: p.read_reply() for p, reply in replies.items() if reply is None}
    return [program for program, reply in replies.items() if reply]
