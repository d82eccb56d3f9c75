"""The values that the fields of an attrs class allow, in words: of their types and validators."""

from __future__ import annotations

from collections.abc import Sequence
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from attrs import Attribute, fields

from arena.rules import SeedText, describe_number

TYPE_DESCRIPTIONS = {
    int: "a whole number",
    float: "a number",
    str: "a string",
    bool: "true or false",
    NoneType: "null",
    SeedText: "a text or a whole number",
}


def describe_type(kind: Any) -> str:
    """Return the values of a type in words, such as `a whole number`."""
    if is_literal(kind):
        return " or ".join(map(repr, get_args(kind)))
    return "a list" if get_origin(kind) is tuple else TYPE_DESCRIPTIONS.get(kind, "an object")


def is_literal(kind: Any) -> bool:
    """Return whether this is a `Literal`."""
    return get_origin(kind) is Literal


def is_union(kind: Any) -> bool:
    """Return whether this is a union, in either notation."""
    return get_origin(kind) in (Union, UnionType)


def list_validators(attribute: Attribute[Any]) -> list[Any]:
    """Return the validators of a field of an attrs class, those of a list one by one."""
    rules = [attribute.validator]
    for rule in rules:  # which grows
        rules += getattr(rule, "_validators", ())  # of attrs' `and_`
        if inner := getattr(rule, "validator", None):  # of attrs' `optional`
            rules.append(inner)
    return [rule for rule in rules if rule is not None]


def describe_values(kind: type) -> dict[str, str]:
    """Return for each parameter of an attrs class which values it may have, in words.

    >>> from arena.wires import Limits
    >>> describe_values(Limits)["bank"]
    'a number above 0 or null'
    """
    types = get_type_hints(kind)
    chosen = [attribute for attribute in fields(kind) if attribute.init]
    return {
        attribute.name: _describe_values(attribute, _list_types(types[attribute.name]))
        for attribute in chosen
    }


def describe_numbers(kind: type, name: str) -> str:
    """Describe the numbers that a field of an attrs class may have; "" for other values.

    >>> from arena.wires import Limits
    >>> describe_numbers(Limits, "bank"), describe_numbers(Limits, "unknown")
    ('a number above 0', '')
    """
    kind = get_origin(kind) or kind
    attribute = next((field for field in fields(kind) if field.name == name), None)
    if attribute is None:
        return ""
    types = [part for part in _list_types(get_type_hints(kind)[name]) if part is not NoneType]
    return _describe_values(attribute, types) if {*types} <= {int, float} else ""


def _list_types(kind: Any) -> Sequence[Any]:
    """Return the types of a union, or a type alone; a whole number is a number, too."""
    types = get_args(kind) if is_union(kind) else (kind,)
    return [part for part in types if part is not int or float not in types]


def _describe_values(attribute: Attribute[Any], types: Sequence[Any]) -> str:
    rules = list_validators(attribute)
    for rule in rules:
        if choices := getattr(rule, "options", None):  # of attrs' `in_`
            return f"one of {', '.join(map(str, choices))}"
    bounds = {rule.compare_op: rule.bound for rule in rules if hasattr(rule, "compare_op")}
    least, most = (
        next((bounds[sign] for sign in signs if sign in bounds), None)
        for signs in ((">=", ">"), ("<=", "<"))
    )
    return " or ".join(
        describe_number(describe_type(part), least, most, above=">" in bounds, below="<" in bounds)
        if part in (int, float)
        else describe_type(part)
        for part in types
    )
