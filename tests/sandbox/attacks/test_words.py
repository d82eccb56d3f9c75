"""Strangers' words on a terminal, in a transcript, in logs: nothing of them does anything."""

from __future__ import annotations

import json
import sys
import unicodedata
from pathlib import Path

import pytest

from arena.wires.printable_text import HARMFUL_CATEGORIES
from tests.support.command import Cli

NICKNAMES = {
    "terminal escapes": "\x1b]0;owned\x07\x1b[2J\x1b[31mred",
    "marks that turn, hide or break": "\u202egnorw\u202c\u2066x\u2069a\u200bb\ufeff\u2028Unique ID: 1",
    "words of other languages": '=HYPERLINK("http://x","y")<script>alert(1)</script>[red]x[/] {0} %s',
    "a path": "../../../../etc/passwd",
    "an absolute path": "/usr/attacked",
}
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
    elif re.match("Player .* plays", line):
        print({says!r}, flush=True)
"""


def harmful(text: str) -> list[str]:
    """Return what would move a cursor or turn text round."""
    return [
        character
        for character in text
        if character != "\n" and unicodedata.category(character) in HARMFUL_CATEGORIES
    ]


SAID = [*((name, "nickname") for name in NICKNAMES), ("terminal escapes", "declaration")]


@pytest.mark.parametrize("said", SAID, ids=" as a ".join)
def test_words_are_only_words(
    cli: Cli, quick: Cli, tmp_path: Path, lacking: dict[str, str], said: tuple[str, str]
) -> None:
    """The verdict, the replay and the log show them harmlessly, and no file is named after them."""
    tier = next(tier for tier in lacking if not lacking[tier])
    name, where = NICKNAMES[said[0]], said[1]
    (tmp_path / "bots").mkdir()
    bot = tmp_path / "bots" / "evil.py"
    text = BOT.format(name=name if where == "nickname" else "fine", says=name)
    bot.write_text(text, "utf-8")
    done = cli("match", "bs", f"{sys.executable} -I -S {bot}", "honest", "--sandbox", tier, "-v",
               "--transcript", "match.jsonl", "--bot-logs", "logs", "--seed", "s")  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert harmful(done.stdout + done.stderr) == []
    first = json.loads((tmp_path / "match.jsonl").read_text("utf-8").splitlines()[0])
    assert [seat["name"] for seat in first["seats"]] == ["evil", "honest"]
    shown = quick("replay", "match.jsonl")
    assert shown.returncode == 0
    assert harmful(shown.stdout + shown.stderr) == []
    assert sorted(path.name for path in tmp_path.iterdir()) == ["bots", "logs", "match.jsonl"]
    (log,) = (tmp_path / "logs").iterdir()
    assert log.suffix == ".log"
    assert name in log.read_text("utf-8") or where != "nickname"
