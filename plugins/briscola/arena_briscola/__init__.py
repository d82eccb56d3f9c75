"""Briscola for the arena: rules, lines for programs, words for people, bots."""

from __future__ import annotations

from arena import Game, hookimpl
from arena_briscola.bots import BOTS
from arena_briscola.figures import actions, encode
from arena_briscola.messages import MESSAGES, Hand, PlayCard, Played, Taken, Trick
from arena_briscola.rules import Briscola, BriscolaPosition
from arena_briscola.situations import SITUATIONS
from arena_briscola.wire import BriscolaLines
from arena_briscola.words import describe

__all__ = [
    "GAME",
    "Briscola",
    "BriscolaLines",
    "BriscolaPosition",
    "Hand",
    "PlayCard",
    "Played",
    "Taken",
    "Trick",
]

GAME = Game(
    name="briscola",
    summary="Briscola: tricks with a trump, and a draw after each",
    variant=Briscola,
    seats=range(2, 5),
    messages=MESSAGES,
    wires={"text": BriscolaLines},
    describe=describe,
    bots=BOTS,
    situations=SITUATIONS,
    deals_hands=True,
    actions=actions,
    encode=encode,
)


@hookimpl
def arena_games() -> list[Game]:
    """Bring the game."""
    return [GAME]
