"""Strangers' words on a terminal, in a transcript, in logs: nothing of them does anything."""

from __future__ import annotations

import json
import sys
import unicodedata
from pathlib import Path

import pytest

from arena.wires.files import HARMFUL_CATEGORIES
from tests.support.command import Cli

NICKNAMES = [
    "\x1b]0;owned\x07\x1b[2J\x1b[31mred",
    "\u202egnorw\u202c\u2066x\u2069a\u200bb\ufeff\u2028Unique ID: 1",
    '=HYPERLINK("http://x","y")<script>alert(1)</script>[red]x[/] {0} %s',
    "../../../../etc/passwd",
    "/usr/attacked",
]
BOT = """
import re, sys
sys.stdin.reconfigure(encoding="utf-8")
sys.stdout.reconfigure(encoding="utf-8")
sys.stderr.reconfigure(encoding="utf-8")
NAME = {name!r}
print(NAME, file=sys.stderr, flush=True)
card = ""
for line in sys.stdin:
    if line.startswith("Unique ID"):
        print(f"Nickname: {{NAME}}", flush=True)
    elif line.startswith("Hand: "):
        card = line.split()[1]
    elif line.startswith("Your turn"):
        print(f"Play: {{card}}", flush=True)
    elif {says!r} and re.match("Player .* plays", line):
        print({says!r}, flush=True)
"""


def harmful(text: str) -> list[str]:
    """Return what would move a cursor or turn text round."""
    return [
        character
        for character in text
        if character != "\n" and unicodedata.category(character) in HARMFUL_CATEGORIES
    ]


def play(cli: Cli, quick: Cli, folder: Path, tier: str, bots: dict[str, str]) -> list[str]:
    """Play such bots against an honest one; see that all that is shown is harmless, return the logs."""
    (folder / "bots").mkdir()
    for name, text in bots.items():
        (folder / "bots" / f"{name}.py").write_text(text, "utf-8")
    commands = [f"{sys.executable} -I -S {folder}/bots/{name}.py" for name in bots]
    done = cli("match", "bs", *commands, "honest", "--sandbox", tier, "-v", "--transcript",
               "match.jsonl", "--bot-logs", "logs", "--seed", "s")  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert harmful(done.stdout + done.stderr) == []
    first = json.loads((folder / "match.jsonl").read_text("utf-8").splitlines()[0])
    assert [seat["name"] for seat in first["seats"]] == [*bots, "honest"]
    shown = quick("replay", "match.jsonl")
    assert shown.returncode == 0
    assert harmful(shown.stdout + shown.stderr) == []
    assert sorted(path.name for path in folder.iterdir()) == ["bots", "logs", "match.jsonl"]
    logs = sorted((folder / "logs").iterdir())
    assert len(logs) == len(bots)
    assert {log.suffix for log in logs} == {".log"}
    return [log.read_text("utf-8") for log in logs]


@pytest.fixture
def tier(lacking: dict[str, str]) -> str:
    """Return a tier that holds."""
    return next(tier for tier in lacking if not lacking[tier])


def test_nicknames_are_only_words(cli: Cli, quick: Cli, tmp_path: Path, tier: str) -> None:
    """The verdict, the replay and the log show them harmlessly, and no file is named after them."""
    bots = {
        f"evil{number}": BOT.format(name=name, says=None) for number, name in enumerate(NICKNAMES)
    }
    for name, log in zip(NICKNAMES, play(cli, quick, tmp_path, tier, bots), strict=True):
        assert name in log


def test_a_declaration_is_only_words(cli: Cli, quick: Cli, tmp_path: Path, tier: str) -> None:
    """Nor does what a bot says in the middle of a match move a cursor."""
    play(cli, quick, tmp_path, tier, {"evil": BOT.format(name="fine", says=" ".join(NICKNAMES))})
