"""A finished match and its seats as JSON, the same wherever they are printed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from arena.rules import Score, Seat, describe_failure


def pack_match(
    key: str, outcome: str, rounds: int, seats: Iterable[Mapping[str, Any]], **known: Any
) -> dict[str, Any]:
    """Return a finished match as JSON, with further facts; `seats` come from `pack_seat`.

    `arena match --json`, `arena tournament run --json` and `arena matches --json` know different
    things about a match, and say what they share alike.

    `outcome` is how it ended, `rounds` are counted as the game counts them.
    """
    return {"match": key, **known, "outcome": outcome, "rounds": rounds, "seats": [*seats]}


def pack_seat(
    seat: Seat,
    name: str,
    *,
    score: Score | None,
    place: int | None,
    verdict: Mapping[str, Any] | None,
    seconds: float,
    stderr: str | None,
    **known: Any,
) -> dict[str, Any]:
    """Return a seat of a match as JSON; a void match has no scores and no places.

    `seconds` are what all its answers took, `stderr` is the end of what its program wrote.
    """
    return {
        "seat": seat,
        "name": name,
        **known,
        "score": None if score is None else to_json_number(score),
        "place": place,
        "verdict": verdict,
        "seconds": round(seconds, 6),
        "stderr": stderr,
    }


def to_json_number(score: Score) -> int | float:
    """Return a score as a JSON number."""
    return int(score) if score == int(score) else float(score)


def summarize_verdict(packed: Mapping[str, Any]) -> dict[str, Any]:
    """Return the part of a verdict as JSON that says what was wrong, and when.

    Of its question the name stays: the rest may be long, and tell of a hand.
    """
    match packed.get("question"):
        case {"ask": name}:
            return {**packed, "question": {"ask": name}}
    return {**packed, "question": None}


def describe_verdict(packed: Mapping[str, Any]) -> str:
    """Describe a verdict as JSON in a line, as `Verdict.describe` does.

    What a stranger's transcript has in place of a question or of seconds is left out.
    """
    detail, seconds, limit = (
        str(packed.get("detail", "")),
        packed.get("seconds"),
        packed.get("limit"),
    )
    match packed.get("question"):
        case {"ask": str(question)} if isinstance(seconds, int | float):
            timed = limit if isinstance(limit, int | float) else None
            return describe_failure(str(packed.get("kind")), detail, question, seconds, timed)
    return detail
