"""OpenSpiel bots as players of the arena, and a comparison of both implementations of rules."""

from arena_openspiel.bots import OpenSpielBot
from arena_openspiel.bridges import BRIDGES, Bridge, find_bridge

__all__ = ["BRIDGES", "Bridge", "OpenSpielBot", "find_bridge"]
