"""All texts in an object, for tests that say what stands nowhere in it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from attrs import fields, has


def list_texts(value: Any) -> Iterator[str]:
    """Yield each text in a value, in all its fields, keys and items."""
    if isinstance(value, str):
        yield str(value)
    elif isinstance(value, bytes):
        yield value.decode(errors="replace")
    elif has(type(value)):
        for attribute in fields(type(value)):
            yield from list_texts(getattr(value, attribute.name))
    elif isinstance(value, Mapping):
        yield from list_texts([*value, *value.values()])
    elif isinstance(value, Iterable):
        for item in value:
            yield from list_texts(item)
