"""What a bot whose name is hidden called itself at a table is hidden, too."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.plugins import get_plugins
from arena.records import TranscriptLine, parse_lines, verify
from arena.tournament.commands import AliasCommand
from arena.tournament.store import Store
from arena.wires import dump
from arena_web.matches.redaction import AliasFilter
from arena_web.matches.visibility import load_public_transcript
from tests.support.programs import command_line
from tests.support.tournaments.served import build_server_app, open_test_client, play_tournament

pytestmark = pytest.mark.slow

BS = """
game = "bs"
table = 3
matches = 3
workers = 1
check = false
"""
RUDE = """
import sys
for line in sys.stdin:
    if line.startswith("Unique ID"):
        print("Nickname: canarynick", flush=True)
    elif line.startswith("Your turn"):
        print("canaryline", flush=True)
    elif " plays: " in line:
        print("Pass", flush=True)
"""
"""Tells its name, and says something else than a play."""


def test_what_it_said_is_in_no_replay(tmp_path: Path) -> None:
    """Its nickname is its number, what it failed by is not quoted, and all of it verifies."""
    (tmp_path / "rude.py").write_text(RUDE)
    rude = command_line(tmp_path / "rude.py")
    file = play_tournament(tmp_path, "honest", "caller", text=BS, rude=rude)

    def seen() -> str:
        paths = ("m/0.0", "m/0.0/transcript", "m/0.0/steps?eye=all", "bots/" + name, "matches")
        with open_test_client(build_server_app(file)) as client:
            return "".join(client.get(f"/t/tournament/{path}").text for path in paths)

    name = "rude"
    assert {word for word in ("canarynick", "canaryline") if word in seen()} == {
        "canarynick",
        "canaryline",
    }
    with Store.open(file.with_suffix(".db")) as store:
        store.claim()
        store.entries.carry_out(AliasCommand(1, "rude", "bot_17"))
    name = "bot_17"
    text = seen()
    assert "malformed" in text
    assert "canary" not in text
    with Store.open(file.with_suffix(".db"), write=False, aliased=True) as store:
        hidden = load_public_transcript(store, 0, 0)
    assert hidden
    verify(get_plugins().find_game("bs"), hidden)
    assert '"nickname":"bot_17"' in hidden.text
    assert "canary" not in hidden.text


@given(st.text(max_size=3))
def test_only_what_it_said_is_replaced(word: str) -> None:
    """Whatever it called itself; others, and what messages are called, stay."""
    texts: list[dict[str, Any]] = [
        {"to": 0, "question": {"ask": word, "options": {"text": "x", "sample": "x"}}},
        {"from": 0, "answer": word},
        {"to": None, "event": {"tell": word, "names": [word, f"{word}!"]}},
        {"outcome": {"end": word}},
    ]
    lines = [TranscriptLine(at, dump(value)) for at, value in enumerate(texts, 2)]
    assert [*map(AliasFilter({1: "bot_1"}).filter_line, lines)] == lines
    asked, answer, event, outcome = (
        line.value for line in map(AliasFilter({0: "bot_1"}).filter_line, lines)
    )
    assert asked["question"]["ask"] == word
    assert answer["answer"] == "bot_1"
    assert event["event"] == {"tell": word, "names": ["bot_1", f"{word}!"]}
    assert outcome == {"outcome": {"end": word}}


def test_a_line_of_a_stranger_is_left_as_it_is() -> None:
    """A file may hold anything that is JSON."""
    header = '{"format":1,"match":"1","game":"bs","variant":{},"seed":"1","seats":[{"name":"a"}]}'
    strange = '{"to":[0],"question":7,"from":{},"answer":[],"verdict":{"seat":"0"}}'
    lines = parse_lines([header, strange]).lines
    assert tuple(map(AliasFilter({0: "bot_1"}).filter_line, lines)) == lines
