"""How much a reply wins that was learned from games: for bots whose chances cannot be asked for.

Some games teach how the bot bids, others show what the best reply to that wins. No reply wins more
than a best one, so the mean over the latter is an estimate of a lower bound, and an honest one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from math import inf, sqrt
from typing import IO

import numpy as np
from attrs import frozen

from arena import Bot, UserError
from arena.host import (
    Entrant,
    HostConfig,
    Result,
    Series,
    WorkingFolder,
    distinct,
    host,
)
from arena.players import InProcess
from arena.plugins import plugins
from arena.rules import End, fresh
from arena_gops import Gops
from arena_gops_solver.replies.exploit import SEAT, Report
from arena_gops_solver.replies.learner import Learner, OpponentModel

Interval = Callable[[Sequence[float]], tuple[float, float]]

WIDE = 1.96  # standard errors, between which lie 95 % of the cases
LESSON = 100  # games, after which the reply is sought anew, or a quarter of those to learn from
SETTLED = 3  # after so many lessons with the same first bids it learns no more
CURIOUS = 0.2  # how often it bids anything, after the first lesson, in which it always does
NARROW = 0.04  # of the most that can be won: an interval that needs no more games


@frozen
class Learned:
    """What a learned reply came to."""

    value: float  # the mean, in points a game or to win of the sign of the final difference
    interval: tuple[float, float]  # that holds it in 95 % of the cases
    first: dict[int, int]  # what it bids for each first prize
    games: int  # from which the value is
    lessons: int  # games from which the reply is


def learned_reply(
    opponent: Entrant,
    variant: Gops,
    objective: str,
    games: int,
    *,
    seed: str | None = None,
    report: Report = lambda _: None,
) -> Learned:
    """Learn from half of the games at most, and return what that wins in others.

    Fewer are played where the first bids stay the same from lesson to lesson, and where the
    interval gets narrow. Raises UserError where a match does not come to its end.
    """
    learner = Learner(OpponentModel(), objective == "win", variant.cards)
    table = _reported(_table(opponent, variant, learner, games, seed), games, report)
    lessons = _taught(learner, islice(table, games // 2), games // 2)
    learner.think(epsilon=None)
    interval, most = (of_signs, 1) if learner.win else (of_points, sum(variant.suit))
    if learner.win:
        table = (float(np.sign(difference)) for difference in table)
    results = _enough(table, interval, NARROW * most)
    value = float(np.mean(results))
    return Learned(value, interval(results), learner.first(), len(results), lessons)


def _taught(learner: Learner, table: Iterator[float], games: int) -> int:
    """Have it learn from games, and say from how many it did."""
    lesson, firsts, played = min(LESSON, -(-games // 4)), list[dict[int, int]](), 0
    for played, _ in enumerate(table, 1):
        if played % lesson == 0:
            learner.think(CURIOUS)
            firsts = [*firsts[1 - SETTLED :], learner.first()]
            if firsts == [firsts[-1]] * SETTLED:
                break
    return played


def _enough(table: Iterator[float], interval: Interval, narrow: float) -> list[float]:
    """Return as many results as make the interval narrow, or all that there are."""
    results: list[float] = []
    for result in table:
        results.append(result)
        low, high = interval(results) if len(results) % LESSON == 0 else (-inf, inf)
        if high - low <= narrow:
            break
    return results


def _reported(table: Iterator[float], games: int, report: Report) -> Iterator[float]:
    for played, difference in enumerate(table, 1):
        report(played / games)
        yield difference


def of_points(results: Sequence[float]) -> tuple[float, float]:
    """Return the interval of their mean."""
    mean, error = float(np.mean(results)), float(np.std(results, ddof=1)) / sqrt(len(results))
    return mean - WIDE * error, mean + WIDE * error


def of_signs(results: Sequence[float]) -> tuple[float, float]:
    """Return the interval of their mean, and not a certainty where all games were won.

    Source: Wilson 1927; a draw is taken for half a win, which makes it rather too wide.
    """
    games, share = len(results), (1 + float(np.mean(results))) / 2
    middle = share + WIDE**2 / (2 * games)
    width = WIDE * sqrt(share * (1 - share) / games + (WIDE / (2 * games)) ** 2)
    low, high = ((middle + end) / (1 + WIDE**2 / games) for end in (-width, width))
    return 2 * low - 1, 2 * high - 1


def _table(
    opponent: Entrant, variant: Gops, learner: Learner, games: int, seed: str | None
) -> Iterator[float]:
    """Play games of different deals, and return how many points the reply is ahead in the end."""
    pair = distinct([Entrant("reply", "reply", Untimed(learner.player)), opponent])
    series = Series(plugins().game("gops"), variant, pair, seed or fresh())
    for spec, seated in series.matches(2 * games):
        if seated[SEAT].name == pair[1].name:  # in each deal once
            yield _difference(host(spec, seated, HostConfig()), opponent)


def _difference(result: Result, opponent: Entrant) -> float:
    outcome = result.outcome
    if outcome.end is not End.FINISHED or outcome.scores is None:
        verdicts = [f"{one.kind}, {one.detail}" for one in outcome.verdicts.values()]
        why = "; ".join(verdicts) or outcome.detail
        raise UserError(
            f"{opponent.bot}: a match did not come to its end: {why}{_hint(opponent, why)}"
        )
    return float(outcome.scores[1 - SEAT] - outcome.scores[SEAT])


def _hint(opponent: Entrant, why: str) -> str:
    """Say what may help a bot that does not understand what it reads."""
    if "JSON" not in why or opponent.bot.startswith("json:"):
        return ""
    return f" (does it speak JSON lines? Then say json:{opponent.bot})"


@frozen
class Untimed:
    """How somebody who is here already becomes a player."""

    make: Callable[[], Bot]
    runs = False
    sandbox = None

    def player(self, seat: int, folder: WorkingFolder | None, log: IO[bytes] | None) -> InProcess:
        """Return a player who may think as long as it likes."""
        return InProcess(self.make(), timed=False)
