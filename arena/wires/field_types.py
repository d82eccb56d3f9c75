"""The types that fields of messages and answers may have: those that survive JSON.

What is sent as JSON is read again by its type alone, so no value may be readable in two ways.
"""

from __future__ import annotations

from fractions import Fraction
from functools import partial
from types import NoneType, UnionType
from typing import Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

from attrs import fields, has

from arena.rules import Options, Question

ANSWER_TYPES = (int, float, str, bool, NoneType)
PLAIN_TYPES = (*ANSWER_TYPES, Fraction)
ANSWER_RULE = "int, float, str, bool, None, Literal, a tuple of these, or a union of these"
FIELD_RULE = (
    "int, float, str, bool, None, Fraction, Literal, a tuple of these, a frozen attrs class of "
    "these, or a union of these in which they look different"
)


def validate_message_class(kind: type) -> None:
    """Raise ValueError if a field of a message cannot survive JSON."""
    if not has(kind):
        raise ValueError(f"{kind.__name__} is not a message: make it a frozen attrs class")
    answer = find_answer_type(kind)
    if issubclass(kind, Question) and not is_permitted(answer, answers=True):
        raise ValueError(
            f"{kind.__name__} asks for {format_type(answer)}, which is not permitted: "
            f"an answer must be {ANSWER_RULE}"
        )
    for name, wanted in _find_field_types(kind).items():
        if not is_permitted(wanted):
            raise ValueError(
                f"{kind.__name__}.{name} is of type {format_type(wanted)}, which is not permitted: "
                f"a field must be {FIELD_RULE}"
            )


def find_answer_type(kind: type) -> Any:
    """Return the answer type of a class of questions; Any if it declares none."""
    for ancestor in kind.__mro__:
        for base in getattr(ancestor, "__orig_bases__", ()):
            if get_origin(base) is Question:
                return get_args(base)[0]
    return Any


def is_permitted(kind: Any, *, answers: bool = False, within: frozenset[Any] = frozenset()) -> bool:
    """Return whether values of this type are unchanged after writing and reading JSON."""
    if kind in (Any, None) or isinstance(kind, TypeVar) or kind in within:
        return True
    origin, parts = get_origin(kind) or kind, get_args(kind)
    if origin is Literal:
        return all(type(part) in (int, str, bool, NoneType) for part in parts)
    if origin is tuple or is_union(kind):
        fits = partial(is_permitted, answers=answers, within=within)
        inner = (fits(part) for part in parts if part is not ...)
        return (origin is tuple or _are_distinguishable(parts)) and all(inner)
    if kind in PLAIN_TYPES or origin is Options or _is_options(origin):
        return not answers or kind in ANSWER_TYPES
    return not answers and _is_message(kind, within)


def is_union(kind: Any) -> bool:
    """Return whether this is a union, in either notation."""
    return get_origin(kind) in (Union, UnionType)


def format_type(kind: Any) -> str:
    """Return a type as it is written in Python."""
    return kind.__name__ if isinstance(kind, type) and not get_args(kind) else str(kind)


def _is_message(kind: Any, within: frozenset[Any]) -> bool:
    """Return whether this is a frozen attrs class with permitted fields only."""
    if not isinstance(kind, type) or not has(kind):
        return False
    frozen = kind.__setattr__ is not object.__setattr__
    return frozen and all(
        is_permitted(field_type, within=within | {kind})
        for field_type in _find_field_types(kind).values()
    )


def _is_options(kind: Any) -> bool:
    return isinstance(kind, type) and hasattr(kind, "read") and hasattr(kind, "draw")


def _are_distinguishable(parts: tuple[Any, ...]) -> bool:
    """Return whether all parts of a union look different in JSON."""
    classes = [part for part in parts if isinstance(part, type) and has(part)]
    fraction = Fraction in parts and not {*parts} <= {Fraction, NoneType}
    return len(classes) <= 1 and not fraction and Any not in parts


def _find_field_types(kind: type) -> dict[str, Any]:
    """Return the types of a class's fields, except for those of every question."""
    try:
        hints = get_type_hints(kind)
    except NameError as problem:
        raise ValueError(
            f"{kind.__name__} has a field of a type that cannot be found: {problem}; "
            "define or import it at the top of the module"
        ) from None
    usual = {"options", "default"} if issubclass(kind, Question) else set()
    return {
        attribute.name: hints.get(attribute.name, Any)
        for attribute in fields(kind)
        if attribute.name not in usual
    }
