"""Scripts that a fork server runs behind Landlock: they cannot tell, and cannot reach it."""

from __future__ import annotations

import json
import os
import secrets
import select
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from attrs import define, field

from arena.sandbox import LANDLOCK, Resources, Sandbox, SandboxedProcess, find_obstacle
from arena.sandbox.processes.fork_server_client import MAX_FORKS, SCRIPT
from arena.sandbox.processes.process_tree import list_children
from arena.sandbox.supervisor_client import SUPERVISOR_CLIENT
from benchmarks.fast_starts import record_matches
from tests.players.test_warm_starts import DIFFERENT, ENDS, LOOKS
from tests.sandbox.test_requests import SEARCHES, find_planted
from tests.support.programs import TIMEOUT, list_lasting
from tests.support.sandboxes.plain_starts import list_launchers
from tests.support.sandboxes.warm import CHECK, warm_starts

EXAMPLES = Path(__file__).parents[2] / "examples" / "bots"
MATCHES = 5
PYTHON = "/usr/bin/python3"
WAITS = "import sys; sys.stdin.read()"
LOOKS_ON_STDOUT = (
    LOOKS.partition("with open")[0].replace("socket.socket().family", "socket.AF_UNIX")
    + """
import site, subprocess
seen |= {
    "site": [path.replace(os.getcwd(), "") for path in (site.USER_SITE, site.USER_BASE)],
    "of a child": sorted(subprocess.check_output("env", text=True).replace(os.getcwd(), "").splitlines()),
    "dumpable": os.stat("/proc/self/comm").st_uid == os.getuid(),
}
print(json.dumps(seen))
"""
)
IMPORTS_ALL = r"""
import os, sys, warnings
warnings.simplefilter("ignore")
done = {}
for name in sorted(sys.stdlib_module_names):
    if name in ("antigravity", "this") or "tkinter" in name or name.startswith("_"):
        continue
    try:
        module = __import__(name)
    except BaseException as problem:
        module = repr(problem)[:60]
    done[name] = getattr(module, "__name__", module)
print(done, file=sys.stdout)
print(sorted(sys.modules))
"""
"""Imports the standard library, and says what came of it."""

Said = tuple[bytes, bytes, int | None, dict[str, str]]
"""The output, the errors, the status and the files of a program that has ended."""


@define
class Started:
    """A program behind Landlock that has been started."""

    process: SandboxedProcess
    folder: Path

    @property
    def fork_server(self) -> int:
        """The fork server that has forked it."""
        (launcher,) = filter(list_children, list_launchers())
        return find_fork_server(launcher)

    def read_line(self) -> str:
        """Return its next line of output."""
        return self.process.streams[1].readline().decode()

    def end(self) -> Said:
        """Close its input, and wait for its end."""
        self.process.streams[0].close()
        assert select.select([self.process.descriptor], [], [], TIMEOUT)[0]
        self.process.note_end()
        out, errors = (stream.read() for stream in self.process.streams[1:])
        self.close()
        files = {path.name: path.read_text() for path in self.folder.iterdir() if path.is_file()}
        return out, errors, self.process.status, files

    def close(self) -> None:
        """End it."""
        self.process.close()
        for stream in self.process.streams:
            stream.close()


@define
class Bot:
    """A script, and the folders in which it is started."""

    folder: Path
    script: Path = field(init=False)
    count: int = 0

    def __attrs_post_init__(self) -> None:
        """Make its folder."""
        self.script = self.folder / "bot.py"

    def start(self, text: str = "", *words: str, resources: Resources | None = None) -> Started:
        """Start it with a text, if one is given, and with arguments."""
        if text:
            self.script.write_text(text)
        self.count += 1
        work = self.folder / f"work-{self.count}"
        work.mkdir()
        given = resources or Resources(warm_starts=True)
        command = [PYTHON, str(self.script), *words]
        request = Sandbox(LANDLOCK, given).request(command, work, None)
        started = Started(SandboxedProcess(request), work)
        started.process.wait_until_ready()
        return started

    def run(self, text: str = "", *words: str) -> Said:
        """Start it, and see it end."""
        return self.start(text, *words).end()

    def run_both_ways(self, text: str = "", *words: str) -> tuple[Said, Said]:
        """Run it plainly, and by a fork server."""
        SUPERVISOR_CLIENT.end_idle()
        plain = self.start(text, *words, resources=Resources()).end()
        with warm_starts():
            return plain, self.run(text, *words)


@pytest.fixture
def bot() -> Iterator[Bot]:
    """Return a bot whose folder all may read."""
    if problem := find_obstacle(LANDLOCK):
        pytest.skip(problem)
    with TemporaryDirectory(dir="/tmp") as folder:
        Path(folder).chmod(0o755)
        yield Bot(Path(folder))
    SUPERVISOR_CLIENT.end_idle()


def read_command(process: int) -> list[str]:
    """Return the command line of a process."""
    return Path(f"/proc/{process}/cmdline").read_bytes().decode().split("\0")


def find_fork_server(launcher: int) -> int:
    """Return the fork server of a launcher, or 0."""
    return next((child for child in list_children(launcher) if SCRIPT in read_command(child)), 0)


def test_a_script_cannot_tell(bot: Bot) -> None:
    """All that it can look at is the same, but for what is documented."""
    plain, warm = (
        json.loads(said[0]) for said in bot.run_both_ways(LOOKS_ON_STDOUT, "an", "argument")
    )
    for seen in plain, warm:  # each has a folder and a user of its own
        for name in ("HOME", "TMPDIR"):
            assert seen["environment"].pop(name) == seen["folder"]
        del seen["folder"]
    different = {name: (plain[name], warm[name]) for name in plain if plain[name] != warm[name]}
    assert different == DIFFERENT


def test_the_library_can_be_imported(bot: Bot) -> None:
    """As after a plain start: the same modules, and nothing was imported before."""
    plain, warm = bot.run_both_ways(IMPORTS_ALL)
    assert len(plain[0]) > 1000
    assert warm == plain


@pytest.mark.parametrize("text", ENDS.values(), ids=ENDS)
def test_a_script_ends_as_it_would_otherwise(bot: Bot, text: str) -> None:
    """What it writes, its status and its files are the same, whatever is left to do at its end."""
    plain, warm = bot.run_both_ways(
        f"import os, sys\nname = os.path.join(os.getcwd(), 'file')\n{text}"
    )
    assert warm == plain


UNUSUAL = {
    "an error of syntax": "print(",
    "a warning": "print(1 is 1)",
    "a zero": "print(1)\0",
    "an unknown encoding": "# coding: klingon\nprint(1)",
}


@pytest.mark.parametrize("text", UNUSUAL.values(), ids=UNUSUAL)
def test_an_unusual_script_is_started_plainly(bot: Bot, text: str) -> None:
    """What Python says of it is the same."""
    plain, warm = bot.run_both_ways(text)
    assert warm == plain
    assert plain[0] + plain[1]


def test_an_archive_is_started_plainly(bot: Bot) -> None:
    """Python runs its `__main__`."""
    with zipfile.ZipFile(bot.script, "w") as archive:
        archive.writestr("__main__.py", "print('from an archive')")
    plain, warm = bot.run_both_ways()
    assert plain == warm == (b"from an archive\n", b"", 0, {})


def test_from_the_third_start_on_a_script_is_warm(bot: Bot) -> None:
    """And only where that was asked for."""
    frames = (
        "import sys\ntry: sys._getframe(1)\nexcept ValueError: print('plain')\nelse: print('warm')"
    )
    assert [bot.run(frames)[0] for _ in range(4)] == [b"plain\n"] * 2 + [b"warm\n"] * 2
    told = [bot.start(frames, resources=Resources()).end()[0] for _ in range(4)]
    assert told == [b"plain\n"] * 4


def test_a_fork_server_is_replaced(bot: Bot) -> None:
    """So that no more than some starts share the seed of the interpreter's hashes."""
    with warm_starts():
        seeds = [bot.run(f"{CHECK}print(hash('x'))")[0] for _ in range(MAX_FORKS + 2)]
    assert len({*seeds[:MAX_FORKS]}) == 1 or len({*seeds[1:MAX_FORKS]}) == 1
    assert len({*seeds}) in (2, 3)


def test_a_fork_server_holds_no_request(bot: Bot) -> None:
    """Words of a start are neither in its memory nor in that of what is started afterwards."""
    words = [f"planted-{secrets.token_hex(16)}" for _ in range(4)]
    with warm_starts():
        for word in words[:3]:
            bot.run(CHECK + WAITS, word)
        started = bot.start(CHECK + SEARCHES, words[3])
        assert started.read_line().split() == [words[3]]
        if os.getuid() == 0:  # only root may look
            assert find_planted(started.fork_server) == set()
        started.end()


def test_a_fork_server_has_no_descriptor_of_a_program(bot: Bot) -> None:
    """Its streams lead nowhere, and it has one socket."""
    if os.getuid() != 0:
        pytest.skip("only root may look")
    with warm_starts():
        for _ in range(3):
            bot.run(CHECK + WAITS)
        started = bot.start(CHECK + WAITS)
        found = {
            path.name: str(path.readlink())
            for path in Path(f"/proc/{started.fork_server}/fd").iterdir()
        }
        started.end()
    assert found.pop("3").startswith("socket:")
    assert [*found] == ["0", "1", "2"]
    assert len({*found.values()}) == 1, "a pipe that nobody else has"


REACHES = r"""
import ctypes, os, resource, signal, sys
server = os.getppid()
tried = {
    "signal": lambda: os.kill(server, signal.SIGKILL),
    "signal to its group": lambda: os.killpg(os.getpgid(server), signal.SIGKILL),
    "memory": lambda: open(f"/proc/{server}/mem", "rb").read(1),
    "maps": lambda: open(f"/proc/{server}/maps").read(),
    "descriptors": lambda: os.listdir(f"/proc/{server}/fd"),
    "limits": lambda: resource.prlimit(server, resource.RLIMIT_NOFILE),
    "priority": lambda: os.setpriority(os.PRIO_PROCESS, server, 5),
    "cores": lambda: os.sched_setaffinity(server, [0]),
    "signal to its descriptor": lambda: signal.pidfd_send_signal(os.pidfd_open(server), signal.SIGKILL),
    "its user": lambda: os.setuid(0),
}
libc = ctypes.CDLL(None, use_errno=True)
def trace():
    if libc.ptrace(16, server, 0, 0):
        raise OSError(ctypes.get_errno(), "ptrace")
tried["trace"] = trace
for what, attempt in tried.items():
    try:
        attempt()
    except OSError:
        pass
    else:
        print("GOT", what)
os.kill(-1, signal.SIGKILL)
print("end")
"""


def test_a_script_cannot_reach_its_fork_server(bot: Bot) -> None:
    """Not by signals, nor by files of its process, nor by system calls."""
    with warm_starts():
        bot.run(CHECK + WAITS)
        started = bot.start(CHECK + WAITS)
        server = started.fork_server
        started.end()
        assert bot.run(CHECK + REACHES)[:2] == (b"end\n", b"")
        after = bot.start(CHECK + WAITS)
        assert after.fork_server == server
        after.end()


def test_limits_hold(bot: Bot) -> None:
    """A program that exceeds one is ended, and the next one is started as before."""
    grows = f"{CHECK}import time\na = [bytearray(1 << 20) for _ in range(200)]\ntime.sleep(600)"
    forks = f"{CHECK}import os, time\ntry:\n    while os.fork(): pass\nfinally: time.sleep(600)"
    burns = f"{CHECK}while True: pass"
    tight = Resources(memory_mb=64, processes=8, cpu_seconds=0.5)
    with warm_starts():
        for text, names in (
            (grows, ("memory", "MemoryError")),
            (forks, ("processes",)),
            (burns, ("processor",)),
        ):
            started = bot.start(text, resources=tight)
            said = started.end()
            assert any(name in f"{started.process.stop_reason}{said[1]!r}" for name in names), said
            assert bot.run(f"{CHECK}print('here')")[0] == b"here\n"


def test_processor_time_is_its_own(bot: Bot) -> None:
    """Neither that of its fork server nor that of who was started before."""
    burns = f"{CHECK}import time\nwhile time.process_time() < 0.4: pass"
    with warm_starts():
        for _ in range(3):
            started = bot.start(burns, resources=Resources(cpu_seconds=1.0))
            assert started.end()[2] == 0
            assert 0.4 <= started.process.report["cpu"] < 1.0


def test_what_a_script_leaves_is_ended_with_its_launcher(bot: Bot) -> None:
    """A daemon that has left its session does not outlive it, and nor does the fork server."""
    daemon = f"{CHECK}import os, time\nif not os.fork():\n    os.setsid()\n    os.fork() and os._exit(0)\n    time.sleep(600)"
    with warm_starts():
        bot.run(CHECK + WAITS)
        started = bot.start(daemon)
        launchers = list_launchers()
        started.end()
        assert started.process.leftover_count == 1
    assert list_lasting(launchers) == []


@pytest.mark.parametrize("killed", ["fork server", "launcher"])
def test_a_start_does_without_what_was_killed(bot: Bot, killed: str) -> None:
    """A program that runs meanwhile ends as it would, or is the host's fault; the next one starts."""
    if os.getuid() != 0:
        pytest.skip("only root may end a launcher")
    with warm_starts():
        bot.run(CHECK + WAITS)
        started = bot.start("import sys\nprint('up', flush=True)\nsys.stdin.read()\nprint('end')")
        assert started.read_line() == "up\n"
        server = started.fork_server
        (launcher,) = filter(list_children, list_launchers())
        os.kill(server if killed == "fork server" else launcher, 9)
        if killed == "fork server":
            assert list_lasting([server]) == []
            assert started.end()[:3] == (b"end\n", b"", 0)
        else:
            started.close()
            assert list_lasting([server, launcher]) == []
        assert bot.run("print('here')")[0] == b"here\n"


@pytest.mark.usefixtures("bot")
def test_transcripts_are_the_same_both_ways() -> None:
    """Whole matches of two bots, of which forks have played all but the first two."""
    pair = [str(EXAMPLES / "gops-python")] * 2
    plain = record_matches(pair, MATCHES, Sandbox(LANDLOCK))
    assert not any(map(find_fork_server, list_launchers()))
    assert record_matches(pair, MATCHES, Sandbox(LANDLOCK, Resources(warm_starts=True))) == plain
    assert sum(map(bool, map(find_fork_server, list_launchers()))) == 2


def write(path: Path, text: str = "") -> Path:
    """Write a file of a bot's, and its folder; return it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(0o755)
    return path


def test_only_the_hosts_own_interpreters_are_forked(tmp_path: Path) -> None:
    """They are started outside the sandbox: none may be a bot's, nor have its settings from one."""
    script, work = write(tmp_path / "bot" / "bot.py"), tmp_path / "work"
    work.mkdir()
    own = write(tmp_path / "bot" / "python3", "#!/bin/sh")
    link = tmp_path / "bot" / "bin" / "python3"
    link.parent.mkdir()
    link.symlink_to(PYTHON)
    folder = tmp_path / "bot" / "usr"
    folder.symlink_to("/usr/bin")
    through = f"/usr/..{own}"

    def is_warm(*words: str, home: Path | None = None, sandbox: Sandbox | None = None) -> bool:
        given = sandbox or Sandbox(LANDLOCK, Resources(warm_starts=True))
        return given.request(words, work, home)["warm_after"] is not None

    assert is_warm(PYTHON, str(script))
    assert is_warm(PYTHON, str(script), "-x", home=script.parent)
    assert is_warm(sys.executable, str(script))
    for words in (
        (str(own), str(script)), (str(link), str(script)), (through, str(script)),
        (PYTHON,), (PYTHON, "-u", str(script)), (PYTHON, "bot.py"), (PYTHON, "-m", "bot"),
        ("/usr/bin/env", str(script)), ("python3", str(script)),
    ):  # fmt: skip
        assert not is_warm(*words), words
        assert not is_warm(*words, home=script.parent), words
    assert not is_warm(PYTHON, str(script), home=work)  # a build
    assert not is_warm(PYTHON, str(script), sandbox=Sandbox(LANDLOCK))
    namespaces = Sandbox("namespaces", Resources(warm_starts=True))
    assert not is_warm(PYTHON, str(script), sandbox=namespaces)
