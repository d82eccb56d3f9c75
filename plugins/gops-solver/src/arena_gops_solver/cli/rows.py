"""`arena gops analyse --json`: matches and their summary as JSON."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import isfinite
from typing import Any

from arena_gops_solver.cli.options import exact
from arena_gops_solver.matches.analysis import Analysis, Blunder, Shares
from arena_gops_solver.matches.corrected import Panel
from arena_gops_solver.matches.estimates import Estimate, Standing, by_bot, by_pair
from arena_gops_solver.matches.gathering import Gathered
from arena_gops_solver.matches.recorded import Recorded, Round
from arena_gops_solver.matches.split import Step

Row = dict[str, Any]


def of_match(match: Recorded, steps: Mapping[str, Sequence[Step]]) -> Row:
    """Return a match: its totals by objective, and the same for each round."""
    return {
        "match": match.where,
        "deal": match.deal,
        "names": match.names,
        "cards": match.variant.cards,
        "difference": match.difference,
        **{by: _total(some) for by, some in steps.items()},
        "rounds": [_round(one, {by: some[at] for by, some in steps.items() if -at <= len(some)})
                   for at, one in enumerate(match.rounds, -len(match.rounds))],
    }  # fmt: skip


def _total(steps: Sequence[Step]) -> Row:
    return {
        "result": float(steps[-1].after),
        "left_out": exact(float(steps[0].before)),
        "prize_luck": exact(float(sum(step.prize_luck for step in steps))),
        "losses": [exact(float(sum(step.losses[seat] for step in steps))) for seat in (0, 1)],
        "meeting": exact(float(sum(step.meeting for step in steps))),
    }


def _round(one: Round, steps: Mapping[str, Step]) -> Row:
    return {
        "prize": one.prize,
        "hands": one.hands,
        "bids": one.bids,
        "difference": one.place.difference,
        **{by: _step(step) for by, step in steps.items()},
    }


def _step(step: Step) -> Row:
    return {
        "before": exact(float(step.before)),
        "prize_luck": exact(float(step.prize_luck)),
        "losses": [exact(float(loss)) for loss in step.losses],
        "meeting": exact(float(step.meeting)),
        "after": exact(float(step.after)),
    }


def of_all(gathered: Gathered, found: Mapping[str, Analysis], panel: Panel) -> Row:
    """Return what all matches come to."""
    return {
        "matches": len(gathered.matches),
        "unfinished": gathered.unfinished,
        **{by: _analysis(one, panel) for by, one in found.items()},
        "not_asked": panel.unasked,
        "doubted": sorted({bot for one in found.values() for bot in one.doubted(panel)}),
    }


def _analysis(one: Analysis, panel: Panel) -> Row:
    bots, pairs = by_bot(one.accounts, panel), by_pair(one.accounts, panel)
    return {
        "bots": [_bot(bot, one.shares(bot.names[0], panel)) for bot in bots],
        "pairs": [{"names": pair.names, **_standing(pair)} for pair in pairs],
        "worst": [_blunder(blunder) for blunder in one.blunders if exact(blunder.loss)],
    }


def _bot(one: Standing, made: Shares) -> Row:
    return {
        "name": one.names[0],
        **_standing(one),
        "left_out": exact(made.left_out),
        "prize_luck": exact(made.prize_luck),
        "lost_by_third": [exact(loss) for loss in made.lost],
        "lost_by_others": exact(made.lost_by_others),
        "meeting": exact(made.meeting),
        "bids_luck": _known(made.bids_luck),
        "outguessed": _known(made.outguessed),
    }


def _standing(one: Standing) -> Row:
    return {
        "games": one.games,
        "deals": one.deals,
        "result": _estimate(one.result),
        "corrected": _estimate(one.corrected),
        "needed": one.needed,
    }


def _estimate(one: Estimate) -> Row:
    return {"mean": exact(one.mean), "low": _known(one.low), "high": _known(one.high)}


def _known(value: float) -> float | None:
    return exact(value) if isfinite(value) else None


def _blunder(one: Blunder) -> Row:
    place = one.place
    return {
        "match": one.match.where,
        "round": one.number,
        "seat": one.seat,
        "name": one.match.names[one.seat],
        "prize": one.step.round.prize,
        "hand": place.mine,
        "other_hand": place.theirs,
        "prizes": place.prizes,
        "difference": place.difference,
        "bid": one.bid,
        "solution": one.solution,
        "loss": exact(one.loss),
    }
