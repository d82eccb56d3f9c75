"""The standings of a series of matches: a row for each player, the best first."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from statistics import fmean
from typing import Any

from attrs import Factory, define, frozen

from arena.host.hosted_match import Result
from arena.rules import average
from arena.wires import Column, DataTable, ResultTable

MANY_GAMES_MARK = "many games"
"""Stands behind the name of a bot whose process plays match after match: it may learn."""

SHARED = "shared"
"""The heading of the column of shared wins, which is left out where there are none."""

COLUMNS = (
    Column("player", is_text=True, may_wrap=True), Column("won"), Column(SHARED),
    Column("mean place"), Column("mean score"), Column("seconds a game"),
    Column("verdicts", is_text=True, may_wrap=True),
)  # fmt: skip


@frozen
class SeriesStanding:
    """How one entrant did in the matches that were not void."""

    name: str  #: of the entrant
    place: int  #: in the standings, by `mean_place`; 1 is the best, equals share a place
    score: float  #: the mean score in a match, in the game's points; more is better
    matches: int  #: that it played and that were not void
    won: int  #: matches that it won, alone or with its partners
    shared: int  #: matches in which it shared the first place: ties
    mean_place: float  #: 1 is the best
    seconds: float  #: a match, by its clock
    verdicts: Mapping[str, int]  #: by kind
    many_games: bool  #: whether its process plays match after match, so that it may learn


class SeriesStandings(ResultTable[SeriesStanding]):
    """Everybody who played, the best mean place first.

    A notebook and a terminal show it as a table; `to_pandas()` and `to_polars()` make a data
    frame of it, with a column for each attribute; there `verdicts` is how many they are.
    """

    def to_table(self) -> DataTable:
        """Return the table for people, with a title that says how many matches there were."""
        most = max((standing.matches for standing in self), default=0)
        table = DataTable(
            COLUMNS, [_format_row(standing) for standing in self], f"{most} game{'s' * (most != 1)}"
        )
        return table if any(row.shared for row in self) else table.drop_columns(SHARED)

    def to_record(self, row: SeriesStanding) -> dict[str, Any]:
        """Return a row for programs."""
        return {
            "name": row.name,
            "place": row.place,
            "score": row.score,
            "matches": row.matches,
            "won": row.won,
            "shared": row.shared,
            "mean_place": row.mean_place,
            "seconds": row.seconds,
            "verdicts": sum(row.verdicts.values()),
            "many_games": row.many_games,
        }


def _format_row(standing: SeriesStanding) -> list[str]:
    return [
        f"{standing.name} ({MANY_GAMES_MARK})" if standing.many_games else standing.name,
        str(standing.won),
        str(standing.shared),
        f"{standing.mean_place:.2f}",
        f"{standing.score:.2f}",
        f"{standing.seconds:.3f}",
        ", ".join(f"{count} {kind}" for kind, count in standing.verdicts.items()),
    ]


@define
class _PlayerResults:
    """One player's results so far."""

    scores: list[float] = Factory(list)
    places: list[int] = Factory(list)
    won: int = 0
    shared: int = 0
    seconds: float = 0.0
    verdicts: Counter[str] = Factory(Counter)
    many_games: bool = False

    @property
    def mean_place(self) -> float:
        """The mean of the places."""
        return fmean(self.places)

    def add_place(self, place: int, winners: int) -> None:
        """Count a place in a match with this number of winners; a shared win is no win."""
        self.places.append(place)
        if place == 1:
            self.won += winners == 1
            self.shared += winners > 1

    def build_standing(self, name: str, place: int) -> SeriesStanding:
        """Return the player's row in the standings."""
        return SeriesStanding(
            name=name,
            place=place,
            score=fmean(self.scores),
            matches=len(self.places),
            won=self.won,
            shared=self.shared,
            mean_place=self.mean_place,
            seconds=self.seconds / len(self.places),
            verdicts=dict(self.verdicts),
            many_games=self.many_games,
        )


@define
class SeriesTally:
    """Everybody's results so far; void matches are not counted."""

    _lines: dict[str, _PlayerResults] = Factory(dict)

    @classmethod
    def from_results(cls, results: Iterable[Result]) -> SeriesTally:
        """Count these."""
        tally = cls()
        for result in results:
            tally.add(result)
        return tally

    def add(self, result: Result) -> None:
        """Count a match."""
        if result.scores is None or result.places is None:
            return
        winners = sum(result.places[side[0]] == 1 for side in result.sides)
        for name, seats in result.seats_by_player.items():
            line = self._lines.setdefault(name, _PlayerResults())
            line.add_place(result.places[seats[0]], winners)
            line.scores.append(float(average([result.scores[seat] for seat in seats])))
            for seat in seats:
                line.seconds += result.outcome.seconds[seat]
                line.many_games |= result.has_lasting_program(seat)
                if verdict := result.verdicts[seat]:
                    line.verdicts[verdict.kind] += 1

    def standings(self) -> SeriesStandings:
        """Return the standings, best mean place first."""
        ranked = sorted(self._lines.items(), key=lambda named: named[1].mean_place)
        means = [line.mean_place for _, line in ranked]
        return SeriesStandings(
            [line.build_standing(name, means.index(line.mean_place) + 1) for name, line in ranked]
        )
