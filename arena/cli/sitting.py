"""A person at the terminal: seated among bots, match after match."""

from __future__ import annotations

import sys
from contextlib import nullcontext
from pathlib import Path
from typing import IO

from attrs import frozen

from arena.cli.common import the_game, the_variant
from arena.cli.opponents import asked_for, can_be_asked, named
from arena.cli.recording import Transcripts
from arena.cli.sofar import SoFar
from arena.host import (
    Entrant,
    HostConfig,
    Result,
    Series,
    WorkingFolder,
    distinct,
    host,
)
from arena.players import Keyboard, Person, Player, Screen, keyboard
from arena.plugins import Game, plugins
from arena.records import result as how_it_came_out
from arena.rules import Seat

ME = "player"
WELCOME = "`help` says the rules. Ctrl-D leaves."


@frozen
class Human:
    """How the person at the terminal becomes a player."""

    game: Game
    keyboard: Keyboard
    screen: Screen
    names: list[str]  # in the order of the seats of the match that begins
    runs = False
    sandbox = None

    def player(self, seat: Seat, folder: WorkingFolder | None, log: IO[bytes] | None) -> Player:
        """Sit down."""
        view = self.game.view_for(seat, self.names)
        return Person(view, self.keyboard, self.screen, self.game.rules)


def sit_down(
    game: str,
    against: tuple[str, ...],
    options: tuple[str, ...],
    seed: str | None,
    transcripts: Path | None,
) -> None:
    """Play until the person has had enough."""
    rules = the_game(game)
    variant, screen = the_variant(rules, options), Screen(sys.stdout)
    others = named(rules, variant, against) if against else ()
    if not others:
        can_be_asked(rules)
    with keyboard() as typed:
        others = others or asked_for(rules, variant, typed, screen)
        human = Human(rules, typed, screen, [ME])
        screen.show([WELCOME, ""])
        seats = distinct((Entrant(ME, ME, human), *others))
        recording = Transcripts(transcripts, several=True) if transcripts else None
        with plugins().with_plugin(recording) if recording else nullcontext():
            while _play(Series.seated(rules, variant, seats, seed), human) and _again(human):
                pass


def _play(series: Series, human: Human) -> bool:
    """Play one match; return whether the person stayed."""
    for spec, seated in series.matches(1):
        human.names[:] = spec.names
        so_far = SoFar(spec, ME)
        try:
            result = host(spec, seated, HostConfig(), [*plugins().observers(spec), so_far])
        except KeyboardInterrupt:
            human.screen.show(["", *so_far.lines()])
            raise
        left = ME in [spec.names[seat] for seat in result.outcome.verdicts]
        human.screen.show(["", *(so_far.left if left else _ending(result))])
        return not left
    return False


def _ending(result: Result) -> list[str]:
    """Say who failed, and how it ended."""
    names, outcome = result.spec.names, result.outcome
    failed = [
        f"*** {names[seat]}: {verdict.kind}, {verdict.detail}"
        for seat, verdict in outcome.verdicts.items()
    ]
    return [*failed, *how_it_came_out(names, outcome, result.spec.game.unit)]


def _again(human: Human) -> bool:
    """Ask whether to play again; only a yes is one."""
    human.screen.show(["", "Play again? (y/n)"])
    human.keyboard.prompt(human.screen.file)
    line = human.keyboard.wait() or ""
    return line.lower() in ("y", "yes")
