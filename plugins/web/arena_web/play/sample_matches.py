"""Sample matches between bundled bots, which the pages where one chooses a game show.

Each game has one, played as soon as the server runs, with a fixed seed: it is the same for all. As
nobody else plays its deal, all hands are shown.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from contextlib import suppress
from functools import cache
from itertools import cycle, islice
from threading import Lock
from typing import Any

from arena import Game, Observer, Seat, UserError, Zone, ZoneKind
from arena.host import HostConfig, Series, host, parse_entrants
from arena.plugins import build_variant, get_plugins
from arena.records import InMemoryFile, Recorder, Spectator, parse_text
from arena.tournament import list_opponents
from arena_web.http.worker_threads import NoThreadError, start_thread
from arena_web.matches.replay_steps import list_steps
from arena_web.play.table_setup import count_usual_players
from arena_web.player_names import label_players
from arena_web.protocol.json_format import to_json
from arena_web.protocol.replies import ReplayStep, SampleMatch

SEED = "demo"
MAX_STEPS = 80  # of a match that are shown, some 20 kB
MAX_EVENTS = 160  # of a match that are played for them
PLAYING = Lock()


def play_sample_matches() -> str:
    """Play a match of each game that has bots, once; return JSON, by the names of the games.

    Who calls it meanwhile waits for the same.
    """
    with PLAYING:
        return _play_all()


def begin_sample_matches() -> None:
    """Play them in a thread, before a visitor asks for them.

    Where the host has no room for that now, they are played when a visitor asks.
    """
    with suppress(NoThreadError):
        start_thread(_play_ahead, "sample matches")


def _play_ahead() -> None:
    with suppress(OSError):
        play_sample_matches()


@cache
def _play_all() -> str:
    games = [game for game in get_plugins().games.values() if game.bots]
    return json.dumps({game.name: to_json(_play(game)) for game in games})


class Stopper(Observer):
    """Ends a match, which becomes void, as soon as enough of it was played."""

    def __init__(self) -> None:
        self._events = 0

    def on_event(self, seat: Seat | None, event: Any) -> None:
        """Count an event."""
        self._events += 1
        if self._events >= MAX_EVENTS:
            raise UserError("enough was played")


def _play(game: Game) -> SampleMatch:
    entrants = parse_entrants(game, islice(cycle(choose_bots(game)), count_usual_players(game)))
    series, file = Series(game, build_variant(game, {}), entrants, SEED), InMemoryFile()
    for spec, players in series.iter_matches(1):
        with suppress(UserError):
            host(spec, players, HostConfig(), [Recorder(spec, file), Stopper()])
    transcript = parse_text(file.text)
    names = label_players(transcript.header)
    steps = list_steps(transcript, [Spectator.ALL], names)[Spectator.ALL][:MAX_STEPS]
    return SampleMatch(names, steps, _choose_picture(steps))


def choose_bots(game: Game) -> Sequence[str]:
    """Return the bots that a game is shown with: its own choice, or the strongest that are quick.

    A bot that searches thinks for seconds, in which a visitor sees no cards.
    """
    quick = [name for name, bot in game.bots.items() if not bot.searches] or [*game.bots]
    own = [bot.name for bot in reversed(list_opponents(game)) if bot.strength and bot.name in quick]
    return game.presentation.demo or own or quick


def _choose_picture(steps: Sequence[ReplayStep]) -> int:
    """Return the step of the first half at which most cards lie open outside of hands."""
    zones: dict[str, Zone | None] = {}
    lying = []
    for step in steps:
        zones |= step.shown.zones
        table = [zone for zone in zones.values() if zone and zone.kind is not ZoneKind.HAND]
        lying.append(sum(len(zone.cards) for zone in table))
    return lying.index(max(lying[: len(lying) // 2 + 1]))
