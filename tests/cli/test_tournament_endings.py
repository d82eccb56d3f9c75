"""How runs of tournaments end: by signals, beside each other, at full disks and closed pipes."""

from __future__ import annotations

import os
import shlex
import signal
import subprocess
from pathlib import Path

import pytest

from arena.tournament.store import Store
from tests.support.command import ARENA, Cli, leave_out_progress
from tests.support.command_forks import start_forks
from tests.support.programs import (
    ECHO,
    HOST_NUMBER,
    PYTHON,
    TIMEOUT,
    environment,
    list_command_lines,
    wait_for_end,
)
from tests.support.tournaments.folders import build_entrant_tables

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("inline_workers")]

TOURNAMENT = 'game = "gops"\ncheck = false\nworkers = 1\nmatches = {}\noptions = {{cards = 5}}\n'
SIGNALS = """
import os, signal, sys, time
def run():
    "Give the number of the run's process: the one above the worker."
    process = os.getpid()
    for _ in ("starter", "worker", "run"):
        stat = open(f"/proc/{process}/stat").read()
        process = int(stat.rpartition(")")[2].split()[1])
    return process
"""
ONCE = f"""{SIGNALS}
try:
    send = sys.argv[1] + "/send"
    name = open(send).read()
    os.unlink(send)
    os.kill(run(), getattr(signal, name))
except FileNotFoundError:
    pass
{ECHO}"""
"""Interrupts the run with the signal that it is given, once, and plays on."""
IMPATIENT = f"""{SIGNALS}
signal.signal(signal.SIGTERM, signal.SIG_IGN)
host = run()
os.fork()
while True:
    for number in (signal.SIGINT, signal.SIGTERM):
        os.kill(host, number)
        time.sleep(0.05)
"""
"""Interrupts the run again and again, and never answers; so does its child."""


def write(folder: Path, count: int, *bots: str, **more: str) -> None:
    """Write a tournament of so many matches."""
    (folder / "tournament.toml").write_text(
        TOURNAMENT.format(count) + build_entrant_tables(*bots, **more)
    )


def scripted(folder: Path, text: str, *words: str | Path) -> str:
    """Write a program; return the command that runs it."""
    (folder / "scripted.py").write_text(text)
    return shlex.join([PYTHON[0], "scripted.py", *map(str, words)])


def kept(folder: Path) -> list[str]:
    """Return the keys of what is over."""
    with Store.open(folder / "tournament.db", write=False) as store:
        return [match.match for match in store.matches.find_matches()]


def test_one_interrupt_finishes_what_is_under_way(
    cli: Cli, quick: Cli, tmp_path: Path, mark: str
) -> None:
    """No match is lost or spoiled, nothing is left running, and the next run goes on."""
    write(tmp_path, 12, "random", mine=scripted(tmp_path, ONCE, tmp_path))
    before = 0
    for name in ("SIGINT", "SIGTERM", "SIGHUP"):
        (tmp_path / "send").write_text(name)
        done = cli("tournament", "run", "tournament.toml")
        assert done.returncode == 130
        assert "finishing the matches in progress; interrupt again to abandon them" in done.stderr
        assert "arena: stopped; continue with `arena tournament run tournament.toml`" in done.stderr
        assert list_command_lines(mark) == []
        assert before < len(kept(tmp_path)) < 12
        before = len(kept(tmp_path))
        assert "timeout" not in done.stdout
        assert "crashed" not in done.stdout
    last = quick("tournament", "run", "tournament.toml")
    assert last.returncode == 0
    assert len(kept(tmp_path)) == len({*kept(tmp_path)}) == 12
    assert "timeout" not in last.stdout
    assert "crashed" not in last.stdout


def test_a_second_interrupt_abandons(cli: Cli, tmp_path: Path, mark: str) -> None:
    """At once, with all that was started; there is no verdict for anybody."""
    write(tmp_path, 20, "random", mine=scripted(tmp_path, IMPATIENT))
    file = tmp_path / "tournament.toml"
    file.write_text(file.read_text().replace("workers = 1", "workers = 2"))
    done = cli("tournament", "run", "tournament.toml")
    assert done.returncode in (130, 143)
    assert "arena: interrupted; all programs have been ended" in done.stderr
    assert "Traceback" not in done.stderr
    assert list_command_lines(mark) == []
    assert kept(tmp_path) == []


def test_an_interrupt_while_entrants_are_checked(cli: Cli, tmp_path: Path, mark: str) -> None:
    """Before the first match one is enough."""
    parent = f"import os, signal\nos.kill({HOST_NUMBER}, signal.SIGINT)\nsignal.pause()"
    write(tmp_path, 20, "random", mine=scripted(tmp_path, parent))
    text = (tmp_path / "tournament.toml").read_text()
    (tmp_path / "tournament.toml").write_text(text.replace("check = false", "check = true"))
    done = cli("tournament", "run", "tournament.toml")
    assert done.returncode == 130
    assert (
        done.stderr == "checking mine, 2 of 2\narena: interrupted; all programs have been ended\n"
    )
    assert list_command_lines(mark) == []


def test_a_run_that_is_killed_while_entrants_are_checked(
    cli: Cli, tmp_path: Path, mark: str
) -> None:
    """All that it has started ends with it, and the next one begins."""
    text = f"""
import os, signal, sys
if os.fork():
    os.kill({HOST_NUMBER}, signal.SIGKILL)
os.setsid()
signal.pause()
"""
    write(tmp_path, 2, "random", mine=scripted(tmp_path, text))
    checked = (tmp_path / "tournament.toml").read_text().replace("check = false", "check = true")
    (tmp_path / "tournament.toml").write_text(checked)
    assert cli("tournament", "run", "tournament.toml").returncode == -signal.SIGKILL
    assert wait_for_end(mark) == {}
    (tmp_path / "scripted.py").write_text("")
    assert cli("tournament", "run", "tournament.toml").returncode in (1, 2)
    assert list_command_lines(mark) == []


def test_one_run_at_a_time(cli: Cli, quick: Cli, tmp_path: Path) -> None:
    """The second is told who is at it; who only reads is not held up."""
    write(tmp_path, 2, "random", "match")
    assert quick("tournament", "run", "tournament.toml").returncode == 0
    with Store.open(tmp_path / "tournament.db") as store:
        store.claim()
        for done in (
            cli("tournament", "run", "tournament.toml"),
            quick("tournament", "withdraw", "tournament.toml", "match"),
        ):
            assert done.returncode == 2
            assert "another run is using it; stop that run first (Ctrl-C)" in done.stderr
        assert quick("standings", "tournament.toml").returncode == 0


def test_tournaments_of_one_seed_do_not_disturb_each_other(
    quick: Cli, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, mark: str
) -> None:
    """Two runs side by side, and two duels of that seed: none ends another's programs."""
    for name, count in {"a": 2, "b": 8}.items():
        (tmp_path / name).mkdir()
        write(tmp_path / name, count, "random", mine=scripted(tmp_path / name, ECHO))
        file = tmp_path / name / "tournament.toml"
        file.write_text('seed = "1"\n' + file.read_text())
    duel = ["duel", "gops", "random", f"{PYTHON[0]} scripted.py", "--seed", "1", "--pairs", "2",
            "--workers", "1", "--json"]  # fmt: skip
    run = ["tournament", "run", "tournament.toml"]
    pipe, output = subprocess.PIPE, tmp_path / "output"
    with (
        output.open("w") as spoken,
        Path(os.devnull).open() as nothing,
        subprocess.Popen(
            [ARENA, *duel], cwd=tmp_path / "a", env=environment(mark), stdout=pipe, stderr=pipe,
            text=True,
        ) as other_duel,
    ):  # fmt: skip
        streams = [nothing.fileno(), spoken.fileno(), spoken.fileno()]
        other_run = start_forks().start(run, tmp_path / "b", environment(mark), streams)
        monkeypatch.chdir(tmp_path / "a")
        here = [quick(*run), quick(*duel)]
        said = other_duel.communicate()
        there = [other_run.wait(TIMEOUT), other_duel.returncode]
    assert [done.returncode for done in here] == there == [0, 0]
    assert said[0] == here[1].stdout
    assert leave_out_progress(said[1]) == leave_out_progress(here[1].stderr)
    assert "crashed" not in output.read_text() + here[0].stdout


def test_who_reads_may_have_seen_enough(tmp_path: Path, mark: str) -> None:
    """As in `| head -1`: nothing is said, nothing is left, and a run can be gone on with."""
    write(tmp_path, 20, "random", "match")
    run = ["tournament run tournament.toml --json", "tournament run tournament.toml"]
    for command in (*run, "matches tournament.toml --limit 9999"):
        read, written = os.pipe()
        with (tmp_path / "errors").open("w") as errors, os.fdopen(read) as output:
            streams = [errors.fileno(), written, errors.fileno()]
            process = start_forks().start(command.split(), tmp_path, environment(mark), streams)
            os.close(written)
            assert output.readline()
        process.wait(TIMEOUT)
        said = (tmp_path / "errors").read_text()
        assert leave_out_progress(said) == "" or command is run[1]
        assert wait_for_end(mark) == {}  # some end with a run's pipes
    assert len(kept(tmp_path)) == 20


def test_a_disk_that_is_full(quick: Cli, tmp_path: Path) -> None:
    """An export that cannot be written is said to be none."""
    write(tmp_path, 2, "random", "match")
    quick("tournament", "run", "tournament.toml")
    for words in (["--out", "/dev/full"], ["--format", "jsonl", "--out", "/dev/full"]):
        done = quick("export", "tournament.toml", *words)
        assert (done.returncode, done.stderr) == (
            2, "arena: /dev/full cannot be written: No space left on device\n",
        )  # fmt: skip


@pytest.mark.parametrize(
    ("database", "said"),
    [
        ("/proc/tournament.db", "/proc/tournament.db: unable to open database file"),
        ("no/tournament.db", "no/tournament.db: its folder does not exist"),
        (".", "unable to open database file"),
        ("tournament.toml", "tournament.toml: file is not a database"),
        ("postgresql://me:geheim@127.0.0.1:1/x", "postgresql://me:***@127.0.0.1:1/x: connection"),
    ],
)
def test_a_database_that_cannot_be(quick: Cli, tmp_path: Path, database: str, said: str) -> None:
    """It is said in one line, and nothing is played."""
    write(tmp_path, 2, "random", "match")
    text = (tmp_path / "tournament.toml").read_text()
    (tmp_path / "tournament.toml").write_text(f'database = "{database}"\n{text}')
    done = quick("tournament", "run", "tournament.toml")
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert said in done.stderr
    assert "geheim" not in done.stderr


def test_somebody_who_is_left_out_is_seen_in_the_exit_status(quick: Cli, tmp_path: Path) -> None:
    """The tournament is held all the same; where nobody can play, it is refused."""
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine/bot.toml").write_text('name = "mine"\ncommand = "./made"\nbuild = "false"')
    write(tmp_path, 2, "random", "match", "mine")
    done = quick("tournament", "run", "tournament.toml")
    assert done.returncode == 1
    assert done.stderr.startswith("building mine, 3 of 3\nmine is left out: ")
    assert len(kept(tmp_path)) == 2
    assert quick("tournament", "withdraw", "tournament.toml", "match").returncode == 0
    done = quick("tournament", "run", "tournament.toml")
    assert done.returncode == 2
    assert "a match needs 2 entrants, not 1" in done.stderr
    assert os.listdir(tmp_path / "tournament.arena" / "bots")  # noqa: PTH208
