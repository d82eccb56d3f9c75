"""The redaction of public transcripts: no names that are hidden, no command lines, no stderr."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from attrs import define, evolve, field

from arena import Seat
from arena.records import Transcript, TranscriptLine
from arena.wires import dump

QUOTING_PARTS = {"event", "question", "answer"}
"""The fields of a transcript line that may repeat what players said."""
KIND_KEYS = {"tell", "ask"}
"""The fields of an event or a question that name its type."""

VERDICT, ESCAPE = '"verdict"', "\\"


def redact_transcript(
    transcript: Transcript,
    shown_as: Callable[[str], str] = str,
    label_name: Callable[[str], str] = str,
) -> Transcript:
    """Return a public transcript: with bots' names for commands, without stderr.

    `shown_as` returns what is shown in place of a name that is hidden, `label_name` what people
    call who has it: so it is called on pages, and by its name in the text for programs.
    """
    header = transcript.header
    names = tuple(map(shown_as, header.names))
    seats = [{"name": name, "bot": name} for name in names]
    first = dump({**json.loads(header.text), "seats": seats})
    lines = tuple(map(build_line_filter(header.names, names), transcript.lines))
    labels = tuple(map(label_name, header.names))
    return Transcript(evolve(header, names=labels, bots=names, text=first), lines)


def build_line_filter(
    names: Sequence[str], visible: Sequence[str]
) -> Callable[[TranscriptLine], TranscriptLine]:
    """Return a filter that redacts each line of a match; call it in order.

    `visible` is what is shown in place of the names, in seat order.
    """
    hidden = find_hidden_seats(names, visible)
    if not hidden:
        return _remove_stderr
    unsaid = AliasFilter(hidden)
    return lambda line: _remove_stderr(unsaid.filter_line(line))


def _remove_stderr(line: TranscriptLine) -> TranscriptLine:
    """Return a line without a program's stderr, which is private to its author."""
    if VERDICT not in line.text and ESCAPE not in line.text:  # the key is not there, however spelt
        return line
    verdict = line.value.get("verdict")
    if not isinstance(verdict, dict):
        return line
    return TranscriptLine(line.number, dump({**line.value, "verdict": {**verdict, "stderr": ""}}))


@define
class AliasFilter:
    """Replaces the names of some seats by aliases, line by line.

    A program's own words come into a match where it is asked for a text, as for a nickname, and
    where it is quoted because it failed. Such a text is replaced wherever it comes back, so that
    the transcript still verifies; what is quoted is left out.
    """

    hidden: Mapping[Seat, str]  #: what is shown in place of their names
    _words: dict[str, str] = field(init=False, factory=dict)
    _awaits_text: dict[Seat, bool] = field(init=False, factory=dict)  # by the latest question

    def filter_line(self, line: TranscriptLine) -> TranscriptLine:
        """Return the redacted next line."""
        match line.value:
            case {"to": int(seat), "question": {"options": dict(options)}} if seat in self.hidden:
                self._awaits_text[seat] = "text" in options
            case {"from": int(seat), "answer": str(text)} if self._awaits_text.get(seat):
                self._words[text] = self.hidden[seat]
        value = {
            key: _replace_words(part, self._words) if key in QUOTING_PARTS else part
            for key, part in _remove_quotes(line.value, self.hidden).items()
        }
        return line if value == line.value else TranscriptLine(line.number, dump(value))


def find_hidden_seats(names: Sequence[str], visible: Sequence[str]) -> dict[Seat, str]:
    """Return the aliases of the seats whose names are hidden."""
    pairs = enumerate(zip(names, visible, strict=True))
    return {seat: alias for seat, (name, alias) in pairs if name != alias}


def _remove_quotes(value: Mapping[str, Any], hidden: Mapping[Seat, str]) -> Mapping[str, Any]:
    match value:
        case {"verdict": {"seat": int(seat)} as verdict} if seat in hidden:
            return {**value, "verdict": {**verdict, "detail": "", "line": ""}}
    return value


def _replace_words(value: Any, words: Mapping[str, str]) -> Any:
    if isinstance(value, str):
        return words.get(value, value)
    if isinstance(value, list):
        return [_replace_words(part, words) for part in value]
    if isinstance(value, dict):
        return {
            key: part if key in KIND_KEYS else _replace_words(part, words)
            for key, part in value.items()
        }
    return value
