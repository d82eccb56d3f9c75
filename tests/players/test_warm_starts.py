"""A script that a warm interpreter runs cannot tell, and ends as it would otherwise."""

from __future__ import annotations

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from arena.players import Process, end_processes, process, starter, starters
from arena.players.starters import STARTER_POOL, WARM_AFTER, StarterPool
from tests.support.programs import TIMEOUT, list_command_lines, wait_for_end
from tests.support.script_runner import Runner

LOOKS = '''
"""A script that writes down what it sees."""
import sys
names = {name: type(value).__name__ for name, value in globals().items()}
seen = {
    "modules": sorted(sys.modules), "importers": sorted(map(str, sys.path_importer_cache)),
    "names": names, "order": [*names],
    "main": [__name__, __file__, str(__cached__), str(__spec__), str(__package__), __doc__],
    "loader": [__loader__.name, __loader__.path],
    "argv": sys.argv, "orig_argv": sys.orig_argv, "path": sys.path,
    "program": [sys.executable, sys.prefix, sys._base_executable], "flags": list(sys.flags),
    "warnings": sys.warnoptions, "depth": sys.getrecursionlimit(), "hook": repr(sys.excepthook)[:30],
    "meta": list(map(str, map(type, sys.meta_path))), "main_module": sys.modules["__main__"].__dict__ is globals(),
}
import gc, inspect, os, resource, signal, socket, threading
streams = sys.stdin, sys.stdout, sys.stderr
seen |= {
    "streams": [[s.encoding, s.errors, s.line_buffering, s.write_through, s.isatty(), s.seekable(),
                 s.mode, s.name, s.fileno(), s.newlines, type(s.buffer).__name__] for s in streams],
    "telling": [s.buffer.seekable() for s in streams],
    "signals": {n: str(signal.getsignal(n)) for n in signal.valid_signals() if n not in (9, 19)},
    "mask": sorted(signal.pthread_sigmask(signal.SIG_BLOCK, [])),
    "environment": dict(os.environ), "folder": os.getcwd(), "umask": os.umask(0o22),
    "descriptors": sorted(os.listdir("/proc/self/fd"))[:3] + [len(os.listdir("/proc/self/fd"))],
    "limits": [resource.getrlimit(n) for n in range(16)],
    "session": [os.getsid(0) == os.getpid() == os.getpgrp(), os.nice(0)],
    "threads": [threading.active_count(), threading.main_thread().native_id == os.getpid()],
    "comm": open("/proc/self/comm").read(), "gc": [gc.isenabled(), gc.get_threshold()],
    "status": [line for line in open("/proc/self/status") if line.split(":")[0] in
               ("Umask", "Threads", "SigBlk", "SigCgt", "NoNewPrivs", "CapEff")],
    "ignored": [int(line.split()[1], 16) & 0x7fffffff  # those above are the C library's
                for line in open("/proc/self/status") if line.startswith("SigIgn")],
    "socket": socket.socket().family, "frames": len(inspect.stack()),
}
import json
with open("seen", "a") as file:
    print(json.dumps(seen), file=file)
'''
DIFFERENT = {"frames": (1, 2)}
"""What a script can tell: plainly, and warm. docs/reference/programs.md lists it."""


@pytest.fixture
def runner(tmp_path: Path, mark: str) -> Runner:
    """Return a way to run scripts, of which none may leave anything behind."""
    return Runner(sys.executable, tmp_path / "script.py", mark)


def find_differences(runner: Runner) -> dict[str, tuple[object, object]]:
    """Return what a script sees otherwise where it is warm: plainly, and warm."""
    runner.run_both_ways(LOOKS, "an", "argument")
    plain, *_, warm = map(json.loads, (runner.folder / "seen").read_text().splitlines())
    return {name: (plain[name], warm[name]) for name in plain if plain[name] != warm[name]}


def test_a_script_cannot_tell(runner: Runner) -> None:
    """All that it can look at is the same, but for what is documented."""
    assert find_differences(runner) == DIFFERENT


RECURSES = """
levels = 0
def deeper():
    global levels
    levels += 1
    deeper()
try: deeper()
except RecursionError: print(levels)
"""


def test_a_script_has_one_level_of_recursion_less(runner: Runner) -> None:
    """It is that of the frame below it."""
    plain, warm = runner.run_both_ways(RECURSES)
    assert int(warm[0]) == int(plain[0]) - 1


START = "import os, sys\nname = os.path.join(os.getcwd(), 'file')\n"
ENDS = {
    "nothing left": "for line in sys.stdin: print(line)",
    "an unclosed file": "file = open(name, 'w'); file.write('written')",
    "a file in a class": "class Keeper: file = open(name, 'w')\nKeeper.file.write('written')",
    "an exit function": "import atexit; atexit.register(print, 'at exit')",
    "a finaliser": "class Last:\n    def __del__(self): os.write(1, b'gone')\nlast = Last()",
    "a finaliser without slots": (
        "class Last:\n    __slots__ = ()\n    def __del__(self): os.write(1, b'gone')\nlast = Last()"),
    "a weak finaliser": (
        "import weakref\nclass Last: pass\nlast = Last()\nweakref.finalize(last, print, 'gone')"),
    "a weak callback": (
        "import weakref\nclass Last: pass\nlast = Last()\n"
        "kept = weakref.ref(last, lambda _, write=os.write: write(1, b'gone'))"),
    "a callback of another reference": (
        "import weakref\nclass Last: pass\nclass Reference(weakref.ref): pass\nlast = Last()\n"
        "kept = Reference(last, lambda _, write=os.write: write(1, b'gone'))"),
    "output of C": "import ctypes; ctypes.CDLL(None).printf(b'buffered')",
    "a question to the user": "os.environ['PYTHONINSPECT'] = '1'; print('done')",
    "a generator": (
        "def count(write=os.write):\n    try: yield\n    finally: write(1, b'gone')\n"
        "counting = count(); next(counting)"),
    "a thread": (
        "import threading, time\n"
        "threading.Thread(target=lambda: (time.sleep(.1), print('thread'))).start()"),
    "a temporary folder": (
        "import tempfile; folder = tempfile.TemporaryDirectory(dir=os.getcwd()); print('made')"),
    "unflushed output": "sys.stdout.write('x' * 3)",
    "a large output": "sys.stdout.write('x' * 1000)\nsys.stderr.write('y' * 1000)",
    "no output": "os.close(1); print('nobody hears it')",
    "another output": "import io; sys.stdout = io.StringIO(); print('nobody reads it')",
    "a status": "print('words'); sys.exit(3)",
    "a large status": "print('words'); sys.exit(256)",
    "no status": "print('words'); sys.exit()",
    "last words": "sys.exit('bye')",
    "an exception": "def fail(): raise ValueError('no')\nfail()",
    "a chain of exceptions": "try: 1 / 0\nexcept ZeroDivisionError: raise ValueError('no')",
    "an own hook": "sys.excepthook = lambda *words: print(len(words), words[1])\n1 / 0",
    "an interrupt": "raise KeyboardInterrupt",
    "a signal": "os.kill(os.getpid(), 11)",
    "an end at once": "os._exit(4)",
    "a recursion": "def deeper(): deeper()\ntry: deeper()\nexcept RecursionError: print('deep')",
}  # fmt: skip


@pytest.mark.parametrize("text", ENDS.values(), ids=ENDS)
def test_a_script_ends_as_it_would_otherwise(runner: Runner, text: str) -> None:
    """What it writes, its status and its files are the same, whatever is left to do at its end."""
    files: list[Mapping[str, str]] = []
    runner.script.write_text(START + text)
    said = []
    for _ in range(WARM_AFTER + 1):
        said.append(runner.run())
        written = [path for path in runner.folder.iterdir() if path != runner.script]
        files.append({path.name: path.read_text() for path in written if path.is_file()})
        assert all(path.is_file() for path in written)
        for path in written:
            path.unlink()
    assert runner.was_warm()
    assert said[0] == said[-1]
    assert files[0] == files[-1]


def test_a_changed_script_is_read_again(runner: Runner) -> None:
    """Each start runs what stands in the file then; one that cannot be compiled is started plainly."""
    runner.run_both_ways("print(1)")
    assert runner.run("print(22)")[0] == b"22\n"
    assert runner.was_warm()
    assert b"SyntaxError" in runner.run("print(")[1]
    assert b"SyntaxWarning" in runner.run("print(1 is 1)")[1]
    assert b"SyntaxWarning" in runner.run()[1]
    assert runner.run("print(333)")[0] == b"333\n"


def test_what_leaves_its_session_is_ended(runner: Runner, mark: str) -> None:
    """A daemon that a script leaves behind does not outlive it, plainly and warm."""
    daemon = "import os, time\nif not os.fork():\n    os.setsid()\n    os.fork() and os._exit(0)\n    time.sleep(600)"
    runner.run_both_ways(daemon)
    assert list_command_lines(mark) == []


def test_a_script_may_end_what_starts_it(runner: Runner) -> None:
    """The next one is started as before."""
    kill = "import os, sys, time\nos.kill(os.getppid(), 9)\nfor line in sys.stdin: pass"
    for _ in range(WARM_AFTER + 2):
        runner.run(kill)
    runner.script = runner.script.with_name("other.py")
    plain, warm = runner.run_both_ways("print('here')  # again")
    assert plain == warm == (b"here\n", b"", "exit status 0")


def test_a_killed_starter_is_replaced(
    runner: Runner, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A start in between is plain, and one warning says so."""
    pool = StarterPool()  # which has not warned yet
    monkeypatch.setattr(process, "STARTER_POOL", pool)
    runner.run_both_ways("print('here')")
    for _ in range(2):
        assert runner.process.plain
        number = runner.process.plain.starter.number
        os.kill(number, signal.SIGKILL)
        os.waitid(os.P_PID, number, os.WEXITED | os.WNOWAIT)
        assert runner.run() == (b"here\n", b"", "exit status 0")
        assert not runner.was_warm()
        assert runner.run() == (b"here\n", b"", "exit status 0")
        assert runner.was_warm()
    assert ["its warm process has ended" in record.message for record in caplog.records] == [True]
    pool.close()


def test_a_killed_host_leaves_nothing(runner: Runner, mark: str) -> None:
    """All programs end with the process that has started the host's programs."""
    deaf = "import signal, time\nsignal.signal(15, signal.SIG_IGN)\nprint('up', flush=True)\ntime.sleep(600)"
    runner.script.write_text(deaf)
    process = Process([sys.executable, str(runner.script)], runner.folder, runner.environment)
    plain = process.plain
    assert plain
    STARTER_POOL.close()
    assert not Path(f"/proc/{plain.session}").exists()
    end_processes([process], 0.0)
    assert list_command_lines(mark) == []


@pytest.mark.parametrize("reads_answer", [True, False])
def test_a_host_killed_while_a_program_is_started_leaves_nothing(
    runner: Runner, mark: str, reads_answer: bool
) -> None:
    """Its starter ends the program that it has just started, and itself."""
    here, there = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    with there, subprocess.Popen(
        [sys.executable, starter.__path__[0] + "/run.py", str(there.fileno())],
        pass_fds=[there.fileno()], env=runner.environment,
    ) as process, here:  # fmt: skip
        there.close()
        if reads_answer:
            here.recv(100)  # that it is ready
        os.kill(process.pid, signal.SIGSTOP)
        os.waitid(os.P_PID, process.pid, os.WSTOPPED)
        request = b"\0".join([b"1", b"start", b"/", b"/bin/sleep", b"600"])
        socket.send_fds(here, [request], [0, 1, 2])
        here.close()
        os.kill(process.pid, signal.SIGCONT)
        assert process.wait(TIMEOUT) == 0
    assert wait_for_end(mark) == {}


def test_warm_starts_can_be_turned_off(runner: Runner, monkeypatch: pytest.MonkeyPatch) -> None:
    """With ARENA_WARM_STARTS=0 every start is a plain one, and no bot sees the variable."""
    monkeypatch.setenv("ARENA_WARM_STARTS", "0")
    said = [runner.run("import os; print('ARENA_WARM_STARTS' in os.environ)") for _ in range(4)]
    assert not runner.was_warm()
    assert len({*said}) == 1


def test_an_option_before_the_script_is_a_plain_start(runner: Runner) -> None:
    """Only `python SCRIPT` is run by a fork."""
    runner.script.write_text("print('here')")
    for _ in range(WARM_AFTER + 2):
        process = Process(
            [sys.executable, "-u", str(runner.script)], runner.folder, runner.environment
        )
        end_processes([process], TIMEOUT)
        assert process.plain
        assert not process.plain.is_warm


Alter = Callable[[str, str, str], None]


@pytest.fixture
def alter(runner: Runner, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Alter:
    """Return a function that replaces a text, in a copy of the starter that the runner then uses."""
    folder = shutil.copytree(starters.FOLDER, tmp_path / "starter")
    monkeypatch.setattr(starters, "FOLDER", folder)
    runner.environment["CONTROL"] = str(tmp_path)  # which has a starter of its own

    def replace(name: str, old: str, new: str) -> None:
        text = (folder / name).read_text()
        assert text.count(old) == 1
        (folder / name).write_text(text.replace(old, new))

    return replace


def test_a_starter_that_imports_more_is_seen(runner: Runner, alter: Alter) -> None:
    """The comparison above is no empty one: it finds a module that a plain interpreter has not."""
    alter("run.py", "import sys\n\n", "import sys\nimport json\n\n")
    found = find_differences(runner)
    assert "modules" in found
    assert found.keys() - DIFFERENT.keys() <= {"modules", "importers"}


@pytest.mark.parametrize(
    ("end", "lost"),
    [("an unclosed file", "written"), ("a thread", "thread\n"), ("a generator", "gone"),
     ("nothing left", "")],
)  # fmt: skip
def test_an_end_that_does_not_look_loses_something(
    runner: Runner, alter: Alter, end: str, lost: str
) -> None:
    """A warm script ends quickly, and loses what is left to do if nobody looks for it."""
    alter("quick_end.py", "or has_work_left()", "or False")
    file = runner.folder / "file"
    runner.script.write_text(START + ENDS[end])
    results: list[str] = []
    while not results or not runner.was_warm():
        output = runner.run()[0].decode()
        results.append(output + (file.read_text() if file.exists() else ""))
    assert results[0].removesuffix(lost) == results[-1]
    assert results[0].endswith(lost)


@pytest.mark.parametrize(
    ("end", "is_quick"), [("nothing left", True), ("a status", True), ("a finaliser", False)]
)
def test_a_script_that_leaves_nothing_to_do_ends_quickly(
    runner: Runner, alter: Alter, end: str, *, is_quick: bool
) -> None:
    """Its end does not reach the usual one, which says so here."""
    alter("starter_server.py", "    gc.unfreeze()", "    print('usual')\n    gc.unfreeze()")
    plain, warm = runner.run_both_ways(START + ENDS[end])
    assert (plain == warm) is is_quick
    assert (b"usual" in warm[0]) is not is_quick
