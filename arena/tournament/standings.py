"""Standings: computed from the stored matches whenever they are asked for, never stored."""

from __future__ import annotations

from collections.abc import Mapping
from math import isfinite
from typing import Any

from attrs import frozen

from arena.parameters import named_one
from arena.plugins import plugins
from arena.tournament.formats.evenness import Evenness, evenness
from arena.tournament.plan import Format, Id, Terms
from arena.tournament.ratings import RatingModel, Ratings, mean_places, mean_scores, resolved
from arena.tournament.records import Entry
from arena.tournament.results import Floats, Results
from arena.tournament.store import Store

USUAL = ("bradley-terry", "plackett-luce")


@frozen
class Estimate:
    """A figure with its interval."""

    value: float
    low: float
    high: float

    @classmethod
    def at(cls, value: Floats, low: Floats, high: Floats, index: int) -> Estimate:
        """Take one of many."""
        return cls(float(value[index]), float(low[index]), float(high[index]))


@frozen
class Standing:
    """How an entrant stands."""

    entry: Entry
    place: int
    rating: Estimate
    score: Estimate
    mean_place: Estimate
    matches: int
    verdicts: Mapping[str, int]  # by kind

    def pack(self) -> dict[str, Any]:
        """Give it as JSON."""
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
    """Give an estimate as JSON."""
    return {
        "value": rounded(estimate.value),
        "low": rounded(estimate.low),
        "high": rounded(estimate.high),
    }


def rounded(value: float) -> float | None:
    """Give a figure as JSON has it: without what cannot be known."""
    return round(value, 4) if isfinite(value) else None


def model_for(rating: str | None, table: int) -> RatingModel:
    """Give the model of this name, else the first that suits tables of so many seats."""
    if rating is not None:
        return named_one("rating", rating, plugins().ratings)
    models = [plugins().ratings[name]() for name in USUAL]
    return next((model for model in models if model.suits(table)), models[-1])


def standings(store: Store) -> list[Standing]:
    """Give how everybody stands, in every version, the best first; who has not played last."""
    results = store.results()
    return ranked(store, results, rated(store, results))


def rated(store: Store, results: Results) -> Ratings:
    """Fit the ratings of a tournament's results."""
    tournament = store.fact("tournament")
    model = model_for(tournament["rating"], results.seats.shape[1])
    return model.fit(results, store.fact("level"))


def is_settled(store: Store) -> bool:
    """Is the order of those who take part settled, at the tournament's level?"""
    results = store.results(_active(store))
    fit = rated(store, results)
    return len(fit.deals) > 1 and bool((fit.deals > 1).all()) and resolved(fit, fit.level)


def own_ranking(store: Store) -> list[tuple[Id, float | str]]:
    """Give the ranking that the format itself makes, with what it says of each, if it does."""
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
    """Give the format of a tournament."""
    return named_one("format", store.fact("tournament")["format"], plugins().formats)


def the_terms(store: Store) -> Terms:
    """Give the terms of a tournament, as they were in its last run."""
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
            Estimate.at(fit.rating, fit.low, fit.high, index),
            Estimate.at(scores.mean, scores.low, scores.high, index),
            Estimate.at(places.mean, places.low, places.high, index),
            int(scores.matches[index]),
            tallies[fit.entrants[index]].verdicts,
        )
        for place, index in enumerate(order, 1)
    ]
