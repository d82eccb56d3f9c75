"""Example matches between the bundled bots of each game, as `arena demo` plays and records them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from arena.cli.support.commands import parse_variant

if TYPE_CHECKING:
    from arena.plugins import Game

DEMO_SEED = "demo"
DEMO_FOLDER = Path("demo")
"""Where `arena demo` records its matches, and `arena web demo` finds them."""


def list_demo_games() -> list[Game]:
    """Return the games that have an example match."""
    from arena.plugins import get_plugins

    games = get_plugins().require_games().values()
    return [game for game in games if game.presentation.demo]


def get_transcript_path(folder: Path, game: str) -> Path:
    """Return the path of a game's transcript."""
    from arena.records import SUFFIX

    return folder / f"{game}{SUFFIX}"


def play_demo_match(game: Game, seed: str, transcripts: Path) -> Iterator[str]:
    """Play and record a match of a game; yield how it ended, and its last turning point."""
    from arena.cli.support.match_reports import TranscriptRecorder, TurnCollector
    from arena.host import HostConfig, Series, host, parse_entrants
    from arena.records import Perspective, Spectator
    from arena.rules import format_count

    recording = TranscriptRecorder(get_transcript_path(transcripts, game.name), several=False)
    entrants = parse_entrants(game, game.presentation.demo)
    series = Series(game, parse_variant(game, ()), entrants, seed)
    for spec, seated in series.iter_matches(1):
        eye = Perspective(game, spec.variant, spec.names, Spectator.PUBLIC, page=True)
        turns = TurnCollector(eye)
        watchers = [turns, recording.build_observer(spec, 0)]
        outcome = host(spec, seated, HostConfig(), watchers).outcome
        scores = outcome.scores or ()  # bundled bots finish their matches
        places = outcome.places or ()
        order = sorted(range(len(spec.names)), key=places.__getitem__)
        ranks = [f"{spec.names[seat]} {float(scores[seat]):g}" for seat in order]
        yield f"{', '.join(ranks)} after {format_count(outcome.rounds, game.unit)}"
        if turns.last:
            yield f"The last turning point: {turns.last}"
