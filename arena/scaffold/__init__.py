"""New games and new bots: whole folders that work, written from templates, to begin with."""

from arena.scaffold.bot import LANGUAGES, new_bot
from arena.scaffold.game import new_game

__all__ = ["LANGUAGES", "new_bot", "new_game"]
