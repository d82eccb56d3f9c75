"""The arena's own commands, brought by the hook that is everybody's."""

from __future__ import annotations

import click

from arena.cli.check import check_bot
from arena.cli.demo import demo
from arena.cli.duel import duel
from arena.cli.games import bots, games
from arena.cli.golden import fuzz, golden
from arena.cli.match import match
from arena.cli.play import play
from arena.cli.results import export, matches, transcript
from arena.cli.scaffold import write_bot, write_game
from arena.cli.standings import standings
from arena.cli.tournament import tournament
from arena.cli.transcripts import replay, verify
from arena.hookspecs import hookimpl


@hookimpl
def arena_commands() -> list[click.Command]:
    """Bring them."""
    return [
        bots, check_bot, demo, duel, export, fuzz, games, golden, match, matches, play, replay,
        standings, tournament, transcript, verify, write_bot, write_game,
    ]  # fmt: skip
