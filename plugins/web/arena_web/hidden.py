"""What a bot whose name is hidden called itself in its matches: nobody reads that, either."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from arena.records import Line
from arena.rules import Seat

PARTS = {"event", "question", "answer"}
"""Of a transcript's line: what players said comes back in these."""
KINDS = {"tell", "ask"}
"""Of an event or a question: which of the game's messages it is."""


def unsaid(lines: Iterable[Line], hidden: Mapping[Seat, str]) -> Iterator[Line]:
    """Give a transcript's lines, with what is shown in place of the names of these seats.

    A program's own words come into a match where it is asked for a text, as for a nickname, and
    where it is quoted because it failed. Such a text is replaced wherever it comes back, so that
    the transcript still verifies; what is quoted is left out.
    """
    words: dict[str, str] = {}
    asked: dict[Seat, bool] = {}  # was its latest question one for a text?
    for line in lines:
        match line.value:
            case {"to": int(seat), "question": {"options": dict(options)}} if seat in hidden:
                asked[seat] = "text" in options
            case {"from": int(seat), "answer": str(text)} if asked.get(seat):
                words[text] = hidden[seat]
        value = _unquoted(line.value, hidden)
        if words:
            value = {
                key: _replaced(part, words) if key in PARTS else part for key, part in value.items()
            }
        yield line if value == line.value else Line(line.at, value)


def _unquoted(value: Mapping[str, Any], hidden: Mapping[Seat, str]) -> Mapping[str, Any]:
    match value:
        case {"verdict": {"seat": int(seat)} as verdict} if seat in hidden:
            return {**value, "verdict": {**verdict, "detail": "", "line": ""}}
    return value


def _replaced(value: Any, words: Mapping[str, str]) -> Any:
    if isinstance(value, str):
        return words.get(value, value)
    if isinstance(value, list):
        return [_replaced(one, words) for one in value]
    if isinstance(value, dict):
        return {key: one if key in KINDS else _replaced(one, words) for key, one in value.items()}
    return value
