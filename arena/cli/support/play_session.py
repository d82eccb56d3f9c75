"""A session of matches between a person at the terminal and bots."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import IO

from attrs import frozen

from arena.cli.support.match_score import MatchScoreTracker
from arena.cli.support.opponent_choice import ask_for_opponents, parse_opponents, require_terminal
from arena.cli.support.shared_options import find_game, parse_variant
from arena.cli.support.transcript_files import TranscriptRecorder
from arena.host import (
    Entrant,
    HostConfig,
    Result,
    Series,
    WorkingFolder,
    host,
    make_names_unique,
)
from arena.players import Keyboard, Person, Player, Screen, open_keyboard
from arena.plugins import Game, get_plugins
from arena.records import format_outcome as how_it_came_out
from arena.rules import Seat

PERSON_NAME = "player"
WELCOME = "Type `help` for the rules. Ctrl-D leaves."


@frozen
class PersonFactory:
    """Creates the player for the person at the terminal."""

    game: Game
    keyboard: Keyboard
    screen: Screen
    names: list[str]  # in seat order, for the next match
    is_program = False
    sandbox = None

    def create_player(
        self, seat: Seat, folder: WorkingFolder | None, log: IO[bytes] | None
    ) -> Player:
        """Return the player for a seat."""
        view = self.game.build_view(seat, self.names)
        return Person(view, self.keyboard, self.screen, self.game.rules)


def run_session(
    game: str,
    against: tuple[str, ...],
    options: tuple[str, ...],
    seed: str | None,
    transcripts: Path | None,
) -> None:
    """Play matches until the person stops."""
    rules = find_game(game)
    variant, screen = parse_variant(rules, options), Screen(sys.stdout)
    others = parse_opponents(rules, variant, against) if against else ()
    if not others:
        require_terminal(rules)
    with open_keyboard() as typed:
        others = others or ask_for_opponents(rules, variant, typed, screen)
        human = PersonFactory(rules, typed, screen, [PERSON_NAME])
        screen.show([WELCOME, ""])
        seats = make_names_unique((Entrant(PERSON_NAME, PERSON_NAME, human), *others))
        recording = TranscriptRecorder(transcripts, several=True) if transcripts else None
        while True:
            series = Series.create(rules, variant, seats, seed)
            if not (_play_match(series, human, recording) and _wants_rematch(human)):
                break


def _play_match(series: Series, human: PersonFactory, recording: TranscriptRecorder | None) -> bool:
    """Play a match; return whether the person played to its end."""
    for spec, seated in series.iter_matches(1):
        human.names[:] = spec.names
        so_far = MatchScoreTracker(spec, PERSON_NAME)
        observers = [*get_plugins().build_observers(spec), so_far]
        if recording:
            observers.append(recording.build_observer(spec))
        try:
            result = host(spec, seated, HostConfig(), observers)
        except KeyboardInterrupt:
            human.screen.show(["", *so_far.describe_score()])
            raise
        left = PERSON_NAME in [spec.names[seat] for seat in result.outcome.verdicts]
        human.screen.show(["", *(so_far.left if left else _describe_end(result))])
        return not left
    return False


def _describe_end(result: Result) -> list[str]:
    """Return the verdicts and the outcome of a match, as lines."""
    names, outcome = result.spec.names, result.outcome
    failed = [
        f"*** {names[seat]}: {verdict.kind}, {verdict.detail}"
        for seat, verdict in outcome.verdicts.items()
    ]
    return [*failed, *how_it_came_out(names, outcome, result.spec.game.unit)]


def _wants_rematch(human: PersonFactory) -> bool:
    """Ask whether to play again; any answer but yes means no."""
    human.screen.show(["", "Play again? (y/n)"])
    human.keyboard.prompt(human.screen.file)
    line = human.keyboard.wait() or ""
    return line.lower() in ("y", "yes")
