"""What stands in a transcript, and what is said of files that are none."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.records import (
    UnreadableTranscriptError,
    parse_lines,
    read_transcript,
    replay_for_spectator,
    verify,
)
from arena.records.transcript import unpack_outcome, unpack_verdict
from arena.rules import Fault
from tests.support.command import Cli
from tests.support.programs import ECHO
from tests.support.transcripts import (
    GAMES,
    MATCHES,
    load_recorded_match,
    record,
    start_scripted_programs,
)

KEYS = {
    ("to", "event"), ("to", "question"), ("to", "withdrawn"), ("from", "answer", "seconds", "latency", "fallback"),
    ("verdict",), ("outcome",),
}  # fmt: skip


@pytest.mark.parametrize("match", MATCHES)
def test_every_line_is_of_a_kind(match: str) -> None:
    """A header, then what happened in its order, then the outcome."""
    _, lines = load_recorded_match(match)
    values = [json.loads(line) for line in lines]
    assert list(values[0]) == ["format", "match", "game", "variant", "seed", "seats", "versions"]
    assert values[0]["format"] == 1
    assert {tuple(value) for value in values[1:]} <= KEYS
    assert [*values[-1]] == ["outcome"]
    assert "outcome" not in {key for value in values[:-1] for key in value}


@pytest.mark.parametrize("match", MATCHES)
def test_every_question_is_answered_and_every_answer_asked(match: str) -> None:
    """Also those that made a match void; or it was taken back, where another was first."""
    _, lines = load_recorded_match(match)
    asked: list[int] = []
    for value in map(json.loads, lines):
        if "question" in value:
            asked.append(value["to"])
        elif "withdrawn" in value:
            asked.remove(value["to"])
        elif "answer" in value:
            asked.remove(value["from"])
    assert asked == []


def test_verdicts_stand_before_the_answers_of_their_ask() -> None:
    """With all that it takes to act upon them; the fallback bot's answers are marked."""
    _, lines = load_recorded_match("gops-verdicts")
    values = [json.loads(line) for line in lines]
    verdicts = [value["verdict"] for value in values if "verdict" in value]
    assert [list(verdict) for verdict in verdicts] == [
        ["seat", "ask", "kind", "question", "line", "limit", "seconds", "detail", "stderr"]
    ] * 2
    assert {verdict["seat"]: verdict["kind"] for verdict in verdicts} == {
        1: "crashed",
        2: "malformed",
    }
    assert [value["fallback"] for value in values if value.get("from") == 2] == [False] + [
        True
    ] * 12
    assert not any(value["fallback"] for value in values if value.get("from") == 0)


def test_the_order_of_arrival_is_recorded_only_where_it_matters() -> None:
    """Elsewhere answers stand in seat order."""
    _, lines = load_recorded_match("gops-split")
    seats = [value["from"] for value in map(json.loads, lines) if "from" in value]
    assert seats == [0, 1, 2, 3] * 4


def test_verdicts_and_outcomes_are_read_back() -> None:
    """Verdicts and outcomes are read back in the types that replay needs."""
    game, lines = load_recorded_match("gops-forfeited")
    values = [json.loads(line) for line in lines]
    (packed,) = [value["verdict"] for value in values if "verdict" in value]
    verdict = unpack_verdict(game, packed)
    assert verdict.kind is Fault.CRASHED
    assert len(verdict.question.options) == 13  # type: ignore[arg-type]
    outcome = unpack_outcome(values[-1]["outcome"])
    assert outcome.places == (1, 2)
    assert outcome.end == "forfeited"


HEADER = load_recorded_match("kuhn")[1][0]


@pytest.mark.parametrize(
    ("lines", "words"),
    [
        ([], "empty"),
        ([""], "line 1: not JSON"),
        (["{}"], "line 1: not the header"),
        (["[]"], "line 1: not a JSON object"),
        (["5"], "line 1: not a JSON object"),
        (['{"format": 2}'], "line 1: format 2"),
        (['{"format": true}'], "line 1"),
        (['{"format": 1}'], "line 1: not the header"),
        ([HEADER.replace('"seed":"seed"', '"seed":5')], "line 1: not the header"),
        ([HEADER, "x"], "line 2: not JSON"),
        ([HEADER, "[]"], "line 2: not a JSON object"),
        ([HEADER, "{}", "[" * 5000], "line 3: not JSON"),
        ([HEADER, '{"a":' + "9" * 5000 + "}"], "line 2: not JSON"),
    ],
)
def test_what_is_no_transcript_is_said_so(lines: list[str], words: str) -> None:
    """The line is named."""
    with pytest.raises(UnreadableTranscriptError, match=words):
        parse_lines(lines)


@given(
    st.lists(st.text(alphabet='{}[]":,0123456789abcdefgmorst\n\0é', max_size=60) | st.just(HEADER))
)
def test_any_text_is_a_transcript_or_unreadable(lines: list[str]) -> None:
    """Any text is a transcript, or raises one of two errors."""
    try:
        verify(GAMES["kuhn"], parse_lines(lines))
    except Exception as problem:  # noqa: BLE001  # that is what is tested
        assert type(problem).__name__ in ("UnreadableTranscriptError", "TranscriptMismatchError")  # noqa: PT017


@pytest.mark.parametrize(
    ("content", "words"),
    [(None, "No such file"), (b"\xff\xfe", "not UTF-8 at byte 0"), (b"", "empty")],
)
def test_a_file_that_cannot_be_read(tmp_path: Path, content: bytes | None, words: str) -> None:
    """The file is named, and what is wrong with it."""
    path = tmp_path / "match.jsonl"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(UnreadableTranscriptError, match=f"match.jsonl: .*{words}"):
        read_transcript(path)
    with pytest.raises(UnreadableTranscriptError, match="directory"):
        read_transcript(tmp_path)


@pytest.mark.parametrize(
    "strange", ["\u2028", "\x85", "\u2029", "\x1e", "\ufeff", "\x7f"], ids=ascii
)
def test_whatever_a_bot_says_its_transcript_can_be_read(tmp_path: Path, strange: str) -> None:
    """Some characters are ends of lines to some; a line of JSON ends with a newline only."""
    said = f"a{strange}b\n".encode()
    text = f"import os\ninput()\nos.write(1, {said!r})\ninput()"
    path = tmp_path / "match.jsonl"
    path.write_text(
        "\n".join(record(GAMES["gops"], {}, start_scripted_programs(GAMES["gops"], text, ECHO)))
        + "\n",
        "utf-8",
    )
    transcript = read_transcript(path)
    assert verify(GAMES["gops"], transcript) == len(transcript.lines) + 1
    (verdict,) = [line.value["verdict"] for line in transcript.lines if "verdict" in line.value]
    assert verdict["line"] == f"a{strange}b"
    assert [*replay_for_spectator(GAMES["gops"], transcript)]


def strip(lines: str) -> list[Any]:
    """Return the lines without what is measured."""
    values = [json.loads(line) for line in lines.splitlines()]
    for value in values:
        for packed in (value, value.get("verdict", {})):
            packed.pop("seconds", None)
            packed.pop("latency", None)
    return [json.dumps(value) for value in values]


@pytest.mark.parametrize(
    "bots", [("random", "hard"), ("program:random", "program:hard"), ("bad.py", "hard", "match")]
)
def test_the_same_seed_gives_the_same_transcript(
    cli: Cli, quick: Cli, tmp_path: Path, bots: tuple[str, ...]
) -> None:
    """To the byte, except for what is measured; and the same result, in any process."""
    (tmp_path / "bad.py").write_text(
        "import sys; input(); print('ten', flush=True); sys.stdin.read()"
    )
    words = ("--seed", "42", "--json", "--transcript")
    texts, results = [], []
    for run, name in ((cli, "one"), (quick, "other")):
        done = run("match", "gops", *bots, "-o", "cards=5", *words, name)
        texts.append(strip((tmp_path / name).read_text()))
        result = json.loads(done.stdout)
        result["transcript"] = None
        for seat in result["seats"]:
            del seat["seconds"]
            (seat["verdict"] or {}).pop("seconds", None)
        results.append(result)
    assert texts[0] == texts[1]
    assert results[0] == results[1]
