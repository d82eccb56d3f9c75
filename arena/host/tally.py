"""How everybody did in matches: a row for each name, the best first."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from statistics import fmean
from typing import Any

from attrs import Factory, define, frozen

from arena.host.result import Result
from arena.wires import Column, Rows, Sheet

COLUMNS = (
    Column("player", words=True, wraps=True), Column("won"), Column("mean place"),
    Column("mean score"), Column("seconds a game"), Column("verdicts", words=True, wraps=True),
)  # fmt: skip


@frozen
class Standing:
    """How one entrant did in the matches that were not void."""

    name: str  #: what the entrant is called
    matches: int  #: that it played and that were not void
    won: int  #: matches in the first place, shared ones included
    mean_place: float  #: 1 is the best
    mean_score: float  #: in the game's points, more is better
    seconds: float  #: a match, by its clock
    verdicts: Mapping[str, int]  #: by kind


class Standings(Rows[Standing]):
    """Everybody who played, the best mean place first.

    A notebook and a terminal show it as a table; `to_pandas()` and `to_polars()` make a data
    frame of it, with a column for each attribute; there `verdicts` is how many they are.
    """

    def sheet(self) -> Sheet:
        """Return the table for people, with a title that says how many matches there were."""
        most = max((one.matches for one in self), default=0)
        return Sheet(COLUMNS, [_cells(one) for one in self], f"{most} game{'s' * (most != 1)}")

    def flat(self, row: Standing) -> dict[str, Any]:
        """Return a row for programs."""
        return {
            "name": row.name,
            "matches": row.matches,
            "won": row.won,
            "mean_place": row.mean_place,
            "mean_score": row.mean_score,
            "seconds": row.seconds,
            "verdicts": sum(row.verdicts.values()),
        }


def _cells(one: Standing) -> list[str]:
    return [
        one.name,
        str(one.won),
        f"{one.mean_place:.2f}",
        f"{one.mean_score:.2f}",
        f"{one.seconds:.3f}",
        ", ".join(f"{count} {kind}" for kind, count in one.verdicts.items()),
    ]


@define
class _Line:
    """One player's results so far."""

    scores: list[float] = Factory(list)
    places: list[int] = Factory(list)
    seconds: float = 0.0
    verdicts: Counter[str] = Factory(Counter)

    def standing(self, name: str) -> Standing:
        """Return it as a row."""
        return Standing(
            name,
            len(self.places),
            self.places.count(1),
            fmean(self.places),
            fmean(self.scores),
            self.seconds / len(self.places),
            dict(self.verdicts),
        )


@define
class Tally:
    """Everybody's results so far; void matches are not counted."""

    _lines: dict[str, _Line] = Factory(dict)

    @classmethod
    def of(cls, results: Iterable[Result]) -> Tally:
        """Count these."""
        tally = cls()
        for result in results:
            tally.add(result)
        return tally

    def add(self, result: Result) -> None:
        """Count a match."""
        if result.scores is None or result.places is None:
            return
        for seat, name in enumerate(result.names):
            line = self._lines.setdefault(name, _Line())
            line.scores.append(float(result.scores[seat]))
            line.places.append(result.places[seat])
            line.seconds += result.outcome.seconds[seat]
            if verdict := result.verdicts[seat]:
                line.verdicts[verdict.kind] += 1

    def standings(self) -> Standings:
        """Return how everybody did, the best first."""
        rows = [line.standing(name) for name, line in self._lines.items()]
        return Standings(sorted(rows, key=lambda one: one.mean_place))
