"""Redaction of bots with hidden names in transcripts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from attrs import define, field

from arena import Seat
from arena.extend import TranscriptLine, dump

QUOTING_PARTS = {"event", "question", "answer"}
"""The fields of a transcript line that may repeat what players said."""
KIND_KEYS = {"tell", "ask"}
"""The fields of an event or a question that name its type."""


@define
class AliasFilter:
    """Replaces the names of some seats by aliases, line by line.

    A program's own words come into a match where it is asked for a text, as for a nickname, and
    where it is quoted because it failed. Such a text is replaced wherever it comes back, so that
    the transcript still verifies; what is quoted is left out.
    """

    hidden: Mapping[Seat, str]  #: what is shown in place of their names
    _words: dict[str, str] = field(init=False, factory=dict)
    _asked: dict[Seat, bool] = field(init=False, factory=dict)  # for a text, by the latest question

    def filter_line(self, line: TranscriptLine) -> TranscriptLine:
        """Return the redacted next line."""
        match line.value:
            case {"to": int(seat), "question": {"options": dict(options)}} if seat in self.hidden:
                self._asked[seat] = "text" in options
            case {"from": int(seat), "answer": str(text)} if self._asked.get(seat):
                self._words[text] = self.hidden[seat]
        value = {
            key: _replace_words(part, self._words) if key in QUOTING_PARTS else part
            for key, part in _remove_quotes(line.value, self.hidden).items()
        }
        return line if value == line.value else TranscriptLine(line.number, dump(value))


def find_hidden_seats(names: Sequence[str], shown: Sequence[str]) -> dict[Seat, str]:
    """Return the aliases of the seats whose names are hidden."""
    pairs = enumerate(zip(names, shown, strict=True))
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
