"""What pages say by the solution: annotations of a replay, hints for a player, the cost of bids."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from arena import (
    Annotation,
    AnswerCost,
    Game,
    Hint,
    HintedAnswer,
    HintSource,
    InformationState,
    Insights,
    Observation,
    Statistic,
    UserError,
    WinningChances,
    format_share,
)
from arena.records import Transcript
from arena_gops import GAME, Bids, Gops, Prize, name_card, name_face
from arena_gops_solver.analysis import EndgameSolver, RoundAnalysis, WholeGameSolution, split_result
from arena_gops_solver.bots import check_solvable
from arena_gops_solver.explorer import ExplorerPosition
from arena_gops_solver.explorer_page import PACE, build_query
from arena_gops_solver.positions import Solution, SolverPosition, find_equilibrium
from arena_gops_solver.recorded_matches import RecordedMatch, read_match
from arena_gops_solver.solver import SolvedGame, choose_subgame_size, solve_from
from arena_gops_solver.table_cache import (
    find_finished_solution,
    find_largest_solution,
)

COSTLY = 0.5  # the least loss in points of a marked bid
MAX_LISTED_BIDS = 3  # the likeliest bids of the solution, which are named
GLANCE = 10  # so that a match takes this fraction of the usual time: less than a second
WINNING_GLANCE = 20  # the same for who plays to win: a tenth of a second


def build_annotations(game: Game, transcript: Transcript) -> Sequence[Annotation]:
    """Return a note for each round that can be explained, and one for each of its bids."""
    if game.name != GAME.name:
        return ()
    try:
        match = read_match(transcript, "match", "match")
        return [*_explain_rounds(match, transcript)] if match else ()
    except UserError:  # no solution of this variant or number of seats
        return ()


def _explain_rounds(match: RecordedMatch, transcript: Transcript) -> Iterator[Annotation]:
    solved, first = _solve("points", match, GLANCE)
    if first:
        rounds = "Round 1" if first == 1 else f"Rounds 1 to {first}"
        verb = "is" if first == 1 else "are"
        yield Annotation(
            1,
            f"{rounds} of {len(match.rounds)} {verb} not judged: GOPS with {match.variant.cards}"
            " cards is not solved on this server.",
            query={"cards": str(match.variant.cards)},
        )
    steps = split_result(solved, match, first)
    to_win, unknown = _solve("win", match, WINNING_GLANCE)
    winning = [*[None] * max(0, unknown - first), *split_result(to_win, match, max(first, unknown))]
    lines = [line.number for line in transcript.lines if _shows_bids(line.value)][first:]
    for line, step, to_win_step in zip(lines, steps, winning, strict=True):
        yield Annotation(line, figure=round(float(step.after), 4))
        for seat in (0, 1):
            costly = step.losses[seat] >= COSTLY
            yield Annotation(
                line,
                _describe_cost(match, step, seat) if costly else "",
                seat,
                query=build_query(_build_spot(step, seat)),
                cost=_build_cost(step, to_win_step, seat, match.variant.cards),
            )


def _solve(objective: str, match: RecordedMatch, pace: int) -> tuple[Solution, int]:
    """Return the whole game from the cache, or its last rounds; and the first one of them."""
    whole = find_finished_solution(objective, match.variant.cards)
    return (WholeGameSolution(whole) if whole else EndgameSolver.of(objective, pace))(match)


def _shows_bids(line: object) -> bool:
    match line:
        case {"event": {"tell": Bids.__name__}}:
            return True
    return False


def _build_spot(step: RoundAnalysis, seat: int) -> ExplorerPosition:
    """Return the position of a bid, as the bidder saw it."""
    place = step.round.place.mirror() if seat else step.round.place
    return ExplorerPosition(place, step.round.prize)


def _describe_cost(match: RecordedMatch, step: RoundAnalysis, seat: int) -> str:
    """Describe the cost of a bid, and the bids of the solution."""
    cards = match.variant.cards
    return (
        f"{match.names[seat]} bids the {name_card(step.round.bids[seat], cards)}, which costs"
        f" {float(step.losses[seat]):.1f} points; the solution bids"
        f" {_name_best(step, seat, cards)}."
    )


def _build_cost(
    step: RoundAnalysis, to_win: RoundAnalysis | None, seat: int, cards: int
) -> AnswerCost:
    """Return the cost of a bid, which is below 0 by rounding only."""
    amount = max(0.0, round(float(step.losses[seat]), 4))
    bid, prize = (name_face(card, cards) for card in (step.round.bids[seat], step.round.prize))
    best, chances = _name_best(step, seat, cards), None
    if to_win:
        value = float(to_win.before + to_win.prize_luck) * (-1 if seat else 1)
        loss = max(0.0, float(to_win.losses[seat]))
        before, after = ((1 + result) / 2 for result in (value, value - loss))
        chances = WinningChances(before, after, _name_best(to_win, seat, cards))
    return AnswerCost(amount, f"{bid} for the {prize}", best, chances)


def _name_best(step: RoundAnalysis, seat: int, cards: int) -> str:
    """Return the likeliest bids of the solution."""
    shares = [(name_face(card, cards), share) for card, share in _find_shares(step, seat)]
    return _format_shares(shares[:MAX_LISTED_BIDS])


def _find_shares(step: RoundAnalysis, seat: int) -> list[tuple[int, float]]:
    """Return the bids of the solution and their probabilities, the likeliest first."""
    place = _build_spot(step, seat).place
    weights = (step.solution.weights, step.solution.theirs)[seat]
    shares = sorted(zip(weights.tolist(), place.mine, strict=True), reverse=True)
    return [(card, share) for share, card in shares if share > 0]


def _format_shares(shares: Sequence[tuple[object, float]]) -> str:
    """Return bids with their shares, or the only one."""
    (first, share), *_ = shares
    if share > CERTAIN:
        return str(first)
    return ", ".join(f"{card} ({format_share(share)})" for card, share in shares)


# Hints for a player of GOPS: the bids of the exact solution, and the value of the position.

CERTAIN = 0.995  # the probability of a bid that is written as 100 %


def compute_hint(state: InformationState) -> Hint:
    """Return the bids of the solution; raise UserError while too many cards are left for one."""
    place, prize = find_position(state)
    cards = state.greeting.variant.cards
    for solved in _find_solutions(place, cards):
        strategy = find_equilibrium(solved.build_stage(place, prize))
        if solved.points or abs(float(strategy.value)) < CERTAIN:
            break  # else it is decided who wins, and any bid would do
    weights, worth = strategy.weights.tolist(), strategy.worth.tolist()
    ahead, describe = (place.difference, _describe_points) if solved.points else (0, _describe_wins)
    bids = tuple(
        HintedAnswer(card, share, describe(ahead + value))
        for card, share, value in zip(place.mine, weights, worth, strict=True)
    )
    result = describe(ahead + float(strategy.value))
    end = f"you end {result} on average" if solved.points else f"you have {result}"
    return Hint((_describe_bids(bids, cards), f"If both play perfectly, {end}."), bids)


def find_position(state: InformationState) -> tuple[SolverPosition, int]:
    """Return the position of a seat, as it was told, and the prize that is up.

    Nothing of a position of GOPS is hidden but the other bid for this prize.
    """
    seat, place = state.seat, SolverPosition(*[state.greeting.variant.suit] * 3)
    prize = 0
    for event in state.events:
        if isinstance(event, Prize):
            prize = event.card
        elif isinstance(event, Bids):
            place = place.after(prize, event.cards[seat], event.cards[1 - seat])
    return place, prize


def check_support(variant: Any, seats: int) -> None:
    """Raise UserError for a variant without a solution."""
    assert isinstance(variant, Gops)
    check_solvable(variant, seats)


def _find_solutions(place: SolverPosition, cards: int) -> Iterator[Solution]:
    """Yield the solution to win, as far as there is one, and that in points.

    Raises UserError while too many cards are left for both.
    """
    gone = sum(range(1, cards + 1)) - sum(place.prizes)
    for objective, pace in (("win", WINNING_GLANCE), ("points", PACE)):
        most = choose_subgame_size(objective, pace)
        if found := find_finished_solution(objective, cards):
            yield found
        elif len(place.mine) <= most:
            yield solve_from(place, objective, gone)
        elif objective == "points":
            raise UserError(
                f"hints begin when each player has {most} cards left",
                command=f"arena gops solve --cards {cards}",
            )


def _describe_bids(bids: Sequence[HintedAnswer], cards: int) -> str:
    """Return whether a perfect player draws among several bids, and why."""
    drawn = [bid.answer for bid in bids if bid.share > 1 - CERTAIN]
    if len(drawn) > 1:
        return "A perfect player varies the bid, so that nobody can guess it."
    return f"A perfect player always bids {name_face(drawn[0], cards)}: no card does better."


def _describe_wins(value: float) -> str:
    return f"a chance to win of {format_share((1 + value) / 2)}"


def _describe_points(ahead: float) -> str:
    points, side = f"{abs(ahead):.1f}", "ahead" if ahead > 0 else "behind"
    return "level" if points == "0.0" else f"{points} points {side}"


HINTS = HintSource("gops", "The exact solution", compute_hint, check_support)


# What bids cost against the exact solution, as a part of a bot's playing style.
#
# Only matches that a finished table in the user's cache covers are observed: nothing is solved for
# a page. A bid costs what it gives away against an opponent who plays the solution from there on,
# in points; a bid that the solution makes, too, costs nothing.

COST = "cost"
COST_BY_PRIZE = "cost_by_prize"
STATISTICS = (
    Statistic(COST, "Cost of a bid against the exact solution", "points"),
    Statistic(COST_BY_PRIZE, "Cost of a bid against the exact solution", "points", across="prize"),
)


def build_insights() -> list[Insights]:
    """Return the insights that the largest solved game of the cache allows, if there is one.

    Once a larger one is solved, the matches of a tournament are observed anew.
    """
    solved = find_largest_solution("points")
    if solved is None:
        return []
    version = solved.table.kind.cards
    return [Insights(STATISTICS, partial(observe_costs, solved), GAME.name, version)]


def observe_costs(solved: SolvedGame, lines: Sequence[Mapping[str, Any]]) -> Iterator[Observation]:
    """Yield the cost of each bid of a match, if the game is solved."""
    try:
        place = _begin(solved, lines[0])
        yield from _observe_rounds(solved, place, lines)
    except UserError:  # another variant, or a damaged table
        return


def _begin(solved: SolvedGame, header: Mapping[str, Any]) -> SolverPosition:
    variant = GAME.read_variant(header["variant"])
    assert isinstance(variant, Gops)
    check_solvable(variant, len(header["seats"]))
    if variant.cards > solved.table.kind.cards:
        raise UserError(f"GOPS with {variant.cards} cards is not solved")
    return SolverPosition(variant.suit, variant.suit, variant.suit)


def _observe_rounds(
    solved: Solution, place: SolverPosition, lines: Sequence[Mapping[str, Any]]
) -> Iterator[Observation]:
    prize, own = 0, [False, False]  # own: did the player itself bid last?
    for line in lines[1:]:
        if "answer" in line:
            own[line["from"]] = not line["fallback"]
        elif event := line.get("event"):
            if event["tell"] == Prize.__name__:
                prize = event["card"]
            elif event["tell"] == Bids.__name__:
                bids = tuple(event["cards"])
                for seat, cost in enumerate(compute_costs(solved, place, prize, bids)):
                    if own[seat]:
                        yield Observation(seat, COST, cost)
                        yield Observation(seat, COST_BY_PRIZE, cost, prize)
                place = place.after(prize, *bids)


def compute_costs(
    solved: Solution, place: SolverPosition, prize: int, bids: tuple[int, int]
) -> tuple[float, float]:
    """Return the cost of both bids in points; rounding does not make it less than 0."""
    stage = solved.build_stage(place, prize)
    solution = find_equilibrium(stage)
    row, column = place.mine.index(bids[0]), place.theirs.index(bids[1])
    mine = solution.value - solution.worth[row]
    theirs = solution.weights @ stage[:, column] - solution.value
    return max(0.0, float(mine)), max(0.0, float(theirs))
