"""The history of ratings: fitted again for growing numbers of deals."""

from __future__ import annotations

from hashlib import blake2b
from math import nan
from typing import Any

import numpy as np
from attrs import evolve, frozen

from arena.tournament.entries import Id
from arena.tournament.ratings import RatingModel
from arena.tournament.ratings.rating_input import Floats, Ints, Results


@frozen(eq=False)
class RatingHistory:
    """The ratings of all entrants after the first N deals, for several N; nan if not rated."""

    entrants: tuple[Id, ...]  #: whom the columns are about; others may have entered since
    deals: Ints  #: (points,) numbers of deals
    rating: Floats  #: (points, entrants)
    low: Floats  #: (points, entrants) the lower end of the interval
    high: Floats  #: (points, entrants) the upper end of the interval
    digests: tuple[bytes, ...] = ()  #: (points,) of all that each point was fitted to

    def find_point(self, digest: bytes, field_size: int) -> tuple[Floats, ...] | None:
        """Return the ratings and intervals that were fitted to the same results, or None.

        Those who have entered since, of `field_size` in all, have played none of them.
        """
        if digest not in self.digests:
            return None
        row, more = self.digests.index(digest), (0, field_size - len(self.entrants))
        curves = (self.rating, self.low, self.high)
        return tuple([np.pad(curve[row], more, constant_values=nan) for curve in curves])


HISTORY_FITS = 4000  # entrants times points: a fit to many entrants takes long
MIN_HISTORY_POINTS = 10


def compute_rating_history(
    results: Results,
    model: RatingModel,
    level: float,
    points: int,
    before: RatingHistory | None = None,
) -> RatingHistory:
    """Fit the ratings again at up to this number of points in time; at fewer for many entrants.

    Each point is fitted to all earlier deals, so that no curve depends on the order of opponents.
    Points stand at multiples of a power of two, so that most are those of the history `before`,
    which had fewer deals: what was fitted to the same results is taken from there.
    """
    points = min(points, max(MIN_HISTORY_POINTS, HISTORY_FITS // max(1, len(results.entrants))))
    numbers = np.unique(results.deal)
    step = 1
    while len(numbers) > points * step:
        step *= 2
    sizes = [size for size in (*range(step, len(numbers), step), len(numbers)) if size]
    rows, digests, field_size = [], [], len(results.entrants)
    for size in sizes:
        some = _limit_deals(results, numbers[size - 1])
        digest = _compute_digest(some, model, level)
        row = before.find_point(digest, field_size) if before else None
        rows.append(row or _fit_point(some, model, level))
        digests.append(digest)
    rating, low, high = np.reshape([*zip(*rows, strict=True)], (3, len(sizes), field_size))
    deals = np.array(sizes, np.int64)
    return RatingHistory(results.entrants, deals, rating, low, high, tuple(digests))


def _fit_point(results: Results, model: RatingModel, level: float) -> tuple[Floats, ...]:
    """Return the ratings and the ends of their intervals; nan for who has played no deal."""
    fit = model.fit(results, level)
    return tuple([np.where(fit.deals > 0, part, nan) for part in (fit.rating, fit.low, fit.high)])


def _compute_digest(results: Results, model: RatingModel, level: float) -> bytes:
    """Return a digest that is equal for fits of the same results, players, model and level."""
    players = results.entrants[: int(results.seats.max(initial=-1)) + 1]
    digest = blake2b(repr((players, results.teams, model, level)).encode())
    for column in (results.deal, results.seats, results.places):
        digest.update(column.tobytes())
    return digest.digest()


def _limit_deals(results: Results, last: Any) -> Results:
    """Return the results of the deals up to a number."""
    some = results.deal <= last
    columns = ("deal", "seats", "places", "scores")
    return evolve(results, **{name: getattr(results, name)[some] for name in columns})
