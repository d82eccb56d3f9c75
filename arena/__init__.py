"""The arena where card-bots meet: what authors of games and of bots import."""

from arena.codec import Codec, Greeting, Malformed
from arena.errors import Refusal
from arena.game import Game, Situation
from arena.hookspecs import hookimpl
from arena.mind import Bot
from arena.options import OneOf, SomeOf, Text
from arena.play import Play, Position, Score, Variant
from arena.plugins import load_game
from arena.table import Illegal, Options, Question, Seat, Table
from arena.view import Private, Said

__all__ = [
    "Bot",
    "Codec",
    "Game",
    "Greeting",
    "Illegal",
    "Malformed",
    "OneOf",
    "Options",
    "Play",
    "Position",
    "Private",
    "Question",
    "Refusal",
    "Said",
    "Score",
    "Seat",
    "Situation",
    "SomeOf",
    "Table",
    "Text",
    "Variant",
    "hookimpl",
    "load_game",
]
