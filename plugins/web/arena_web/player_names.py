"""Players as people read them: people by their names, bundled bots by how strong they are."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress

from arena import Game, join_words
from arena.plugins import get_plugins
from arena.tournament import BotStrengths, load_bot_strengths
from arena_web.texts import present_name, present_names


def load_strengths(game: Game) -> BotStrengths | None:
    """Return the strengths that a game ships; None also for a damaged file of a plugin."""
    with suppress(ValueError):
        return load_bot_strengths(game)
    return None


def find_levels(game: str) -> Mapping[str, str]:
    """Return the levels of a game's bundled bots, by their names; none for an unknown game."""
    game_part = get_plugins().games.get(game)
    strengths = load_strengths(game_part) if game_part else None
    return {name: bot.level for name, bot in strengths.bots.items()} if strengths else {}


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


def describe_players(game: str, names: Sequence[str], bots: Sequence[str]) -> str:
    """Return players in a line, such as `Ada and 3 easy bots (Caller)`."""
    groups: dict[str, list[str]] = {}
    people = []
    for name, bot, level in zip(names, bots, _iter_levels(game, names, bots), strict=True):
        if level:
            groups.setdefault(level, []).append(present_name(bot))
        else:
            people.append(present_name(name))
    descriptions = [
        f"{count_bots(level, len(group))} ({', '.join(dict.fromkeys(group))})"
        for level, group in groups.items()
    ]
    return join_words([*people, *descriptions])


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
