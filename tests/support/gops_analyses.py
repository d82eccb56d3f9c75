"""Matches of GOPS for tests, and `arena gops analyse` run on them."""

from __future__ import annotations

import json
import shlex
from pathlib import Path
from typing import Any

from click.testing import CliRunner, Result

from arena.cli.match import match
from arena_gops_solver.cli import gops


def record_matches(folder: Path, words: str, games: int = 1) -> Path:
    """Record matches in a folder."""
    folder.mkdir(exist_ok=True)
    words = f"gops {words} --games {games} --seed 3 --transcript {folder} --json"
    CliRunner().invoke(match, shlex.split(words), catch_exceptions=False)
    return folder


def run_analysis(*words: str | Path) -> Result:
    """Analyse what these name."""
    return CliRunner().invoke(gops, ["analyse", *map(str, words)])


def parse_rows(*words: str | Path) -> list[dict[str, Any]]:
    """Return the objects that programs get."""
    done = run_analysis(*words, "--json")
    assert done.exception is None
    return [json.loads(line) for line in done.stdout.splitlines()]
