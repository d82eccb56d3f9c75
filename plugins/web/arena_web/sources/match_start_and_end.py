"""Announcements of the start and the end of a match as JSON, for players and spectators."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from arena import End, Seat, join_words
from arena.extend import to_json_number, to_printable
from arena.host import Result


def build_introduction(
    key: str,
    game: str,
    names: Sequence[str],
    variant: Mapping[str, Any],
    *,
    seat: Seat | None = None,
    clock: float | None = None,
) -> dict[str, Any]:
    """Return the introduction to a match for a seat, or (None) for spectators.

    `clock` is the seconds that a person has for each answer.
    """
    about = {"key": key, "game": game, "names": [*names], "variant": {**variant}}
    return {**about, "seat": seat, "clock": clock}


def build_void_end() -> dict[str, Any]:
    """Return the end of a match that could not be finished."""
    return {"end": End.VOID, "said": "The match is void.", "won": None, "rows": []}


def build_end(result: Result, seat: Seat | None) -> dict[str, Any]:
    """Return the end of a match for a seat, or (None) for spectators."""
    places, scores, names = result.places, result.scores, result.names
    if places is None or scores is None:
        return {
            **build_void_end(),
            "said": f"The match is void: {to_printable(result.outcome.detail)}",
        }
    kinds = [verdict.kind if verdict else "" for verdict in result.verdicts]
    return build_end_from_places(result.outcome.end, names, places, scores, kinds=kinds, seat=seat)


def build_end_from_places(
    end: str,
    names: Sequence[str],
    places: Sequence[int],
    scores: Sequence[Any],
    *,
    kinds: Sequence[str] = (),
    seat: Seat | None = None,
) -> dict[str, Any]:
    """Return the end of a match with places, for a seat or for spectators.

    There is a row for each player, the best first; `kinds` are those of their verdicts.
    """
    best = [player for player, place in enumerate(places) if place == 1]
    rows = [
        {
            "place": places[player],
            "name": names[player],
            "score": to_json_number(scores[player]),
            "verdict": kinds[player] if kinds else "",
            "you": player == seat,
        }
        for player in sorted(range(len(names)), key=places.__getitem__)
    ]
    won = None if seat is None else seat in best
    return {"end": end, "said": describe_winner(names, best, seat), "won": won, "rows": rows}


def describe_winner(names: Sequence[str], best: list[Seat], seat: Seat | None) -> str:
    """Return a sentence on who won.

    >>> describe_winner(("ann", "bob", "eve"), [0], 1), describe_winner(("ann", "bob"), [0, 1], 1)
    ('ann wins.', 'A tie between you and ann.')
    """
    if best == [seat]:
        return "You win."
    if len(best) == 1:
        return f"{names[best[0]]} wins."
    others = [names[player] for player in best if player != seat]
    return f"A tie between {join_words(['you'] * (seat in best) + others)}."
