"""The end of a match, as players and spectators are told of it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from attrs import evolve

from arena import Count, End, Seat
from arena.host import Result
from arena.records import to_json_number
from arena.rules import Sides, seat_alone
from arena.wires import to_printable
from arena_web.messages import MatchEnd, PlayerResult
from arena_web.result_sentences import describe_own_result, describe_sides, score_sides

VOID_END = MatchEnd(End.VOID, "The match is void.")
"""The end of a match that could not be finished."""


def build_end(result: Result, seat: Seat | None, names: Sequence[str], count: Count) -> MatchEnd:
    """Return the end of a match for a seat, or (None) for spectators."""
    places, scores = result.places, result.scores
    if places is None or scores is None:
        why = to_printable(result.outcome.detail)
        return evolve(VOID_END, said=f"The match is void: {why}")
    kinds = [verdict.kind if verdict else "" for verdict in result.verdicts]
    return build_end_from_places(
        result.outcome.end, names, places, scores, count,
        kinds=kinds, seat=seat, sides=result.sides,
    )  # fmt: skip


def build_end_from_places(
    end: str,
    names: Sequence[str],
    places: Sequence[int],
    scores: Sequence[Any],
    count: Count,
    *,
    kinds: Sequence[str] = (),
    seat: Seat | None = None,
    sides: Sides | None = None,
) -> MatchEnd:
    """Return the end of a match with places, for a seat or for spectators.

    There is a row for each player, the best first; `kinds` are those of their verdicts, with which
    a score compares with no other. `sides` are those of the match, if they are known.
    """
    kinds = kinds or [""] * len(names)
    counts = count_scores(scores, kinds)
    rows = [
        PlayerResult(
            places[player],
            names[player],
            counts[player],
            "" if counts[player] is None else count.describe(counts[player]),
            kinds[player],
            player == seat,
        )
        for player in sorted(range(len(names)), key=places.__getitem__)
    ]
    won = None if seat is None else places[seat] == 1
    sides = sides or seat_alone(len(names))
    if seat is None:
        sentence = f"{describe_sides(names, places, counts, sides, count)}."
    else:
        own = next(number for number, side in enumerate(sides) if seat in side)
        ranks = [places[side[0]] for side in sides]
        sentence = describe_own_result(ranks, score_sides(counts, sides), own, count)
    return MatchEnd(end, sentence, won, rows)


def count_scores(scores: Sequence[Any], verdicts: Sequence[object]) -> list[Any]:
    """Return the scores as JSON, None for a player with a verdict: a bot made a part of it."""
    pairs = zip(scores, verdicts, strict=True)
    return [None if verdict else to_json_number(score) for score, verdict in pairs]
