"""Statistics of results: ratings, means, head to head, and when to stop.

All functions are pure: from `Results` to arrays, whose rows are the results' entrants. The deal is
the unit of chance everywhere (see `means.py`).
"""

from __future__ import annotations

from collections.abc import Mapping

from arena.tournament.ratings.bradley_terry import BradleyTerry
from arena.tournament.ratings.deal_sums import DealSums
from arena.tournament.ratings.estimate import Estimate, round_value
from arena.tournament.ratings.games_won import (
    DealComparison,
    GamesWon,
    compare_entrants,
    compare_over_deals,
)
from arena.tournament.ratings.head_to_head import (
    HeadToHead,
    compute_head_to_head,
    find_beating_cycle,
)
from arena.tournament.ratings.intervals import estimate_share
from arena.tournament.ratings.means import (
    EntrantMeans,
    Opponents,
    compute_mean_places,
    compute_mean_scores,
    estimate_difference,
)
from arena.tournament.ratings.meeting_graph import list_connected_groups
from arena.tournament.ratings.nash_average import (
    NashAverage,
    compute_margins,
    compute_nash_average,
    compute_nash_from_duels,
)
from arena.tournament.ratings.ratings import ELO, RATING, AnchoredModel, RatingModel, Ratings
from arena.tournament.ratings.stopping import (
    Hypothesis,
    Sprt,
    elo_to_score,
    estimate_duel_share,
    estimate_elo_difference,
    is_ranking_certain,
    score_to_elo,
)

MODELS: Mapping[str, type[RatingModel]] = {model.name: model for model in (BradleyTerry, GamesWon)}
"""The built-in rating models, by the names that a tournament file uses."""

__all__ = [
    "ELO",
    "MODELS",
    "RATING",
    "AnchoredModel",
    "BradleyTerry",
    "DealComparison",
    "DealSums",
    "EntrantMeans",
    "Estimate",
    "GamesWon",
    "HeadToHead",
    "Hypothesis",
    "NashAverage",
    "Opponents",
    "RatingModel",
    "Ratings",
    "Sprt",
    "compare_entrants",
    "compare_over_deals",
    "compute_head_to_head",
    "compute_margins",
    "compute_mean_places",
    "compute_mean_scores",
    "compute_nash_average",
    "compute_nash_from_duels",
    "elo_to_score",
    "estimate_difference",
    "estimate_duel_share",
    "estimate_elo_difference",
    "estimate_share",
    "find_beating_cycle",
    "is_ranking_certain",
    "list_connected_groups",
    "round_value",
    "score_to_elo",
]
