"""A run beside a PostgreSQL that has stopped answers to the second interrupt."""

from __future__ import annotations

import json
import select
from contextlib import suppress
from pathlib import Path

from tests.support.command import Cli, RunningCommand, start_arena
from tests.support.programs import environment, list_command_lines
from tests.support.tournaments.folders import build_entrant_tables
from tests.support.tournaments.postgresql import Server

pytest_plugins = ["tests.support.tournaments.databases"]

PATIENCE = 30.0  # seconds on a busy machine, and less than any wait for a server that is stopped
TEXT = 'game = "gops"\ncheck = false\nworkers = 1\nmatches = 100000\ndatabase = {}\n'


def test_a_server_that_hangs(tmp_path: Path, mark: str, quick: Cli, server: Server) -> None:
    """A first interrupt waits for a server that hangs, and a second abandons it; acknowledged results are kept."""
    text = TEXT.format(json.dumps(server.create_empty_database())) + build_entrant_tables(
        "random", "match"
    )
    (tmp_path / "t.toml").write_text(text)
    words = ["tournament", "run", "t.toml", "--json"]
    with start_arena(words, tmp_path, environment(mark)) as run:
        lines = [run.stdout.readline() for _ in range(3)]
        with server.pause_for_block():
            lines += iter_until_still(run)
            run.interrupt()
            wait_for_caught(run.process.pid)
            while run.process.poll() is None:  # two that come at once may be one to it
                run.interrupt()
                with suppress(TimeoutError):
                    run.process.wait(PATIENCE)
            assert run.process.returncode == 130
        lines += run.stdout.read().splitlines()
        complaint = run.stderr.read()
    assert "arena: interrupted; all programs have been ended" in complaint
    assert "Traceback" not in complaint
    assert list_command_lines(mark) == []
    listed = quick("export", "t.toml", "--format", "jsonl")
    stored = {json.loads(line)["match"] for line in listed.stdout.splitlines()}
    assert {json.loads(line)["match"] for line in lines if line.strip()} <= stored


def iter_until_still(run: RunningCommand) -> list[str]:
    """Read what it says until it hangs: until it sleeps and its output is empty."""
    lines = []
    while select.select([run.stdout], [], [], 1.0)[0]:
        lines.append(run.stdout.readline())
    return lines


def wait_for_caught(process: int) -> None:
    """Wait until no signal is pending any more: the first interrupt has been taken."""
    while True:
        lines = Path(f"/proc/{process}/status").read_text().splitlines()
        pending = [line.split()[1] for line in lines if line.startswith(("SigPnd", "ShdPnd"))]
        if not any(int(signals, 16) for signals in pending):
            return
