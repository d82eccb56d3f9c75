"""Mistakes in JSON and TOML are described in the arena's words, with their place."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from arena.files import read_toml
from arena.records import UnreadableTranscriptError, parse_text
from arena.tournament.results.result_files import load_summary
from arena.wires import JsonLines, MalformedLineError, Vocabulary
from arena.wires.syntax_errors import JSON_REASONS, TOML_REASONS

JSON = (
    "", "{", "[1", '{"a" 1}', '{"a": }', "[1,]", "1 2", '"a', '"\t"', '"\\x"', '"\\u12"', "nul", "[1 2]", "{a: 1}",
)  # fmt: skip
TOML = (
    "a", "a =", "= 1", "a = b", "a = 'b", 'a = "b', "[a", "[[a]", "a = [1", "a = {b = 1", "a = 1 2",
    "a = 1\na = 2", "[a]\n[a]", 'a = "\\q"', 'a = "b\nc"', "a = {b = 1, b = 2}", "a = \x00",
)  # fmt: skip
PLACE = re.compile(r" \((line \d+, )?column \d+\)$| \(at the end\)$|^it is empty$")


def check_reason(words: str, reasons: set[str]) -> None:
    """Assert that a message ends with one of these reasons, and its place."""
    assert PLACE.search(words), words
    assert PLACE.sub("", words) in {*reasons, ""}, words


@pytest.mark.parametrize("text", JSON)
def test_broken_json_is_described_alike_wherever_it_is_read(text: str, tmp_path: Path) -> None:
    """A bot's answer, a transcript, a file of results: none shows the words of a library."""
    reasons = {*JSON_REASONS.values()}
    with pytest.raises(MalformedLineError) as answer:
        JsonLines(Vocabulary([])).read(None, text)  # type: ignore[arg-type]  # it is not looked at
    check_reason(str(answer.value).removeprefix("not JSON: "), reasons)
    with pytest.raises(UnreadableTranscriptError) as transcript:
        parse_text(f"{text}\n{text}")
    check_reason(str(transcript.value).removeprefix("line 1: not JSON: "), reasons)
    if text:
        (tmp_path / "r.jsonl").write_text(text)
        with pytest.raises(Exception, match="line 1: not JSON: ") as results:
            load_summary(tmp_path / "r.jsonl")
        check_reason(str(results.value).partition("not JSON: ")[2], reasons)


@pytest.mark.parametrize("text", TOML)
def test_broken_toml_is_described(text: str, tmp_path: Path) -> None:
    """With the line and the column, as all files of TOML are read."""
    (tmp_path / "a.toml").write_text(text)
    with pytest.raises(ValueError, match=r"^not TOML: ") as problem:
        read_toml(tmp_path / "a.toml")
    check_reason(str(problem.value).removeprefix("not TOML: "), {*TOML_REASONS.values()})
