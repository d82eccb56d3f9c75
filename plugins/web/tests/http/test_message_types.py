"""The types of scripts are those of the messages that the server sends, and a checker holds to them."""

from __future__ import annotations

import inspect
import re
from collections.abc import Mapping, Sequence
from enum import StrEnum
from types import NoneType, UnionType
from typing import Any, ClassVar, Literal, get_args, get_origin, get_type_hints

import attrs
import pytest
from attrs import frozen

from arena.records import perspective
from arena.wires import Zone
from arena_web.protocol import messages, replies
from arena_web.protocol.json_format import is_inline, is_optional
from arena_web.static_files import FILES, STATIC_FOLDER
from tests.support.web.script_types import check_script_types

TYPES = "messages.d.ts"
INTERFACE = re.compile(r"^interface (\w+)[^{\n]*\{\n(.*?)^\}", re.MULTILINE | re.DOTALL)
ALIAS = re.compile(r"^type (\w+) = (.*);$", re.MULTILINE)
FIELD = re.compile(r"^  (\w+)(\??): (.*);$", re.MULTILINE)
NAMES = {
    str: "string",
    int: "number",
    float: "number",
    bool: "boolean",
    NoneType: "null",
    Any: "any",
}
PACKED = {"MatchStep", "Steps"}
"""Classes whose JSON has other keys than their fields."""
SIGNAL = "{}"
"""The type of a message that says all by its name."""


@frozen
class Field:
    """A field of a type."""

    types: frozenset[str]  #: any of which it may have
    is_optional: bool = False  #: whether it may be left out


def list_messages() -> Mapping[str, type]:
    """Return the classes of the server's messages, and of what they hold, by their names."""
    own = [kind for _, kind in inspect.getmembers(messages, inspect.isclass) if attrs.has(kind)]
    classes: list[type] = [
        *own,
        *list_replies(),
        Zone,
        perspective.FailureMark,
    ]
    return {
        kind.__name__: kind
        for kind in classes
        if kind.__name__ not in PACKED and not is_signal(kind)
    }


def is_signal(kind: type) -> bool:
    """Whether a message says all by its name."""
    return attrs.has(kind) and not attrs.fields(kind)


def list_replies() -> list[type]:
    """Return the classes of what the server replies to scripts, and of what they hold."""
    kinds = inspect.getmembers(replies, inspect.isclass)
    return [kind for _, kind in kinds if kind.__module__ == replies.__name__]


def list_fields(kind: type) -> Mapping[str, Field]:
    """Return the fields of a message, with the types of a script."""
    hints = {name: hint for name, hint in get_type_hints(kind).items() if hint is not ClassVar}
    writes_itself = kind in {Zone, perspective.FailureMark}
    return {
        field.name: Field(
            translate(hints[field.name]),
            field.default is not attrs.NOTHING if writes_itself else is_optional(field),
        )
        for field in attrs.fields(kind)
        if not is_inline(field)
    }


def translate(hint: Any) -> frozenset[str]:
    """Return the types of a script for a type of Python."""
    origin, parts = get_origin(hint), get_args(hint)
    if origin is Literal:
        return frozenset(f'"{value}"' for value in parts)
    if origin is UnionType:
        return frozenset().union(*map(translate, parts))
    if isinstance(hint, type) and issubclass(hint, StrEnum):
        return frozenset([f'"{value}"' for value in hint])
    texts = [" | ".join(sorted(translate(part))) for part in parts if part is not ...]
    if origin is Mapping:
        return frozenset([f"Record<{', '.join(texts)}>"])
    if origin is Sequence or ... in parts:
        return frozenset([f"({texts[0]})[]" if "|" in texts[0] else f"{texts[0]}[]"])
    return frozenset([f"[{', '.join(texts)}]" if parts else NAMES.get(hint) or hint.__name__])


def read_interfaces() -> Mapping[str, Mapping[str, Field]]:
    """Return the fields of the scripts' types by the types' names."""
    text = (STATIC_FOLDER / TYPES).read_text()
    aliases = {
        name: union for name, union in ALIAS.findall(text) if not re.search(rf"\b{name}\b", union)
    }  # but for what holds itself

    def split(union: str) -> frozenset[str]:
        texts = set[str]()
        for part in union.split(" | "):
            element = part.removesuffix("[]")
            types = split(aliases[element]) if element in aliases else frozenset([element])
            inner = " | ".join(sorted(types))
            texts |= (
                types if part == element else {f"({inner})[]" if types - {inner} else f"{inner}[]"}
            )
        return frozenset(texts)

    return {
        name: {
            field: Field(split(union), is_optional=bool(mark))
            for field, mark, union in FIELD.findall(body)
        }
        for name, body in INTERFACE.findall(text)
    }


@pytest.mark.parametrize("name", sorted(list_messages()))
def test_a_type_has_the_fields_of_its_message(name: str) -> None:
    """None is missing or left over, and each has its type, so that a checker sees what pages read.

    None is null or left out, and nothing else is; only what is optional may be left out.
    """
    sent, read = list_fields(list_messages()[name]), read_interfaces()[name]
    assert {*read} == {*sent}
    for field in sent:
        types, own = read[field], sent[field]
        null = {"null"} & own.types
        assert own.is_optional or not types.is_optional, field
        assert {"null"} & types.types == null or (null and types.is_optional), field
        pattern = "|".join(re.escape(text).replace("any", ".+") for text in own.types)
        assert all(re.fullmatch(pattern, text) for text in types.types), field
        assert len(types.types - null) == len(own.types - null), field


def test_each_event_has_the_type_of_its_message() -> None:
    """So that what a script does at an event is checked by what comes with it."""
    sent = {
        event: kind.__name__
        for kind in list_messages().values()
        if isinstance(event := getattr(kind, "event", None), str)
    }
    read = read_interfaces()["StreamEvents"]
    signals = {name for name, field in read.items() if field.types == {SIGNAL}}
    assert signals == {
        getattr(message, "event", None)
        for _, message in inspect.getmembers(messages, inspect.isclass)
        if is_signal(message)
    }
    assert sent.items() <= {name: "".join(field.types) for name, field in read.items()}.items()
    assert {*read} - {*sent} - signals == {"steps", "state"}  # a list, and that of a hill


@pytest.mark.slow
def test_the_scripts_have_no_error_of_types() -> None:
    """They read of messages, and of each other, what is there."""
    check_script_types(STATIC_FOLDER)


def test_the_types_are_not_served() -> None:
    """They are for checkers and readers, and cost no page anything."""
    assert TYPES not in FILES
