"""Reading recorded matches from a file, a stream or a store."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Mapping
from math import inf
from pathlib import Path
from typing import Any

from attrs import define, field, frozen

from arena.plugins import Game
from arena.records.recorder import FORMAT
from arena.rules import End, Fault, Outcome, UserError, Variant, Verdict
from arena.wires import freeze, open_without_waiting, read_text

SUFFIX = ".jsonl"
"""The suffix of transcript files."""

STDIN = Path("-")
JSON = json.JSONDecoder()  # asked at once: `json.loads` costs a short line as much again
BLANKS = " \t\r"  # that JSON lets stand around a value


class UnreadableTranscriptError(UserError):
    """A file that is not a valid transcript; the message says where and why."""


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


@frozen
class Transcript:
    """A transcript that was parsed as JSON, but not checked against the rules."""

    header: TranscriptHeader
    lines: tuple[TranscriptLine, ...]

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


def read_transcript(path: Path) -> Transcript:
    """Read a file, or standard input for `-`; or raise UnreadableTranscriptError."""
    try:
        read = sys.stdin.buffer.read().decode("utf-8") if path == STDIN else read_text(path)
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


def parse_text(text: str, *, ahead: bool = True) -> Transcript:
    """Read a whole transcript; raise UnreadableTranscriptError. `ahead` is as in `parse_lines`."""
    return parse_lines(text.removesuffix("\n").split("\n") if text else (), ahead=ahead)


def _parse_object(at: int, line: str) -> Mapping[str, Any]:
    text = line.strip(BLANKS)
    try:
        value, end = JSON.raw_decode(text)
        if end < len(text):
            raise json.JSONDecodeError("Extra data", text, end)
    except (ValueError, RecursionError) as problem:
        raise UnreadableTranscriptError(f"line {at}: not JSON: {problem}") from None
    if not isinstance(value, dict):
        raise UnreadableTranscriptError(f"line {at}: not a JSON object")
    return value


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
            raise UnreadableTranscriptError(
                f"line 1: format {other!r} is not supported (this version reads {FORMAT})"
            )
    raise UnreadableTranscriptError("line 1: not the header of a transcript")
