"""Where the time of one whole match between two Python programs goes."""

from __future__ import annotations

import sys
from pathlib import Path
from time import monotonic
from typing import Any

from arena.host import HostConfig, Series, host, parse_entrants
from arena.plugins import AcceptedAnswer, Observer, load_game
from benchmarks.ratios import Ratio

BOT = Path(__file__).parent.parent / "examples" / "bots" / "gops-python" / "bot.py"


class Stopwatch(Observer):
    """Takes down when the first and the last answer were there."""

    def __init__(self) -> None:
        self.first = self.last = 0.0

    def on_answer(self, answer: AcceptedAnswer) -> None:
        """Take the time."""
        self.last = monotonic()
        self.first = self.first or self.last

    def on_event(self, seat: int | None, event: Any) -> None:
        """Let it pass."""


def measure() -> list[Ratio]:
    """Return this run's shares of a match, which add up to one."""
    game = load_game("gops")
    bot = f"{sys.executable} {BOT}"
    series = Series(game, game.read_variant({}), parse_entrants(game, [bot, bot]), "seed")
    watch = Stopwatch()
    for spec, seated in series.iter_matches(1):
        start = monotonic()
        result = host(spec, seated, HostConfig(), [watch])
        end = monotonic()
        assert not result.outcome.verdicts, result.outcome
    whole = end - start
    return [
        Ratio("two Python programs: starting, to the first answers", (watch.first - start) / whole),
        Ratio("two Python programs: the other messages", (watch.last - watch.first) / whole),
        Ratio("two Python programs: ending them", (end - watch.last) / whole),
    ]
