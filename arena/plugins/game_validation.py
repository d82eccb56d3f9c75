"""Checks of a game when it is made: one line that names the class, its place and the fix."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, get_type_hints

import attrs

from arena.players import Bot
from arena.rules import Question, join_words, locate_definition

if TYPE_CHECKING:
    from arena.plugins.game import Game

NAME = re.compile(r"[a-z][a-z0-9_-]*")
POSITION_MEMBERS = {
    "over": "whether the game is over",
    "scores": "the score of each seat",
    "resample_hidden": "another position that a seat may not tell from this one",
}
"""The members of a position besides `round`, with their meanings."""


def validate_game(game: Game) -> None:
    """Raise ValueError or TypeError if an attribute of a game is invalid."""
    if not NAME.fullmatch(game.name):
        raise ValueError(
            f"name: {game.name!r} is not a name for the command line (lower-case letters, digits,"
            " - and _, such as 'my-game')"
        )
    _validate_bots(game.bots)
    _validate_variant(game.variant)
    _validate_kinds(game)


def validate_messages(messages: object) -> None:
    """Raise TypeError if the messages of a game are not classes in a tuple or a list."""
    if not isinstance(messages, (tuple, list)):
        raise TypeError(f"messages: is {messages!r}; list the classes in brackets with a comma")
    for kind in messages:
        if not isinstance(kind, type):
            raise TypeError(f"messages: {kind!r} is not a class; list the class itself")


def _validate_bots(bots: object) -> None:
    if not isinstance(bots, Mapping):
        raise TypeError(
            f"bots: is a {type(bots).__name__}; write a dictionary of names and classes, such as"
            ' {"random": RandomBot}'
        )
    for name, kind in bots.items():
        if not (isinstance(kind, type) and issubclass(kind, Bot)):
            raise TypeError(f"bots: {name} is {kind!r}; name a class that derives from Bot")


def _validate_variant(variant: Any) -> None:
    if not isinstance(variant, type):
        raise TypeError(f"variant: is {variant!r}; name the class, not one of its objects")
    if not attrs.has(variant) or variant.__hash__ is None:
        raise ValueError(
            f"{locate_definition(variant)} is not frozen: write @frozen (from attrs) above it"
        )
    deal = getattr(variant, "deal", None)
    if deal is None:
        raise ValueError(f"{locate_definition(variant)} has no `async def deal(self, table)`")
    if not inspect.iscoroutinefunction(deal):
        raise ValueError(
            f"{locate_definition(deal)} is not a coroutine: write `async def deal(self, table)`"
        )
    try:
        position = get_type_hints(deal).get("return")
    except Exception:  # noqa: BLE001  # names that are imported for the type checker alone
        return
    if isinstance(position, type) and not getattr(position, "_is_protocol", False):
        _validate_position(position)


def _validate_position(position: type) -> None:
    lacking = [name for name in POSITION_MEMBERS if not hasattr(position, name)]
    names = {field.name for field in attrs.fields(position)} if attrs.has(position) else set()
    lacking = [name for name in lacking if name not in names]
    if lacking:
        missing = join_words([f"`{name}` ({POSITION_MEMBERS[name]})" for name in lacking], "and")
        raise ValueError(f"{locate_definition(position)} has no {missing}")
    if not inspect.iscoroutinefunction(getattr(position, "round", None)):
        raise ValueError(f"{locate_definition(position)} has no `async def round(self, table)`")


def _validate_kinds(game: Game) -> None:
    """Check that lists of events and questions contain those of the game only."""
    for name, kinds in (
        ("reveals", game.reveals),
        ("private_reveals", game.private_reveals),
        ("one_sided", game.one_sided),
        *((f"silent[{wire!r}]", kinds) for wire, kinds in game.silent.items()),
    ):
        for kind in kinds:
            _validate_kind(game, name, kind, question=False)
    for kind in game.secret_answers:
        _validate_kind(game, "secret_answers", kind, question=True)


def _validate_kind(game: Game, name: str, kind: Any, *, question: bool) -> None:
    is_question = isinstance(kind, type) and issubclass(kind, Question)
    if kind in game.messages and is_question == question:
        return
    known = _names(
        message for message in game.messages if issubclass(message, Question) == question
    )
    sort = "a question" if question else "an event"
    shown = getattr(kind, "__name__", repr(kind))
    raise ValueError(f"{name}: {shown} is not {sort} in `messages` (available: {known})")


def _names(kinds: Iterable[type]) -> str:
    return ", ".join(kind.__name__ for kind in kinds)
