"""The score of a duel: what its pairs of matches come to, as a line and as JSON."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
from attrs import frozen

from arena.tournament.match_record import MatchRecord
from arena.tournament.ratings import (
    Sprt,
    compare_over_deals,
    estimate_duel_share,
    estimate_elo_difference,
)
from arena.tournament.results.standings import round_value

DECISIONS = {
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
        self.names = self._list_names(first)
        for match in pair.matches:
            self._count_verdicts(match)
        if pair.points is None:
            self.void += 1
            return
        self.counts[pair.points] += 1
        for places in (first.rank(), (second.rank() or ())[::-1]):
            assert places
            self.won += places[0] < places[1]
            self.level += places[0] == places[1]
            self.lost += places[0] > places[1]

    def _count_verdicts(self, match: MatchRecord) -> None:
        for seat in match.seats:
            if seat.verdict:
                self.verdicts[f"{seat.name} {seat.verdict}"] += 1

    @property
    def accepted(self) -> str | None:
        """The hypothesis that the test has accepted, `H0` or `H1`; None before, or without one."""
        return self._test.decide(self.counts) if self._test else None

    def describe_decision(self) -> str:
        """Return a sentence on what the test has decided; empty without a test."""
        return DECISIONS[self.accepted].format(self.names[0]) if self._test else ""

    def __str__(self) -> str:
        """Write the score in the format of chess engine tests."""
        figures = self.pack()
        games = self.won + self.level + self.lost
        return (
            f"{' vs '.join(self.names)}: {games} games,"
            f" {self.won} won, {self.level} level, {self.lost} lost"
            f" | pairs {self.counts} | Elo {_format_interval(figures['elo'])}"
            f" | {_format_share(figures['share'])} of the points"
            f"{self._format_llr(figures)}{self._format_verdicts()}"
        )

    def _format_verdicts(self) -> str:
        return "".join(
            f" | {description} {count} times" for description, count in self.verdicts.items()
        )

    def pack(self) -> dict[str, Any]:
        """Return the score as JSON."""
        share = estimate_duel_share(self.counts)
        difference = estimate_elo_difference(self.counts)
        elo = {"value": difference.elo, "low": difference.low, "high": difference.high}
        packed: dict[str, Any] = {
            "names": list(self.names),
            "won": self.won,
            "level": self.level,
            "lost": self.lost,
            "void": self.void,
            "pairs": self.counts,
            "verdicts": dict(self.verdicts),
            "share": {
                "value": round_value(share.share),
                "low": round_value(share.low),
                "high": round_value(share.high),
            },
            "elo": {name: round_value(value) for name, value in elo.items()},
        }
        if self._test:
            lower, upper = self._test.bounds
            packed["llr"] = round_value(self._test.compute_llr(self.counts))
            packed["bounds"] = [round_value(lower), round_value(upper)]
            packed["accepted"] = self.accepted
        return packed

    def _list_names(self, match: MatchRecord) -> tuple[str, ...]:
        return tuple([seat.name for seat in match.seats])

    def _format_llr(self, figures: dict[str, Any]) -> str:
        if not self._test:
            return ""
        lower, upper = figures["bounds"]
        test = f"[{self._test.elo0:g}, {self._test.elo1:g}]"
        return f" | LLR {figures['llr']:.2f} ({lower:.2f}, {upper:.2f}) {test}"


class CooperativeScore(DuelScore):
    """The score so far where each bot plays every deal alone."""

    def __init__(self) -> None:
        super().__init__(None)
        self._won: list[tuple[bool, bool]] = []
        self._scores: list[tuple[float, float]] = []

    def add(self, pair: DealPair) -> None:
        """Count a deal."""
        self.names = tuple([self._list_names(match)[0] for match in pair.matches])
        for match in pair.matches:
            self._count_verdicts(match)
        first, second = (match.seats[0] for match in pair.matches)
        if first.score is None or second.score is None:
            self.void += 1
            return
        self._won.append((first.place == 1, second.place == 1))
        self._scores.append((first.score, second.score))

    def __str__(self) -> str:
        """Write the score in a line."""
        figures, deals = self.pack(), len(self._won)
        wins, lead = figures["won"], figures["won_difference"]
        value, low, high = (100 * end for end in lead.values())
        scores, more = figures["mean_scores"], figures["score_difference"]
        means = " and ".join("?" if mean is None else f"{mean:.2f}" for mean in scores)
        return (
            f"{' vs '.join(self.names)}: {deals} deals, won {wins[0]} and {wins[1]}"
            f" | {value:+.0f} % of the games ({low:+.0f} to {high:+.0f})"
            f" | mean scores {means}, {_format_interval(more, 2)}" + self._format_verdicts()
        )

    def pack(self) -> dict[str, Any]:
        """Return the score as JSON; differences are those of the first bot to the second."""
        wins, scores = np.array(self._won, float), np.array(self._scores)
        figures = compare_over_deals(wins.reshape(-1, 2), scores.reshape(-1, 2)).pack()
        return {
            "names": list(self.names),
            **figures,
            "won": [*map(int, figures["won"])],
            "void": self.void,
            "verdicts": dict(self.verdicts),
        }


def _format_interval(elo: dict[str, float | None], digits: int = 1) -> str:
    texts = ["?" if value is None else f"{value:+.{digits}f}" for value in elo.values()]
    return f"{texts[0]} ({texts[1]} to {texts[2]})"


def _format_share(share: dict[str, float]) -> str:
    value, low, high = (100 * end for end in share.values())
    return f"{value:.0f} % ({low:.0f} to {high:.0f})"
