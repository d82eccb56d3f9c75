"""The arena's own commands, brought by the hook that is everybody's."""

from __future__ import annotations

import click

from arena.cli.demo import demo
from arena.cli.games import bots, games
from arena.cli.match import match
from arena.cli.play import play
from arena.cli.transcripts import replay, verify
from arena.hookspecs import hookimpl


@hookimpl
def arena_commands() -> list[click.Command]:
    """Bring them."""
    return [bots, demo, games, match, play, replay, verify]
