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

from arena.plugins import BadParameter
from arena.rules import Unknown, brief
from arena.wires import ALLOWED, strictly

Value = bool | int | float | str
TYPES = {"int": int, "float": float, "bool": bool, "str": str}
SETTING = r"[a-z][a-z0-9_]*"
MAX_INT_BITS = 63  # as most languages have them; Python itself cannot write very long ones


@frozen
class Declared:
    """A parameter: numbers may have a range, texts may be one of some choices."""

    type: str = field(validator=validators.in_([*TYPES]))
    default: Any
    min: Any = None
    max: Any = None
    choices: Any = None  # a list

    def __attrs_post_init__(self) -> None:
        """Raise ValueError where it does not fit together."""
        kind = TYPES[self.type]
        if kind not in (int, float) and (self.min, self.max) != (None, None):
            raise ValueError(f"min and max are for int and float, not for {self.type}")
        if kind is not str and self.choices is not None:
            raise ValueError(f"choices are for str, not for {self.type}")
        for bound in (self.min, self.max):
            if bound is not None:
                _typed(bound, kind)
        if not isinstance(self.choices, list | tuple | None):
            raise ValueError(f"choices: {brief(self.choices)} is not a list")  # noqa: TRY004
        for choice in self.choices or ():
            _typed(choice, kind)
        self.see(self.default)

    @property
    def allowed(self) -> str:
        """Say which values it may have."""
        if self.choices is not None:
            return f"one of {', '.join(map(str, self.choices))}"
        least = None if self.min is None else f"from {self.min}"
        most = None if self.max is None else f"to {self.max}"
        return " ".join(filter(None, (ALLOWED[TYPES[self.type]], least, most)))

    def see(self, value: Value) -> Value:
        """Return the value, if it may have it; raise ValueError that says which it may have."""
        try:
            value = _typed(value, TYPES[self.type])
        except ValueError:
            raise ValueError(f"{brief(value)} is not {self.allowed}") from None
        too_small = self.min is not None and value < self.min
        too_large = self.max is not None and value > self.max
        no_choice = self.choices is not None and value not in self.choices
        if too_small or too_large or no_choice:
            raise ValueError(f"{brief(value)} is not {self.allowed}")
        return value

    def read(self, text: str) -> Value:
        """Read a value as a command line names it: numbers, `true` and `false` as JSON does."""
        if self.type == "str":
            return self.see(text)
        try:
            value = json.loads(text)
        except (ValueError, RecursionError):
            raise ValueError(f"{brief(text)} is not {self.allowed}") from None
        return self.see(value)


def settle(declared: Mapping[str, Declared], given: str) -> dict[str, Value]:
    """Read `NAME=VALUE,...`; return the values of all parameters, or raise a UserError."""
    values = {name: one.default for name, one in declared.items()}
    for text in given.split(",") if given else ():
        name, equals, value = text.partition("=")
        if not equals:
            raise BadParameter(f"{text!r} is not of the form NAME=VALUE")
        if name not in declared:
            raise Unknown("parameter", name, declared)
        try:
            values[name] = declared[name].read(value)
        except ValueError as problem:
            raise BadParameter(f"{name}: {problem}") from None
    return values


def written(value: Value) -> str:
    """Return a value as a word of a command line.

    >>> written(True), written(3), written(0.5), written("a b")
    ('true', '3', '0.5', 'a b')
    """
    return value if isinstance(value, str) else json.dumps(value)


def _typed(value: Any, kind: type) -> Any:
    try:
        read = strictly(kind)(value, kind)
        fits = _is_word(read)
    except OverflowError:  # a whole number that no float is as large as
        fits = False
    if not fits:
        raise ValueError(f"{brief(value)} is not {ALLOWED[kind]}")
    return read


def _is_word(value: Value) -> bool:
    """Whether a value can be written as a word of a command line."""
    if isinstance(value, str):
        return "\0" not in value
    return value.bit_length() <= MAX_INT_BITS if isinstance(value, int) else math.isfinite(value)
