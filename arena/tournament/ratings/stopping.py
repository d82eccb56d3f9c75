"""The stopping rule: whether the order of the ranking is certain."""

from __future__ import annotations

import numpy as np

from arena.tournament.ratings.model import Ratings


def is_ranking_certain(ratings: Ratings, level: float = 0.95) -> bool:
    """Return whether each in the ranking is stronger than the next, with this probability."""
    order = ratings.ranking()
    return bool(np.all(ratings.superiority[order[:-1], order[1:]] >= level))
