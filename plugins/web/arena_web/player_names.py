"""Players as people read them: people by their names, bundled bots by how strong they are."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress

from cachetools import cached

from arena import Game, join_words
from arena.plugins import get_plugins
from arena.records import TranscriptHeader
from arena.tournament import BotStrengths, load_bot_strengths
from arena_web.texts import present_name, present_names

LONG_SPAN = 3  # bots of a level that are called `Easy 1 to 3`


@cached({}, key=lambda game: game.presentation.strengths)
def load_strengths(game: Game) -> BotStrengths | None:
    """Return the strengths that a game ships; None also for a damaged file of a plugin.

    Each file is read once: pages name bots where there is no time to read it, or no descriptor.
    """
    with suppress(ValueError):
        return load_bot_strengths(game)
    return None


def find_levels(game: str) -> Mapping[str, str]:
    """Return the levels of a game's bundled bots, by their names; none for an unknown game."""
    game_part = get_plugins().games.get(game)
    strengths = load_strengths(game_part) if game_part else None
    return {name: bot.level for name, bot in strengths.bots.items()} if strengths else {}


def title_bot(game: str, bot: str) -> str:
    """Return what people call a bot of a game who choose it, such as `Steady bidder`.

    Unlike its name, this contradicts no level. A bot without a title goes by its name.
    """
    game_part = get_plugins().games.get(game)
    bot_class = game_part.bots.get(bot) if game_part else None
    return present_name((bot_class.title if bot_class else "") or bot)


def present_players(game: str, names: Sequence[str], bots: Sequence[str]) -> list[str]:
    """Return the names at a table, in seat order, such as `Ada`, `Easy 1`, `Easy 2`, `Hard bot`.

    A bot that was given a name of its own, or has no level, keeps its name.
    """
    levels = [*_iter_levels(game, names, bots)]
    labels = []
    for seat, (name, level) in enumerate(zip(names, levels, strict=True)):
        number = levels[: seat + 1].count(level) if levels.count(level) > 1 else "bot"
        labels.append(f"{level.capitalize()} {number}" if level else present_name(name))
    return labels if len({*labels}) == len(labels) else present_names(names)


def label_players(header: TranscriptHeader) -> list[str]:
    """Return the players of a match as people read them, in seat order."""
    return present_players(header.game, header.names, header.bots)


def join_players(labels: Sequence[str]) -> str:
    """Return players in a line, by the names that they have at the table.

    >>> join_players(["Ada", "Hard bot"]), join_players(["Easy 1", "Easy 2", "Easy 3", "Ada"])
    ('Ada and Hard bot', 'Easy 1 to 3 and Ada')
    """
    spans = list[list[str]]()
    for label in labels:
        stem, number = _split_number(label)
        if spans and number and (stem, str(int(number) - 1)) == _split_number(spans[-1][-1]):
            spans[-1].append(label)
        else:
            spans.append([label])
    parts = list[str]()
    for span in spans:
        is_long = len(span) >= LONG_SPAN
        parts += [f"{span[0]} to {_split_number(span[-1])[1]}"] if is_long else span
    return join_words(parts)


def _split_number(label: str) -> tuple[str, str]:
    """Return a name without the number at its end, and that; empty where there is none."""
    stem, _, number = label.rpartition(" ")
    return (stem, number) if number.isascii() and number.isdigit() else (label, "")


def count_bots(level: str, number: int) -> str:
    """Return so many bots of a level in words.

    >>> count_bots("easy", 1), count_bots("hard", 3)
    ('an easy bot', '3 hard bots')
    """
    article = "an" if level[:1] in "aeiou" else "a"
    return f"{article} {level} bot" if number == 1 else f"{number} {level} bots"


def _iter_levels(game: str, names: Sequence[str], bots: Sequence[str]) -> Iterator[str]:
    """Yield the level of each player; empty where it is called by its name."""
    levels = find_levels(game)
    for name, bot in zip(names, bots, strict=True):
        own = re.escape(bot.replace("-", "_"))  # as the host calls it that gives no other name
        word = name.replace("-", "_")
        yield levels.get(bot, "") if re.fullmatch(rf"{own}(_\d+)?", word) else ""
