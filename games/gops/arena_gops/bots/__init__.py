"""The published opponents by name; each family has a module."""

from __future__ import annotations

from collections.abc import Mapping

from arena import Bot
from arena_gops.bots.bluffers import (
    AdaptiveBluffer,
    HighPrizeBluffer,
    NearPrizeBidder,
    PatternedBluffer,
)
from arena_gops.bots.planner import Planner
from arena_gops.bots.simple import Matching, Ordered, Shuffled

__all__ = ["BOTS"]

BOTS: Mapping[str, type[Bot]] = {
    "random": Shuffled,
    "match": Matching,
    "ordered": Ordered,
    "easy": NearPrizeBidder,
    "medium": HighPrizeBluffer,
    "hard": AdaptiveBluffer,
    "hard-patterned": PatternedBluffer,
    "planner": Planner,
}
