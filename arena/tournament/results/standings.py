"""Standings: the entrants of a tournament in their order, computed and never stored."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from math import isfinite, nan
from typing import Any

import numpy as np
from attrs import evolve, frozen

from arena.tournament.entries import Entry, Id, State, shorten_version
from arena.tournament.places import rank_entrants
from arena.tournament.ratings import (
    RATING,
    EntrantMeans,
    Estimate,
    Opponents,
    Ratings,
    compute_mean_places,
    compute_mean_scores,
    round_value,
)
from arena.tournament.ratings.rating_input import Floats, Results
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
    has_opponents: bool = True  #: not in a cooperative game
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
    entries: Iterable[Entry],
    totals: Mapping[Id, EntrantTotals],
    results: Results,
    fit: Ratings,
    *,
    has_opponents: bool,
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
    index_of = {entrant: index for index, entrant in enumerate(fit.entrants)}
    rated = [
        _build_rated(
            index_of[entrant],
            entry=entry_by_id[entrant],
            place=place,
            fit=fit,
            scores=scores,
            places=places,
            totals=totals[entrant],
            has_opponents=has_opponents,
            has_left=entrant in departed,
        )
        for place, entrant in rank_rated(fit, departed, None if has_opponents else scores.mean)
    ]
    return rated + [
        _build_uncounted(
            entry,
            place=len(rated) + 1,
            measure=fit.measure,
            totals=totals[entry.id],
            has_opponents=has_opponents,
        )
        for entry in entries
        if entry.id not in index_of
    ]


def rank_rated(
    fit: Ratings, departed: Container[Id], mean_scores: Floats | None
) -> list[tuple[int, Id]]:
    """Return the place and the id of each entrant with a rating or a place for one, best first.

    Mean scores, which are given for cooperative games alone, break ties.
    """
    rating = np.where(fit.deals > 0, fit.rating, np.nan)
    present = [float(entrant not in departed) for entrant in fit.entrants]
    others = () if mean_scores is None else (mean_scores,)
    keys = zip(present, rating, *others, strict=True)
    return rank_entrants(dict(zip(fit.entrants, keys, strict=True)))


def _build_rated(
    index: int, *, entry: Entry, place: int, fit: Ratings, scores: EntrantMeans,
    places: EntrantMeans, totals: EntrantTotals, has_opponents: bool, has_left: bool,
) -> Standing:  # fmt: skip
    """Return the standing of an entrant whose results count, by its index in the ratings."""
    rating = Estimate.at(fit.rating, fit.low, fit.high, index)
    return Standing(
        entry=entry,
        place=place,
        rating=rating if fit.deals[index] > 0 else evolve(rating, value=nan),
        mean_score=Estimate.at(scores.mean, scores.low, scores.high, index),
        mean_place=Estimate.at(places.mean, places.low, places.high, index),
        totals=totals,
        measure=fit.measure,
        has_opponents=has_opponents,
        has_left=has_left,
    )


def _build_uncounted(
    entry: Entry, *, place: int, measure: str, totals: EntrantTotals, has_opponents: bool
) -> Standing:
    """Return the standing of a version that has left, and whose results count no more."""
    return Standing(
        entry=entry,
        place=place,
        rating=UNKNOWN,
        mean_score=UNKNOWN,
        mean_place=UNKNOWN,
        totals=totals,
        measure=measure,
        has_opponents=has_opponents,
        has_left=True,
    )
