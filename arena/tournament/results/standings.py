"""Standings: the entrants of a tournament in their order, computed and never stored."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from math import isfinite, nan
from typing import Any

import numpy as np
from attrs import frozen

from arena.tournament.entries import Entry, Id, State, shorten_version
from arena.tournament.places import rank_entrants
from arena.tournament.ratings import (
    RATING,
    Estimate,
    Opponents,
    Ratings,
    compute_mean_places,
    compute_mean_scores,
    round_value,
)
from arena.tournament.ratings.rating_input import Results
from arena.tournament.results.departed import find_departed
from arena.tournament.store import EntrantTotals


@frozen
class Standing:
    """An entrant's rating, means and verdicts."""

    entry: Entry  #: the version of the entrant
    place: int  #: 1 is the best
    rating: Estimate  #: by the tournament's model; more is better
    mean_score: Estimate  #: in the game's points
    mean_place: Estimate  #: 1 is the best
    totals: EntrantTotals  #: of its matches
    measure: str = RATING  #: what `rating` is: Elo points, or the share of games won in per cent
    has_opponents: bool = True  #: whether anybody plays against anybody
    has_left: bool = False  #: whether it was replaced or withdrawn, or failed and has a successor

    @property
    def name(self) -> str:
        """The entrant's name, without its version."""
        return self.entry.name

    @property
    def matches(self) -> int:
        """The number of its matches, without void ones."""
        return self.totals.matches

    @property
    def verdicts(self) -> Mapping[str, int]:
        """The number of its verdicts of each kind."""
        return self.totals.verdicts

    @property
    def many_games(self) -> bool:
        """Whether its process plays match after match, so that it may learn."""
        return self.totals.many_games

    @property
    def seconds(self) -> float:
        """The seconds that all its answers took in a match, on average."""
        return self.totals.seconds

    @property
    def has_rating(self) -> bool:
        """Whether it has a rating: not without matches, or if set aside after a few."""
        return isfinite(self.rating.value)

    @property
    def is_on_scale(self) -> bool:
        """Whether charts scale to it; an entrant that was set aside would flatten all others."""
        return self.has_rating and self.entry.state is not State.ASIDE

    def to_record(self) -> dict[str, Any]:
        """Return the standing as a flat row for programs, with the `COLUMNS`."""
        return {name: get_value(self) for name, get_value in COLUMNS.items()}

    def pack(self) -> dict[str, Any]:
        """Return the standing as JSON: its columns, with verdicts by kind and estimates whole."""
        record = self.to_record()
        packed = {name: record[name] for name in PACKED}
        packed |= {name: getattr(self, name).pack() for name in ("mean_score", "mean_place")}
        packed["verdicts"] = dict(self.verdicts)
        if self.measure == RATING:
            del packed["measure"]
        return packed


COLUMNS: Mapping[str, Callable[[Standing], Any]] = {
    "name": lambda row: row.entry.name,
    "title": lambda row: row.entry.title,
    "version": lambda row: row.entry.version,
    "state": lambda row: str(row.entry.state),
    "place": lambda row: row.place,
    "rating": lambda row: round_value(row.rating.value),
    "low": lambda row: round_value(row.rating.low),
    "high": lambda row: round_value(row.rating.high),
    "matches": lambda row: row.matches,
    "verdicts": lambda row: sum(row.verdicts.values()),
    "mean_score": lambda row: round_value(row.mean_score.value),
    "mean_score_low": lambda row: round_value(row.mean_score.low),
    "mean_score_high": lambda row: round_value(row.mean_score.high),
    "mean_place": lambda row: round_value(row.mean_place.value),
    "mean_place_low": lambda row: round_value(row.mean_place.low),
    "mean_place_high": lambda row: round_value(row.mean_place.high),
    "many_games": lambda row: row.many_games,
    "measure": lambda row: row.measure,
    "left": lambda row: row.has_left,
}
"""The columns of a standing for programs, in the order of CSV; `low` and `high` are of `rating`."""

PACKED = (
    "name", "title", "version", "state", "left", "place", "rating", "low", "high", "matches",
    "verdicts", "many_games", "mean_score", "mean_place", "measure",
)  # fmt: skip
"""The columns of a standing as JSON, in its order."""


def label_versions(standings: Sequence[Standing]) -> dict[Id, str]:
    """Return the label of each entrant, with its version if its name has several."""
    names = Counter(row.entry.name for row in standings)
    return {
        row.entry.id: f"{row.entry.label} {shorten_version(row.entry.version)}"
        if names[row.entry.name] > 1
        else row.entry.label
        for row in standings
    }


UNKNOWN = Estimate(nan, nan, nan)


def build_standings(
    entries: Iterable[Entry], totals: Mapping[Id, EntrantTotals], results: Results, fit: Ratings
) -> list[Standing]:
    """Return the standings of all versions, the best first.

    Those without matches come last, and behind them those that have left; at the end those whose
    results do not count any more, in the order of entry.
    """
    entries = [*entries]
    entry_by_id, departed = {entry.id: entry for entry in entries}, find_departed(entries)
    opponents = Opponents.of(results)
    scores = compute_mean_scores(results, fit.level, opponents)
    places = compute_mean_places(results, fit.level, opponents)
    rating = np.where(fit.deals > 0, fit.rating, np.nan)
    present = [float(entrant not in departed) for entrant in fit.entrants]
    # who won as many games as others comes by its score
    others = () if fit.has_opponents else (scores.mean,)
    keys = zip(present, rating, *others, strict=True)
    ranking = rank_entrants(dict(zip(fit.entrants, keys, strict=True)))
    index_of = {entrant: index for index, entrant in enumerate(fit.entrants)}
    rated = [
        Standing(
            entry_by_id[entrant],
            place,
            Estimate.at(rating, fit.low, fit.high, index),
            Estimate.at(scores.mean, scores.low, scores.high, index),
            Estimate.at(places.mean, places.low, places.high, index),
            totals[entrant],
            fit.measure,
            fit.has_opponents,
            entrant in departed,
        )
        for place, entrant in ranking
        for index in [index_of[entrant]]
    ]
    last = len(rated) + 1
    return rated + [
        Standing(
            entry,
            last,
            UNKNOWN,
            UNKNOWN,
            UNKNOWN,
            totals[entry.id],
            fit.measure,
            fit.has_opponents,
            has_left=True,
        )
        for entry in entries
        if entry.id not in index_of
    ]
