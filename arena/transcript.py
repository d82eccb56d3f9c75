"""The match as JSON lines: enough to replay it, to verify it, to see it through one seat.

A header; then, in the order of what happened, `{"to": SEAT or null, "event": ...}`,
`{"to": SEAT, "question": ...}`, `{"from": SEAT, "answer": ..., "seconds": ..., "latency":
..., "autopilot": ...}` and `{"verdict": ...}`; at last `{"outcome": ...}`. Events and
questions stand as on the JSON wire. Only what is measured (seconds, latency) differs
between two runs with the same seed and answers.
"""

from __future__ import annotations

import json
import platform
from collections.abc import Iterable, Mapping
from importlib.metadata import PackageNotFoundError, version
from math import inf, isfinite
from pathlib import Path
from typing import IO, Any

from attrs import frozen

from arena.converter import freeze
from arena.errors import Refusal
from arena.game import Game
from arena.jsonlines import dump
from arena.observer import Answered, Observer, Setting
from arena.outcome import End, Fault, Outcome, Verdict
from arena.play import Score, Variant
from arena.table import Question, Seat

FORMAT = 1
SUFFIX = ".jsonl"


class Unreadable(Refusal):
    """A file that is no transcript, or a broken one; the text says where and why."""


def number(score: Score) -> int | float:
    """Give a score as JSON has numbers."""
    return int(score) if score == int(score) else float(score)


def pack_verdict(game: Game, verdict: Verdict) -> dict[str, Any]:
    """Give a verdict as JSON, its question as on the JSON wire."""
    return {
        "kind": verdict.kind,
        "question": game.vocabulary.pack(verdict.question),
        "line": verdict.line,
        "limit": round(verdict.limit, 6) if isfinite(verdict.limit) else None,
        "seconds": round(verdict.seconds, 6),
        "detail": verdict.detail,
    }


def header(setting: Setting) -> dict[str, Any]:
    """Give the first line: all that it takes to play the match again."""
    seats = zip(setting.names, setting.bots, strict=True)
    return {
        "format": FORMAT,
        "match": setting.key,
        "game": setting.game.name,
        "variant": setting.game.write_variant(setting.variant),
        "seed": setting.seed,
        "seats": [{"name": name, "bot": bot} for name, bot in seats],
        "versions": {"python": platform.python_version(), **_versions(setting.game)},
    }


def _versions(game: Game) -> dict[str, str]:
    found = {}
    for name in ("cardbot-arena", game.variant.__module__.split(".")[0].replace("_", "-")):
        try:
            found[name] = version(name)
        except PackageNotFoundError:  # a game that is not installed: a test's
            found[name] = "unknown"
    return found


class Recorder(Observer):
    """Writes a match to an open file, line by line."""

    def __init__(self, setting: Setting, file: IO[str]) -> None:
        self._game, self._file = setting.game, file
        self._write(header(setting))

    def told(self, seat: Seat | None, event: Any) -> None:
        """Write an event with its audience."""
        self._write({"to": seat, "event": self._game.vocabulary.pack(event)})

    def asked(self, questions: Mapping[Seat, Question[Any]]) -> None:
        """Write the questions, in seat order."""
        for seat in sorted(questions):
            self._write({"to": seat, "question": self._game.vocabulary.pack(questions[seat])})

    def answered(self, answer: Answered) -> None:
        """Write an answer with its time, and whether the autopilot gave it."""
        self._write(
            {
                "from": answer.seat,
                "answer": answer.answer,
                "seconds": round(answer.seconds, 6),
                "latency": round(answer.latency, 6),
                "autopilot": answer.autopilot,
            }
        )

    def failed(self, seat: Seat, verdict: Verdict) -> None:
        """Write a verdict."""
        packed = {"seat": seat, "ask": verdict.ask, **pack_verdict(self._game, verdict)}
        self._write({"verdict": packed})

    def ended(self, outcome: Outcome) -> None:
        """Write how it came out, and close the file."""
        self._write({"outcome": pack_outcome(outcome)})
        self._file.close()

    def _write(self, line: Mapping[str, Any]) -> None:
        self._file.write(dump(line) + "\n")


def unpack_verdict(game: Game, packed: Mapping[str, Any]) -> Verdict:
    """Give a recorded verdict back."""
    return Verdict(
        Fault(packed["kind"]),
        game.vocabulary.unpack(packed["question"]),
        packed["line"],
        inf if packed["limit"] is None else packed["limit"],
        packed["seconds"],
        packed["detail"],
        packed["ask"],
    )


def unpack_outcome(packed: Mapping[str, Any]) -> Outcome:
    """Give a recorded outcome back, without verdicts and times, which stand elsewhere."""
    scores, places = freeze(packed["scores"]), freeze(packed["places"])
    return Outcome(End(packed["end"]), packed["rounds"], scores, places, {}, (), packed["detail"])


def pack_outcome(outcome: Outcome) -> dict[str, Any]:
    """Give the last line."""
    return {
        "end": outcome.end,
        "rounds": outcome.rounds,
        "scores": outcome.scores and [*map(number, outcome.scores)],
        "places": outcome.places,
        "detail": outcome.detail,
    }


@frozen
class Header:
    """What a transcript's first line says."""

    match: str
    game: str
    variant: Mapping[str, Any]
    seed: str
    names: tuple[str, ...]
    bots: tuple[str, ...]  # what each is, as a command line would name it

    def read_variant(self, game: Game) -> Variant:
        """Give the variant that was played."""
        try:
            return game.read_variant(self.variant)
        except ValueError as problem:
            raise Unreadable(f"line 1: {problem}") from None


@frozen
class Line:
    """One line of a transcript behind its header."""

    at: int  # counted from 1, as editors do
    value: Mapping[str, Any]


@frozen
class Transcript:
    """A transcript that was read: JSON throughout, its meaning not yet looked at."""

    header: Header
    lines: tuple[Line, ...]

    @property
    def seats(self) -> int:
        """Give how many played."""
        return len(self.header.names)


def read(path: Path) -> Transcript:
    """Read a file, or raise Unreadable."""
    try:
        text = path.read_text("utf-8")
    except OSError as problem:
        raise Unreadable(f"{path}: {problem.strerror}") from None
    except UnicodeDecodeError as problem:
        raise Unreadable(f"{path}: not UTF-8 at byte {problem.start}") from None
    try:
        return parse(text.removesuffix("\n").split("\n") if text else ())
    except Unreadable as problem:
        raise Unreadable(f"{path}: {problem}") from None


def parse(lines: Iterable[str]) -> Transcript:
    """Read the lines of a transcript, or raise Unreadable."""
    values = [Line(at, _object(at, line)) for at, line in enumerate(lines, 1)]
    if not values:
        raise Unreadable("the file is empty")
    return Transcript(_header(values[0].value), tuple(values[1:]))


def _object(at: int, line: str) -> Mapping[str, Any]:
    try:
        value = json.loads(line)
    except (ValueError, RecursionError) as problem:
        raise Unreadable(f"line {at}: not JSON: {problem}") from None
    if not isinstance(value, dict):
        raise Unreadable(f"line {at}: not a JSON object")
    return value


def _header(value: Mapping[str, Any]) -> Header:
    if type(value.get("format")) is not int:  # `True == 1`
        raise Unreadable("line 1: not the header of a transcript")
    match value:
        case {
            "format": 1, "match": str(match_), "game": str(game), "variant": dict(variant),
            "seed": str(seed), "seats": [_, *_] as seats,
        }:  # fmt: skip
            seated = [seat for seat in seats if isinstance(seat, dict)]
            names, bots = (tuple(str(seat.get(key)) for seat in seated) for key in ("name", "bot"))
            return Header(match_, game, variant, seed, names, bots)
        case {"format": other} if other != FORMAT:
            raise Unreadable(f"line 1: format {other!r}, and this arena reads {FORMAT}")
    raise Unreadable("line 1: not the header of a transcript")
