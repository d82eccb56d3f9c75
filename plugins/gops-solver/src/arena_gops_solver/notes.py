"""A recorded match explained for its replay: what could be expected, and the costly bids."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from arena import Game, Note, UserError
from arena.records import Transcript
from arena_gops import GAME, Bids
from arena_gops_solver.matches.late import Late, Whole
from arena_gops_solver.matches.recorded import Recorded, recorded
from arena_gops_solver.matches.split import Step, split
from arena_gops_solver.study import query_to
from arena_gops_solver.table_cache import finished
from arena_gops_solver.walk import Spot

COSTLY = 0.5  # points, from which on a bid is marked
FEW = 3  # bids of the solution that are named, the likeliest
BY = "points"
GLANCE = 10  # matches that could be explained in the time that one may take: less than a second


def notes(game: Game, transcript: Transcript) -> Sequence[Note]:
    """Return a note for each round that can be explained, and one more for each costly bid."""
    if game.name != GAME.name:
        return ()
    try:
        match = recorded(transcript, "match", "match")
        return [*_explained(match, transcript)] if match else ()
    except UserError:  # another variant, another number of seats: there is no solution of it
        return ()


def _explained(match: Recorded, transcript: Transcript) -> Iterator[Note]:
    whole = finished(BY, match.variant.cards)
    solving = Whole(whole) if whole else Late.of(BY, GLANCE)
    solved, first = solving(match)
    if first:
        cards = match.variant.cards
        command = f"arena gops solve --cards {cards}"
        words = f"Explained from round {first + 1} on. To have all of it, solve the game: {command}"
        yield Note(1, words)
    steps = split(solved, match, first)
    lines = [one.at for one in transcript.lines if _shows_bids(one.value)][first:]
    for line, step in zip(lines, steps, strict=True):
        yield Note(line, _expected(match, step), figure=round(float(step.after), 4))
        for seat in (0, 1):
            if step.losses[seat] >= COSTLY:
                yield Note(line, _cost(match, step, seat), seat, query=query_to(_spot(step, seat)))


def _shows_bids(line: object) -> bool:
    match line:
        case {"event": {"tell": Bids.__name__}}:
            return True
    return False


def _expected(match: Recorded, step: Step) -> str:
    value = round(float(step.after), 2)
    ahead = match.names[0 if value > 0 else 1]
    return f"By the solution {ahead} wins by {abs(value):g} from here." if value else "Level."


def _spot(step: Step, seat: int) -> Spot:
    """Return the position of a bid, as who made it saw it."""
    place = step.round.place.mirrored() if seat else step.round.place
    return Spot(place, step.round.prize)


def _cost(match: Recorded, step: Step, seat: int) -> str:
    """Say what a bid cost, and what the solution would have bid."""
    place = _spot(step, seat).place
    weights = (step.solution.weights, step.solution.theirs)[seat]
    likely = sorted(zip(weights.tolist(), place.mine, strict=True), reverse=True)[:FEW]
    named = ", ".join(f"{card} ({share:.0%})" for share, card in likely if share > 0)
    return (
        f"{match.names[seat]} bids {step.round.bids[seat]}, which costs"
        f" {float(step.losses[seat]):.2f} points; the solution bids {named}."
    )
