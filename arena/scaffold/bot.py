"""A new bot: a folder with a program that already plays a game, whichever it is."""

from __future__ import annotations

import re
from collections.abc import Iterator
from inspect import cleandoc
from pathlib import Path
from typing import Any

from attrs import fields

from arena.host import NAME
from arena.plugins import JSON, Cue, Game
from arena.rules import Question, Unknown, UserError
from arena.scaffold.languages import LANGUAGES
from arena.scaffold.writing import filled, write

MEANT_OTHERWISE = (JSON, "program")  # where a bot is named


def new_bot(game: Game, name: str, language: str, into: Path, protocol: str = JSON) -> list[Path]:
    """Write a bot of this name into a folder of this name; return its files, or refuse."""
    if language not in LANGUAGES:
        raise Unknown("language", language, LANGUAGES)
    _check(game, name)
    words = {
        "name": name,
        "game": game.name,
        "program": LANGUAGES[language],
        "opponent": opponent(game, name),
        "protocol": protocol,
        "messages": [*_messages(game)],
        "page": game.page,
        "cues": [] if protocol == JSON else _cues(game, protocol, name),
    }
    texts = {**filled("bot/any", words), **filled(f"bot/{language}", words)}
    if protocol != JSON:
        texts |= {**filled("lines/any", words), **filled(f"lines/{language}", words)}
    return write(into / name, texts)


def _cues(game: Game, protocol: str, name: str) -> list[Cue]:
    """Return what a bot for this wire has to know, or refuse."""
    if protocol not in game.protocols:
        raise Unknown("wire", protocol, game.protocols)
    if protocol not in game.cues:
        raise UserError(
            f"{game.name} does not say what a new bot has to know of its wire {protocol!r};"
            f" allowed: {', '.join([*game.cues, JSON])}"
        )
    return [
        Cue(cue.line, cue.answer and cue.answer.replace("{name}", name))
        for cue in game.cues[protocol]
    ]


def opponent(game: Game, name: str) -> str:
    """Return somebody to play against: a bot that comes with the game, or else the new one."""
    return next(iter((*game.demo, *game.bots)), f"other={name}")


def _check(game: Game, name: str) -> None:
    """Refuse a name that would be another bot's, or no bot's."""
    if not re.fullmatch(NAME, name):
        raise UserError(f"{name!r} is no name: 1 to 32 of letters, digits and underscore")
    if name in game.bots or name in MEANT_OTHERWISE:
        raise UserError(f"{name!r} means something else where a bot of {game.name} is named")


def _messages(game: Game) -> Iterator[dict[str, Any]]:
    """Return what a bot is sent, message by message: how it is called, what is in it."""
    for kind in game.messages:
        yield {
            "kind": "ask" if issubclass(kind, Question) else "tell",
            "name": kind.__name__,
            "fields": ", ".join(f"`{one.name}`" for one in fields(kind)),
            "says": cleandoc(kind.__doc__ or "").partition("\n")[0],
        }
