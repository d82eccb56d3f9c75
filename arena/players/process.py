"""Processes of programs: started plainly or in a sandbox, and ended with all that they started."""

from __future__ import annotations

import errno
import os
import select
import signal
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, TYPE_CHECKING

from arena.players.environment import build_bot_environment
from arena.players.interrupts import defer_signals
from arena.players.pipes import Pipes
from arena.players.poll_loop import PollLoop, now
from arena.players.starters import STARTER_POOL, ProgramStarter

if TYPE_CHECKING:
    from arena.sandbox import Sandbox, SandboxedProcess

TERM_TIMEOUT_SECONDS = 0.5  # seconds that SIGTERM may take
MAX_FIRST_LINE_BYTES = 256  # of a script, that the kernel reads
KILL_TIMEOUT_SECONDS = 5.0  # seconds that SIGKILL may take, where the machine is very busy


class Process:
    """A running program, with or without a sandbox: its pipes and its end."""

    def __init__(
        self,
        command: Sequence[str],
        folder: Path | None = None,
        environment: Mapping[str, str] | None = None,
        log: IO[bytes] | None = None,
        *,
        sandbox: Sandbox | None = None,
        home: Path | None = None,
        is_persistent: bool = True,
        ends_now: bool = False,
    ) -> None:
        """Start the program, by default in the environment of bots; raise ProgramStartError.

        In a sandbox its environment is another one, and of the host's files it finds those
        of its `home`. Unless its folder `is_persistent`, what it has written there goes with it.
        Where it `ends_now`, it is killed as soon as it is to end.
        """
        if sandbox:
            self._run: PlainProcess | SandboxedProcess = _start_in_sandbox(
                sandbox, command, folder, home, keeps=is_persistent
            )
        else:
            from arena.sandbox import resolve_shim_in

            words = [resolve_shim_in(command[0], folder), *command[1:]]
            given = build_bot_environment() if environment is None else environment
            self._run = PlainProcess(words, folder, given)
        self._program, self._folder = command[0], folder
        self.pipes = Pipes(self._run.streams, log)
        self.running = True
        self.reaped = False
        self._ends_now = ends_now
        self._watched = -1
        self._loop = PollLoop()
        self._signalled = False
        self._is_paused = False
        self._may_pause = sandbox is not None and sandbox.resources.still

    @property
    def session(self) -> int | None:
        """The number of its session and its first process, or None in a sandbox."""
        return self._run.session

    @property
    def plain(self) -> PlainProcess | None:
        """The program, if it runs without a sandbox."""
        return self._run if isinstance(self._run, PlainProcess) else None

    @property
    def exit_reason(self) -> str:
        """The reason why it ended, once it has been reaped."""
        status = None if self._signalled else self._run.status
        hint = explain_script(self._program, self._folder) if status == NOT_FOUND_STATUS else ""
        return describe_end(status, self._run.stop_reason) + hint

    @property
    def exit_status(self) -> int | None:
        """Its exit status, once it has been reaped; None if a signal or a limit has ended it."""
        status = self._run.status
        if self._signalled or self._run.stop_reason or status is None or status < 0:
            return None
        return status

    @property
    def is_unavailable(self) -> bool:
        """Whether it has said, once it has been reaped, that what it depends on is not there.

        Only programs without a sandbox are believed: others could make any match void.
        """
        return bool(self.plain) and not self._signalled and self._run.status == UNAVAILABLE_STATUS

    @property
    def discard_reason(self) -> str:
        """The reason why its files are not kept, once it has been reaped, or "".

        Raises:
            OSError: where that is the host's fault.
        """
        return self._run.discard_reason

    def signal(self, number: int) -> None:
        """Send a signal to it and its processes, unless it has ended."""
        if self.running:
            self._signalled = True
            self._run.signal(number)

    def join(self, loop: PollLoop) -> None:
        """Let this loop, and no other, watch its pipes and its end from now on.

        Its sandbox stands from then on; raise SandboxError.
        """
        self._unwatch()
        self._loop = loop
        self.pipes.join(loop)
        if self.running:
            with self._end_on_error():
                self._run.wait_until_ready()
            self._watched = self._run.descriptor
            loop.watch(self._watched, select.POLLIN, self._note_end)

    def begin_shutdown(self, loop: PollLoop) -> None:
        """Close its input when everything is sent, and let this loop wait for its end.

        If its bot has asked for that, kill it instead, unless it is about to end: its exit
        status tells why.
        """
        self.join(loop)
        self.resume()
        if self._ends_now and not self.pipes.hung_up:
            self.signal(signal.SIGKILL)
        self.pipes.finish()

    def pause(self) -> None:
        """Pause it after its answer, if its sandbox is set to do that."""
        if self._may_pause and self.running:
            self._is_paused = True
            self._run.signal(signal.SIGSTOP)

    def resume(self) -> None:
        """Resume it."""
        if self._is_paused and self.running:
            self._is_paused = False
            self._run.signal(signal.SIGCONT)

    def release(self) -> None:
        """End all processes that it has left behind, if its sandbox tracks them."""
        self._run.release()

    def reap(self) -> None:
        """Close its pipes and take its exit status, if it has ended."""
        self.reaped = True
        self.pipes.close()
        self._unwatch()
        self._run.close()

    def count_leftovers(self, seconds: float) -> int:
        """Count its leftover processes that still run after some seconds, once it has ended."""
        if not self.plain:
            return self._run.leftover_count
        return count_running(find_leftovers([self.plain]), seconds)

    def _unwatch(self) -> None:
        self._loop.forget(self._watched)

    def _note_end(self) -> None:
        """Record that it has ended."""
        self._unwatch()
        with self._end_on_error():
            self._run.note_end()
        self.running = False
        self.pipes.finish_reading()

    @contextmanager
    def _end_on_error(self) -> Iterator[None]:
        try:
            yield
        except OSError:  # of the sandbox: there is nothing more to be seen out
            self.running = False
            raise


class ProgramStartError(Exception):  # it is the entrant's error
    """A command that cannot be started; the message says why."""


NOT_FOUND_STATUS = 127  # of env and of shells
UNAVAILABLE_STATUS = os.EX_TEMPFAIL  # 75: "something that is not really an error" (sysexits.h)


def explain_script(program: str, folder: Path | None) -> str:
    """Return the reason why a script's interpreter is not found, if it is that of many: or ""."""
    try:
        with ((folder or Path.cwd()) / program).open("rb") as file:
            first = file.readline(MAX_FIRST_LINE_BYTES)
    except OSError:
        return ""
    if first.startswith(b"#!") and first.endswith(b"\r\n"):
        return "; its first line ends as on Windows (CR LF): save it with line ends of Unix (LF)"
    return ""


def describe_end(status: int | None, stopped: str) -> str:
    """Return the reason for a program's end: its exit status, a limit, or the host."""
    if stopped:
        return f"it used {stopped}, and was ended"
    if status is None:
        return "the host ended it"
    if status < 0:
        known = {number.value: number.name for number in signal.Signals}
        return f"killed by {known.get(-status, f'signal {-status}')}"
    return f"exit status {status}"


def _start_in_sandbox(
    sandbox: Sandbox, command: Sequence[str], folder: Path | None, home: Path | None, *, keeps: bool
) -> SandboxedProcess:
    from arena.sandbox import SandboxedProcess  # few need it

    if folder is None or not folder.is_dir():
        raise ProgramStartError(f"{command[0]}: {folder} is not a folder")
    return SandboxedProcess(sandbox.request(command, folder, home, keeps=keeps))


def end_processes(processes: Sequence[Process], grace: float) -> None:
    """End programs together: close their input, wait, send SIGTERM, SIGKILL; then clean up.

    An interrupt on the way only makes it shorter: nothing is left running.
    """
    processes = [process for process in processes if not process.reaped]
    if not processes:
        return
    loop = PollLoop()
    try:
        for process in processes:
            process.begin_shutdown(loop)
        wait_for_end(processes, loop, grace)
        for process in processes:
            process.signal(signal.SIGTERM)
        wait_for_end(processes, loop, TERM_TIMEOUT_SECONDS)
    finally:
        with defer_signals():
            _kill_processes(processes, loop)


def _kill_processes(processes: Sequence[Process], loop: PollLoop) -> None:
    for process in processes:
        process.signal(signal.SIGKILL)
    wait_for_end(processes, loop, KILL_TIMEOUT_SECONDS)
    for process in processes:
        process.release()
    kill_leftovers(processes)
    for process in processes:
        process.reap()


def wait_for_end(processes: Sequence[Process], loop: PollLoop, seconds: float) -> None:
    """Wait until all have ended, at most `seconds`."""
    until = now() + seconds
    while any(process.running for process in processes) and now() < until:
        loop.wait(until)


def kill_leftovers(processes: Sequence[Process]) -> None:
    """Kill all that programs without a sandbox have left behind, once they have ended."""
    plain = [process.plain for process in processes if process.plain]
    if plain:
        kill_all(lambda: find_leftovers(plain))


SWEEP_TIMEOUT_SECONDS = 5.0  # seconds for what a program left behind to be gone, likewise


def kill_all(find: Callable[[], Iterable[int]]) -> None:
    """Kill the processes that a function finds, as pidfds, until it finds none."""
    until = now() + SWEEP_TIMEOUT_SECONDS
    while (left := list(find())) and now() < until:
        poll = select.poll()
        for descriptor in left:
            with suppress(ProcessLookupError):
                signal.pidfd_send_signal(descriptor, signal.SIGKILL)
            poll.register(descriptor, select.POLLIN)
        poll.poll(max(0.0, until - now()) * 1000)
        for descriptor in left:
            os.close(descriptor)


def count_running(descriptors: Iterable[int], seconds: float) -> int:
    """Count the pidfds whose processes still run after some seconds; close all of them."""
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


PROGRAM_ERRNOS = {
    errno.ENOENT, errno.EACCES, errno.ENOEXEC, errno.ENOTDIR, errno.EISDIR, errno.ELOOP,
    errno.E2BIG, errno.ENAMETOOLONG, errno.EPERM,
}  # fmt: skip
"""The errors that a program which cannot be started is to blame for; others are the host's."""


class PlainProcess:
    """A running program without a sandbox; the other kind is `SandboxedProcess`.

    A starter starts it, a small process of this host's (`StarterPool`). It leads a session of its
    own, so that no signal of the host's terminal reaches it. What it leaves behind becomes a child
    of the starter, also where it has left the session.
    """

    def __init__(
        self, command: Sequence[str], folder: Path | None, environment: Mapping[str, str]
    ) -> None:
        """Start the program; raise ProgramStartError."""
        ends = [os.pipe(), os.pipe(), os.pipe()]
        given = [ends[0][0], ends[1][1], ends[2][1]]
        kept = [ends[0][1], ends[1][0], ends[2][0]]
        try:
            started = STARTER_POOL.start(command, str(folder or Path.cwd()), environment, given)
            self.starter, self.session, self.is_warm = started
            self._exit = os.pidfd_open(self.session)
        except OSError as problem:
            _close_all(kept)
            if problem.errno not in PROGRAM_ERRNOS:
                raise
            hint = explain_script(command[0], folder)
            raise ProgramStartError(f"{command[0]}: {problem.strerror}{hint}") from None
        except ValueError as problem:  # a NUL in the command
            _close_all(kept)
            raise ProgramStartError(f"{command[0]!r}: {problem}") from None
        except BaseException:
            _close_all(kept)
            raise
        finally:
            _close_all(given)
        self.streams: tuple[IO[bytes], IO[bytes], IO[bytes]] = (
            os.fdopen(kept[0], "wb", 0), os.fdopen(kept[1], "rb", 0), os.fdopen(kept[2], "rb", 0),
        )  # fmt: skip
        self.status: int | None = None
        self._ended = False

    @property
    def descriptor(self) -> int:
        """The descriptor that becomes readable when the program ends."""
        return self._exit

    stop_reason = discard_reason = ""
    """Always empty: there are no limits without a sandbox."""

    leftover_count = 0
    """Always 0: leftover processes are found by `find_leftovers`."""

    def wait_until_ready(self) -> None:
        """Do nothing: the program runs already."""

    def note_end(self) -> None:
        """Record that the program has ended; as a zombie it still keeps its process number."""
        self._ended = True

    def signal(self, number: int) -> None:
        """Send a signal to the program and its process group."""
        with suppress(ProcessLookupError):
            try:
                os.killpg(self.session, number)
            except ProcessLookupError:  # a fork that has no session yet, or it has ended
                signal.pidfd_send_signal(self._exit, number)

    def release(self) -> None:
        """Do nothing: leftover processes are searched for elsewhere."""

    def close(self) -> None:
        """Collect the exit status, if the program has ended."""
        os.close(self._exit)
        if self._ended:
            with suppress(OSError):
                self.status = self.starter.reap(self.session)
            STARTER_POOL.release(self.starter)


def _close_all(descriptors: Iterable[int]) -> None:
    for descriptor in descriptors:
        os.close(descriptor)


def find_leftovers(processes: Iterable[PlainProcess]) -> Iterator[int]:
    """Yield a pidfd for each process alive that these ended programs have left behind."""
    by_starter: dict[ProgramStarter, list[int]] = {}
    for process in processes:
        by_starter.setdefault(process.starter, []).append(process.session)
    for starter, sessions in by_starter.items():
        with suppress(OSError):  # the starter has been ended, and all programs with it
            left: list[int] = []
            # what has ended since it was found may have left children itself: then look again
            while not left and (found := starter.find_leftovers(sessions)):
                left = _open_all(found)
            yield from left


def _open_all(found: Iterable[tuple[int, str]]) -> list[int]:
    """Return pidfds of the processes with these numbers and start times that still run."""
    descriptors = []
    for number, start in found:
        with suppress(ProcessLookupError):
            descriptor = os.pidfd_open(number)
            if _read_start(number) == start:  # the number is not somebody else's
                descriptors.append(descriptor)
            else:
                os.close(descriptor)
    return descriptors


START_TIME = 19  # the field of /proc/PID/stat, from the third on


def _read_start(process: int) -> str:
    try:
        with open(f"/proc/{process}/stat", errors="replace") as file:  # noqa: PTH123  # this is hot
            return file.read().rpartition(")")[2].split()[START_TIME]
    except OSError:
        return ""


def build_module_command(module: str, *arguments: str) -> tuple[str, ...]:
    """Return the command that runs a module of ours as a program.

    With `-m` alone Python looks for all modules in the current folder first, which may be a bot's.
    """
    return (sys.executable, "-P", "-m", module, *arguments)
