"""The gain of a reply learned from games, for bots whose probabilities are unknown.

Some games serve to learn the bot's bids, others to measure the best reply to these. No reply wins
more than a best one, so the mean over the latter games is an unbiased estimate of a lower bound.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from math import inf, sqrt
from typing import IO

import numpy as np
from attrs import frozen

from arena import Bot, End, UserError
from arena.extend import BotPlayer, generate_seed, get_plugins
from arena.host import (
    Entrant,
    HostConfig,
    Result,
    Series,
    WorkingFolder,
    host,
    make_names_unique,
)
from arena_gops import Gops
from arena_gops_solver.best_response.exact_reply import SEAT, Report
from arena_gops_solver.best_response.reply_learner import OpponentModel, ReplyLearner

Interval = Callable[[Sequence[float]], tuple[float, float]]

Z_SCORE = 1.96  # standard errors of a 95 % interval
LESSON_GAMES = 100  # games between two replies, or a quarter of those to learn from
STABLE_LESSONS = 3  # lessons with the same first bids that end the learning
EXPLORATION_RATE = 0.2  # the share of random bids after the first lesson, which has only those
MAX_HALF_WIDTH = 0.04  # of the most that can be won: an interval narrow enough


@frozen
class LearnedReply:
    """The result of a learned reply."""

    value: float  # the mean of points per game, or of the sign of the final difference
    interval: tuple[float, float]  # the 95 % interval
    first: dict[int, int]  # its bid for each first prize
    games: int  # that measure the value
    lessons: int  # games learned from


def learn_reply(
    opponent: Entrant,
    variant: Gops,
    objective: str,
    games: int,
    *,
    seed: str | None = None,
    report: Report = lambda _: None,
) -> LearnedReply:
    """Learn a reply from at most half of the games, and measure it in the others.

    Fewer games are played if the first bids stay the same from lesson to lesson, and once the
    interval is narrow. Raises UserError if a match does not reach its end.
    """
    learner = ReplyLearner(OpponentModel(), objective == "win", variant.cards)
    table = _report_progress(_play_games(opponent, variant, learner, games, seed), games, report)
    lessons = _teach(learner, islice(table, games // 2), games // 2)
    learner.think(epsilon=None)
    interval, most = (
        (compute_signs_interval, 1) if learner.win else (compute_points_interval, sum(variant.suit))
    )
    if learner.win:
        table = (float(np.sign(difference)) for difference in table)
    results = _collect_results(table, interval, MAX_HALF_WIDTH * most)
    value = float(np.mean(results))
    return LearnedReply(value, interval(results), learner.list_first_bids(), len(results), lessons)


def _teach(learner: ReplyLearner, table: Iterator[float], games: int) -> int:
    """Let a learner learn from games; return their number."""
    lesson, firsts, played = min(LESSON_GAMES, -(-games // 4)), list[dict[int, int]](), 0
    for played, _ in enumerate(table, 1):
        if played % lesson == 0:
            learner.think(EXPLORATION_RATE)
            firsts = [*firsts[1 - STABLE_LESSONS :], learner.list_first_bids()]
            if firsts == [firsts[-1]] * STABLE_LESSONS:
                break
    return played


def _collect_results(table: Iterator[float], interval: Interval, narrow: float) -> list[float]:
    """Return results until their interval is narrow enough, or all of them."""
    results: list[float] = []
    for result in table:
        results.append(result)
        low, high = interval(results) if len(results) % LESSON_GAMES == 0 else (-inf, inf)
        if high - low <= narrow:
            break
    return results


def _report_progress(table: Iterator[float], games: int, report: Report) -> Iterator[float]:
    for played, difference in enumerate(table, 1):
        report(played / games)
        yield difference


def compute_points_interval(results: Sequence[float]) -> tuple[float, float]:
    """Return the confidence interval of the mean."""
    mean, error = float(np.mean(results)), float(np.std(results, ddof=1)) / sqrt(len(results))
    return mean - Z_SCORE * error, mean + Z_SCORE * error


def compute_signs_interval(results: Sequence[float]) -> tuple[float, float]:
    """Return the interval of the mean; it has a width even if all games were won.

    Source: Wilson 1927; a draw counts as half a win, which makes the interval a little too wide.
    """
    games, share = len(results), (1 + float(np.mean(results))) / 2
    middle = share + Z_SCORE**2 / (2 * games)
    width = Z_SCORE * sqrt(share * (1 - share) / games + (Z_SCORE / (2 * games)) ** 2)
    low, high = ((middle + end) / (1 + Z_SCORE**2 / games) for end in (-width, width))
    return 2 * low - 1, 2 * high - 1


def _play_games(
    opponent: Entrant, variant: Gops, learner: ReplyLearner, games: int, seed: str | None
) -> Iterator[float]:
    """Play games of different deals; yield the final lead of the reply in points."""
    pair = make_names_unique(
        [Entrant("reply", "reply", UntimedEntrant(learner.build_player)), opponent]
    )
    series = Series(get_plugins().find_game("gops"), variant, pair, seed or generate_seed())
    for spec, seated in series.iter_matches(2 * games):
        if seated[SEAT].name == pair[1].name:  # each seat once per deal
            yield _compute_difference(host(spec, seated, HostConfig()), opponent)


def _compute_difference(result: Result, opponent: Entrant) -> float:
    outcome = result.outcome
    if outcome.end is not End.FINISHED or outcome.scores is None:
        verdicts = [f"{verdict.kind}, {verdict.detail}" for verdict in outcome.verdicts.values()]
        why = "; ".join(verdicts) or outcome.detail
        raise UserError(
            f"{opponent.bot}: a match could not be finished: {why}{_build_hint(opponent, why)}"
        )
    return float(outcome.scores[1 - SEAT] - outcome.scores[SEAT])


def _build_hint(opponent: Entrant, why: str) -> str:
    """Return a hint for a bot that does not understand its input."""
    if "JSON" not in why or opponent.bot.startswith("json:"):
        return ""
    return f" (if it speaks JSON lines, name it json:{opponent.bot})"


@frozen
class UntimedEntrant:
    """Creates players from a function that makes bots."""

    make: Callable[[], Bot]
    is_program = False
    sandbox = None

    def create_player(
        self, seat: int, folder: WorkingFolder | None, log: IO[bytes] | None
    ) -> BotPlayer:
        """Return a player without a time limit."""
        return BotPlayer(self.make(), timed=False)
