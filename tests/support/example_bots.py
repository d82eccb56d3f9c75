"""The bots of `examples/bots`, copied for a test and played."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

from tests.support.checkout import ROOT
from tests.support.command import Cli
from tests.support.requirements import require

BOTS = ROOT / "examples" / "bots"


LANGUAGES = {
    "python": "python3",
    "bash": "bash",
    "perl": "perl",
    "node": "node",
    "ruby": "ruby",
    "c": "cc",
}


GAMES = ["gops", "bs"]


def bot(game: str, language: str, tmp_path: Path) -> str:
    """Copy a bot, so that it is built anew; skip where its language is missing."""
    require(LANGUAGES[language])
    name = f"{game}-{language}"
    return str(shutil.copytree(BOTS / name, tmp_path / name))


def play(cli: Cli, game: str, *words: str) -> list[dict[str, Any]]:
    """Play matches, which must end by the rules and without a verdict."""
    done = cli("match", game, *words, "--json")
    assert done.returncode == 0, done.stderr
    results = [json.loads(line) for line in done.stdout.splitlines()]
    for result in results:
        assert result["outcome"] == "finished"
        assert [
            (seat["name"], seat["verdict"]) for seat in result["seats"] if seat["verdict"]
        ] == []
        assert [seat["stderr"] for seat in result["seats"]] == [""] * len(result["seats"])
    return results
