"""Matches recorded for the tests of transcripts: every game, programs, verdicts, a void one."""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import cache, partial
from random import Random
from typing import Any

from arena import Bot, Game, Play, Question, SomeOf
from arena.host import Limits, Match
from arena.players import BotPlayer, Player, Process, Program
from arena.plugins import MatchSpec, get_plugins
from arena.records import InMemoryFile, Recorder
from tests.support.programs import ECHO, LIMITS, ONCE, PYTHON
from tests.support.toys import TOY, buggy, by_arrival, by_seat, register_rounds, word
from tests.testing.games.openly import AUCTION
from tests.testing.games.outcry import OUTCRY

ALL_IN = """
import json, sys
for line in sys.stdin:
    if "ask" in (message := json.loads(line)):
        print(message["options"]["to"], flush=True)
"""
"""Bids as much as it may."""


class DrawingBot(Bot):
    """Draws an answer, few cards of many."""

    def choose(self, question: Question[Any]) -> Any:
        options = question.options
        drawn = options.draw(self.random)
        return drawn[: max(options.least, 2)] if isinstance(options, SomeOf) else drawn


def record(
    game: Game, options: dict[str, Any], players: Sequence[Player], limits: Limits = LIMITS
) -> list[str]:
    """Host a match and return the lines of its transcript."""
    variant, names = (
        game.read_variant(options),
        tuple(f"Player_{seat}" for seat in range(len(players))),
    )
    spec = MatchSpec("key", game, variant, "seed", names, names)
    file = InMemoryFile()
    play = Play.deal(variant, len(players), "seed")
    Match(play, players, limits, game=game.name, key="key", observers=[Recorder(spec, file)]).run()
    return file.text.removesuffix("\n").split("\n")


def create_drawing_players(seats: int) -> list[Player]:
    """Return players that draw."""
    return [BotPlayer(DrawingBot()) for _ in range(seats)]


def start_scripted_programs(game: Game, *texts: str) -> list[Player]:
    """Return programs, each of its text."""
    starts = [partial(Process, [*PYTHON, text]) for text in texts]
    return [Program(start, game.build_codec(None, seat)) for seat, start in enumerate(starts)]


GAMES = {**get_plugins().games, "auction": AUCTION, "outcry": OUTCRY, "toy": TOY}
MATCHES = (
    "gops", "gops-split", "gops-programs", "gops-verdicts", "gops-forfeited", "kuhn", "kuhn-verdict",
    "bs", "bs-fair", "briscola", "coup", "hearts", "auction", "outcry", "toy", "toy-void",
)  # fmt: skip


@cache
def load_recorded_match(match: str) -> tuple[Game, tuple[str, ...]]:
    """Return the game and the lines of one of the matches."""
    game = GAMES[match.partition("-")[0]]
    return game, tuple(_record(match, game))


def _record(match: str, game: Game) -> list[str]:  # noqa: C901, PLR0911, PLR0912  # a table in code
    fails = ONCE + "print('ten', flush=True)\ninput()"
    match match:
        case "gops":
            return record(game, {"cards": 5}, create_drawing_players(2))
        case "gops-split":
            return record(game, {"cards": 4, "ties": "split"}, create_drawing_players(4))
        case "gops-programs":
            return record(game, {}, start_scripted_programs(game, ECHO, ECHO))
        case "gops-verdicts":
            return record(game, {}, [*start_scripted_programs(game, ECHO, ONCE, fails, ECHO)])
        case "gops-forfeited":
            return record(game, {}, [*start_scripted_programs(game, ECHO, "raise SystemExit(3)")])
        case "kuhn":
            return record(game, {}, create_drawing_players(2))
        case "kuhn-verdict":
            return record(
                game,
                {},
                start_scripted_programs(
                    game, "raise SystemExit(3)", "print('x', flush=True)\ninput()"
                ),
            )
        case "bs":
            return record(game, {"max_turns": 12}, create_drawing_players(3))
        case "briscola":
            return record(game, {}, create_drawing_players(3))
        case "coup":
            return record(game, {"max_turns": 12}, create_drawing_players(3))
        case "outcry":
            return record(game, {"lots": 3}, create_drawing_players(4))
        case "hearts":
            return record(game, {"deals": 1}, create_drawing_players(3))
        case "auction":
            return record(game, {}, start_scripted_programs(game, ALL_IN, ALL_IN))
        case "bs-fair":
            return record(game, {"max_turns": 8, "order": "fair"}, create_drawing_players(4))
        case "toy":
            rounds = register_rounds([by_arrival, word, by_seat])
            return record(game, {"rounds": [*rounds]}, create_drawing_players(3))
    return record(game, {"rounds": [*register_rounds([by_seat, buggy])]}, create_drawing_players(2))


def list_value_paths(value: Any, here: tuple[str | int, ...] = ()) -> list[tuple[str | int, ...]]:
    """Return the places of all plain values in a JSON value."""
    if isinstance(value, dict):
        return [path for key in value for path in list_value_paths(value[key], (*here, key))]
    if isinstance(value, list) and value:
        return [
            path
            for at, element in enumerate(value)
            for path in list_value_paths(element, (*here, at))
        ]
    return [here]


def change_line(line: str, random: Random) -> tuple[tuple[str | int, ...], str]:
    """Change one plain value in a line; return its place, and the new line."""
    value = json.loads(line)
    path = random.choice(list_value_paths(value))
    *way, last = path
    inner = value
    for key in way:
        inner = inner[key]
    old = inner[last]
    values: list[Any] = [None, True, False, 0, 1, 2, -1, 13, 10**30, 1.5, "", "x", "void", "finished", [], [0], {},
                         {"a": 1}]  # fmt: skip
    new = random.choice(
        [candidate for candidate in values if json.dumps(candidate) != json.dumps(old)]
    )
    inner[last] = new
    return path, json.dumps(value)
