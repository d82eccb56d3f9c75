"""What results say of strength: ratings, means, duels, and when enough has been played.

All of it is pure: from `Results` to arrays, whose rows are the results' entrants. The deal is
the unit of chance everywhere (see `deals`).
"""

from arena.tournament.ratings.connected import Connectivity, connectivity
from arena.tournament.ratings.cycles import Dominance, dominance
from arena.tournament.ratings.duels import HeadToHead, head_to_head
from arena.tournament.ratings.luce import BradleyTerry, PlackettLuce
from arena.tournament.ratings.means import Means, mean_places, mean_scores
from arena.tournament.ratings.model import ELO, RatingModel, Ratings
from arena.tournament.ratings.nash import (
    NashAverage,
    margins,
    nash_average,
    nash_of_those_who_met,
)
from arena.tournament.ratings.settled import resolved
from arena.tournament.ratings.sprt import EloDifference, Sprt, elo_difference

MODELS: tuple[RatingModel, ...] = (BradleyTerry(), PlackettLuce())
"""The models of the house."""

__all__ = [
    "ELO",
    "MODELS",
    "BradleyTerry",
    "Connectivity",
    "Dominance",
    "EloDifference",
    "HeadToHead",
    "Means",
    "NashAverage",
    "PlackettLuce",
    "RatingModel",
    "Ratings",
    "Sprt",
    "connectivity",
    "dominance",
    "elo_difference",
    "head_to_head",
    "margins",
    "mean_places",
    "mean_scores",
    "nash_average",
    "nash_of_those_who_met",
    "resolved",
]
