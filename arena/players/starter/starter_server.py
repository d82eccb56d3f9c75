"""The requests of a host to its starter: start a program, find and reap what has ended.

All programs are children of the starter, and so is whoever loses its parent, as it is a
subreaper (prctl(2)). What a program leaves behind is found among its children, whatever session
it is in. Programs are reaped when the host asks for it only: until then, none of their numbers is
used again. All others are reaped as they end.

A script in Python can be run by a fork of the starter, whose interpreter is warm already. The bot
must not be able to tell, but for what docs/reference/programs.md lists. So all names and modules
that are used here are removed before, and the interpreter ends as usual unless nothing could come
of that (`quick_end`).
"""

from __future__ import annotations

import _ctypes
import _signal  # type: ignore[import-not-found]
import _socket
import gc
import os
import sys
from types import FunctionType

import quick_end  # type: ignore[import-not-found]  # beside the script that is run

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import CodeType, TracebackType
    from typing import Any, NoReturn, Self

MAX_REQUEST_BYTES = 1 << 18
STREAMS = 3
DESCRIPTOR_BYTES = 4  # of a descriptor in a message
MAX_DESCRIPTORS = 1024  # more than a starter ever has open
SEPARATOR = b"\0"
SUBREAPER = 36  # PR_SET_CHILD_SUBREAPER
END_SIGNALS = (_signal.SIGHUP, _signal.SIGINT, _signal.SIGTERM)  # the host's end ends it instead
PYTHON_SIGNALS = (_signal.SIGPIPE, _signal.SIGXFSZ)  # which every interpreter ignores
MAX_SCANS = 10  # of all children, until none of them has ended meanwhile
END_TIMEOUT_SECONDS = 10  # for all programs to be gone when the host is
NO_DESCRIPTORS = 24  # EMFILE
NAME = b"arena-starter"
FIRST_OF_STAT = 3  # the fields of /proc/PID/stat behind the name begin with the third
STATE, SESSION, START_TIME = (field - FIRST_OF_STAT for field in (3, 6, 22))
SIGKILL = 9


class Starter:
    """Answers the requests of a host, until the host is gone."""

    def __init__(
        self, descriptor: int, main: dict[str, Any], modules: set[str], importers: set[str]
    ) -> None:
        os.set_inheritable(descriptor, False)
        self._socket = _socket.socket(fileno=descriptor)
        self._main = main
        self._modules, self._importers = modules, importers  # before anything was imported here
        self._programs: set[int] = set()  # which the host has not reaped yet
        self._scripts: dict[str, tuple[object, CodeType | None]] = {}

    def __enter__(self) -> Self:
        """Become a subreaper, and tell the host what can be done here."""
        reset_signals()
        self._handlers = {end: _signal.signal(end, _signal.SIG_IGN) for end in END_SIGNALS}
        with open("/proc/self/comm", "rb+", 0) as name:
            self._name = name.read().rstrip(b"\n")
            name.write(NAME)
        library = _ctypes.dlopen(None, 0)  # type: ignore[arg-type]  # None: what is loaded
        prctl = _ctypes.dlsym(library, "prctl")
        is_subreaper = not _ctypes.call_function(prctl, (SUBREAPER, 1, 0, 0, 0))
        with open("/proc/self/environ", "rb") as file:  # as it was given, before Python changed it
            entries = [entry.partition(b"=") for entry in file.read().split(b"\0") if entry]
        self._environment = {name: value for name, _, value in entries}
        _signal.pthread_sigmask(_signal.SIG_BLOCK, [_signal.SIGCHLD])
        self._handlers[_signal.SIGCHLD] = _signal.signal(_signal.SIGCHLD, self._reap_orphans)
        self._can_warm = can_run_scripts(self._main)
        self._answer(b"0", is_subreaper and self._can_warm, is_subreaper)
        return self

    def take_script(self) -> FunctionType:
        """Serve the host; return, in a fork, the script that is to be run, as a function.

        `exec` would take one more level of recursion than its call.

        What a fork would do before each script is done here once, where that is possible: it
        would copy the memory that it writes to.
        """
        forget_imports(self._modules, self._importers, self._main["__file__"])
        gc.collect()
        gc.freeze()
        while True:
            code = self._serve()
            if code:
                return FunctionType(code, self._main)

    def _serve(self) -> CodeType | None:
        # Orphans are reaped while this waits only, so that no answer is interrupted.
        _signal.pthread_sigmask(_signal.SIG_UNBLOCK, [_signal.SIGCHLD])
        try:
            message, ancillary, _, _ = self._socket.recvmsg(
                MAX_REQUEST_BYTES, 256, _socket.MSG_CMSG_CLOEXEC
            )
        except ConnectionError:  # the host has ended, and not read an answer
            self._end_all()
        _signal.pthread_sigmask(_signal.SIG_BLOCK, [_signal.SIGCHLD])
        given = b"".join(data for *_, data in ancillary)
        descriptors = [
            int.from_bytes(given[at : at + DESCRIPTOR_BYTES], sys.byteorder)
            for at in range(0, len(given), DESCRIPTOR_BYTES)
        ]
        if not message:
            self._end_all()
        number, asked, *details = message.split(SEPARATOR)
        if asked == b"warm":
            code = self._fork(number, details[1:], details[0], descriptors)
            if code:
                return code
        elif asked == b"start":
            started = self._start(details[1:], details[0], descriptors)
            close_all(descriptors)  # before the host can see the program's end
            self._answer(number, *started)
        elif asked == b"find":
            self._answer(number, *self._finish({*map(int, details)}))
        elif asked == b"reap":
            status = self._reap(int(details[0]))
            self._answer(number, b"" if status is None else status)
        close_all(descriptors)
        return None

    def _answer(self, number: bytes, *words: bytes | int) -> None:
        fields = [word if isinstance(word, bytes) else b"%d" % word for word in words]
        try:
            self._socket.send(SEPARATOR.join((number, *fields)))
        except ConnectionError:  # the host has ended since it asked
            self._end_all()

    def _start(self, words: list[bytes], folder: bytes, descriptors: list[int]) -> tuple[int, int]:
        """Start a program; return its number, or 0 and an error of the system."""
        if len(descriptors) != STREAMS:
            return 0, NO_DESCRIPTORS
        given = [(os.POSIX_SPAWN_DUP2, held, stream) for stream, held in enumerate(descriptors)]
        problem = 2  # ENOENT, where PATH is empty
        try:
            os.chdir(folder)
            for path in self._list_paths(words[0]):
                try:
                    process = os.posix_spawn(
                        path, words, self._environment, file_actions=given, setsid=True,
                        setsigdef=(*END_SIGNALS, *PYTHON_SIGNALS), setsigmask=(),
                    )  # fmt: skip
                except (FileNotFoundError, NotADirectoryError) as missing:
                    problem = missing.errno or problem
                    continue
                self._programs.add(process)
                return process, 0
        except OSError as other:
            problem = other.errno or problem
        finally:
            os.chdir("/")
        return 0, problem

    def _list_paths(self, program: bytes) -> list[bytes]:
        """Return the paths at which a program may be."""
        if b"/" in program:
            return [program]
        folders = self._environment.get(b"PATH", os.fsencode(os.defpath)).split(b":")
        return [folder + b"/" + program for folder in folders]

    def _fork(
        self, number: bytes, words: list[bytes], folder: bytes, descriptors: list[int]
    ) -> CodeType | None:
        """Run a script in a fork; answer 0 where it has to be started plainly."""
        code = self._compile(os.fsdecode(words[1]))
        if not code or len(descriptors) != STREAMS or not self._can_warm:
            self._answer(number, 0)
            return None
        argv = [os.fsdecode(word) for word in words]
        place = os.path.dirname(os.path.realpath(argv[1]))
        try:
            process = os.fork()
        except OSError:  # a plain start says what is lacking
            process = -1
        if process == 0:
            try:
                self._become(argv, place, folder, descriptors)
            except BaseException:  # noqa: BLE001  # it may be anything
                os._exit(127)
            return code
        if process > 0:
            self._programs.add(process)
        close_all(descriptors)  # before the host can see the program's end
        self._answer(number, max(process, 0))
        return None

    def _compile(self, script: str) -> CodeType | None:
        """Return a script's code, or None if compiling it says anything at all."""
        try:
            found = os.stat(script)
            state = (found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns,
                     found.st_ctime_ns)  # fmt: skip
            if script in self._scripts and self._scripts[script][0] == state:
                return self._scripts[script][1]
            self._scripts[script] = (state, None)
            with open(script, "rb") as file:
                text = file.read()
            said = ErrorCatcher()
            errors, sys.stderr = sys.stderr, said  # a warning is said each time, and by the bot
            try:
                code = compile(text, script, "exec", dont_inherit=True)
            finally:
                sys.stderr = errors
        except Exception:  # noqa: BLE001  # a plain start says what is wrong
            return None
        if said.heard:
            return None
        gc.collect()
        gc.freeze()
        self._scripts[script] = (state, code)
        return code

    def _become(self, argv: list[str], place: str, folder: bytes, descriptors: list[int]) -> None:
        """Make this fork what a new interpreter would be that begins to run the script."""
        for end, handler in self._handlers.items():
            _signal.signal(end, handler)
        _signal.pthread_sigmask(_signal.SIG_SETMASK, ())
        os.setsid()
        for stream, held in enumerate(descriptors):
            os.dup2(held, stream)
        comm = os.open("/proc/self/comm", os.O_WRONLY)
        os.write(comm, self._name)
        os.close(comm)
        self._socket.detach()
        os.closerange(STREAMS, MAX_DESCRIPTORS)
        os.chdir(folder)
        become_script(self._main, argv, place)

    def __exit__(
        self,
        kind: type[BaseException] | None,
        problem: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """End the process after its script."""
        end_script(problem, trace)

    def _reap_orphans(self, *_: object) -> None:
        """Reap the processes that have ended and are no programs."""
        for child in list_children(os.getpid()):
            if child not in self._programs:
                try:
                    os.waitpid(child, os.WNOHANG)
                except ChildProcessError:  # one that ended meanwhile has interrupted this
                    pass

    def _reap(self, process: int) -> int | None:
        """Return the status of a program that has ended, or None."""
        try:
            reaped, status = os.waitpid(process, os.WNOHANG)
        except ChildProcessError:
            reaped, status = process, 0
        if not reaped:
            return None
        self._programs.discard(process)
        return os.waitstatus_to_exitcode(status)

    def _finish(self, ended: set[int]) -> list[bytes]:
        """List what ended programs have left behind; if that is nothing, reap them."""
        if left := self._find_leftovers(ended):
            return [b"%d %d" % (member, int(start)) for member, start in left]
        statuses = [(program, self._reap(program)) for program in ended & self._programs]
        return [b"%d=%d" % (program, status) for program, status in statuses if status is not None]

    def _find_leftovers(self, ended: set[int]) -> list[tuple[int, str]]:
        """List the processes that ended programs have left behind: numbers and start times.

        Whoever is in the session of one is its own. Whoever has left it may be another one's that
        still runs: it is found when none does.
        """
        for _ in range(MAX_SCANS):
            alone, gone, found = self._programs <= ended, False, []
            for child in list_children(os.getpid()):
                if child in self._programs:
                    continue
                if alone or read_session(child) in ended:
                    found += list_tree(child)
                # only now: if it ended while it was looked at, its children are ours, unseen
                if os.waitpid(child, os.WNOHANG)[0]:
                    gone = True
            if found or not gone:
                break
        return found

    def _end_all(self) -> NoReturn:
        """End all programs and whatever they have started, and this process."""
        kill_children(END_TIMEOUT_SECONDS)
        os._exit(0)


def close_all(descriptors: list[int]) -> None:
    """Close these descriptors, and forget them."""
    while descriptors:
        os.close(descriptors.pop())


def reset_signals() -> None:
    """Reset the signals of this interpreter: as if its parent ignored none and blocked none.

    A host may have been started by nohup or in the background, and some workers ignore interrupts:
    a bot must not play otherwise there.
    """
    _signal.pthread_sigmask(_signal.SIG_SETMASK, ())
    for number in _signal.valid_signals() - {*PYTHON_SIGNALS}:
        if _signal.getsignal(number) == _signal.SIG_IGN:
            _signal.signal(number, _signal.SIG_DFL)
            if number == _signal.SIGINT:
                _signal.signal(number, _signal.default_int_handler)


class ErrorCatcher:
    """A standard error that remembers whether anything was said."""

    heard = False

    def write(self, text: str) -> int:
        """Take note of a text."""
        self.heard = True
        return len(text)

    def flush(self) -> None:
        """Do nothing."""


def forget_imports(modules: set[str], importers: set[str], own: str) -> None:
    """Remove the modules and path entries that the starter has added for itself."""
    for name in {*sys.modules} - modules:
        del sys.modules[name]
    for path in {*sys.path_importer_cache} - importers | {own}:
        sys.path_importer_cache.pop(path, None)


def can_run_scripts(main: dict[str, Any]) -> bool:
    """Return whether forks of this interpreter can be like new ones; `main` are its names."""
    return (
        sys.implementation.name == "cpython"
        and sys.version_info >= (3, 11)
        and "numpy" not in sys.modules  # its random numbers would be the same in each fork
        and len(os.listdir("/proc/self/task")) == 1
        and sys.path[0] == os.path.dirname(main["__file__"])
    )


def become_script(main: dict[str, Any], command: list[str], place: str) -> None:
    """Make this interpreter what a new one would be that begins to run a script.

    Args:
        main: the names of `__main__`, which are replaced.
        command: the interpreter, the script and its arguments.
        place: the folder of the script.
    """
    script = command[1]
    sys.orig_argv[:] = command
    sys.argv[:] = command[1:]
    sys.path[0] = place
    sys.path_importer_cache[script] = None  # as the interpreter notes that it is no folder
    if threading := sys.modules.get("threading"):
        threading.main_thread()._set_native_id()
    initial = build_main(main, script)
    main.clear()
    main.update(initial)


def build_main(names: dict[str, Any], script: str) -> dict[str, Any]:
    """Return the names that `__main__` has when a script begins."""
    initial = {name: value for name, value in names.items() if name.startswith("__")}
    loader = type(names["__loader__"])("__main__", script)
    return {**initial, "__doc__": None, "__file__": script, "__loader__": loader}


def end_script(problem: BaseException | None, trace: TracebackType | None) -> None:
    """End the process after its script: quickly, if nothing could come of the usual end."""
    quick_end.end_quickly(problem)
    if problem is not None and trace is not None:
        hide_frame(problem)
    gc.unfreeze()  # or what is in a cycle with `__main__` would not be finalised


def hide_frame(problem: BaseException) -> None:
    """See that the traceback of an exception begins in the script."""
    shown = sys.excepthook

    def show(kind: type[BaseException], value: BaseException, trace: TracebackType | None) -> None:
        sys.excepthook = shown
        if value is problem and trace is not None:
            trace = trace.tb_next
            value.__traceback__ = trace
        shown(kind, value, trace)

    if not isinstance(problem, SystemExit):
        sys.excepthook = show


def list_children(process: int) -> list[int]:
    """Return the children of all threads of a process."""
    found: list[int] = []
    try:
        for thread in os.listdir(f"/proc/{process}/task"):
            with open(f"/proc/{process}/task/{thread}/children") as file:
                found += map(int, file.read().split())
    except OSError:  # it has ended
        pass
    return found


def list_tree(process: int) -> list[tuple[int, str]]:
    """Return a process and all below it that are alive: their numbers and start times."""
    waiting, found = [process], []
    while waiting:
        member = waiting.pop()
        waiting += list_children(member)
        fields = read_stat(member)
        if fields and fields[STATE] not in "ZX":
            found.append((member, fields[START_TIME]))
    return found


def read_stat(process: int) -> list[str]:
    """Return the fields of a process's /proc/PID/stat from the third on, or none."""
    try:
        with open(f"/proc/{process}/stat", errors="replace") as file:
            return file.read().rpartition(")")[2].split()
    except OSError:
        return []


def read_session(process: int) -> int:
    """Return the session of a process, or 0."""
    fields = read_stat(process)
    return int(fields[SESSION]) if fields else 0


def kill_children(seconds: int) -> None:
    """Kill all below this process, until there is none; end this process if that takes longer."""
    _signal.alarm(seconds)  # its default is to end the process
    while children := list_children(os.getpid()):
        for child in children:
            for member, _ in list_tree(child):
                try:
                    os.kill(member, SIGKILL)
                except OSError:  # it has ended, or is another user's
                    pass
        for child in children:
            os.waitpid(child, 0)
