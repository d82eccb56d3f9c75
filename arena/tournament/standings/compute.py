"""Standings, which are computed from the stored matches on demand and never stored."""

from __future__ import annotations

from collections.abc import Mapping
from math import isfinite, isnan
from typing import Any

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from arena.plugins import build_named, get_plugins
from arena.tournament.formats.seating_evenness import Evenness, compute_evenness
from arena.tournament.models.records import Entry, State
from arena.tournament.models.result_columns import Floats, Results
from arena.tournament.models.schedule import Format, FormatTerms, Id
from arena.tournament.ratings import (
    RatingModel,
    Ratings,
    compute_mean_places,
    compute_mean_scores,
    is_ranking_certain,
)
from arena.tournament.store import Store

MIN_FAIR_MATCHES = 10
"""The number of matches without a verdict that an excluded entrant needs for a rating.

Its other matches show its failures and not its play: it lost them against anybody, so a fit puts it
a thousand points away, shifts the mean, and widens all intervals. From about ten matches on,
intervals reach their nominal coverage (see `ratings.clustered_errors`); with fewer, a rating has no
meaning.
"""

DEFAULT_MODELS = ("bradley-terry", "plackett-luce")


@frozen
class Estimate:
    """A value with its interval."""

    value: float  #: the value
    low: float  #: the lower end of the interval
    high: float  #: the upper end of the interval

    @classmethod
    def at(cls, value: Floats, low: Floats, high: Floats, index: int) -> Estimate:
        """Return the estimate of one entrant from arrays."""
        return cls(float(value[index]), float(low[index]), float(high[index]))

    def __str__(self) -> str:
        """Format the value with its interval, such as `225 ±229`."""
        if isnan(self.value):
            return "unknown"
        half = (self.high - self.low) / 2
        largest = max(abs(self.value), half if isfinite(half) else 0)
        digits = sum(largest < bound for bound in (100, 10))
        return f"{self.value:z.{digits}f} ±{half:.{digits}f}"


@frozen
class Standing:
    """An entrant's rating, means and verdicts."""

    entry: Entry  #: the version of the entrant
    place: int  #: 1 is the best
    rating: Estimate  #: by the tournament's model; more is better
    mean_score: Estimate  #: in the game's points
    mean_place: Estimate  #: 1 is the best
    matches: int  #: without void ones
    verdicts: Mapping[str, int]  #: the number of each kind
    many_games: bool = False  #: whether its process plays match after match, so that it may learn

    @property
    def name(self) -> str:
        """The entrant's name, without its version."""
        return self.entry.name

    @property
    def score(self) -> float:
        """The mean score in a match, in the game's points."""
        return self.mean_score.value

    @property
    def low(self) -> float:
        """The lower end of the interval of the mean score."""
        return self.mean_score.low

    @property
    def high(self) -> float:
        """The upper end of the interval of the mean score."""
        return self.mean_score.high

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
        return {
            "name": self.entry.name,
            "version": self.entry.version,
            "state": self.entry.state,
            "place": self.place,
            "rating": round_value(self.rating.value),
            "low": round_value(self.rating.low),
            "high": round_value(self.rating.high),
            "matches": self.matches,
            "verdicts": dict(self.verdicts),
            "many_games": self.many_games,
            "mean_score": pack_estimate(self.mean_score),
            "mean_place": pack_estimate(self.mean_place),
        }


def pack_estimate(estimate: Estimate) -> dict[str, float | None]:
    """Return an estimate as JSON."""
    return {
        "value": round_value(estimate.value),
        "low": round_value(estimate.low),
        "high": round_value(estimate.high),
    }


def round_value(value: float) -> float | None:
    """Return a rounded number for JSON, or None if it is not finite."""
    return round(value, 4) if isfinite(value) else None


def choose_model(rating: str | None, table: int) -> RatingModel:
    """Return the model of this name, or else the first that suits tables of this size."""
    if rating is not None:
        return build_named("rating", rating, get_plugins().ratings)
    models = [get_plugins().ratings[name]() for name in DEFAULT_MODELS]
    return next((model for model in models if model.suits(table)), models[-1])


def compute_standings(store: Store) -> list[Standing]:
    """Return the standings of all versions, the best first; those without matches come last."""
    results = store.load_results()
    return build_standings(store, results, fit_ratings(store, results))


def fit_ratings(store: Store, results: Results) -> Ratings:
    """Fit the ratings to a tournament's results; excluded entrants have no deals."""
    tournament = store.get_fact("tournament")
    model = choose_model(tournament["rating"], results.seats.shape[1])
    return model.fit(exclude_set_aside(store, results), store.get_fact("level"))


def exclude_set_aside(store: Store, results: Results) -> Results:
    """Return the results without entrants that were set aside after a few matches.

    Their seats become empty, so the results of the others at the same table still count.
    """
    aside = [entry.id for entry in store.list_entries() if entry.state is State.ASIDE]
    tallies = store.count_totals() if aside else {}
    few = [
        entrant
        for entrant in aside
        if tallies[entrant].fair_matches < MIN_FAIR_MATCHES and entrant in results.entrants
    ]
    if not few:
        return results
    return clear_seats(results, np.isin(results.seats, [*map(results.entrants.index, few)]))


def clear_seats(results: Results, seats: NDArray[np.bool_]) -> Results:
    """Return the results with these seats (matches, table) empty."""
    return Results(
        results.entrants,
        results.deal,
        np.where(seats, -1, results.seats),
        np.where(seats, 0, results.places),
        np.where(seats, np.nan, results.scores),
    )


def is_order_certain(store: Store) -> bool:
    """Return whether the order of the active entrants is certain, at the tournament's level."""
    results = store.load_results(_list_active(store))
    fit = fit_ratings(store, results)
    return len(fit.deals) > 1 and bool((fit.deals > 1).all()) and is_ranking_certain(fit, fit.level)


def compute_format_ranking(store: Store) -> list[tuple[Id, float | str]]:
    """Return the format's own ranking with its texts or numbers, if it has one."""
    form = load_format(store)
    if not hasattr(form, "ranking"):
        return []
    past = store.load_past()
    past.results = store.list_results()
    found: list[tuple[Id, float | str]] = form.ranking(_list_active(store), past, load_terms(store))
    return found


def measure_evenness(store: Store) -> Evenness:
    """Return the evenness of the active entrants' seating."""
    return compute_evenness(store.load_past(), _list_active(store))


def _list_active(store: Store) -> list[Id]:
    return [entry.id for entry in store.list_active()]


def load_format(store: Store) -> Format:
    """Return the format of a tournament."""
    return build_named("format", store.get_fact("tournament")["format"], get_plugins().formats)


def load_terms(store: Store) -> FormatTerms:
    """Return the terms of a tournament in its last run."""
    kept = store.get_fact("terms")
    return FormatTerms(**{**kept, "keepers": frozenset(kept["keepers"])})


def build_standings(store: Store, results: Results, fit: Ratings) -> list[Standing]:
    """Combine the ratings, means and verdicts of each entrant."""
    entries = {entry.id: entry for entry in store.list_entries()}
    scores, places = (
        compute_mean_scores(results, fit.level),
        compute_mean_places(results, fit.level),
    )
    tallies = store.count_totals()
    order = sorted(fit.ranking().tolist(), key=lambda index: not fit.deals[index])
    return [
        Standing(
            entries[fit.entrants[index]],
            place,
            Estimate.at(np.where(fit.deals > 0, fit.rating, np.nan), fit.low, fit.high, index),
            Estimate.at(scores.mean, scores.low, scores.high, index),
            Estimate.at(places.mean, places.low, places.high, index),
            int(scores.matches[index]),
            tallies[fit.entrants[index]].verdicts,
            tallies[fit.entrants[index]].many_games,
        )
        for place, index in enumerate(order, 1)
    ]
