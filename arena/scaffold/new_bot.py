"""A new bot: a folder with a program that already plays a game, whichever it is."""

from __future__ import annotations

import re
from collections.abc import Iterator
from inspect import cleandoc
from pathlib import Path
from typing import Any

from attrs import fields

from arena.host import NAME_PATTERN
from arena.plugins import JSON, PLUGIN_GROUP, Cue, Game, find_entry_points
from arena.rules import Question, UnknownNameError, UserError
from arena.scaffold.new_game import format_distribution_name
from arena.scaffold.template_files import LANGUAGES, render_template, write_files

RESERVED_NAMES = (JSON, "program")  # where a bot is named


def new_bot(game: Game, name: str, language: str, into: Path, protocol: str = JSON) -> list[Path]:
    """Write a bot of this name into a folder of this name; return its files, or refuse."""
    if language not in LANGUAGES:
        raise UnknownNameError("language", language, LANGUAGES)
    _check_name(game, name)
    words = {
        "name": name,
        "game": game.name,
        "program": LANGUAGES[language],
        "opponents": pick_opponents(game, name),
        "protocol": protocol,
        "messages": [*_describe_messages(game)],
        "page": game.wires[protocol].page if protocol in game.wires else "",
        "cues": [] if protocol == JSON else _list_cues(game, protocol, name),
        "distribution": find_distribution(game),
    }
    texts = {**render_template("bot/any", words), **render_template(f"bot/{language}", words)}
    if protocol != JSON:
        texts |= {
            **render_template("lines/any", words),
            **render_template(f"lines/{language}", words),
        }
    return write_files(into / name, texts)


def _list_cues(game: Game, protocol: str, name: str) -> list[Cue]:
    """Return the cues of a text wire; raise UserError where there are none."""
    if protocol not in game.protocols:
        raise UnknownNameError("wire", protocol, game.protocols)
    spoken = [name for name, wire in game.wires.items() if wire.cues]
    if protocol not in spoken:
        raise UserError(
            f"{game.name} has no cues for new bots that speak {protocol!r};"
            f" allowed: {', '.join([*spoken, JSON])}"
        )
    return [
        Cue(cue.line, cue.answer and cue.answer.replace("{name}", name))
        for cue in game.wires[protocol].cues
    ]


def pick_opponents(game: Game, name: str) -> str:
    """Return opponents for the smallest table: a bot that comes with the game, else the new one."""
    opponent = next(iter((*game.presentation.demo, *game.bots)), f"other={name}")
    return " ".join([opponent] * max(1, game.seats[0] - 1))


def find_distribution(game: Game) -> str:
    """Return the distribution whose plugin brings a game; else the name that new games have."""
    package = game.variant.__module__.partition(".")[0]
    found = [
        point.dist.name
        for point in find_entry_points(PLUGIN_GROUP)
        if point.dist and re.split("[.:]", point.value)[0] == package
    ]
    return next(iter(found), format_distribution_name(game.name))


def _check_name(game: Game, name: str) -> None:
    """Refuse a name that would be another bot's, or no bot's."""
    if not re.fullmatch(NAME_PATTERN, name):
        raise UserError(
            f"{name!r} is not a valid name: use 1 to 32 letters, digits and underscores"
        )
    if name in game.bots or name in RESERVED_NAMES:
        raise UserError(f"{name!r} is reserved in {game.name}; choose another name")


def _describe_messages(game: Game) -> Iterator[dict[str, Any]]:
    """Yield a description of each message that a bot receives."""
    for kind in game.messages:
        yield {
            "kind": "ask" if issubclass(kind, Question) else "tell",
            "name": kind.__name__,
            "fields": ", ".join(f"`{attribute.name}`" for attribute in fields(kind)),
            "says": cleandoc(kind.__doc__ or "").partition("\n")[0],
        }
