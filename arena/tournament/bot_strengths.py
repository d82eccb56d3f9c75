"""The stored strengths of a game's bundled bots, measured in a tournament of these bots.

A rating alone misleads: it measures results against these bots only, and a bot that exploits weak
ones may be rated above a bot that nobody beats. So each bot also has its worst result against any
single one of the others.
"""

from __future__ import annotations

import json
from collections.abc import Mapping

from attrs import frozen

from arena.plugins import Game
from arena.wires import read


@frozen
class WorstResult:
    """The opponent against which a bot did worst."""

    opponent: str  #: the name of the opponent
    share: float  #: of their matches in which the bot finished ahead; a shared place counts half


@frozen
class BotStrength:
    """The strength of one bot among the bundled bots of its game."""

    rating: float  #: in Elo points; the mean of all bots is 0
    low: float  #: the lower end of the 95 % interval
    high: float  #: the upper end of the 95 % interval
    worst: WorstResult  #: against a single opponent

    def __str__(self) -> str:
        """Format the strength for people, such as `rating 56 ±12 · worst: 41 % against hard`."""
        return (
            f"rating {self.rating:z.0f} ±{(self.high - self.low) / 2:.0f} · worst:"
            f" {100 * self.worst.share:.0f} % against {self.worst.opponent}"
        )


@frozen
class BotStrengths:
    """The strengths of a game's bundled bots, and the tournament that measured them."""

    matches: int  #: the matches of the tournament
    table: int  #: the seats of a match
    seed: str  #: the seed of the tournament
    bots: Mapping[str, BotStrength]  #: by name, the highest rating first

    @property
    def measurement(self) -> str:
        """The tournament in words, such as `12,000 matches at tables of 2, seed "strengths"`."""
        return f'{self.matches:,} matches at tables of {self.table}, seed "{self.seed}"'


def load_bot_strengths(game: Game) -> BotStrengths | None:
    """Return the strengths that a game ships, or None.

    Raises:
        ValueError: The file is damaged.
    """
    file = game.presentation.strengths
    if file is None or not file.is_file():
        return None
    return parse_bot_strengths(file.read_text("utf-8"))


def parse_bot_strengths(text: str) -> BotStrengths:
    """Parse the text of a file of strengths; raise ValueError with all mistakes in it."""
    strengths: BotStrengths = read(json.loads(text), BotStrengths)
    return strengths
