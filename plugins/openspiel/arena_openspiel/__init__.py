"""OpenSpiel bots as players of the arena, and a comparison of both implementations of rules."""

from arena_openspiel.bridge import Bridge
from arena_openspiel.bridge_registry import BRIDGES, find_bridge
from arena_openspiel.openspiel_bot import OpenSpielBot

__all__ = ["BRIDGES", "Bridge", "OpenSpielBot", "find_bridge"]
