"""How a value becomes JSON: what is sent to pages, and what is kept of tables.

An object has the keys of its fields, in their order, and None is null. Two kinds of fields are
written otherwise, and say so by their metadata:

- a field that is `OPTIONAL` is left out where it has its default;
- a field that is `INLINE` has no key: what it holds is written in its place, and None is nothing.
  Where it is the only field, the object is written as what it holds.

Steps and zones write themselves: the core has them in short.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from attrs import Attribute, fields, has

from arena import Zone
from arena.records import MatchStep

OPTIONAL: Mapping[str, bool] = MappingProxyType({"optional": True})
"""The metadata of a field that is left out where it has its default."""
INLINE: Mapping[str, bool] = MappingProxyType({"inline": True})
"""The metadata of a field whose value is written in place of it."""


def to_json(value: Any) -> Any:
    """Return a value as JSON: objects as their fields say, all else as it is.

    >>> from attrs import field, frozen
    >>> @frozen
    ... class Place:
    ...     x: int
    ...     y: int | None = None
    ...     label: str = field(default="", metadata=OPTIONAL)
    >>> @frozen
    ... class Move:
    ...     by: str
    ...     to: Place | None = field(metadata=INLINE)
    >>> to_json([Move("Ann", Place(3)), Move("Bob", None)])
    [{'by': 'Ann', 'x': 3, 'y': None}, {'by': 'Bob'}]
    """
    match value:
        case MatchStep() | Zone():
            return value.json
        case str():
            return value
        case Mapping():
            return {key: to_json(part) for key, part in value.items()}
        case list() | tuple():
            return [to_json(part) for part in value]
    return _write_object(value) if has(type(value)) else value


def is_optional(field: Attribute[Any]) -> bool:
    """Whether a field is left out where it has its default."""
    return "optional" in field.metadata


def is_inline(field: Attribute[Any]) -> bool:
    """Whether the value of a field is written in place of it."""
    return "inline" in field.metadata


def _write_object(value: Any) -> Any:
    columns = fields(type(value))
    match columns:
        case [only] if is_inline(only):
            return to_json(getattr(value, only.name))
    packed: dict[str, Any] = {}
    for field in columns:
        part = getattr(value, field.name)
        if is_inline(field):
            packed |= to_json(part) or {}
        elif not (is_optional(field) and part == field.default):
            packed[field.name] = to_json(part)
    return packed
