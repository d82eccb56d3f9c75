"""Is the ranking settled?"""

from __future__ import annotations

import numpy as np

from arena.tournament.ratings.model import Ratings


def resolved(ratings: Ratings, level: float = 0.95) -> bool:
    """Is everybody in the ranking surely stronger than the next, with this probability?"""
    order = ratings.ranking()
    return bool(np.all(ratings.superiority[order[:-1], order[1:]] >= level))
