"""GOPS (Goofspiel) for the arena: rules, the published line protocol, opponents."""

from __future__ import annotations

from importlib.util import find_spec
from typing import TYPE_CHECKING

from arena import Game, hookimpl
from arena_gops.bots import BOTS
from arena_gops.encoding import actions, encode
from arena_gops.rules import Bid, Bids, Gops, GopsPosition, Prize
from arena_gops.scoreboard import Scoreboard
from arena_gops.situations import SITUATIONS
from arena_gops.view import view
from arena_gops.wire import RubyQuiz116

if TYPE_CHECKING:
    import click

__all__ = ["GAME", "Bid", "Bids", "Gops", "GopsPosition", "Prize", "RubyQuiz116", "Scoreboard"]

GAME = Game(
    name="gops",
    summary="GOPS (Goofspiel): bid cards for prizes, all at once",
    variant=Gops,
    seats=range(2, 11),
    messages=(Prize, Bids, Bid),
    wires={"text": RubyQuiz116},
    view=view,
    demo=("planner", "hard"),
    bots=BOTS,
    situations=SITUATIONS,
    actions=actions,
    encode=encode,
)


@hookimpl
def arena_games() -> list[Game]:
    """Bring the game."""
    return [GAME]


@hookimpl
def arena_commands() -> list[click.Command]:
    """Say how to get `arena gops` where the solver, which brings it, is not installed."""
    if find_spec("arena_gops_solver"):
        return []
    from arena_gops.unsolved import gops  # a bot that runs as a program has no command line

    return [gops]
