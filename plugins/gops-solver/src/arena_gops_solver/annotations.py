"""Annotations for the replay of a match: the expected result, and the costly bids."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from arena import Annotation, AnswerCost, Game, UserError
from arena.records import Transcript
from arena_gops import GAME, Bids, name_face
from arena_gops_solver.analysis import EndgameSolver, RoundAnalysis, WholeGameSolution, split_result
from arena_gops_solver.explorer import ExplorerPosition, build_query
from arena_gops_solver.recorded_matches import RecordedMatch, read_match
from arena_gops_solver.table_cache import find_finished_solution

COSTLY = 0.5  # the least loss in points of a marked bid
MAX_LISTED_BIDS = 3  # the likeliest bids of the solution, which are named
BY = "points"
GLANCE = 10  # so that a match takes this fraction of the usual time: less than a second


def build_annotations(game: Game, transcript: Transcript) -> Sequence[Annotation]:
    """Return a note for each round that can be explained, and one more for each costly bid."""
    if game.name != GAME.name:
        return ()
    try:
        match = read_match(transcript, "match", "match")
        return [*_explain_rounds(match, transcript)] if match else ()
    except UserError:  # no solution of this variant or number of seats
        return ()


def _explain_rounds(match: RecordedMatch, transcript: Transcript) -> Iterator[Annotation]:
    whole = find_finished_solution(BY, match.variant.cards)
    solving = WholeGameSolution(whole) if whole else EndgameSolver.of(BY, GLANCE)
    solved, first = solving(match)
    if first:
        words = f"Explained from round {first + 1} on: the whole game has not been solved here."
        yield Annotation(1, words)
    steps = split_result(solved, match, first)
    lines = [line.number for line in transcript.lines if _shows_bids(line.value)][first:]
    for line, step in zip(lines, steps, strict=True):
        yield Annotation(line, _format_expectation(match, step), figure=round(float(step.after), 4))
        for seat in (0, 1):
            costly = step.losses[seat] >= COSTLY
            yield Annotation(
                line,
                _describe_cost(match, step, seat) if costly else "",
                seat,
                query=build_query(_build_spot(step, seat)) if costly else None,
                cost=_build_cost(step, seat, match.variant.cards),
            )


def _shows_bids(line: object) -> bool:
    match line:
        case {"event": {"tell": Bids.__name__}}:
            return True
    return False


def _format_expectation(match: RecordedMatch, step: RoundAnalysis) -> str:
    value = round(float(step.after), 2)
    ahead = match.names[0 if value > 0 else 1]
    return (
        f"Expected result: {ahead} wins by {abs(value):g}." if value else "Expected result: a tie."
    )


def _build_spot(step: RoundAnalysis, seat: int) -> ExplorerPosition:
    """Return the position of a bid, as the bidder saw it."""
    place = step.round.place.mirror() if seat else step.round.place
    return ExplorerPosition(place, step.round.prize)


def _describe_cost(match: RecordedMatch, step: RoundAnalysis, seat: int) -> str:
    """Describe the cost of a bid, and the bids of the solution."""
    likely = _format_shares(_find_shares(step, seat)[:MAX_LISTED_BIDS])
    return (
        f"{match.names[seat]} bids {step.round.bids[seat]}, which costs"
        f" {float(step.losses[seat]):.2f} points; the solution bids {likely}."
    )


def _build_cost(step: RoundAnalysis, seat: int, cards: int) -> AnswerCost:
    """Return the cost of a bid, which is below 0 by rounding only."""
    amount = max(0.0, round(float(step.losses[seat]), 4))
    bid, prize = (name_face(card, cards) for card in (step.round.bids[seat], step.round.prize))
    shares = [(name_face(card, cards), share) for card, share in _find_shares(step, seat)]
    return AnswerCost(amount, f"{bid} for the {prize}", _format_shares(shares))


def _find_shares(step: RoundAnalysis, seat: int) -> list[tuple[int, float]]:
    """Return the bids of the solution and their probabilities, the likeliest first."""
    place = _build_spot(step, seat).place
    weights = (step.solution.weights, step.solution.theirs)[seat]
    shares = sorted(zip(weights.tolist(), place.mine, strict=True), reverse=True)
    return [(card, share) for share, card in shares if share > 0]


def _format_shares(shares: Sequence[tuple[object, float]]) -> str:
    return ", ".join(f"{card} ({share:.0%})" for card, share in shares)
