"""Nothing that lies in the current folder or in a bot's folder runs as the host."""

from __future__ import annotations

import json
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from urllib.request import urlopen

import click
import pytest

from arena.cli.command_group import arena
from arena_hill.bot_archive import pack_bot
from tests.support.command import ARENA
from tests.support.hill.running_hill import RunningHill, find_free_port
from tests.support.planted_modules import PlantedFolder, add_empty_entry
from tests.support.programs import ECHO, TIMEOUT, environment
from tests.support.requirements import require_sandbox, require_solver
from tests.support.transcripts import load_recorded_match
from tests.support.tuning.line_bot import write_line_bot

pytestmark = pytest.mark.slow

BOT = f'name = "stranger"\ncommand = ["{sys.executable}", "-I", "bot.py"]\n'
SUITE = """
name = "tiny"
version = 1
seed = "tiny"
[[game]]
game = "kuhn"
opponents = ["careful"]
matches = 2
"""
CUP = """
game = "gops"
matches = 4
workers = 1
check = false
transcripts = "all"
options = { cards = 3 }
[[entrant]]
bot = "bots/stranger"
untrusted = true
[[entrant]]
bot = "bots/stranger"
name = "trusted"
[[entrant]]
bot = "program:match"
"""
SMALL = "-o cards=3"
SANDBOXED = "--sandbox auto"
SERVERS = {"hill process coordinator", "hill process judge", "hill process web", "hill run", "web"}
"""Commands that run until a signal comes."""
STATUSES = {"submit": {2}, "tune": {0, 1}, "fuzz": {0, 3}}
"""No hill is there; a tuned bot need not be better; a law may have had no turn in a short time."""
HILL_COMMANDS = {
    "hill backup": "hill.toml copy",
    "hill archive": "hill.toml old.zip --dry-run",
    "hill hide": "hill.toml mine rude",
    "hill withdraw": "hill.toml mine slow",
    "hill forget": "hill.toml mine gone",
    "hill ban": "hill.toml ann rude",
    "hill unban": "hill.toml ann better",
    "hill invite": "hill.toml ann",
    "hill list": "hill.toml",
}
CALLS = {
    "tournament run": "cup.toml",  # what others show and change
    "bots": "gops",
    "check": f"gops bots/stranger --quick {SMALL} {SANDBOXED}",
    "demo": "",
    "eval run": "suite.toml random --out evaluated --workers 1",  # what the next two show
    "eval report": "evaluated",
    "eval secret": "secret.txt",
    "eval site": "evaluated pages",
    "eval suites": "",
    "doctor": "",
    "duel": f"gops bots/stranger hard {SMALL} {SANDBOXED} --pairs 1 --workers 1",
    "examples": "copied",
    "export": "cup.toml",
    "fuzz": "kuhn --for 0.1s",
    "games": "",
    "golden": "kuhn --into golden",
    "gops analyse": "cup.toml",
    "gops exploit": "match --cards 3 --games 20",
    "gops explore": "--cards 3",
    "gops solve": "--cards 3 --out table",
    "gops strategy": "--mine 1-3 --theirs 1-3 --prizes 1-3 --prize 2",
    **HILL_COMMANDS,
    **{f"hill process {name}": "hill.toml" for name in ("coordinator", "judge", "web")},
    "hill run": "hill.toml",
    "insights": "cup.toml",
    "learn": "kuhn --matches 16 --out learned",
    "match": f"gops bots/stranger program:match {SMALL} {SANDBOXED} --transcript logs",
    "matches": "cup.toml",
    "mcp": "",
    "new-bot": "gops fresh",
    "new-game": "fresh_game",
    "play": f"gops --against . {SMALL} --transcripts played",
    "replay": "match.jsonl",
    "site": "cup.toml public --jobs 2",
    "standings": "cup.toml",
    "study": "kuhn random careful --matches 4 --playouts 2 --workers 1",
    "submit": "bots/stranger --to http://127.0.0.1:9",
    "tournament add": "cup.toml random",
    "tournament new": "gops cup2.toml",
    "tournament rerun": "cup.toml 0.0",
    "tournament replace": "cup.toml match program:random",  # who may have played 0.0
    "tournament withdraw": "cup.toml match",
    "transcript": "cup.toml 0.0",
    "tune": "line/line.toml --workers 1",
    "verify": "match.jsonl",
    "web": ".",
}
"""The words of each command, in their order."""

SESSION = """
import json, os, sys
from pathlib import Path
from arena.cli import open_streams, set_signals

if __name__ == "__main__":
    set_signals()
    open_streams()
    from arena.cli.command_group import run

    calls, answers, marks = sys.argv[1:]
    for command, words in json.loads(calls):
        os.dup2(os.open(answers, os.O_RDONLY), 0)
        sys.stdin = open(0, closefd=False)
        print(f"arena {command}", file=sys.stderr)
        status = run(words)
        with Path(marks).open("a") as file:
            print(f"{command}: {status}", file=file)
"""
"""A script that starts as `arena` does and runs many commands: a start for each takes long.

What a command imports that one before it has not imported leaves its marks before its own line.
"""


def list_commands(command: click.Command, name: str = "") -> Iterator[str]:
    """Yield the names of all commands that are no groups."""
    if not isinstance(command, click.Group):
        yield name
        return
    context = click.Context(command)
    for word in command.list_commands(context):
        below = command.get_command(context, word)
        assert below
        yield from list_commands(below, f"{name} {word}".strip())


@pytest.fixture(scope="module")
def stranger(tmp_path_factory: pytest.TempPathFactory) -> PlantedFolder:
    """Return a stranger's folder, with bots, a tournament and a transcript."""
    require_sandbox()
    room = tmp_path_factory.mktemp("stranger")
    planted = PlantedFolder.create(room, tmp_path_factory.mktemp("marks") / "marks")
    bot = room / "bots/stranger"
    bot.mkdir(parents=True)
    PlantedFolder.create(bot, planted.marks)
    for folder in (room, bot):
        write_bot(folder)
    (room / "cup.toml").write_text(CUP)
    (room / "suite.toml").write_text(SUITE)
    (room / "line").mkdir()
    file = write_line_bot(room / "line")
    terms = file.read_text().replace("800", "100").replace("0.06, pairs = 200", "0.5, pairs = 16")
    file.write_text(f"options = {{ cards = 3 }}\n{terms}")
    (room / "match.jsonl").write_text("\n".join(load_recorded_match("kuhn")[1]))
    return planted


def write_bot(folder: Path) -> None:
    """Write a bot into a folder; it imports nothing from there itself."""
    (folder / "bot.toml").write_text(BOT)
    (folder / "bot.py").write_text(ECHO)


def run(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """Run a command in a folder, which stands in the path of programs, too."""
    return subprocess.run(
        words, cwd=folder, env=add_empty_entry(environment("planted")), input="1\n2\n3\n",
        capture_output=True, text=True, check=False, timeout=TIMEOUT,
    )  # fmt: skip


def test_each_command_is_tried() -> None:
    """The calls of this module are those of all commands."""
    require_solver()
    assert {*CALLS} == {*list_commands(arena)}


def test_no_command_runs_anything_of_a_stranger(stranger: PlantedFolder, tmp_path: Path) -> None:
    """Each works as elsewhere, and no process outside a sandbox imports or starts a planted file."""
    require_solver()
    names = [name for name in CALLS if name not in SERVERS | {*HILL_COMMANDS}]
    check_commands(stranger, names, tmp_path)
    check_pages(stranger)


def check_commands(planted: PlantedFolder, names: Iterable[str], folder: Path) -> None:
    """Run commands one after the other; see that each ends as it should and leaves no mark."""
    session, answers = folder / "session.py", folder / "answers"
    session.write_text(SESSION)
    answers.write_text("1\n2\n3\n")
    calls = [(name, [*name.split(), *CALLS[name].split()]) for name in names]
    done = run(
        planted.path, sys.executable, str(session), json.dumps(calls), str(answers),
        str(planted.marks),
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    lines = planted.marks.read_text().splitlines()
    planted.marks.unlink()
    ends = dict(line.rpartition(": ")[::2] for line in lines)
    assert [*ends] == [name for name, _ in calls], done.stderr
    for name, status in ends.items():
        assert int(status) in STATUSES.get(name, {0}), (name, status, done.stdout + done.stderr)


def check_pages(stranger: PlantedFolder) -> None:
    """Have `arena web` show what the commands have left, and a table at which the bot sits."""
    words = ("web", ".", "--port", str(find_free_port()), "--play", "gops", "--against", ".")
    with subprocess.Popen(
        [ARENA, *words], cwd=stranger.path, stdout=subprocess.PIPE, text=True,
        env=add_empty_entry(environment("planted")),
    ) as serving:  # fmt: skip
        assert serving.stdout
        address = serving.stdout.readline().removeprefix("arena web: ").split()[0]
        with urlopen(address, timeout=TIMEOUT) as page:  # noqa: S310  # it is this machine's
            assert page.status == 200
        serving.send_signal(signal.SIGINT)
    assert stranger.read_marks() == []


def test_a_hill_runs_nothing_of_a_stranger(tmp_path: Path, mark: str) -> None:
    """Its three processes, their workers, and each command of a host, for a bot that was sent."""
    hill = RunningHill.create(tmp_path / "hill", mark=mark)
    planted = PlantedFolder.create(hill.home, tmp_path / "marks")
    sent = tmp_path / "sent"
    sent.mkdir()
    write_bot(sent)
    for name in ("signal", "socket", "numpy", "attr", "arena_gops"):
        shutil.copy(hill.home / f"{name}.py", sent)
    with hill.run():
        status, answer = hill.submit(hill.create_author_key("ann"), "mine", pack_bot(sent))
        assert status == 202, answer
        hill.wait_until(lambda: any(entry.name == "mine" for entry in hill.list_entries()))
    assert planted.read_marks() == []
    check_commands(planted, HILL_COMMANDS, tmp_path)


DUEL = ("duel", "gops", ".", "hard", "--pairs", "1", "--workers", "1", "-o", "cards=3")


def test_the_module_runs_nothing_of_a_stranger_with_a_safe_path(stranger: PlantedFolder) -> None:
    """`python -P -m arena` is as safe as `arena`."""
    done = run(stranger.path, sys.executable, "-P", "-m", "arena", "bots", "gops")
    assert stranger.read_marks() == []
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    "words",
    [
        ("-m", "arena", *DUEL),
        pytest.param(
            ("-c", "from arena.cli import main; main()", *DUEL), marks=pytest.mark.release
        ),
    ],
)
def test_what_imports_from_the_current_folder_has_workers_that_do_not(
    tmp_path: Path, words: tuple[str, ...]
) -> None:
    """Python itself looks there for `-m` and `-c`; no other process does."""
    room = tmp_path / "room"
    room.mkdir()
    planted = PlantedFolder.create(room, tmp_path / "marks", without="arena")
    write_bot(room)
    with subprocess.Popen(
        [sys.executable, *words], cwd=room, env=environment("planted"), stdout=subprocess.DEVNULL
    ) as host:
        assert host.wait(TIMEOUT) == 0
    marks = planted.read_marks()
    assert {mark.process for mark in marks} == {host.pid}
    if words[0] == "-m":  # `arena` itself was there first
        assert {mark.name for mark in marks}.isdisjoint({"click", "signal", "attr", "numpy"})


SCRIPT = """
import os
from pathlib import Path
import helper
from arena.tournament import Tournament
if __name__ == "__main__":
    here = Path(__file__).parent
    bots = [f"{here}/program.py", f"{here}/mine.py:Mine"]
    Tournament("gops", bots, options={"cards": 3}, matches=4, workers=1, check=False).run()
"""
HELPER = "import os\nprint(os.getpid(), file=open({file!r}, 'a'))\n"
PROGRAM = """
import os
import beside
print(os.environ.get("PYTHONSAFEPATH"), file=open({file!r}, "a"))
"""
MINE = "import helper\nfrom arena_gops.bots import Matching\nclass Mine(Matching): pass\n"


def test_a_users_script_and_bots_import_what_stands_beside_them(
    stranger: PlantedFolder, tmp_path: Path
) -> None:
    """The script in each worker, a class of a file, and a program, whose environment is as it was."""
    (tmp_path / "run.py").write_text(SCRIPT)
    (tmp_path / "helper.py").write_text(HELPER.format(file=f"{tmp_path}/processes"))
    (tmp_path / "program.py").write_text(PROGRAM.format(file=f"{tmp_path}/variables") + ECHO)
    (tmp_path / "beside.py").touch()
    (tmp_path / "mine.py").write_text(MINE)
    done = run(stranger.path, sys.executable, str(tmp_path / "run.py"))
    assert stranger.read_marks() == []
    assert done.returncode == 0, done.stderr
    assert len({*(tmp_path / "processes").read_text().split()}) == 2  # this process, and its worker
    assert (tmp_path / "variables").read_text() == "None\n" * 4
