"""The history of ratings, fitted again for growing numbers of deals."""

from __future__ import annotations

from typing import Any

import numpy as np
from attrs import frozen

from arena.tournament.models.result_columns import Floats, Ints, Results
from arena.tournament.models.schedule import Id
from arena.tournament.ratings import RatingModel


@frozen(eq=False)
class RatingHistory:
    """The ratings of all entrants after the first N deals, for several N; nan if not rated."""

    entrants: tuple[Id, ...]  #: whom the columns are about; others may have entered since
    deals: Ints  #: (points,) numbers of deals
    rating: Floats  #: (points, entrants)
    low: Floats  #: (points, entrants) the lower end of the interval
    high: Floats  #: (points, entrants) the upper end of the interval


def compute_rating_history(
    results: Results, model: RatingModel, level: float, points: int
) -> RatingHistory:
    """Fit the ratings again at up to this number of points in time.

    Each point is fitted to all earlier deals, so that no curve depends on the order of opponents.
    """
    played = np.unique(results.deal)
    count = min(points, len(played))
    sizes = np.unique(np.linspace(len(played) / max(count, 1), len(played), count).astype(np.int64))
    fits = [model.fit(_limit_deals(results, played[size - 1]), level) for size in sizes]
    shape = (len(sizes), len(results.entrants))
    parts = {name: np.full(shape, np.nan) for name in ("rating", "low", "high")}
    for row, fit in enumerate(fits):
        for name, part in parts.items():
            part[row] = np.where(fit.deals > 0, getattr(fit, name), np.nan)
    return RatingHistory(results.entrants, sizes, **parts)


def _limit_deals(results: Results, last: Any) -> Results:
    """Return the results of the deals up to a number."""
    some = results.deal <= last
    return Results(
        results.entrants,
        results.deal[some],
        results.seats[some],
        results.places[some],
        results.scores[some],
    )
