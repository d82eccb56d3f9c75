"""Parameters that a bot's file declares: of which type, within which range, with which default.

```toml
[parameters.w]
type = "int"
min = 0
max = 9
default = 3
```
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Any

from attrs import field, frozen, validators

from arena.plugins import ParameterError
from arena.rules import UnknownNameError, abbreviate
from arena.wires import TYPE_DESCRIPTIONS, build_strict_hook

ParameterValue = bool | int | float | str
PARAMETER_TYPES = {"int": int, "float": float, "bool": bool, "str": str}
PARAMETER_NAME = r"[a-z][a-z0-9_]*"
MAX_INT_BITS = 63  # as most languages have them; Python itself cannot write very long ones


@frozen
class ParameterDeclaration:
    """A parameter: numbers may have a range, texts may be one of some choices."""

    type: str = field(validator=validators.in_([*PARAMETER_TYPES]))
    default: Any
    min: Any = None
    max: Any = None
    choices: Any = None  # a list

    def __attrs_post_init__(self) -> None:
        """Raise ValueError where it does not fit together."""
        kind = PARAMETER_TYPES[self.type]
        if kind not in (int, float) and (self.min, self.max) != (None, None):
            raise ValueError(f"min and max are for int and float, not for {self.type}")
        if kind is not str and self.choices is not None:
            raise ValueError(f"choices are for str, not for {self.type}")
        for bound in (self.min, self.max):
            if bound is not None:
                _check_type(bound, kind)
        if not isinstance(self.choices, list | tuple | None):
            raise ValueError(f"choices: {abbreviate(self.choices)} is not a list")  # noqa: TRY004
        for choice in self.choices or ():
            _check_type(choice, kind)
        self.validate(self.default)

    @property
    def allowed_values(self) -> str:
        """The values that are allowed, in words."""
        if self.choices is not None:
            return f"one of {', '.join(map(str, self.choices))}"
        least = None if self.min is None else f"from {self.min}"
        most = None if self.max is None else f"to {self.max}"
        return " ".join(filter(None, (TYPE_DESCRIPTIONS[PARAMETER_TYPES[self.type]], least, most)))

    def validate(self, value: ParameterValue) -> ParameterValue:
        """Return the value, if it may have it; raise ValueError that says which it may have."""
        try:
            value = _check_type(value, PARAMETER_TYPES[self.type])
        except ValueError:
            raise ValueError(f"{abbreviate(value)} is not {self.allowed_values}") from None
        too_small = self.min is not None and value < self.min
        too_large = self.max is not None and value > self.max
        no_choice = self.choices is not None and value not in self.choices
        if too_small or too_large or no_choice:
            raise ValueError(f"{abbreviate(value)} is not {self.allowed_values}")
        return value

    def parse(self, text: str) -> ParameterValue:
        """Read a value as a command line names it: numbers, `true` and `false` as JSON does."""
        if self.type == "str":
            return self.validate(text)
        try:
            value = json.loads(text)
        except (ValueError, RecursionError):
            raise ValueError(f"{abbreviate(text)} is not {self.allowed_values}") from None
        return self.validate(value)


def resolve_parameters(
    declarations: Mapping[str, ParameterDeclaration], given: str
) -> dict[str, ParameterValue]:
    """Read `NAME=VALUE,...`; return the values of all parameters, or raise a UserError."""
    values = {name: declaration.default for name, declaration in declarations.items()}
    for text in given.split(",") if given else ():
        name, equals, value = text.partition("=")
        if not equals:
            raise ParameterError(f"{text!r} is not of the form NAME=VALUE")
        if name not in declarations:
            raise UnknownNameError("parameter", name, declarations)
        try:
            values[name] = declarations[name].parse(value)
        except ValueError as problem:
            raise ParameterError(f"{name}: {problem}") from None
    return values


def format_value(value: ParameterValue) -> str:
    """Return a value as a word of a command line.

    >>> [format_value(value) for value in (True, 3, 0.5, "a b")]
    ['true', '3', '0.5', 'a b']
    """
    return value if isinstance(value, str) else json.dumps(value)


def _check_type(value: Any, kind: type) -> Any:
    try:
        read = build_strict_hook(kind)(value, kind)
        fits = _is_word(read)
    except OverflowError:  # a whole number that no float is as large as
        fits = False
    if not fits:
        raise ValueError(f"{abbreviate(value)} is not {TYPE_DESCRIPTIONS[kind]}")
    return read


def _is_word(value: ParameterValue) -> bool:
    """Whether a value can be written as a word of a command line."""
    if isinstance(value, str):
        return "\0" not in value
    return value.bit_length() <= MAX_INT_BITS if isinstance(value, int) else math.isfinite(value)
