"""Recording a match as JSON lines: enough to replay, to verify and to view it from a seat.

A header; then, in the order of what happened, `{"to": SEAT or null, "event": ...}`,
`{"to": SEAT, "question": ...}`, `{"from": SEAT, "answer": ..., "seconds": ..., "latency":
..., "fallback": ...}`, `{"to": SEAT, "withdrawn": ...}` where somebody else was first, and
`{"verdict": ...}`; at last `{"outcome": ...}`. Events and questions stand as on the JSON
wire. Only what is measured (seconds, latency), and the stderr of who failed, differs between
two runs with the same seed and answers.
"""

from __future__ import annotations

import io
import platform
from collections.abc import Mapping
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from typing import IO, Any

from arena.plugins import AcceptedAnswer, Game, MatchSpec, Observer
from arena.records.match_json import pack_verdict, to_json_number
from arena.rules import DISTRIBUTION, Outcome, Question, Seat, Verdict
from arena.wires import dump

FORMAT = 1


def pack_withdrawal(seat: Seat, question: Question[Any]) -> dict[str, Any]:
    """Return the JSON of a withdrawn question, which a seat need not answer any more."""
    return {"to": seat, "withdrawn": type(question).__name__}


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


class InMemoryFile(io.StringIO):
    """A file in memory, whose text stays available after it is closed."""

    text = ""

    def close(self) -> None:
        """Keep the text."""
        self.text = self.getvalue()
        super().close()


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
        self._write(
            {
                "from": answer.seat,
                "answer": answer.answer,
                "seconds": round(answer.seconds, 6),
                "latency": round(answer.latency, 6),
                "fallback": answer.fallback,
            }
        )

    def on_withdrawal(self, questions: Mapping[Seat, Question[Any]]) -> None:
        """Write the withdrawn questions, in seat order."""
        for seat in sorted(questions):
            self._write(pack_withdrawal(seat, questions[seat]))

    def on_verdict(self, seat: Seat, verdict: Verdict) -> None:
        """Write a verdict."""
        packed = pack_verdict(self._game, verdict)
        self._write(
            {"verdict": {"seat": seat, "ask": verdict.ask, **packed, "stderr": verdict.errors}}
        )

    def on_outcome(self, outcome: Outcome) -> None:
        """Write the outcome, and close the file."""
        self._write({"outcome": pack_outcome(outcome)})
        self._file.close()

    def _write(self, line: Mapping[str, Any]) -> None:
        self._file.write(dump(line) + "\n")


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
