"""Standings: the entrants of a tournament in their order, computed and never stored."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
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

    def pack(self) -> dict[str, Any]:
        """Return the standing as JSON."""
        measure = {} if self.measure == RATING else {"measure": self.measure}
        rating = self.rating.pack()
        return {
            "name": self.entry.name,
            "title": self.entry.title,
            "version": self.entry.version,
            "state": self.entry.state,
            "left": self.has_left,
            "place": self.place,
            "rating": rating["value"],
            "low": rating["low"],
            "high": rating["high"],
            "matches": self.matches,
            "verdicts": dict(self.verdicts),
            "many_games": self.many_games,
            "mean_score": self.mean_score.pack(),
            "mean_place": self.mean_place.pack(),
            **measure,
        }


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
