"""GOPS in one process, two random bots: match and command beside a bare generator."""

from __future__ import annotations

import os
import random
import subprocess
import sys
from collections.abc import Generator
from pathlib import Path

from arena import Play
from arena.host import Match
from arena.players import BotPlayer
from arena_gops import GAME, Gops
from benchmarks.ratios import Ratio, measure_rate

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


def host_matches(games: int) -> None:
    """Host matches of two bundled random bots, with clocks and verdicts."""
    bot, variant = GAME.bots["random"], Gops()
    for at in range(games):
        Match(Play.deal(variant, 2, f"{at}"), [BotPlayer(bot()), BotPlayer(bot())]).run()


def drive_plays(games: int) -> None:
    """Drive plays without a host."""
    variant = Gops()
    for at in range(games):
        play, draws = Play.deal(variant, 2, f"{at}"), random.Random(at)
        while play.pending:
            play.drain()
            for seat, question in tuple(play.pending.items()):
                play.answer(seat, question.options.draw(draws))


def measure_command(games: int) -> float:
    """Return the games per second of processor time of a whole `arena match`, start included."""
    arena = Path(sys.executable).parent / "arena"
    words = f"match gops random random --games {games} --json".split()
    before = os.times()
    subprocess.run([arena, *words], stdout=subprocess.DEVNULL, check=True)
    after = os.times()
    user, system = (after[at] - before[at] for at in (2, 3))  # of children
    return games / (user + system)


def measure(games: int = 20_000) -> list[Ratio]:
    """Return the ratios of one run; `games` is the number of games of the command."""
    bare = measure_rate(play_bare, 6000)
    return [
        Ratio(
            "arena match --games, the whole command / a bare generator",
            measure_command(games) / bare,
        ),
        Ratio(
            "GOPS in process, the whole match / a bare generator",
            measure_rate(host_matches, 1000) / bare,
        ),
        Ratio(
            "GOPS in process, the play alone / a bare generator",
            measure_rate(drive_plays, 1000) / bare,
        ),
    ]
