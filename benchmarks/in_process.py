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
from benchmarks.ratios import Ratio, rate

SUIT = range(1, 14)
Turn = tuple[int, list[int], list[int]]


def bare_gops() -> Generator[Turn, tuple[int, int], tuple[int, int]]:
    """Play GOPS as small as it can be: prize and hands out, two bids in."""
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


def bare(games: int) -> None:
    """Play the yardstick with random bids."""
    for _ in range(games):
        game = bare_gops()
        _, mine, theirs = next(game)
        try:
            while True:
                game.send((random.choice(mine), random.choice(theirs)))
        except StopIteration:
            pass


def hosted(games: int) -> None:
    """Play whole matches of two bundled random bots, clocks running, ready for verdicts."""
    bot, variant = GAME.bots["random"], Gops()
    for at in range(games):
        Match(Play.deal(variant, 2, f"{at}"), [BotPlayer(bot()), BotPlayer(bot())]).run()


def driven(games: int) -> None:
    """Drive plays without a host."""
    variant = Gops()
    for at in range(games):
        play, draws = Play.deal(variant, 2, f"{at}"), random.Random(at)
        while play.pending:
            play.drain()
            for seat, question in tuple(play.pending.items()):
                play.answer(seat, question.options.draw(draws))


def command(games: int) -> float:
    """Run `arena match`, from its start to its end; return games for a second of the processor."""
    arena = Path(sys.executable).parent / "arena"
    words = f"match gops random random --games {games} --json".split()
    before = os.times()
    subprocess.run([arena, *words], stdout=subprocess.DEVNULL, check=True)
    after = os.times()
    user, system = (after[at] - before[at] for at in (2, 3))  # of children
    return games / (user + system)


def measure(games: int = 20_000) -> list[Ratio]:
    """Return this run's ratios, the command's with so many games."""
    yard = rate(bare, 6000)
    return [
        Ratio("arena match --games, the whole command / a bare generator", command(games) / yard),
        Ratio("GOPS in process, the whole match / a bare generator", rate(hosted, 1000) / yard),
        Ratio("GOPS in process, the play alone / a bare generator", rate(driven, 1000) / yard),
    ]
