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


class AnswerTimer(Observer):
    """Records the times of the first and the last answer."""

    def __init__(self) -> None:
        self.first = self.last = 0.0

    def on_answer(self, answer: AcceptedAnswer) -> None:
        """Record the time."""
        self.last = monotonic()
        self.first = self.first or self.last

    def on_event(self, seat: int | None, event: Any) -> None:
        """Do nothing."""


def measure() -> list[Ratio]:
    """Return the shares of the parts of one match, which add up to 1."""
    game = load_game("gops")
    bot = f"{sys.executable} {BOT}"
    series = Series(game, game.read_variant({}), parse_entrants(game, [bot, bot]), "seed")
    timer = AnswerTimer()
    for spec, seated in series.iter_matches(1):
        start = monotonic()
        result = host(spec, seated, HostConfig(), [timer])
        end = monotonic()
        assert not result.outcome.verdicts, result.outcome
    whole = end - start
    return [
        Ratio("two Python programs: starting, to the first answers", (timer.first - start) / whole),
        Ratio("two Python programs: the other messages", (timer.last - timer.first) / whole),
        Ratio("two Python programs: ending them", (end - timer.last) / whole),
    ]
