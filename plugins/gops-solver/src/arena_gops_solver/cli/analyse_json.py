"""`arena gops analyse --json`: matches and their summary as JSON."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import isfinite
from typing import Any

from arena_gops_solver.cli.options import clean_zero
from arena_gops_solver.matches.aivat import BidProbabilitySource
from arena_gops_solver.matches.analysis import AnalysisResults, Blunder, ResultParts
from arena_gops_solver.matches.estimates import (
    BotResult,
    MeanEstimate,
    compute_bot_results,
    compute_pair_results,
)
from arena_gops_solver.matches.loading import MatchCollection
from arena_gops_solver.matches.luck import RoundAnalysis
from arena_gops_solver.matches.recorded_match import RecordedMatch, RecordedRound

Row = dict[str, Any]


def pack_match(match: RecordedMatch, steps: Mapping[str, Sequence[RoundAnalysis]]) -> Row:
    """Return a match: its totals by objective, and the same for each round."""
    return {
        "match": match.where,
        "deal": match.deal,
        "names": match.names,
        "cards": match.variant.cards,
        "difference": match.difference,
        **{by: _pack_total(some) for by, some in steps.items()},
        "rounds": [_pack_round(
                       played, {by: some[at] for by, some in steps.items() if -at <= len(some)}
                   ) for at, played in enumerate(match.rounds, -len(match.rounds))],
    }  # fmt: skip


def _pack_total(steps: Sequence[RoundAnalysis]) -> Row:
    return {
        "result": float(steps[-1].after),
        "left_out": clean_zero(float(steps[0].before)),
        "prize_luck": clean_zero(float(sum(step.prize_luck for step in steps))),
        "losses": [clean_zero(float(sum(step.losses[seat] for step in steps))) for seat in (0, 1)],
        "meeting": clean_zero(float(sum(step.meeting for step in steps))),
    }


def _pack_round(played: RecordedRound, steps: Mapping[str, RoundAnalysis]) -> Row:
    return {
        "prize": played.prize,
        "hands": played.hands,
        "bids": played.bids,
        "difference": played.place.difference,
        **{by: _pack_step(step) for by, step in steps.items()},
    }


def _pack_step(step: RoundAnalysis) -> Row:
    return {
        "before": clean_zero(float(step.before)),
        "prize_luck": clean_zero(float(step.prize_luck)),
        "losses": [clean_zero(float(loss)) for loss in step.losses],
        "meeting": clean_zero(float(step.meeting)),
        "after": clean_zero(float(step.after)),
    }


def pack_all(
    gathered: MatchCollection, found: Mapping[str, AnalysisResults], panel: BidProbabilitySource
) -> Row:
    """Return the summary of all matches."""
    return {
        "matches": len(gathered.matches),
        "unfinished": gathered.unfinished,
        **{by: _pack_analysis(analysis, panel) for by, analysis in found.items()},
        "not_asked": panel.unasked,
        "doubted": sorted(
            {bot for analysis in found.values() for bot in analysis.find_doubtful_bots(panel)}
        ),
    }


def _pack_analysis(analysis: AnalysisResults, panel: BidProbabilitySource) -> Row:
    bots, pairs = (
        compute_bot_results(analysis.accounts, panel),
        compute_pair_results(analysis.accounts, panel),
    )
    return {
        "bots": [_pack_bot(bot, analysis.compute_shares(bot.names[0], panel)) for bot in bots],
        "pairs": [{"names": pair.names, **_pack_result(pair)} for pair in pairs],
        "worst": [
            _pack_blunder(blunder) for blunder in analysis.blunders if clean_zero(blunder.loss)
        ],
    }


def _pack_bot(bot: BotResult, made: ResultParts) -> Row:
    return {
        "name": bot.names[0],
        **_pack_result(bot),
        "left_out": clean_zero(made.left_out),
        "prize_luck": clean_zero(made.prize_luck),
        "lost_by_third": [clean_zero(loss) for loss in made.losses],
        "lost_by_others": clean_zero(made.lost_by_others),
        "meeting": clean_zero(made.meeting),
        "bids_luck": _drop_infinite(made.bids_luck),
        "outguessed": _drop_infinite(made.guessing),
    }


def _pack_result(estimate: BotResult) -> Row:
    return {
        "games": estimate.games,
        "deals": estimate.deals,
        "result": _pack_estimate(estimate.result),
        "corrected": _pack_estimate(estimate.corrected),
        "needed": estimate.share_of_games,
    }


def _pack_estimate(estimate: MeanEstimate) -> Row:
    return {
        "mean": clean_zero(estimate.mean),
        "low": _drop_infinite(estimate.low),
        "high": _drop_infinite(estimate.high),
    }


def _drop_infinite(value: float) -> float | None:
    return clean_zero(value) if isfinite(value) else None


def _pack_blunder(blunder: Blunder) -> Row:
    place = blunder.place
    return {
        "match": blunder.match.where,
        "round": blunder.number,
        "seat": blunder.seat,
        "name": blunder.match.names[blunder.seat],
        "prize": blunder.step.round.prize,
        "hand": place.mine,
        "other_hand": place.theirs,
        "prizes": place.prizes,
        "difference": place.difference,
        "bid": blunder.bid,
        "solution": blunder.solution,
        "loss": clean_zero(blunder.loss),
    }
