"""Which types the fields of events and questions, and answers, may have: what JSON brings back.

What is sent as JSON is read again by its type alone, so no value may be readable in two ways.
"""

from __future__ import annotations

from fractions import Fraction
from types import NoneType, UnionType
from typing import Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

from attrs import fields, has

from arena.rules import Options, Question

ANSWERS = (int, float, str, bool, NoneType)
PLAIN = (*ANSWERS, Fraction)
ANSWER = "int, float, str, bool, None, Literal, a tuple of these, or a union of these"
FIELD = (
    "int, float, str, bool, None, Fraction, Literal, a tuple of these, a frozen attrs class of "
    "these, or a union of these in which they look different"
)


def see_that_fields_are_permitted(kind: type) -> None:
    """Raise ValueError, in a line, where a field of a message cannot survive JSON."""
    if not has(kind):
        raise ValueError(f"{kind.__name__} is no message: make it an attrs class that is frozen")
    if issubclass(kind, Question) and not permitted(answer_of(kind), answers=True):
        raise ValueError(
            f"{kind.__name__} asks for {name_of(answer_of(kind))}, which is not permitted: "
            f"an answer is {ANSWER}"
        )
    for name, wanted in _fields(kind).items():
        if not permitted(wanted):
            raise ValueError(
                f"{kind.__name__}.{name} is of type {name_of(wanted)}, which is not permitted: "
                f"a field is {FIELD}"
            )


def answer_of(kind: type) -> Any:
    """Return what type of answer a class of questions wants; Any, if it does not say."""
    for one in kind.__mro__:
        for base in getattr(one, "__orig_bases__", ()):
            if get_origin(base) is Question:
                return get_args(base)[0]
    return Any


def permitted(kind: Any, *, answers: bool = False, within: frozenset[Any] = frozenset()) -> bool:
    """Say whether values of this type are the same when they were written as JSON and read."""
    if kind in (Any, None) or isinstance(kind, TypeVar) or kind in within:
        return True
    origin, parts = get_origin(kind) or kind, get_args(kind)
    if origin is Literal:
        return all(type(part) in (int, str, bool, NoneType) for part in parts)
    if origin is tuple or is_union(kind):
        inner = (permitted(one, answers=answers, within=within) for one in parts if one is not ...)
        return (origin is tuple or _told_apart(parts)) and all(inner)
    if kind in PLAIN or origin is Options or _is_options(origin):
        return not answers or kind in ANSWERS
    return not answers and _is_message(kind, within)


def is_union(kind: Any) -> bool:
    """Say whether this is a union, whichever way it is written."""
    return get_origin(kind) in (Union, UnionType)


def name_of(kind: Any) -> str:
    """Return a type as it is written in Python."""
    return kind.__name__ if isinstance(kind, type) and not get_args(kind) else str(kind)


def _is_message(kind: Any, within: frozenset[Any]) -> bool:
    """Say whether this is a frozen attrs class, all of whose fields are permitted."""
    if not isinstance(kind, type) or not has(kind):
        return False
    frozen = kind.__setattr__ is not object.__setattr__
    return frozen and all(permitted(one, within=within | {kind}) for one in _fields(kind).values())


def _is_options(kind: Any) -> bool:
    return isinstance(kind, type) and hasattr(kind, "read") and hasattr(kind, "draw")


def _told_apart(parts: tuple[Any, ...]) -> bool:
    """Say whether no two parts of a union look alike in JSON."""
    classes = [part for part in parts if isinstance(part, type) and has(part)]
    fraction = Fraction in parts and not {*parts} <= {Fraction, NoneType}
    return len(classes) <= 1 and not fraction and Any not in parts


def _fields(kind: type) -> dict[str, Any]:
    """Return the types of a class's fields, except for those of every question."""
    try:
        hints = get_type_hints(kind)
    except NameError as problem:
        raise ValueError(
            f"{kind.__name__} has a field of a type that cannot be found: {problem}; "
            "define or import it at the top of the module"
        ) from None
    usual = {"options", "default"} if issubclass(kind, Question) else set()
    return {one.name: hints.get(one.name, Any) for one in fields(kind) if one.name not in usual}
