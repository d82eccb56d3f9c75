"""OpenSpiel bots as players of the arena, and its rules beside ours."""

from arena_openspiel.bridge import Bridge
from arena_openspiel.games import BRIDGES, bridge_of
from arena_openspiel.player import OpenSpielBot

__all__ = ["BRIDGES", "Bridge", "OpenSpielBot", "bridge_of"]
