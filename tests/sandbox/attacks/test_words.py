"""Strangers' words on a terminal, in a transcript, in logs: nothing of them does anything."""

from __future__ import annotations

import json
import sys
import unicodedata
from pathlib import Path

import pytest

from arena.wires.printable import HARMFUL_CATEGORIES
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


@pytest.fixture
def tier(lacking: dict[str, str]) -> str:
    """Return a tier that holds."""
    return next(tier for tier in lacking if not lacking[tier])


def test_nicknames_and_declarations_are_only_words(
    cli: Cli, quick: Cli, tmp_path: Path, tier: str
) -> None:
    """A verdict, a replay and a log show them harmlessly, and no file is named after them."""
    (tmp_path / "bots").mkdir()
    bots: dict[str, tuple[str, str | None]]
    bots = {f"evil{number}": (name, None) for number, name in enumerate(NICKNAMES)}
    bots["patient"] = ("fine", " ".join(NICKNAMES))  # who says that in the middle of the match
    commands = []
    for file, (name, says) in bots.items():
        path = tmp_path / "bots" / f"{file}.py"
        path.write_text(BOT.format(name=name, says=says), "utf-8")
        commands.append(f"{sys.executable} -I -S {path}")
    done = cli("match", "bs", *commands, "honest", "--sandbox", tier, "-v", "--transcript",
               "match.jsonl", "--bot-logs", "logs", "--seed", "s")  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "patient: malformed" in done.stdout
    assert harmful(done.stdout + done.stderr) == []
    first = json.loads((tmp_path / "match.jsonl").read_text("utf-8").splitlines()[0])
    assert [seat["name"] for seat in first["seats"]] == [*bots, "honest"]
    shown = quick("replay", "match.jsonl")
    assert shown.returncode == 0
    assert harmful(shown.stdout + shown.stderr) == []
    assert sorted(path.name for path in tmp_path.iterdir()) == ["bots", "logs", "match.jsonl"]
    logs = sorted((tmp_path / "logs").iterdir())
    assert {log.suffix for log in logs} == {".log"}
    for (name, _), log in zip(bots.values(), logs, strict=True):
        assert name in log.read_text("utf-8")
