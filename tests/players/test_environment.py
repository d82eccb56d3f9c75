"""A bot gets the same environment, whatever starts it."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from arena.players import Process, end_processes
from arena.players.environment import OWN_VARIABLES, build_bot_environment
from arena.tournament.workers.leftovers import MARK_VARIABLE
from tests.support.command import run_arena
from tests.support.programs import ECHO, PYTHON, TIMEOUT, environment
from tests.support.tournaments.folders import build_entrant_tables

WRITES = (
    "import json, os, sys\njson.dump(dict(os.environ), open(f'{sys.argv[1]}/{os.getpid()}', 'w'))\n"
)
TOURNAMENT = 'game = "gops"\nmatches = 2\nworkers = 1\noptions = { cards = 3 }\ncheck = false\n'
SMALL = ("-o", "cards=3")


def seen(mark: str, folder: Path, how: str, **more: str) -> list[Mapping[str, str]]:
    """Have a bot write down its environment; return what it wrote, without the run's own mark."""
    notes = folder / how
    notes.mkdir()
    (folder / "writes.py").write_text(WRITES + ECHO)
    bot = f"{PYTHON[0]} {folder}/writes.py {notes}"
    (folder / f"{how}.toml").write_text(TOURNAMENT + build_entrant_tables(bot, "match"))
    words = {
        "match": ("match", "gops", bot, "match", *SMALL),
        "check": ("check", "gops", bot, *SMALL, "--quick"),
        "duel": ("duel", "gops", bot, "match", *SMALL, "--pairs", "1", "--workers", "1"),
        "play": ("play", "gops", "--against", bot, *SMALL),
        "tournament": ("tournament", "run", f"{how}.toml"),
    }
    done = run_arena(words[how], folder, environment(mark, **more), "1\n2\n3\n")
    assert done.returncode == 0, done.stdout + done.stderr
    written = [json.loads(path.read_text()) for path in notes.iterdir()]
    return [
        {name: variables[name] for name in variables if name != MARK_VARIABLE}
        for variables in written
    ]


@pytest.mark.parametrize(
    ("own", "everywhere"),
    [({}, ["check", "play", "tournament"]), ({"OPENBLAS_NUM_THREADS": "3"}, ["duel"])],
)
def test_a_bot_has_everywhere_what_it_has_in_a_match(
    mark: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    own: Mapping[str, str],
    everywhere: list[str],
) -> None:
    """Neither what the arena sets for itself, nor what hides that a bot does not flush."""
    for name in (
        OWN_VARIABLES,
        "OPENBLAS_NUM_THREADS",
    ):  # other tests in this process may have set them
        monkeypatch.delenv(name, raising=False)
    (match,) = seen(mark, tmp_path, "match", PYTHONUNBUFFERED="1", **own)
    for how in everywhere:
        others = seen(mark, tmp_path, how, PYTHONUNBUFFERED="1", **own)
        assert others
        assert others == [match] * len(others)
    assert "PYTHONUNBUFFERED" not in match
    assert match.get("OPENBLAS_NUM_THREADS") == own.get("OPENBLAS_NUM_THREADS")
    assert match["COLUMNS"] == "200"  # what was the user's is the bot's


def write_script(path: Path, text: str) -> Path:
    """Write a shell script."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)
    return path


def test_a_version_manager_is_asked_once(tmp_path: Path) -> None:
    """The program that its shim would start is started itself, unless a folder chooses one."""
    chosen = write_script(tmp_path / ".mine/versions/1/bin/lang", "echo chosen")
    write_script(tmp_path / ".mine/bin/mine", f"echo asked >> {tmp_path}/asked\necho {chosen}")
    shim = write_script(tmp_path / ".mine/shims/lang", "echo shim")
    chooses = tmp_path / "chooses"
    chooses.mkdir()
    (chooses / ".tool-versions").touch()
    said = []
    for folder in (tmp_path, tmp_path, chooses):
        process = Process([str(shim)], folder)
        end_processes([process], grace=60.0)
        said.append(process.pipes.late_output)
    assert said == [b"chosen\n", b"chosen\n", b"shim\n"]
    assert (tmp_path / "asked").read_text() == "asked\n"


def test_a_change_of_the_hosts_environment_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    """A variable that is set, changed or removed is so for the next bot."""
    for value in ("first", "second"):
        monkeypatch.setenv("SOME_VARIABLE", value)
        assert build_bot_environment()["SOME_VARIABLE"] == value
        monkeypatch.setenv(OWN_VARIABLES, "SOME_VARIABLE")
        assert "SOME_VARIABLE" not in build_bot_environment()
        monkeypatch.delenv(OWN_VARIABLES)
    monkeypatch.delenv("SOME_VARIABLE")
    assert "SOME_VARIABLE" not in build_bot_environment()


@pytest.mark.parametrize(
    ("name", "is_inherited"),
    [
        ("OPENAI_API_KEY", False), ("AWS_SECRET_ACCESS_KEY", False), ("HF_TOKEN", False), ("token", False),
        ("CLIENT_SECRET", False), ("PGPASSWORD", False), ("GOOGLE_APPLICATION_CREDENTIALS", False),
        ("KEYBOARD", True), ("TOKENIZERS_PARALLELISM", True), ("OPENAI_BASE_URL", True),
    ],
)  # fmt: skip
def test_bots_do_not_inherit_secrets(
    name: str, is_inherited: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Such as keys for services that you pay for: neither a bot nor its build finds them."""
    monkeypatch.setenv(name, "s3cret")
    process = Process(["env"])
    end_processes([process], grace=60.0)
    assert (f"{name}=s3cret".encode() in process.pipes.late_output.splitlines()) == is_inherited


def test_what_removes_leftovers_after_a_kill_says_nothing() -> None:
    """A log of a host that was killed ends with its last line."""
    program = (
        "import os, signal\n"
        "from arena.players.worker_processes import get_worker_context\n"
        "lock = get_worker_context().Lock()\n"
        "print(lock._semlock.name, flush=True)\n"
        "os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    killed = subprocess.run(  # until the other process, which has its standard error, ends, too
        [sys.executable, "-c", program],
        capture_output=True,
        text=True,
        timeout=TIMEOUT,
        check=False,
    )
    assert killed.returncode == -signal.SIGKILL
    assert killed.stderr == ""
    assert not Path(f"/dev/shm/sem.{killed.stdout.strip().removeprefix('/')}").exists()  # noqa: S108
