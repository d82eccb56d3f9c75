"""A new bot: a folder with a program that already plays a game, whichever it is."""

from __future__ import annotations

import re
from collections.abc import Iterator
from inspect import cleandoc
from pathlib import Path
from typing import Any

from attrs import fields

from arena.botfile import NAME
from arena.errors import Refusal, Unknown
from arena.game import JSON, Game
from arena.scaffold.writing import filled, write
from arena.table import Question

LANGUAGES = {
    "python": "bot.py",
    "bash": "bot.sh",
    "perl": "bot.pl",
    "node": "bot.js",
    "ruby": "bot.rb",
    "c": "bot.c",
}
"""The file with the program, by the language."""

MEANT_OTHERWISE = (JSON, "program")  # where a bot is named


def new_bot(game: Game, name: str, language: str, into: Path) -> list[Path]:
    """Write a bot of this name into a folder of this name; give its files, or refuse."""
    if language not in LANGUAGES:
        raise Unknown("language", language, LANGUAGES)
    _check(game, name)
    words = {
        "name": name,
        "game": game.name,
        "program": LANGUAGES[language],
        "opponent": opponent(game, name),
        "messages": [*_messages(game)],
    }
    return write(into / name, {**filled("bot/any", words), **filled(f"bot/{language}", words)})


def opponent(game: Game, name: str) -> str:
    """Give somebody to play against: a bot that comes with the game, or else the new one."""
    return next(iter((*game.demo, *game.bots)), f"other={name}")


def _check(game: Game, name: str) -> None:
    """Refuse a name that would be another bot's, or no bot's."""
    if not re.fullmatch(NAME, name):
        raise Refusal(f"{name!r} is no name: 1 to 32 of letters, digits and underscore")
    if name in game.bots or name in MEANT_OTHERWISE:
        raise Refusal(f"{name!r} means something else where a bot of {game.name} is named")


def _messages(game: Game) -> Iterator[dict[str, Any]]:
    """Give what a bot is sent, message by message: how it is called, what is in it."""
    for kind in game.messages:
        yield {
            "kind": "ask" if issubclass(kind, Question) else "tell",
            "name": kind.__name__,
            "fields": ", ".join(f"`{one.name}`" for one in fields(kind)),
            "says": cleandoc(kind.__doc__ or "").partition("\n")[0],
        }
