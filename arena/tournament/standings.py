"""Standings: computed from the stored matches whenever they are asked for, never stored."""

from __future__ import annotations

from collections.abc import Mapping
from math import isfinite
from typing import Any

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from arena.plugins import named_one, plugins
from arena.tournament.formats.evenness import Evenness, evenness
from arena.tournament.plan import Format, Id, Terms
from arena.tournament.ratings import RatingModel, Ratings, mean_places, mean_scores, resolved
from arena.tournament.records import Entry, State
from arena.tournament.results import Floats, Results
from arena.tournament.store import Store

FEWEST = 10
"""Matches without a verdict below which who was set aside is left out of the ratings.

Its other matches say how it fails and not how it plays: it lost them whoever the others were,
so that a fit of them puts it a thousand points away, moves everybody's mean, and widens
everybody's interval. From about ten on an interval holds what it promises (see
`ratings.sandwich`), so that with fewer there is nothing that a rating could say.
"""

USUAL = ("bradley-terry", "plackett-luce")


@frozen
class Estimate:
    """A figure with its interval."""

    value: float  #: the figure
    low: float  #: where its interval begins
    high: float  #: where it ends

    @classmethod
    def at(cls, value: Floats, low: Floats, high: Floats, index: int) -> Estimate:
        """Take one of many."""
        return cls(float(value[index]), float(low[index]), float(high[index]))


@frozen
class Standing:
    """How an entrant stands."""

    entry: Entry  #: who it is, in which version
    place: int  #: 1 is the best
    rating: Estimate  #: by the tournament's model, more is better
    score: Estimate  #: the mean, in the game's points
    mean_place: Estimate  #: 1 is the best
    matches: int  #: that count
    verdicts: Mapping[str, int]  #: by kind

    @property
    def rated(self) -> bool:
        """Has it a rating? Not without matches, nor if it was set aside after a few."""
        return isfinite(self.rating.value)

    @property
    def on_the_scale(self) -> bool:
        """Does a picture's scale reach to it? Who was set aside would flatten all others."""
        return self.rated and self.entry.state is not State.ASIDE

    def pack(self) -> dict[str, Any]:
        """Return it as JSON."""
        return {
            "name": self.entry.name,
            "version": self.entry.version,
            "state": self.entry.state,
            "place": self.place,
            "rating": rounded(self.rating.value),
            "low": rounded(self.rating.low),
            "high": rounded(self.rating.high),
            "matches": self.matches,
            "verdicts": dict(self.verdicts),
            "mean_score": pack(self.score),
            "mean_place": pack(self.mean_place),
        }


def pack(estimate: Estimate) -> dict[str, float | None]:
    """Return an estimate as JSON."""
    return {
        "value": rounded(estimate.value),
        "low": rounded(estimate.low),
        "high": rounded(estimate.high),
    }


def rounded(value: float) -> float | None:
    """Return a figure as JSON has it: without what cannot be known."""
    return round(value, 4) if isfinite(value) else None


def model_for(rating: str | None, table: int) -> RatingModel:
    """Return the model of this name, else the first that suits tables of this size."""
    if rating is not None:
        return named_one("rating", rating, plugins().ratings)
    models = [plugins().ratings[name]() for name in USUAL]
    return next((model for model in models if model.suits(table)), models[-1])


def standings(store: Store) -> list[Standing]:
    """Return how everybody stands, in every version, the best first; who has not played last."""
    results = store.results()
    return ranked(store, results, rated(store, results))


def rated(store: Store, results: Results) -> Ratings:
    """Fit the ratings of a tournament's results; who is left out has no deals there."""
    tournament = store.fact("tournament")
    model = model_for(tournament["rating"], results.seats.shape[1])
    return model.fit(fair(store, results), store.fact("level"))


def fair(store: Store, results: Results) -> Results:
    """Return the results without those who were set aside after a few matches.

    Their seats are empty then: what the others did at the same table still counts.
    """
    aside = [one.id for one in store.entries() if one.state is State.ASIDE]
    tallies = store.tallies() if aside else {}
    few = [one for one in aside if tallies[one].fair < FEWEST and one in results.entrants]
    if not few:
        return results
    return without(results, np.isin(results.seats, [*map(results.entrants.index, few)]))


def without(results: Results, seats: NDArray[np.bool_]) -> Results:
    """Return the results with these seats (matches, table) empty."""
    return Results(
        results.entrants,
        results.deal,
        np.where(seats, -1, results.seats),
        np.where(seats, 0, results.places),
        np.where(seats, np.nan, results.scores),
    )


def is_settled(store: Store) -> bool:
    """Is the order of those who take part settled, at the tournament's level?"""
    results = store.results(_active(store))
    fit = rated(store, results)
    return len(fit.deals) > 1 and bool((fit.deals > 1).all()) and resolved(fit, fit.level)


def own_ranking(store: Store) -> list[tuple[Id, float | str]]:
    """Return the ranking that the format itself makes, with what it says of each, if it does."""
    form = the_format(store)
    if not hasattr(form, "ranking"):
        return []
    past = store.past()
    past.results = store.played()
    found: list[tuple[Id, float | str]] = form.ranking(_active(store), past, the_terms(store))
    return found


def how_even(store: Store) -> Evenness:
    """Say how evenly those who take part have sat."""
    return evenness(store.past(), _active(store))


def _active(store: Store) -> list[Id]:
    return [entry.id for entry in store.active()]


def the_format(store: Store) -> Format:
    """Return the format of a tournament."""
    return named_one("format", store.fact("tournament")["format"], plugins().formats)


def the_terms(store: Store) -> Terms:
    """Return the terms of a tournament, as they were in its last run."""
    kept = store.fact("terms")
    return Terms(**{**kept, "keepers": frozenset(kept["keepers"])})


def ranked(store: Store, results: Results, fit: Ratings) -> list[Standing]:
    """Put everything that is known of each entrant side by side."""
    entries = {entry.id: entry for entry in store.entries()}
    scores, places = mean_scores(results, fit.level), mean_places(results, fit.level)
    tallies = store.tallies()
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
        )
        for place, index in enumerate(order, 1)
    ]
