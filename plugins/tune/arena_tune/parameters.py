"""Parameters that are tuned: real numbers, whole numbers, and choices.

A bot declares them in its `bot.toml`, or as the attrs fields of a class, whose metadata may have
`min`, `max` and `choices`:

    @define
    class Mine(Bot):
        weight: float = field(default=1.0, metadata={"min": 0.0, "max": 4.0})
        style: str = field(default="bold", metadata={"choices": ["bold", "calm"]})
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from math import ceil, log, log10
from pathlib import Path
from typing import Any

from attrs import NOTHING, evolve, field, fields, frozen, has, validators

from arena import Game, UserError
from arena.host import (
    ClassReference,
    ParameterDeclaration,
    find_bot_folder,
    format_command_word,
    load_bot_file,
)
from arena.rules import UnknownNameError

REAL, INTEGER, CHOICE = "real", "integer", "choice"
RESOLUTION = 1e-4  # of a range: reals are rounded to decimals that are at least as fine
LOG_DIGITS = 5  # of a real number on a log scale
BOUND_SHARE = 0.01  # of a range: a real number that is this near to its end is at its bound
KINDS = {"int": INTEGER, "float": REAL}
PARAMETER_TYPES = ("bool", "int", "float", "str")
RANGE_KEYS = ("min", "max", "choices")
LINEAR, LOG = "linear", "log"

Value = bool | int | float | str
Settings = Mapping[str, Value]
"""A value for each parameter, by name."""


@frozen
class Parameter:
    """A parameter with its range or its choices, and the value that it has in the bot now."""

    name: str
    kind: str  #: `real`, `integer` or `choice`
    default: Value
    low: float = field(default=0.0, converter=float)  #: of numbers
    high: float = field(default=1.0, converter=float)  #: of numbers
    choices: tuple[Value, ...] = ()  #: of choices
    log: bool = False  #: whether equal ratios, not equal differences, are equally far apart

    @property
    def levels(self) -> int:
        """The number of values that an integer or a choice can have; 0 for a real number."""
        if self.kind == CHOICE:
            return len(self.choices)
        return int(self.high - self.low) + 1 if self.kind == INTEGER else 0

    def scale(self, value: Value) -> float:
        """Return the position of a number within its range, from 0 to 1.

        On a log scale this is that of its logarithm.

        >>> Parameter("w", "integer", 3, 1, 9).scale(5)
        0.5
        """
        assert not isinstance(value, str)
        if self.log:
            return log(value / self.low) / log(self.high / self.low)
        return (value - self.low) / (self.high - self.low)

    def unscale(self, position: float) -> Value:
        """Return the number at a position, which is moved into the range and rounded.

        >>> Parameter("w", "real", 0.0, -2, 2).unscale(0.123456)
        -1.5062
        >>> Parameter("rate", "real", 0.1, 0.01, 1, log=True).unscale(0.5)
        0.1
        """
        share = min(1.0, max(0.0, position))
        number: float
        if self.log:
            number = self.low * (self.high / self.low) ** share
        else:
            number = self.low + share * (self.high - self.low)
        if self.kind == INTEGER:
            return round(number)
        if self.log:
            return min(max(float(f"{number:.{LOG_DIGITS}g}"), self.low), self.high)
        decimals = max(0, ceil(-log10(RESOLUTION * (self.high - self.low))))
        return min(max(round(number, decimals), float(self.low)), float(self.high))

    def find_bound(self, value: Value) -> str | None:
        """Return `low` or `high` where a number is at the end of its range, else None."""
        if self.kind == CHOICE:
            return None
        position, margin = self.scale(value), BOUND_SHARE if self.kind == REAL else 0.0
        return "low" if position <= margin else "high" if position >= 1 - margin else None


@frozen
class RangeConfig:
    """A table `[parameters.NAME]` of a tune file; it narrows what the bot declares."""

    min: float | int | None = None
    max: float | int | None = None
    scale: str = field(default=LINEAR, validator=validators.in_((LINEAR, LOG)))


def read_declarations(game: Game, bot: str, home: Path) -> Mapping[str, ParameterDeclaration]:
    """Return the parameters of a bot that is named from a folder; raise UserError."""
    folder = find_bot_folder(game, str(home / bot))
    if folder is not None:
        return load_bot_file(folder).parameters
    name, _, given = bot.partition(":")
    if name in game.bots:
        if given:
            raise UserError(f"{bot}: name the bot without parameters")
        return _read_fields(game.bots[name])
    named = ClassReference.parse(str(home / bot))
    if named is None:
        raise UserError(
            f"{bot}: not a folder with a bot.toml, nor PATH.py:CLASS, nor a bundled bot"
        )
    if ":" in named.class_text:
        raise UserError(f"{bot}: name the class without parameters")
    return _read_fields(named.read()[0])


def _read_fields(kind: type) -> dict[str, ParameterDeclaration]:
    """Return the parameters that the attrs fields of a class declare."""
    declared = {}
    for found in fields(kind) if has(kind) else ():
        named = type(found.default).__name__
        if not found.init or found.default is NOTHING or named not in PARAMETER_TYPES:
            continue
        given: dict[str, Any] = {
            key: found.metadata[key] for key in RANGE_KEYS if key in found.metadata
        }
        try:
            declaration = ParameterDeclaration(named, found.default, **given)
        except ValueError as problem:
            raise UserError(f"{kind.__name__}.{found.name}: {problem}") from None
        declared[found.alias or found.name] = declaration
    return declared


def choose_parameters(
    declared: Mapping[str, ParameterDeclaration],
    names: tuple[str, ...] | None,
    ranges: Mapping[str, RangeConfig],
) -> tuple[Parameter, ...]:
    """Return the parameters to tune: those named, else all with a range or choices.

    Raises UserError where one cannot be tuned, or none can.
    """
    for name in (*(names or ()), *ranges):
        if name not in declared:
            raise UnknownNameError("parameter", name, declared)
    tuned = []
    for name in names or declared:
        narrower = ranges.get(name)
        found = _build_parameter(name, _narrow(name, declared[name], narrower))
        if narrower and narrower.scale == LOG:
            found = _use_log_scale(name, found)
        if found:
            tuned.append(found)
        elif names:
            raise UserError(f"tune: {name} has no range; give it `min` and `max`, or `choices`")
    if not tuned:
        raise UserError("tune: no parameter of the bot has `min` and `max`, or `choices`")
    return tuple(tuned)


def _build_parameter(name: str, declared: ParameterDeclaration) -> Parameter | None:
    """Return a parameter; None for one that has neither a range nor choices, or but one value."""
    if declared.type == "bool":
        return Parameter(name, CHOICE, declared.default, choices=(False, True))
    if declared.choices is not None:
        choices = tuple(dict.fromkeys(declared.choices))
        if any(set(choice) & set(",=") for choice in choices):
            raise UserError(f"{name}: choices with ',' or '=' cannot be tuned")
        return Parameter(name, CHOICE, declared.default, choices=choices) if choices[1:] else None
    low, high = declared.min, declared.max
    if low is None or high is None or not low < high:
        return None
    return Parameter(name, KINDS[declared.type], declared.default, low, high)


def _narrow(
    name: str, declared: ParameterDeclaration, narrower: RangeConfig | None
) -> ParameterDeclaration:
    """Return a declaration with the range of the tune file."""
    if narrower is None:
        return declared
    ends = {"min": narrower.min, "max": narrower.max}
    given: dict[str, Any] = {key: value for key, value in ends.items() if value is not None}
    for key, value in given.items():
        bound = getattr(declared, key)
        if bound is not None and (value < bound if key == "min" else value > bound):
            raise UserError(f"parameters.{name}: {key} is outside of the bot's own range ({bound})")
    try:
        return evolve(declared, **given)
    except ValueError as problem:
        raise UserError(f"parameters.{name}: {problem}") from None


def _use_log_scale(name: str, parameter: Parameter | None) -> Parameter:
    """Return a parameter on a log scale; raise UserError where it cannot have one."""
    if parameter is None or parameter.kind == CHOICE or parameter.low <= 0:
        raise UserError(f"parameters.{name}: a log scale needs `min` and `max` greater than 0")
    return evolve(parameter, log=True)


def get_defaults(parameters: tuple[Parameter, ...]) -> Settings:
    """Return the settings of the bot as it is."""
    return {parameter.name: parameter.default for parameter in parameters}


def format_settings(settings: Settings, *, quote: bool = False) -> str:
    """Return settings as they stand behind a bot's name, texts in quotes for a class.

    >>> format_settings({"w": 3, "bold": True})
    'w=3,bold=true'
    """
    write = json.dumps if quote else format_command_word
    return ",".join(f"{name}={write(value)}" for name, value in settings.items())
