"""Tournaments written into a folder, run for real, and read back."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from attrs import define, field

from arena.tournament.file.reader import load
from arena.tournament.file.spec import TournamentSpec
from arena.tournament.match_record import MatchRecord
from arena.tournament.run.coordinator import Ending
from arena.tournament.run.monitor import Monitor
from arena.tournament.run.tournament_run import run
from arena.tournament.store import MatchCounts, Store
from tests.support.programs import PYTHON

SHORT = """
game = "kuhn"
seed = "1"
matches = 6
check = false
workers = 1
"""
"""A tournament of bundled bots, which is over at once; entrants come behind it."""

HEARS = """
import os, sys
print("match", file=open("heard", "a"))
for line in sys.stdin:
    print(line, end="", file=open("heard", "a"))
    if line.startswith("Competition"):
        print(line.split()[-1], flush=True)
"""
"""Bids the prize's own value, and keeps all that it hears in its folder."""


@define
class RecordingMonitor(Monitor):
    """Keeps what a run says and plays."""

    lines: list[str] = field(factory=list)
    records: list[MatchRecord] = field(factory=list)

    def on_leave_out(self, text: str) -> None:
        self.lines.append(text)

    def on_message(self, text: str) -> None:
        self.lines.append(text)

    def on_match(self, done: MatchRecord) -> None:
        self.records.append(done)


def build_entrant_tables(*bots: str, **more: str) -> str:
    """Return the tables of these bots; `more` are called by their names."""
    named = [*((None, bot) for bot in bots), *more.items()]
    lines = [
        f"bot = {json.dumps(bot)}\n" + f'name = "{name}"\n' * bool(name) for name, bot in named
    ]
    return "".join(f"[[entrant]]\n{line}" for line in lines)


def write_tournament(folder: Path, text: str, *bots: str, **more: str) -> TournamentSpec:
    """Write a tournament's file, and read it."""
    folder.mkdir(exist_ok=True)
    path = folder / "tournament.toml"
    path.write_text(text + build_entrant_tables(*bots, **more))
    return load(path)


def run_tournament(program: TournamentSpec) -> RecordingMonitor:
    """Run a tournament to its end; return what it said."""
    said = RecordingMonitor()
    assert run(program, said) is Ending.PLAYED
    return said


def open_results(program: TournamentSpec) -> Store:
    """Open what a tournament has kept, to be closed by a `with`."""
    return Store.open(program.database, write=False)


def count_matches(program: TournamentSpec) -> MatchCounts:
    """Say how far a tournament is."""
    with open_results(program) as store:
        return store.progress.count_matches()


def list_states(program: TournamentSpec) -> dict[str, str]:
    """Return where everybody stands, by id."""
    with open_results(program) as store:
        return {entry.id: str(entry.state) for entry in store.entries.list_all()}


def list_matches(program: TournamentSpec) -> list[dict[str, Any]]:
    """Return all matches as JSON, in the order of keys."""
    with open_results(program) as store:
        return [match.pack() for match in store.matches.find_matches()]


def load_transcripts(program: TournamentSpec) -> Iterator[tuple[str, list[dict[str, Any]]]]:
    """Return each match's key and the lines of its transcript."""
    with open_results(program) as store:
        for match in store.matches.find_matches():
            text = store.transcripts.load(*match.key)
            assert text
            yield match.match, [json.loads(line) for line in text.splitlines()]


def write_bot(folder: Path, name: str, text: str = "", build: str = "", command: str = "") -> Path:
    """Write a bot's folder: a program in Python, or whatever command is given."""
    home = folder / name
    home.mkdir(parents=True)
    (home / "bot.py").write_text(text)
    command = command or f"{PYTHON[0]} bot.py"
    lines = [f"name = {json.dumps(name)}", f"command = {json.dumps(command)}"]
    (home / "bot.toml").write_text(
        "\n".join([*lines, *([f"build = {json.dumps(build)}"] if build else [])])
    )
    return home
