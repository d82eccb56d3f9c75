"""Transcripts: matches recorded as JSON lines, which suffice to replay, verify and view them.

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
from math import inf, isfinite
from pathlib import Path
from typing import IO, Any

from attrs import define, field, frozen

from arena.distribution import DISTRIBUTION
from arena.files import open_without_waiting, read_text
from arena.plugins import AcceptedAnswer, Game, MatchSpec, Observer
from arena.records.packed_match import to_json_number
from arena.rules import End, Fault, Outcome, Question, Seat, UserError, Variant, Verdict
from arena.wires import describe_json_error, describe_unknown_format, dump, freeze

FORMAT = 1
SUFFIX = ".jsonl"
"""The suffix of transcript files."""


class Recorder(Observer):
    """Writes a match to an open file, line by line."""

    def __init__(self, spec: MatchSpec, file: IO[str]) -> None:
        self._game, self._file = spec.game, file
        self._write(build_header(spec))

    def on_event(self, seat: Seat | None, event: Any) -> None:
        """Write an event with its audience."""
        self._write({"to": seat, "event": self._game.vocabulary.pack(event)})

    def on_questions(self, questions: Mapping[Seat, Question[Any]]) -> None:
        """Write the questions, in seat order."""
        for seat in sorted(questions):
            self._write({"to": seat, "question": self._game.vocabulary.pack(questions[seat])})

    def on_answer(self, answer: AcceptedAnswer) -> None:
        """Write an answer with its time, and whether the fallback bot gave it."""
        self._write(pack_answer(answer))

    def on_withdrawal(self, questions: Mapping[Seat, Question[Any]]) -> None:
        """Write the withdrawn questions, in seat order."""
        for seat in sorted(questions):
            self._write(pack_withdrawal(seat, questions[seat]))

    def on_verdict(self, seat: Seat, verdict: Verdict) -> None:
        """Write a verdict."""
        self._write(pack_verdict_line(self._game, seat, verdict))

    def on_outcome(self, outcome: Outcome) -> None:
        """Write the outcome, and close the file."""
        self._write({"outcome": pack_outcome(outcome)})
        self._file.close()

    def _write(self, line: Mapping[str, Any]) -> None:
        self._file.write(dump(line) + "\n")


def build_header(spec: MatchSpec) -> dict[str, Any]:
    """Return the first line: everything needed to play the match again."""
    seats = zip(spec.names, spec.bots, strict=True)
    return {
        "format": FORMAT,
        "match": spec.key,
        "game": spec.game.name,
        "variant": spec.game.write_variant(spec.variant),
        "seed": spec.seed,
        "seats": [{"name": name, "bot": bot} for name, bot in seats],
        "versions": {"python": platform.python_version(), **_find_versions(spec.game)},
    }


def _find_versions(game: Game) -> dict[str, str]:
    names = (DISTRIBUTION, game.variant.__module__.split(".")[0].replace("_", "-"))
    return {name: _find_version(name) for name in names}


@cache
def _find_version(name: str) -> str:
    """Return the installed version; cached, as the look-up on the disk is slow."""
    try:
        return version(name)
    except PackageNotFoundError:  # a game that is not installed: a test's
        return "unknown"


def pack_answer(answer: AcceptedAnswer) -> dict[str, Any]:
    """Return the line of an answer."""
    return {
        "from": answer.seat,
        "answer": answer.answer,
        "seconds": round(answer.seconds, 6),
        "latency": round(answer.latency, 6),
        "fallback": answer.fallback,
    }


def pack_verdict_line(game: Game, seat: Seat, verdict: Verdict) -> dict[str, Any]:
    """Return the line of a seat's verdict."""
    packed = pack_verdict(game, verdict)
    return {"verdict": {"seat": seat, "ask": verdict.ask, **packed, "stderr": verdict.errors}}


def pack_withdrawal(seat: Seat, question: Question[Any]) -> dict[str, Any]:
    """Return the JSON of a withdrawn question, which a seat need not answer any more."""
    return {"to": seat, "withdrawn": type(question).__name__}


def pack_outcome(outcome: Outcome) -> dict[str, Any]:
    """Return the last line, the outcome."""
    return {
        "end": outcome.end,
        "rounds": outcome.rounds,
        "scores": outcome.scores and [*map(to_json_number, outcome.scores)],
        "places": outcome.places,
        "detail": outcome.detail,
    }


def list_seat_prefixes(seat: Seat) -> tuple[str, str]:
    """Return the prefixes of the lines that are private to a seat: events, questions, answers."""
    return f'{{"to":{seat},', f'{{"from":{seat},'


class InMemoryFile(io.StringIO):
    """A file in memory, whose text stays available after it is closed."""

    text = ""

    def close(self) -> None:
        """Keep the text."""
        self.text = self.getvalue()
        super().close()


@frozen
class Transcript:
    """A transcript that was parsed as JSON, but not checked against the rules."""

    header: TranscriptHeader  #: who played what, of the first line
    lines: tuple[TranscriptLine, ...]  #: what happened, in order

    @property
    def text(self) -> str:
        """The transcript as it was read."""
        return "\n".join([self.header.text, *(line.text for line in self.lines), ""])

    def save(self, path: str | Path) -> None:
        """Write the transcript to a file, for `arena replay` and `arena verify`.

        Raises:
            UserError: where that cannot be written.
        """
        try:
            with open(path, "w", encoding="utf-8", opener=open_without_waiting) as file:
                file.write(self.text)
        except OSError as problem:
            raise UserError(f"{path} cannot be written: {problem.strerror}") from None

    @property
    def seats(self) -> int:
        """The number of seats."""
        return len(self.header.names)


@frozen
class TranscriptHeader:
    """The first line of a transcript."""

    match: str
    game: str
    variant: Mapping[str, Any]
    seed: str
    names: tuple[str, ...]
    bots: tuple[str, ...]  # what each is, as a command line would name it
    text: str = field(eq=False, repr=False)  # as it was read

    def read_variant(self, game: Game) -> Variant:
        """Return the variant that was played."""
        try:
            return game.read_variant(self.variant)
        except ValueError as problem:
            raise UnreadableTranscriptError(f"line 1: {problem}") from None


@define
class TranscriptLine:
    """A line of a transcript after its header, parsed when its value is needed."""

    number: int  # counted from 1, as editors do
    text: str
    _value: Mapping[str, Any] | None = field(init=False, default=None, eq=False, repr=False)

    @property
    def value(self) -> Mapping[str, Any]:
        """The object in the line; raises UnreadableTranscriptError if it is not a JSON object."""
        return self.read() if self._value is None else self._value

    def read(self) -> Mapping[str, Any]:
        """Parse the line and store its value, or raise UnreadableTranscriptError."""
        self._value = _parse_object(self.number, self.text)
        return self._value


class UnreadableTranscriptError(UserError):
    """A file that is not a valid transcript; the message says where and why."""


STDIN = Path("-")


def read_transcript(path: Path) -> Transcript:
    """Read a file, or standard input for `-`; or raise UnreadableTranscriptError."""
    try:
        read = sys.stdin.buffer.read().decode("utf-8-sig") if path == STDIN else read_text(path)
    except OSError as problem:
        raise UnreadableTranscriptError(f"{path}: {problem.strerror}") from None
    except UnicodeDecodeError as problem:
        raise UnreadableTranscriptError(f"{path}: not UTF-8 at byte {problem.start}") from None
    except ValueError as problem:  # no path at all
        raise UnreadableTranscriptError(f"{path}: {problem}") from None
    try:
        return parse_text(read)
    except UnreadableTranscriptError as problem:
        raise UnreadableTranscriptError(f"{path}: {problem}") from None


def parse_text(text: str, *, ahead: bool = True) -> Transcript:
    """Read a whole transcript; raise UnreadableTranscriptError. `ahead` is as in `parse_lines`."""
    return parse_lines(text.removesuffix("\n").split("\n") if text else (), ahead=ahead)


def parse_lines(lines: Iterable[str], *, ahead: bool = True) -> Transcript:
    """Read the lines of a transcript, or raise UnreadableTranscriptError.

    What this arena has stored is sound: who looks at some of its lines alone need not read the
    others, and reads none `ahead`.
    """
    found = [TranscriptLine(at, text) for at, text in enumerate(lines, 1)]
    if not found:
        raise UnreadableTranscriptError("the file is empty")
    if ahead:
        for line in found:
            line.read()
    return Transcript(_parse_header(found[0]), tuple(found[1:]))


def _parse_header(line: TranscriptLine) -> TranscriptHeader:
    value = line.value
    if type(value.get("format")) is not int:  # `True == 1`
        raise UnreadableTranscriptError("line 1: not the header of a transcript")
    match value:
        case {
            "format": 1, "match": str(match_), "game": str(game), "variant": dict(variant),
            "seed": str(seed), "seats": [_, *_] as seats,
        }:  # fmt: skip
            seated = [seat for seat in seats if isinstance(seat, dict)]
            names, bots = (tuple(str(seat.get(key)) for seat in seated) for key in ("name", "bot"))
            return TranscriptHeader(match_, game, variant, seed, names, bots, line.text)
        case {"format": other} if other != FORMAT:
            raise UnreadableTranscriptError(f"line 1: {describe_unknown_format(other, FORMAT)}")
    raise UnreadableTranscriptError("line 1: not the header of a transcript")


JSON = json.JSONDecoder()  # asked at once: `json.loads` costs a short line as much again
BLANKS = " \t\r"  # that JSON lets stand around a value


def _parse_object(at: int, line: str) -> Mapping[str, Any]:
    text = line.strip(BLANKS)
    try:
        value, end = JSON.raw_decode(text)
        if end < len(text):
            raise json.JSONDecodeError("Extra data", text, end)
    except (ValueError, RecursionError) as problem:
        raise UnreadableTranscriptError(
            f"line {at}: not JSON: {describe_json_error(problem)}"
        ) from None
    if not isinstance(value, dict):
        raise UnreadableTranscriptError(f"line {at}: not a JSON object")
    return value


def unpack_verdict(game: Game, packed: Mapping[str, Any]) -> Verdict:
    """Return the verdict of its recorded JSON."""
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
    """Return a recorded outcome, without verdicts and times, which are recorded elsewhere."""
    scores, places = freeze(packed["scores"]), freeze(packed["places"])
    return Outcome(End(packed["end"]), packed["rounds"], scores, places, {}, (), packed["detail"])


def pack_verdict(game: Game, verdict: Verdict) -> dict[str, Any]:
    """Return a verdict as JSON, with its question as on the JSON wire."""
    return {
        "kind": verdict.kind,
        "question": game.vocabulary.pack(verdict.question),
        "line": verdict.line,
        "limit": round(verdict.limit, 6) if isfinite(verdict.limit) else None,
        "seconds": round(verdict.seconds, 6),
        "detail": verdict.detail,
    }
