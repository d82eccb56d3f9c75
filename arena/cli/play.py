"""`arena play`: sit down at the terminal against bots."""

from __future__ import annotations

import sys
from contextlib import nullcontext
from pathlib import Path
from typing import IO

import click
from attrs import frozen

from arena.cli.common import (
    Examples,
    all_fit,
    fits,
    option_option,
    seed_option,
    the_game,
    the_variant,
)
from arena.cli.match import Transcripts, a_path
from arena.entrants import Entrant, distinct, entrants
from arena.game import Game
from arena.hosting import House, Result, host
from arena.outcome import End
from arena.players.person import PROMPT, Keyboard, Person
from arena.players.player import Player
from arena.plugins import plugins
from arena.printable import printable
from arena.series import Series
from arena.table import Seat
from arena.watch import result as how_it_came_out

ME = "player"


@frozen
class Human:
    """How the person at the terminal becomes a player."""

    game: Game
    keyboard: Keyboard
    names: list[str]  # in the order of the seats of the match that begins
    runs = False

    def player(self, seat: Seat, folder: Path | None, log: IO[bytes] | None) -> Player:
        """Sit down."""
        return Person(self.game.view_for(seat, self.names), self.keyboard, sys.stdout)


@click.command(
    cls=Examples,
    short_help="Play against bots at the terminal.",
    examples=(
        "play {game} --against {bot}",
        "play {game} --against {bot},{other} --transcripts mine/",
    ),
)
@click.argument("game")
@click.option("--against", required=True, multiple=True, metavar="BOT[,BOT...]",
              help="Whom to play against; may be repeated.")  # fmt: skip
@option_option
@seed_option
@click.option("--transcripts", type=a_path, help="Record each match, in this folder.")
def play(
    game: str,
    against: tuple[str, ...],
    options: tuple[str, ...],
    seed: str | None,
    transcripts: Path | None,
) -> None:
    """Play GAME yourself, against one bot or several.

    You have all the time you want; what cannot be played is asked again. Ctrl-D leaves.
    """
    rules = the_game(game)
    variant = the_variant(rules, options)
    others = entrants(rules, [bot.strip() for bot in ",".join(against).split(",") if bot.strip()])
    fits(rules, len(others) + 1)
    all_fit(others, variant, len(others) + 1)
    keyboard, names = Keyboard(sys.stdin), [ME]
    me = Entrant(ME, ME, Human(rules, keyboard, names))
    seats = distinct((me, *others))
    recording = Transcripts(transcripts, several=True) if transcripts else None
    with plugins().with_plugin(recording) if recording else nullcontext():
        while _play(Series.seated(rules, variant, seats, seed), names) and _again(keyboard):
            pass


def _play(series: Series, names: list[str]) -> bool:
    """Play one match; give whether the person stayed."""
    for setting, seated in series.matches(1):
        names[:] = setting.names
        result = host(setting, seated, House(), plugins().observers(setting))
        _show(result)
        return setting.names.index(ME) not in result.outcome.verdicts
    return False


def _show(result: Result) -> None:
    """Say what the game's own view cannot: who failed, and how it ended without the rules."""
    click.echo()
    names, outcome = result.setting.names, result.outcome
    for seat, verdict in outcome.verdicts.items():
        words = "you left the table" if names[seat] == ME else f"{verdict.kind}, {verdict.detail}"
        click.echo(f"*** {names[seat]}: {printable(words)}")
    seen = outcome.end is End.FINISHED and names.index(ME) not in outcome.verdicts
    if not (seen and result.setting.game.view):
        for line in how_it_came_out(names, outcome):
            click.echo(printable(line))


def _again(keyboard: Keyboard) -> bool:
    """Ask whether to play again; only a yes is one."""
    click.echo(f"\nPlay again? (y/n)\n{PROMPT}", nl=False)
    while (line := keyboard.line()) is None:
        if keyboard.ended:
            return False
        keyboard.read()
    return line.lower() in ("y", "yes")
