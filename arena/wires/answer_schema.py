"""The answers that options allow, as a JSON schema, for programs that write by one.

A schema cannot say all that `read` does. It lets `1.0` pass for `1`, which are one number in JSON,
and one of several equal cards more often than there are such cards; and it gives only the bounds of
a long row of numbers that begins between two multiples of its step. So `read` remains the judge.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from arena.rules import Between, OneOf, Options, SomeOf, Text, is_same

MAX_LISTED_NUMBERS = 1000


def build_answer_schema(options: Options[Any]) -> dict[str, Any]:
    """Return the JSON schema (draft 2020-12) of the answers that options allow.

    Raises:
        TypeError: for options of which no wire can write.
    """
    match options:
        case OneOf():
            return _build_enum(options)
        case SomeOf(cards, least):
            choices = _build_enum(cards)
            schema = {"type": "array", "items": choices, "minItems": least}
            schema["maxItems"] = options.sizes.stop - 1
            is_unique = len(choices["enum"]) == len(cards)
            return {**schema, "uniqueItems": True} if is_unique else schema
        case Between(low, high, step):
            if low % step and len(options) <= MAX_LISTED_NUMBERS:
                return _build_enum(options)
            bounds = {"type": "integer", "minimum": low, "maximum": high}
            return bounds if low % step or step == 1 else {**bounds, "multipleOf": step}
        case Text(pattern):
            return {"type": "string", "pattern": f"^(?:{pattern})$"}
    raise TypeError(f"{options!r} cannot be written as a schema")


def _build_enum(choices: Iterable[Any]) -> dict[str, Any]:
    """Return the schema of some values, each of which it lists once."""
    values: list[Any] = []
    for choice in choices:
        if not any(is_same(choice, value) for value in values):
            values.append(choice)
    return {"enum": [_thaw(value) for value in values]}


def _thaw(value: Any) -> Any:
    """Return an answer with its tuples as lists, as JSON has them."""
    return [*map(_thaw, value)] if isinstance(value, tuple) else value
