"""Laws for `resample_hidden`: it mixes enough, and draws do not depend on what it mixes.

The other laws can only find leaks of what `resample_hidden` exchanges. So it has to exchange, for
every seat that looks, what each of the others knows alone.
"""

from __future__ import annotations

from random import Random

from attrs import evolve

from arena.plugins import Game
from arena.rules import Play, Position, Seat
from arena.testing.harness.cases import Case
from arena.testing.harness.codec_replay import sample_seats
from arena.testing.harness.exchanged_draws import RecordedDraw, VariedRoundPosition
from arena.testing.harness.hypothesis_strategies import cases_by_seats
from arena.testing.harness.paired_branches import Branch, find_common_answer
from arena.testing.harness.round_snapshots import RoundSnapshot, take_snapshots
from arena.testing.law import law
from arena.testing.laws.noninterference import alternative_positions

DEALS = 3  # of each number of seats
RESAMPLES = 12  # of each position
MIN_POSITIONS = 3  # in which a seat is told something alone, before it has to have changed


@law(cases=cases_by_seats)
def resampling_changes_what_others_are_told(game: Game, case: Case) -> None:
    """For every viewer, `resample_hidden` changes what each other seat is told alone in a round.

    This holds for what is told when a round begins, in some of a dozen samples of some position.
    """
    told: dict[tuple[Seat, Seat], list[list[object]]] = {}
    changed = set[tuple[Seat, Seat]]()
    seats = sample_seats(case)
    for number in range(DEALS):
        for snapshot in take_snapshots(game, evolve(case, seed=f"{case.seed}{number}")):
            first = _private_events(case, snapshot, snapshot.position)
            for viewer in seats if first else ():
                others = [
                    _private_events(
                        case, snapshot, snapshot.position.resample_hidden(viewer, Random(at))
                    )
                    for at in range(RESAMPLES)
                ]
                for seat in first.keys() & {*seats} - {viewer}:
                    told.setdefault((viewer, seat), []).append(first[seat])
                    if any(other.get(seat) != first[seat] for other in others):
                        changed.add((viewer, seat))
    for (viewer, seat), events in told.items():
        if len(events) < MIN_POSITIONS or all(event == events[0] for event in events):
            continue  # as long as it is told the same each time, all may know it
        assert (viewer, seat) in changed, (
            f"`resample_hidden` for seat {viewer} never changed what only seat {seat} is told when"
            f" a round begins, in {len(events)} positions; let it exchange what seat {seat} holds"
        )


def _private_events(
    case: Case, snapshot: RoundSnapshot, position: Position
) -> dict[Seat, list[object]]:
    """Return each seat's private events at the start of a round, if nothing is drawn for it."""
    start = VariedRoundPosition(position)
    play = Play(start, case.seats, case.seed, snapshot.number)
    told: dict[Seat, list[object]] = {}
    for to, event in play.drain():
        if to is not None:
            told.setdefault(to, []).append(event)
    return {} if start.draws else told


@law()
def draws_do_not_depend_on_hidden_positions(game: Game, case: Case) -> None:
    """Given the same answers, a position and a resampled one draw alike, until a reveal."""
    for snapshot, seat, other in alternative_positions(game, case):
        starts = [VariedRoundPosition(snapshot.position), VariedRoundPosition(other)]
        here, there = (Branch.begin(game, case, (start, snapshot.number), seat) for start in starts)
        random = case.random("draws alike")
        while not (_has_reveal(here) or _has_reveal(there)):
            draws = [start.draws for start in starts]
            assert draws[0] == draws[1], (
                f"in round {snapshot.number}, the draws depend on what seat {seat} may not know:"
                f" {_describe(draws[0])}, but from another position {_describe(draws[1])}"
            )
            answer = find_common_answer(here.play, there.play, None, random)
            if answer is None:
                break
            here.answer(*answer)
            there.answer(*answer)


def _has_reveal(branch: Branch) -> bool:
    return any(
        heard.kind == "tell" and isinstance(heard.content, branch.reveals) for heard in branch.heard
    )


def _describe(draws: list[RecordedDraw]) -> str:
    """Describe the last draw."""
    return f"{len(draws)} draws, the last one {draws[-1]}" if draws else "no draw"
