"""Starting programs, and ending them together, with all that they started."""

from __future__ import annotations

import os
import select
import signal
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, TYPE_CHECKING

from arena.players.bot_environment import environment as bots_environment
from arena.players.interrupts import deferred
from arena.players.loop import Loop
from arena.players.pipes import Pipes
from arena.players.plain import NotStarted, Plain, how_it_ended
from arena.players.presence import now

if TYPE_CHECKING:
    from arena.sandbox import Confined, Sandbox

TERM_TIMEOUT = 0.5  # seconds that SIGTERM may take
KILL_TIMEOUT = 5.0  # seconds that SIGKILL may take, where the machine is very busy
ENDED = (b"Z", b"X")  # states of processes
LOOKS = 10  # at all processes, until none of them has ended meanwhile
SWEEP = 2.0  # seconds for what a program left behind to be gone


class Process:
    """A running program, in a sandbox or plainly: its pipes, and its end."""

    def __init__(
        self,
        command: Sequence[str],
        folder: Path | None = None,
        environment: Mapping[str, str] | None = None,
        log: IO[bytes] | None = None,
        *,
        sandbox: Sandbox | None = None,
        home: Path | None = None,
        keeps: bool = True,
    ) -> None:
        """Start it, in the environment of all bots if none is given; raise NotStarted.

        In a sandbox its environment is another one, and of the host's files it finds those
        of its `home`. Unless it `keeps` what it has written to its folder, that is gone with it.
        """
        if sandbox:
            self._run: Plain | Confined = _confined(sandbox, command, folder, home, keeps=keeps)
        else:
            surroundings = bots_environment() if environment is None else environment
            self._run = Plain(command, folder, surroundings)
        self.pipes = Pipes(self._run.streams, log)
        self.running = True
        self.reaped = False
        self._watched = -1
        self._loop = Loop()
        self._signalled = False
        self._stands_still = False
        self._may_stand_still = sandbox is not None and sandbox.resources.still

    @property
    def session(self) -> int | None:
        """Return the session in which all that it leaves behind is to be looked for, if any."""
        return self._run.session

    @property
    def exit_reason(self) -> str:
        """How it ended, when it has been reaped: by itself, or because the host ended it."""
        stopped = self._run.stopped
        return how_it_ended(None if self._signalled else self._run.status, stopped)

    @property
    def unkept(self) -> str:
        """Why nothing that it has written is kept, when it has been reaped; or nothing.

        Raises:
            OSError: where that is the host's fault.
        """
        return self._run.unkept

    def signal(self, number: int) -> None:
        """Send a signal to it and to all that go with it, while it has not ended."""
        if self.running:
            self._signalled = True
            self._run.signal(number)

    def join(self, loop: Loop) -> None:
        """Have this loop, and no other, look at it from now on: at its pipes, and for its end.

        Its sandbox stands from then on; raise SandboxFailed.
        """
        self._look_away()
        self._loop = loop
        self.pipes.join(loop)
        if self.running:
            with self._over_if_it_fails():
                self._run.wait_up()
            self._watched = self._run.descriptor
            loop.watch(self._watched, select.POLLIN, self._ended)

    def begin_shutdown(self, loop: Loop) -> None:
        """End its input when all is sent, and have this loop see it out."""
        self.join(loop)
        self.go_on()
        self.pipes.finish()

    def stand_still(self) -> None:
        """Stop it until it goes on, if that is what its sandbox is to do; it has answered."""
        if self._may_stand_still and self.running:
            self._stands_still = True
            self._run.signal(signal.SIGSTOP)

    def go_on(self) -> None:
        """Let it run."""
        if self._stands_still and self.running:
            self._stands_still = False
            self._run.signal(signal.SIGCONT)

    def release(self) -> None:
        """Have all that it has left behind ended, where somebody watches over that."""
        self._run.release()

    def reap(self) -> None:
        """Close its pipes and take its exit status, if it has ended."""
        self.reaped = True
        self.pipes.close()
        self._look_away()
        self._run.close()

    def left(self, seconds: float) -> int:
        """Count what it left behind that runs on for so many seconds more, once it has ended."""
        if self._run.session is None:
            return self._run.left
        return still_running(members({self._run.session}), seconds)

    def _look_away(self) -> None:
        self._loop.forget(self._watched)

    def _ended(self) -> None:
        """Note that it has ended."""
        self._look_away()
        with self._over_if_it_fails():
            self._run.see_ended()
        self.running = False
        self.pipes.desert()

    @contextmanager
    def _over_if_it_fails(self) -> Iterator[None]:
        try:
            yield
        except OSError:  # of the sandbox: there is nothing more to be seen out
            self.running = False
            raise


def _confined(
    sandbox: Sandbox, command: Sequence[str], folder: Path | None, home: Path | None, *, keeps: bool
) -> Confined:
    from arena.sandbox import Confined  # few need it

    if folder is None or not folder.is_dir():
        raise NotStarted(f"{command[0]}: {folder} is no folder")
    return Confined(sandbox.request(command, folder, home, keeps=keeps))


def end(processes: Sequence[Process], grace: float) -> None:
    """End programs together: end of input, some grace, SIGTERM, SIGKILL; then the rest.

    An interrupt on the way only makes it shorter: nothing is left running.
    """
    processes = [process for process in processes if not process.reaped]
    if not processes:
        return
    loop = Loop()
    try:
        for process in processes:
            process.begin_shutdown(loop)
        see_out(processes, loop, grace)
        for process in processes:
            process.signal(signal.SIGTERM)
        see_out(processes, loop, TERM_TIMEOUT)
    finally:
        with deferred():
            _end_at_once(processes, loop)


def _end_at_once(processes: Sequence[Process], loop: Loop) -> None:
    for process in processes:
        process.signal(signal.SIGKILL)
    see_out(processes, loop, KILL_TIMEOUT)
    for process in processes:
        process.release()
    sweep({process.session for process in processes if process.session is not None})
    for process in processes:
        process.reap()


def see_out(processes: Sequence[Process], loop: Loop, seconds: float) -> None:
    """Wait until all have ended, at most `seconds`."""
    until = now() + seconds
    while any(process.running for process in processes) and now() < until:
        loop.wait(until)


def still_running(descriptors: Iterable[int], seconds: float) -> int:
    """Count the processes of these pidfds that have not ended after so many seconds; close them."""
    all_, poll, until = [*descriptors], select.poll(), now() + seconds
    for descriptor in all_:
        poll.register(descriptor, select.POLLIN)
    running = {*all_}
    while running and now() < until:
        for descriptor, _ in poll.poll(max(0.0, until - now()) * 1000):
            poll.unregister(descriptor)
            running.remove(descriptor)
    for descriptor in all_:
        os.close(descriptor)
    return len(running)


def sweep(sessions: Collection[int]) -> None:
    """Kill all that is left in these sessions, whose leaders have ended and are not reaped."""
    if sessions:
        kill_all(lambda: members(sessions))


def kill_all(find: Callable[[], Iterable[int]]) -> None:
    """Kill what is found, as pidfds, until nothing more is, and see it gone."""
    until = now() + SWEEP
    while (left := list(find())) and now() < until:
        poll = select.poll()
        for descriptor in left:
            with suppress(ProcessLookupError):
                signal.pidfd_send_signal(descriptor, signal.SIGKILL)
            poll.register(descriptor, select.POLLIN)
        poll.poll(max(0.0, until - now()) * 1000)
        for descriptor in left:
            os.close(descriptor)


def members(sessions: Collection[int]) -> Iterator[int]:
    """Return a pidfd for each process alive in these sessions, but their leaders.

    Who ended while it was looked at may have left another one behind, which the list of
    processes did not yet have: then all are looked at again.
    """
    for _ in range(LOOKS):
        found, gone = 0, False
        for name in os.listdir("/proc"):  # noqa: PTH208  # this is hot
            if not name.isdigit() or int(name) in sessions:
                continue
            state, session = _seen(name)
            gone |= session is None or (state in ENDED and session in sessions)
            if state not in ENDED and session in sessions:
                with suppress(ProcessLookupError):
                    descriptor = os.pidfd_open(int(name))
                    if _seen(name)[1] in sessions:  # still: the number is not somebody else's
                        found += 1
                        yield descriptor
                    else:
                        os.close(descriptor)
        if found or not gone:
            return


def _seen(process: str) -> tuple[bytes, int | None]:
    """Return the state and the session of a process (proc(5), stat: fields 3 and 6)."""
    try:
        with open(f"/proc/{process}/stat", "rb") as file:  # noqa: PTH123  # this is hot
            fields = file.read().rpartition(b")")[2].split()
    except OSError:
        return b"X", None
    return fields[0], int(fields[3])
