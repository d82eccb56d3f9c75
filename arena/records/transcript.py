"""The match as JSON lines: enough to replay it, to verify it, to see it through one seat.

A header; then, in the order of what happened, `{"to": SEAT or null, "event": ...}`,
`{"to": SEAT, "question": ...}`, `{"from": SEAT, "answer": ..., "seconds": ..., "latency":
..., "fallback": ...}`, `{"to": SEAT, "withdrawn": ...}` where somebody else was first, and
`{"verdict": ...}`; at last `{"outcome": ...}`. Events and questions stand as on the JSON
wire. Only what is measured (seconds, latency), and the stderr of who failed, differs between
two runs with the same seed and answers.
"""

from __future__ import annotations

import io
import json
import platform
import sys
from collections.abc import Iterable, Mapping
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from math import inf
from pathlib import Path
from typing import IO, Any

from attrs import field, frozen

from arena.plugins import Answered, Game, MatchSpec, Observer
from arena.records.packing import number, pack_verdict
from arena.rules import (
    DISTRIBUTION,
    End,
    Fault,
    Outcome,
    Question,
    Seat,
    UserError,
    Variant,
    Verdict,
)
from arena.wires import at_once, dump, freeze, read_text

FORMAT = 1
SUFFIX = ".jsonl"
STDIN = Path("-")
JSON = json.JSONDecoder()  # asked at once: `json.loads` costs a short line as much again
BLANKS = " \t\r"  # that JSON lets stand around a value


class Unreadable(UserError):
    """A file that is no transcript, or a broken one; the text says where and why."""


def pack_withdrawal(seat: Seat, question: Question[Any]) -> dict[str, Any]:
    """Return as JSON that a seat need not answer this question any more."""
    return {"to": seat, "withdrawn": type(question).__name__}


def header(spec: MatchSpec) -> dict[str, Any]:
    """Return the first line: all that it takes to play the match again."""
    seats = zip(spec.names, spec.bots, strict=True)
    return {
        "format": FORMAT,
        "match": spec.key,
        "game": spec.game.name,
        "variant": spec.game.write_variant(spec.variant),
        "seed": spec.seed,
        "seats": [{"name": name, "bot": bot} for name, bot in seats],
        "versions": {"python": platform.python_version(), **_versions(spec.game)},
    }


def _versions(game: Game) -> dict[str, str]:
    names = (DISTRIBUTION, game.variant.__module__.split(".")[0].replace("_", "-"))
    return {name: _version(name) for name in names}


@cache
def _version(name: str) -> str:
    """Return what is installed; it is looked up on the disk, which a short match would notice."""
    try:
        return version(name)
    except PackageNotFoundError:  # a game that is not installed: a test's
        return "unknown"


class Kept(io.StringIO):
    """A file in memory, whose text is there still when it has been closed."""

    text = ""

    def close(self) -> None:
        """Keep the text."""
        self.text = self.getvalue()
        super().close()


class Recorder(Observer):
    """Writes a match to an open file, line by line."""

    def __init__(self, spec: MatchSpec, file: IO[str]) -> None:
        self._game, self._file = spec.game, file
        self._write(header(spec))

    def told(self, seat: Seat | None, event: Any) -> None:
        """Write an event with its audience."""
        self._write({"to": seat, "event": self._game.vocabulary.pack(event)})

    def asked(self, questions: Mapping[Seat, Question[Any]]) -> None:
        """Write the questions, in seat order."""
        for seat in sorted(questions):
            self._write({"to": seat, "question": self._game.vocabulary.pack(questions[seat])})

    def answered(self, answer: Answered) -> None:
        """Write an answer with its time, and whether the fallback bot gave it."""
        self._write(
            {
                "from": answer.seat,
                "answer": answer.answer,
                "seconds": round(answer.seconds, 6),
                "latency": round(answer.latency, 6),
                "fallback": answer.fallback,
            }
        )

    def withdrawn(self, questions: Mapping[Seat, Question[Any]]) -> None:
        """Write whose questions were taken back, in seat order."""
        for seat in sorted(questions):
            self._write(pack_withdrawal(seat, questions[seat]))

    def failed(self, seat: Seat, verdict: Verdict) -> None:
        """Write a verdict."""
        packed = pack_verdict(self._game, verdict)
        self._write(
            {"verdict": {"seat": seat, "ask": verdict.ask, **packed, "stderr": verdict.errors}}
        )

    def ended(self, outcome: Outcome) -> None:
        """Write how it came out, and close the file."""
        self._write({"outcome": pack_outcome(outcome)})
        self._file.close()

    def _write(self, line: Mapping[str, Any]) -> None:
        self._file.write(dump(line) + "\n")


def unpack_verdict(game: Game, packed: Mapping[str, Any]) -> Verdict:
    """Return a recorded verdict back."""
    return Verdict(
        Fault(packed["kind"]),
        game.vocabulary.unpack(packed["question"]),
        packed["line"],
        inf if packed["limit"] is None else packed["limit"],
        packed["seconds"],
        packed["detail"],
        packed["ask"],
        packed["stderr"],
    )


def unpack_outcome(packed: Mapping[str, Any]) -> Outcome:
    """Return a recorded outcome, without verdicts and times, which stand elsewhere."""
    scores, places = freeze(packed["scores"]), freeze(packed["places"])
    return Outcome(End(packed["end"]), packed["rounds"], scores, places, {}, (), packed["detail"])


def pack_outcome(outcome: Outcome) -> dict[str, Any]:
    """Return the last line."""
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
        """Return the variant that was played."""
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
    text: str = field(default="", eq=False, repr=False)  # as it was read

    def save(self, path: str | Path) -> None:
        """Write it to a file, as it was read; `arena replay` and `arena verify` take it.

        Raises:
            UserError: where that cannot be written.
        """
        try:
            with open(path, "w", encoding="utf-8", opener=at_once) as file:
                file.write(self.text)
        except OSError as problem:
            raise UserError(f"{path} cannot be written: {problem.strerror}") from None

    @property
    def seats(self) -> int:
        """Return how many played."""
        return len(self.header.names)


def read(path: Path) -> Transcript:
    """Read a file, or standard input for `-`; or raise Unreadable."""
    try:
        read = sys.stdin.buffer.read().decode("utf-8") if path == STDIN else read_text(path)
    except OSError as problem:
        raise Unreadable(f"{path}: {problem.strerror}") from None
    except UnicodeDecodeError as problem:
        raise Unreadable(f"{path}: not UTF-8 at byte {problem.start}") from None
    except ValueError as problem:  # no path at all
        raise Unreadable(f"{path}: {problem}") from None
    try:
        return parse(read.removesuffix("\n").split("\n") if read else ())
    except Unreadable as problem:
        raise Unreadable(f"{path}: {problem}") from None


def parse(lines: Iterable[str]) -> Transcript:
    """Read the lines of a transcript, or raise Unreadable."""
    lines = [*lines]
    values = [Line(at, _object(at, line)) for at, line in enumerate(lines, 1)]
    if not values:
        raise Unreadable("the file is empty")
    text = "".join(f"{line}\n" for line in lines)
    return Transcript(_header(values[0].value), tuple(values[1:]), text)


def _object(at: int, line: str) -> Mapping[str, Any]:
    text = line.strip(BLANKS)
    try:
        value, end = JSON.raw_decode(text)
        if end < len(text):
            raise json.JSONDecodeError("Extra data", text, end)
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
