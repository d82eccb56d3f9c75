"""The types of scripts have the fields of the messages that the server sends."""

from __future__ import annotations

import inspect
import re
from collections.abc import Mapping

import attrs
import pytest

from arena.records import perspective
from arena.wires import Zone
from arena_web import messages
from arena_web.static_files import FILES, STATIC_FOLDER

TYPES = "types.d.ts"
INTERFACE = re.compile(r"^interface (\w+)[^{]*\{\n(.*?)^\}", re.MULTILINE | re.DOTALL)
FIELD = re.compile(r"^  (\w+)\??:", re.MULTILINE)
FLATTENED = {"MatchEnd": {"table"}, "SeatStep": {"shown"}}
"""Fields whose own fields stand beside the others of a message."""


def list_messages() -> Mapping[str, set[str]]:
    """Return the fields of the server's messages, and of what they hold, by the classes' names."""
    classes = [kind for _, kind in inspect.getmembers(messages, inspect.isclass) if attrs.has(kind)]
    options = messages.AnswerOptions.__annotations__
    return {
        messages.AnswerOptions.__name__: {*options},
        **{
            kind.__name__: {field.name for field in attrs.fields(kind)}
            for kind in (*classes, Zone, perspective.FailureMark)
        },
    }


def read_interfaces() -> Mapping[str, set[str]]:
    """Return the fields of the scripts' types by their names."""
    text = (STATIC_FOLDER / TYPES).read_text()
    return {name: {*FIELD.findall(body)} for name, body in INTERFACE.findall(text)}


PACKED = {"MatchStep"}
"""Classes whose JSON has other keys than their fields."""


@pytest.mark.parametrize("name", sorted(({*list_messages()} & {*read_interfaces()}) - PACKED))
def test_a_type_has_the_fields_of_its_message(name: str) -> None:
    """No field is missing, and none is left over, so that a checker sees what pages read."""
    assert read_interfaces()[name] == list_messages()[name] - FLATTENED.get(name, set())


def test_the_types_are_not_served() -> None:
    """They are for checkers and readers, and cost no page anything."""
    assert TYPES not in FILES
