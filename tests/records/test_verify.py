"""`verify`: a transcript holds, or the first line that differs is named; nothing else happens."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.records import parse_lines, verify
from arena.rules import UserError
from tests.support.command import Cli
from tests.support.transcripts import GAMES, MATCHES, change_line, load_recorded_match

Change = Callable[[list[str], Random], list[str]]
WHOLE = [match for match in MATCHES if match != "toy-void"]

UNKNOWN = {
    "seconds", "latency", "limit",  # times
    "line", "detail", "kind", "stderr",  # what came from a stranger, and what was made of it
    "versions", "name", "bot", "match", "game", "format",  # who played, which the rules do not know
}  # fmt: skip
ALL_ONE = {
    ("toy", "seed"),  # it draws nothing
}


@pytest.mark.parametrize("match", MATCHES)
def test_what_was_recorded_holds(match: str) -> None:
    """All its lines are verified; in a void match those before its end."""
    game, lines = load_recorded_match(match)
    assert verify(game, parse_lines(lines)) == len(lines)


def complaint(match: str, lines: Sequence[str]) -> str:
    """Return what is wrong, or nothing."""
    try:
        verify(load_recorded_match(match)[0], parse_lines(lines))
    except UserError as problem:
        return str(problem)
    return ""


@pytest.mark.parametrize("match", WHOLE)
@given(random=st.randoms(use_true_random=False))
def test_a_changed_value_is_found(match: str, random: Random) -> None:
    """Whatever stands elsewhere, some line is named, except where a time or a stranger's word is changed."""
    lines = [*load_recorded_match(match)[1]]
    at = random.randrange(len(lines))
    path, lines[at] = change_line(lines[at], random)
    said = complaint(match, lines)
    if not UNKNOWN & {*path} and (match, path[0]) not in ALL_ONE:
        assert said.startswith("line "), (path, lines[at])
        assert "\n" not in said
        assert int(said.split()[1].rstrip(":")) >= at + 1 or at == 0


@pytest.mark.parametrize("match", WHOLE)
@given(random=st.randoms(use_true_random=False), data=st.data())
def test_a_line_that_is_missing_doubled_or_moved_is_found(
    match: str, random: Random, data: st.DataObject
) -> None:
    """The line that is named is there, or the first after the end."""
    original = [*load_recorded_match(match)[1]]
    lines = data.draw(st.sampled_from([delete, double, swap]))([*original], random)
    if strip(lines) != strip(original) and not only_arrival(original, lines):
        assert complaint(match, lines).startswith("line ")


def only_arrival(original: list[str], lines: list[str]) -> bool:
    """Are these the same answers or verdicts of an ask, come in another order? That may be."""
    differ = [
        line for pair in zip(original, lines, strict=False) if pair[0] != pair[1] for line in pair
    ]
    same = any(all(key in line for line in differ) for key in ('"answer"', '"verdict"'))
    return len(original) == len(lines) and same


def delete(lines: list[str], random: Random) -> list[str]:
    """Leave one out."""
    del lines[random.randrange(len(lines))]
    return lines


def double(lines: list[str], random: Random) -> list[str]:
    """Say one twice."""
    at = random.randrange(len(lines))
    return lines[: at + 1] + lines[at:]


def swap(lines: list[str], random: Random) -> list[str]:
    """Change two."""
    one, other = random.sample(range(len(lines)), 2)
    lines[one], lines[other] = lines[other], lines[one]
    return lines


def strip(lines: Sequence[str]) -> list[str]:
    """Return the lines without times."""
    values = [json.loads(line) for line in lines]
    return [
        json.dumps(
            {key: field for key, field in value.items() if key not in ("seconds", "latency")}
        )
        for value in values
    ]


@pytest.mark.parametrize("match", WHOLE)
def test_a_transcript_that_was_cut_is_found_to_be(match: str) -> None:
    """Wherever it was cut: some forty places of a long one."""
    lines = load_recorded_match(match)[1]
    for end in {*range(1, len(lines), 1 + len(lines) // 40), len(lines) - 1}:
        assert complaint(match, lines[:end]) == f"line {end}: the file ends before the match does"


def test_a_void_match_has_no_scores_and_no_places() -> None:
    """A match that was played cannot be called void afterwards."""
    lines = [*load_recorded_match("gops")[1]]
    lines[-1] = lines[-1].replace('"finished"', '"void"')
    assert complaint("gops", lines).startswith(f"line {len(lines)}: ")


def test_a_header_with_seats_that_the_game_has_not() -> None:
    """It is line 1 that is wrong, whatever the rules would do with so many."""
    for match in ("kuhn", "gops", "bs"):
        lines = [*load_recorded_match(match)[1]]
        header = json.loads(lines[0])
        for seats in {1, 3, 60, 400} - {len(header["seats"])}:
            header["seats"] = [{"name": "a", "bot": "b"}] * seats
            lines[0] = json.dumps(header)
            assert complaint(match, lines).startswith("line ")


@pytest.mark.parametrize(
    ("old", "new"),
    [('"kind":"crashed"', '"kind":[]'), ('"kind":"crashed"', '"kind":"late"'), ('"seat":0', '"seat":false'),
     ('"seat":0', '"seat":0.0'), ('"seat":0', '"seat":9'), ('"seat":0', '"seat":null'), ('"ask":1', '"ask":true'),
     ('"ask":1', '"ask":2'), ('"question":{"ask":"Bet"', '"question":{"ask":"Bit"')],
)  # fmt: skip
def test_a_verdict_that_cannot_be_is_found(old: str, new: str) -> None:
    """Its seat, its ask, its question and its kind are looked at."""
    lines = [*load_recorded_match("kuhn-verdict")[1]]
    at = next(at for at, line in enumerate(lines) if "verdict" in line)
    assert old in lines[at]
    lines[at] = lines[at].replace(old, new)
    assert complaint("kuhn-verdict", lines).startswith(f"line {at + 1}: ")


def test_a_header_of_another_format_or_game_is_found() -> None:
    """True is not 1, also here."""
    lines = [*load_recorded_match("kuhn")[1]]
    for old, new in (('"format":1', '"format":true'), ('"format":1', '"format":1.0')):
        assert complaint("kuhn", [lines[0].replace(old, new), *lines[1:]]).startswith("line 1: ")


@pytest.mark.parametrize("depth", [100, 400, 700, 850, 900, 940, 970, 990, 2000])
def test_what_is_nested_too_deep_is_found(depth: int) -> None:
    """It is a line that differs, and no end of the stack."""
    game, original = load_recorded_match("kuhn")
    assert game is GAMES["kuhn"]
    deep = "[" * depth + "]" * depth
    answer = next(line for line in original if '"answer"' in line)
    changed_lines = [
        answer.replace('"answer":', f'"answer":{deep},"was":'),
        '{"to":0,"event":' + deep + "}",
    ]
    for new in changed_lines:
        lines = [
            new if line == (answer if "answer" in new else original[1]) else line
            for line in original
        ]
        assert complaint("kuhn", lines).startswith("line ")


def test_standard_input_is_a_file(cli: Cli) -> None:
    """It is called -, to verify and to replay, and what is wrong is said of it."""
    text = "\n".join(load_recorded_match("kuhn")[1]) + "\n"
    done = cli("verify", "-", stdin=text)
    assert (done.returncode, done.stdout) == (0, "1 of 1 transcripts verified\n")
    assert cli("replay", "-", stdin=text).stdout.splitlines()
    empty = cli("verify", "-")
    assert (empty.returncode, empty.stderr) == (1, "arena: -: the file is empty\n")
