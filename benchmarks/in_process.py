"""Games of bundled bots in one process, match and command, beside bare generators."""

from __future__ import annotations

import random
from collections.abc import Callable, Generator
from pathlib import Path

from arena import Game, Play
from arena.host import Match
from arena.players import BotPlayer
from arena_bs import GAME as BS
from arena_gops import GAME as GOPS
from arena_gops import Gops
from arena_kuhn import GAME as KUHN
from benchmarks.ratios import ARENA, Ratio, measure_command, measure_rate

SUIT = range(1, 14)
Turn = tuple[int, list[int], list[int]]


def bare_gops() -> Generator[Turn, tuple[int, int], tuple[int, int]]:
    """Play GOPS in as little code as possible: yield a prize and both hands, receive two bids."""
    mine, theirs, prizes = list(SUIT), list(SUIT), list(SUIT)
    random.shuffle(prizes)
    scores = [0, 0]
    for prize in prizes:
        a, b = yield prize, mine, theirs
        mine.remove(a)
        theirs.remove(b)
        if a != b:
            scores[b > a] += prize
    return scores[0], scores[1]


def play_bare(games: int) -> None:
    """Play games of the bare generator with random bids."""
    for _ in range(games):
        game = bare_gops()
        _, mine, theirs = next(game)
        try:
            while True:
                game.send((random.choice(mine), random.choice(theirs)))
        except StopIteration:
            pass


def bare_kuhn() -> Generator[int, bool, int]:
    """Play a hand of Kuhn poker in as little code as possible: yield a seat, receive its bet."""
    cards = random.sample((1, 2, 3), 2)
    first = yield 0
    second = yield 1
    if second and not first:
        first = yield 0
    if first != second:
        return 1 if first else -1
    return (1 + first) * (1 if cards[0] > cards[1] else -1)


def play_bare_kuhn(games: int) -> None:
    """Play hands of the bare generator with random bets."""
    for _ in range(games):
        game = bare_kuhn()
        next(game)
        try:
            while True:
                game.send(random.random() < 0.5)
        except StopIteration:
            pass


def host_matches(games: int, game: Game = GOPS, bot: str = "random") -> None:
    """Host matches of two bundled bots, with clocks and verdicts."""
    build, variant = game.bots[bot], game.variant()
    for at in range(games):
        Match(Play.deal(variant, 2, f"{at}"), [BotPlayer(build()), BotPlayer(build())]).run()


def drive_plays(games: int) -> None:
    """Drive plays without a host."""
    variant = Gops()
    for at in range(games):
        play, draws = Play.deal(variant, 2, f"{at}"), random.Random(at)
        while play.pending:
            play.drain()
            for seat, question in tuple(play.pending.items()):
                play.answer(seat, question.options.draw(draws))


def measure_games(games: int) -> float:
    """Return the games per second of processor time of a whole `arena match`, start included."""
    words = f"match gops random random --games {games} --json".split()
    return games / measure_command(ARENA, *words)


def measure(games: int = 20_000) -> list[Ratio]:
    """Return the ratios of one turn; `games` is the number of games of the command."""
    bare = measure_rate(play_bare, 6000)
    hosted = measure_rate(host_matches, 1000)
    kuhn = measure_rate(lambda hands: host_matches(hands, KUHN), 1000)
    honest = measure_rate(lambda matches: host_matches(matches, BS, "honest"), 50)
    return [
        Ratio(
            "arena match --games, the whole command / a bare generator", bare / measure_games(games)
        ),
        Ratio("GOPS in process, the whole match / a bare generator", bare / hosted),
        Ratio(
            "GOPS in process, the play alone / a bare generator",
            bare / measure_rate(drive_plays, 1000),
        ),
        Ratio(
            "Kuhn poker in process / a bare generator", measure_rate(play_bare_kuhn, 20_000) / kuhn
        ),
        Ratio("BS of two honest bots / GOPS of two random bots", hosted / honest),
    ]


def prepare(_: Path) -> Callable[[], list[Ratio]]:
    """Warm up; return what measures one turn."""
    for game in (GOPS, KUHN, BS):
        host_matches(100, game)
    return measure
