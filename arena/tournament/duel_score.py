"""The score of a duel: what its pairs of matches come to, as a line and as JSON."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from math import isfinite
from typing import Any, TypeAlias

import numpy as np
from attrs import frozen

from arena.tournament.match_record import MatchRecord
from arena.tournament.ratings import (
    DealComparison,
    Estimate,
    Hypothesis,
    Sprt,
    compare_over_deals,
    estimate_duel_share,
    estimate_elo_difference,
    round_value,
)

DECISIONS: Mapping[Hypothesis | None, str] = {
    "H0": "H0 is accepted: {0} is not that much stronger.",
    "H1": "H1 is accepted: {0} is stronger.",
    None: "Not decided.",
}


@frozen
class DealPair:
    """One deal, played twice: with swapped seats, or by one bot after the other."""

    matches: tuple[MatchRecord, MatchRecord]

    @property
    def points(self) -> int | None:
        """The half points of the first bot, 0 to 4; None if a match was void, or played alone."""
        first, second = (match.rank() for match in self.matches)
        if first is None or second is None or len(first) == 1:
            return None
        return _count_half_points(*first) + _count_half_points(*second[::-1])


def _count_half_points(mine: int, theirs: int) -> int:
    return 2 if mine < theirs else 1 if mine == theirs else 0


class DuelScore:
    """The score of a duel so far; as a text it is the line that testers of chess engines know."""

    def __init__(self, test: Sprt | None = None) -> None:
        self.interrupted = False  #: whether an interrupt has ended the duel
        self.names: tuple[str, ...] = ("A", "B")  #: of both bots
        self.counts = [0] * 5  #: pairs in which the first bot scored 0, 1/2, 1, 3/2 and 2 points
        self.won = 0  #: matches that the first bot won
        self.level = 0  #: matches in which they shared the place
        self.lost = 0  #: matches that the first bot lost
        self.void = 0  #: pairs with a void match, which do not count
        self.verdicts: Counter[str] = Counter()  #: by name and kind, as displayed
        self._test = test

    def add(self, pair: DealPair) -> None:
        """Count a pair."""
        first, second = pair.matches
        self.names = tuple([seat.name for seat in first.seats])
        self.verdicts.update(_list_verdicts(pair))
        if pair.points is None:
            self.void += 1
            return
        self.counts[pair.points] += 1
        for places in (first.rank(), (second.rank() or ())[::-1]):
            assert places
            self.won += places[0] < places[1]
            self.level += places[0] == places[1]
            self.lost += places[0] > places[1]

    @property
    def share(self) -> Estimate:
        """The first bot's share of the points."""
        return estimate_duel_share(self.counts)

    @property
    def elo(self) -> Estimate:
        """How many Elo points the first bot is stronger."""
        return estimate_elo_difference(self.counts)

    @property
    def accepted(self) -> Hypothesis | None:
        """The hypothesis that the test has accepted; None before that, or without a test."""
        return self._test.decide(self.counts) if self._test else None

    def describe_decision(self) -> str:
        """Return a sentence on what the test has decided; empty without a test."""
        return DECISIONS[self.accepted].format(self.names[0]) if self._test else ""

    def __str__(self) -> str:
        """Write the score in the format of chess engine tests."""
        games, share = self.won + self.level + self.lost, self.share
        return (
            f"{' vs '.join(self.names)}: {games} games,"
            f" {self.won} won, {self.level} level, {self.lost} lost"
            f" | pairs {self.counts} | Elo {self.elo.format_difference(1)}"
            f" | {100 * share.value:.0f} % ({100 * share.low:.0f} to {100 * share.high:.0f})"
            f" of the points{self._format_llr()}{_format_verdicts(self.verdicts)}"
        )

    def _format_llr(self) -> str:
        if not self._test:
            return ""
        lower, upper = self._test.bounds
        llr = self._test.compute_llr(self.counts)
        test = f"[{self._test.elo0:g}, {self._test.elo1:g}]"
        return f" | LLR {llr:.2f} ({lower:.2f}, {upper:.2f}) {test}"

    def pack(self) -> dict[str, Any]:
        """Return the score as JSON."""
        packed: dict[str, Any] = {
            "names": list(self.names),
            "won": self.won,
            "level": self.level,
            "lost": self.lost,
            "void": self.void,
            "pairs": self.counts,
            "verdicts": dict(self.verdicts),
            "share": self.share.pack(),
            "elo": self.elo.pack(),
        }
        if self._test:
            packed["llr"] = round_value(self._test.compute_llr(self.counts))
            packed["bounds"] = [*map(round_value, self._test.bounds)]
            packed["accepted"] = self.accepted
        return packed


class CooperativeScore:
    """The score so far in a cooperative game, in which each bot plays every deal alone."""

    def __init__(self) -> None:
        self.interrupted = False  #: whether an interrupt has ended the duel
        self.names: tuple[str, ...] = ("A", "B")  #: of both bots
        self.void = 0  #: deals with a void match, which do not count
        self.verdicts: Counter[str] = Counter()  #: by name and kind, as displayed
        self._won: list[tuple[bool, bool]] = []
        self._scores: list[tuple[float, float]] = []

    def add(self, pair: DealPair) -> None:
        """Count a deal."""
        first, second = (match.seats[0] for match in pair.matches)
        self.names = (first.name, second.name)
        self.verdicts.update(_list_verdicts(pair))
        if first.score is None or second.score is None:
            self.void += 1
            return
        self._won.append((first.place == 1, second.place == 1))
        self._scores.append((first.score, second.score))

    @property
    def comparison(self) -> DealComparison:
        """What both have made of the same deals; differences are those of the first to the second.

        An end of an interval is infinite with too few deals.
        """
        wins, scores = np.array(self._won, float), np.array(self._scores)
        return compare_over_deals(wins.reshape(-1, 2), scores.reshape(-1, 2))

    def __str__(self) -> str:
        """Write the score in a line."""
        comparison = self.comparison
        won, lead = [*map(int, comparison.won)], comparison.won_difference
        means = " and ".join(
            f"{mean:.2f}" if isfinite(mean) else "?" for mean in comparison.mean_scores
        )
        return (
            f"{' vs '.join(self.names)}: {comparison.deals} deals, won {won[0]} and {won[1]}"
            f" | {100 * lead.value:+.0f} % of the games"
            f" ({100 * lead.low:+.0f} to {100 * lead.high:+.0f})"
            f" | mean scores {means}, {comparison.score_difference.format_difference(2)}"
            f"{_format_verdicts(self.verdicts)}"
        )

    def pack(self) -> dict[str, Any]:
        """Return the score as JSON; differences are those of the first bot to the second."""
        figures = self.comparison.pack()
        return {
            "names": list(self.names),
            **figures,
            "won": [*map(int, figures["won"])],
            "void": self.void,
            "verdicts": dict(self.verdicts),
        }


AnyDuelScore: TypeAlias = DuelScore | CooperativeScore
"""The score of a duel, with opponents or without."""


def _list_verdicts(pair: DealPair) -> list[str]:
    """Return the verdicts of a pair, each as the name of the bot and its kind."""
    seats = [seat for match in pair.matches for seat in match.seats]
    return [f"{seat.name} {seat.verdict}" for seat in seats if seat.verdict]


def _format_verdicts(verdicts: Mapping[str, int]) -> str:
    return "".join(f" | {verdict} {count} times" for verdict, count in verdicts.items())
