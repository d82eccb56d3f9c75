"""Parameters `name=value` of variants and bots, read strictly by their types."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from inspect import signature
from typing import Any, TypeVar

from attrs import fields, has

from arena.players import Bot
from arena.plugins.game import Game
from arena.rules import UnknownNameError, UserError, Variant
from arena.wires import dump, read

T = TypeVar("T")


class ParameterError(UserError):
    """An unknown parameter or an invalid value; the message says what is allowed."""


def parse_pairs(texts: Iterable[str]) -> dict[str, Any]:
    """Parse `name=value` pairs; a value is JSON if possible, and words with commas are a list."""
    read: dict[str, Any] = {}
    for text in texts:
        name, equals, value = text.partition("=")
        if not equals:
            raise ParameterError(f"{text!r} is not of the form NAME=VALUE")
        if (name := name.strip()) in read:
            raise ParameterError(f"{name} is set twice: set it once")
        read[name] = _parse_value(value.strip())
    return read


def format_parameter(value: Any) -> str:
    """Return a value as it is typed behind `NAME=`, so that `parse_pairs` reads the same value.

    >>> [format_parameter(value) for value in (13, True, "carry", "13", (2, 4))]
    ['13', 'true', 'carry', '"13"', '2,4']
    """
    if isinstance(value, list | tuple) and len(value) > 1:
        text = ",".join(map(format_parameter, value))
    else:
        text = value if isinstance(value, str) else dump(value)
    return text if dump(_parse_value(text)) == dump(value) else dump(value)


def format_pairs(values: Mapping[str, Any]) -> list[str]:
    """Return values as they are typed, from which `parse_pairs` reads the same values.

    >>> format_pairs({"cards": 4, "objective": "win"})
    ['cards=4', 'objective=win']
    """
    return [f"{name}={format_parameter(value)}" for name, value in values.items()]


def build_variant(game: Game, options: Mapping[str, Any]) -> Variant:
    """Return a game's variant with these options, or raise ParameterError."""
    known = [field.name for field in fields(game.variant)]
    _check_names("option", options, known)
    try:
        return game.read_variant(options)
    except ValueError as problem:
        raise ParameterError(str(problem)) from None


def build_with_parameters(kind: type[T], parameters: Mapping[str, Any]) -> T:
    """Return an instance of a class with these parameters, or raise ParameterError."""
    _check_names("parameter", parameters, list_parameters(kind))
    typed = has(kind)
    try:
        return read(parameters, kind) if typed else kind(**parameters)
    except ValueError as problem:
        raise ParameterError(str(problem)) from None


def list_parameters(kind: type) -> list[str]:
    """Return the names of the parameters of a class.

    Those of an attrs class are read by their types, those of any other as they are written.

    >>> list_parameters(type("Deep", (), {"__init__": lambda self, depth=1: None}))
    ['depth']
    """
    if has(kind):
        return [field.name for field in fields(kind) if field.init]
    if kind.__init__ is object.__init__:  # type: ignore[misc]  # it is only looked at
        return []
    return [
        name
        for name, parameter in signature(kind).parameters.items()
        if parameter.kind in (parameter.POSITIONAL_OR_KEYWORD, parameter.KEYWORD_ONLY)
    ]


def parse_bundled_bot(game: Game, text: str) -> tuple[type[Bot], dict[str, Any]]:
    """Parse `NAME` or `NAME:PARAMETER=VALUE,...`; return a bot of a game and its parameters."""
    name = text.partition(":")[0]
    if name not in game.bots:
        if name in game.bots_elsewhere:
            raise UserError(f"the bot {name} is not installed; {game.bots_elsewhere[name]}")
        raise UnknownNameError("bot", name, game.bots)
    kind = game.bots[name]
    try:
        _, parameters = split_name(text)
        build_with_parameters(kind, parameters)  # now, rather than in the middle of an event
    except UserError as problem:
        raise ParameterError(f"bot {text}: {problem}") from None
    return kind, parameters


def split_name(text: str) -> tuple[str, dict[str, Any]]:
    """Split `NAME:PARAMETER=VALUE,...` into name and parameters; raise ParameterError."""
    name, _, given = text.partition(":")
    return name, parse_pairs(given.split(",") if given else ())


def build_named(kind: str, text: str, known: Mapping[str, type[T]]) -> T:
    """Build an instance of one of these classes from `NAME:PARAMETER=VALUE,...`."""
    name, parameters = split_name(text)
    if name not in known:
        raise UnknownNameError(kind, name, known)
    return build_with_parameters(known[name], parameters)


def _check_names(kind: str, given: Mapping[str, Any], known: list[str]) -> None:
    for name in given:
        if name not in known:
            raise UnknownNameError(kind, name, known)


def _parse_value(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        if "," in text:
            return [_parse_value(part.strip()) for part in text.strip("[]").split(",")]
        return text
