"""The strengths of a game's bundled bots, their levels, and whom a beginner is offered first.

Strengths are stored, as measured in a tournament of these bots.

A rating alone misleads: it measures results against these bots only, and a bot that exploits weak
ones may be rated above a bot that nobody beats. So each bot also has its worst result against any
single one of the others.

People who choose an opponent are told its level, one of five words for a rating. A step of 100
points is large enough to be felt: at the upper end of `medium` a bot finishes ahead of an average
one in 57 of 100 matches, at the lower end of `expert` in 70.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from math import inf
from typing import Any

from attrs import asdict, frozen

from arena.players import Bot
from arena.plugins import Game
from arena.wires import describe_unknown_format, read

FORMAT = 1
LEVELS = {"beginner": -150.0, "easy": -50.0, "medium": 50.0, "hard": 150.0, "expert": inf}
"""The words for ratings, each with the rating below which a bot has it."""


def find_level(rating: float) -> str:
    """Return the word for a rating, one of `LEVELS`.

    >>> find_level(-60), find_level(200)
    ('easy', 'expert')
    """
    return next(word for word, bound in LEVELS.items() if rating < bound)


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

    @property
    def level(self) -> str:
        """The word for the rating, one of `LEVELS`."""
        return find_level(self.rating)

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

    def pack(self) -> dict[str, Any]:
        """Return it as JSON, for `parse_bot_strengths`."""
        return {"format": FORMAT, **asdict(self)}

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
    value = json.loads(text)
    version = value.pop("format", None) if isinstance(value, dict) else FORMAT
    if version != FORMAT:
        raise ValueError(describe_unknown_format(version, FORMAT))
    strengths: BotStrengths = read(value, BotStrengths)
    return strengths


@frozen
class Opponent:
    """A bot of a game, as people who choose an opponent see it."""

    name: str  #: of the bot, as one types it
    title: str  #: what people call it who do not type
    summary: str  #: what it does, in a sentence
    strength: BotStrength | None = None  #: None for a bot that was not measured

    @property
    def level(self) -> str:
        """The level of the bot; empty if it was not measured."""
        return self.strength.level if self.strength else ""


def list_opponents(game: Game) -> list[Opponent]:
    """Return the bots of a game, the weakest first, and those that were not measured last."""
    try:
        library = load_bot_strengths(game)
    except ValueError:  # a damaged file of a plugin; its bots can be played all the same
        library = None
    strengths = library.bots if library else {}
    opponents = [
        Opponent(name, bot.title or name, _summarize(bot), strengths.get(name))
        for name, bot in game.bots.items()
    ]
    return sorted(
        opponents,
        key=lambda opponent: opponent.strength.rating if opponent.strength else inf,
    )


def _summarize(bot: type[Bot]) -> str:
    return (bot.__doc__ or "").strip().partition("\n")[0].replace("`", "")


def choose_first_opponent(opponents: Sequence[Opponent]) -> Opponent | None:
    """Return the opponent for a newcomer: the weakest one that is no beginner, else the first."""
    beginner = next(iter(LEVELS))
    able = (opponent for opponent in opponents if opponent.level != beginner)
    return next(able, next(iter(opponents), None))
