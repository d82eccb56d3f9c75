"""A strict cattrs converter for all input: files, options and lines.

By default cattrs calls constructors: `"false"` becomes True, None `"None"` and 3.9 the
whole number 3. Here a value is of its type or it is refused, and so are extra keys.

What is sent as JSON is read again by its type alone, so no value may be readable in two ways:
`validate_message_class` permits a message only fields of types that survive JSON.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from enum import StrEnum
from fractions import Fraction
from functools import partial
from inspect import get_annotations
from types import NoneType
from typing import Any, TypeVar, get_args, get_origin, get_type_hints

from attrs import Attribute, fields, has
from cattrs import (
    AttributeValidationNote,
    BaseValidationError,
    ClassValidationError,
    Converter,
    ForbiddenExtraKeysError,
    transform_error,
)

from arena.rules import (
    OPTION_KINDS,
    OPTIONS_RULE,
    Between,
    OneOf,
    OneSeat,
    Options,
    Question,
    SeedText,
    SomeOf,
    Text,
    UnknownNameError,
    UserError,
    abbreviate,
    is_same,
    locate_definition,
    read_seed,
)
from arena.wires.field_values import (
    TYPE_DESCRIPTIONS,
    describe_numbers,
    describe_type,
    is_literal,
    is_union,
)

T = TypeVar("T")


class ValidationError(ValueError):
    """An invalid input value, with a line for each reason."""

    def __init__(self, lines: list[str]) -> None:
        super().__init__("; ".join(lines))
        self.lines = lines


def read(value: Any, kind: type[T]) -> T:
    """Read an input value as this type; raise ValidationError, which lists all reasons."""
    try:
        made: T = converter.structure(value, kind)
    except Exception as problem:  # noqa: BLE001  # of cattrs, of validators
        raise ValidationError(describe_errors(problem)) from None
    return made


BOUND_MESSAGE = re.compile(r"'(\w+)' must be [<>]=? .+: (.+)")


def describe_errors(problem: Exception) -> list[str]:
    """Return a line for each mistake in a value: its path, and what is allowed."""
    owners = dict(_find_owners(problem))

    def words(error: BaseException, kind: type | None) -> str:
        if isinstance(error, KeyError):
            return "is missing"
        if isinstance(error, ForbiddenExtraKeysError):
            known = [field.name for field in fields(error.cl)] if has(error.cl) else []
            extra = sorted(error.extra_fields)
            return "; ".join(str(UnknownNameError("key", name, known)) for name in extra)
        owner, name = owners.get(id(error), (None, ""))
        match error.args:
            case (str(), Attribute() as field, [*choices], value):  # of attrs' `in_`
                allowed = ", ".join(map(str, choices))
                return f".{field.name}: {abbreviate(value)} is not one of {allowed}"
            case (what, *_) if owner and (broken := BOUND_MESSAGE.fullmatch(str(what))):
                name, value = broken.groups()  # of attrs' numbers
                return f".{name}: {value} is not {describe_numbers(owner, name)}"
            case (str(what),) if owner and (allowed := describe_numbers(owner, name)):
                return f"{what.partition(' is not ')[0]} is not {allowed}"
        # of a value that is no table cattrs says what Python missed in it
        shapeless = isinstance(error, AttributeError | TypeError) and _is_table(kind)
        return "is not a table" if shapeless else str(error.args[0] if error.args else error)

    return [_put_path_first(line) for line in transform_error(problem, "", words)]


def _find_owners(problem: BaseException) -> Iterator[tuple[int, tuple[type, str]]]:
    """Yield for each mistake within a class its id, the class, and the field if it is known."""
    for error in problem.exceptions if isinstance(problem, BaseValidationError) else ():
        if isinstance(problem, ClassValidationError) and has(get_origin(problem.cl) or problem.cl):
            notes = getattr(error, "__notes__", ())
            named = [note.name for note in notes if isinstance(note, AttributeValidationNote)]
            yield id(error), (problem.cl, next(iter(named), ""))
        yield from _find_owners(error)


KEY = re.compile(r"\['(\w+)'\]")  # of a table whose keys are the file's, in a path


def _put_path_first(line: str) -> str:
    """Move the path, which cattrs writes after an `@`, to the front; a reason may go on with it."""
    reason, _, path = line.rpartition(" @ ")
    path = KEY.sub(r".\1", path)
    colon = "" if reason.startswith(".") or not path else ": "
    return f"{path}{colon}{reason}".lstrip(".")


def _is_table(kind: Any) -> bool:
    return (get_origin(kind) or kind) is Mapping or (isinstance(kind, type) and has(kind))


def _build_converter() -> Converter:
    converter = Converter(forbid_extra_keys=True)
    for kind in TYPE_DESCRIPTIONS:
        converter.register_structure_hook(kind, build_strict_hook(kind))
    converter.register_structure_hook(StrEnum, _read_member)  # cattrs would leave the string
    converter.register_structure_hook_func(lambda kind: kind is SeedText, _read_seed)
    converter.register_structure_hook(Fraction, _read_fraction)
    converter.register_unstructure_hook(Fraction, str)
    converter.register_structure_hook_func(_is_options_type, _read_options)
    converter.register_unstructure_hook_func(_is_options_type, _write_options)
    converter.register_structure_hook_func(lambda kind: kind is None, build_strict_hook(NoneType))
    converter.register_structure_hook_func(is_literal, _read_literal)
    converter.register_structure_hook_func(is_union, partial(_read_union, converter))
    converter.register_structure_hook_func(_is_open, lambda value, _: freeze(value))
    return converter


def build_strict_hook(kind: type) -> Callable[[Any, Any], Any]:
    """Return a hook that accepts values of a plain type and raises ValueError for others."""

    def read(value: Any, _: Any) -> Any:
        if type(value) is kind:
            return value
        if kind is float and type(value) is int:
            return float(value)
        raise ValueError(f"{abbreviate(value)} is not {TYPE_DESCRIPTIONS[kind]}")

    return read


def _read_member(value: Any, kind: Any) -> Any:
    known = {member.value: member for member in kind}
    if type(value) is not str or value not in known:
        raise ValueError(f"{abbreviate(value)} is not one of {', '.join(known)}")
    return known[value]


def _read_seed(value: Any, _: Any) -> SeedText:
    if type(value) in (int, str):
        with suppress(UserError):
            return read_seed(value)
    raise ValueError(f"{abbreviate(value)} is not {TYPE_DESCRIPTIONS[SeedText]}")


def _read_fraction(value: Any, _: Any) -> Fraction:
    if type(value) not in (int, str):
        raise ValueError(f"{abbreviate(value)} is not a fraction such as 7/2")
    return Fraction(value)


def _is_options_type(kind: Any) -> bool:
    origin = get_origin(kind) or kind
    return origin is Options or (isinstance(origin, type) and issubclass(origin, OPTION_KINDS))


def _read_options(value: Any, kind: Any) -> Options[Any]:
    match value:
        case {"one_of": choices}:  # a wire does not say which of them are seats: the question does
            return OneSeat(freeze(choices)) if kind is OneSeat else OneOf(freeze(choices))
        case {"some_of": cards, "least": least, "most": most}:
            return SomeOf(freeze(cards), least, most)
        case {"from": low, "to": high}:
            return Between(low, high, value.get("step", 1))
        case {"text": pattern, "sample": sample}:
            return Text(pattern, sample)
    raise ValueError(f"{abbreviate(value)} does not describe allowed answers")


def _write_options(options: Any) -> dict[str, object]:
    match options:
        case OneOf():
            return {"one_of": tuple(options)}
        case SomeOf(cards, least, most):
            return {"some_of": cards, "least": least, "most": most}
        case Between(low, high, step):
            return {"from": low, "to": high, **({"step": step} if step > 1 else {})}
        case Text(pattern, sample):
            return {"text": pattern, "sample": sample}
    raise TypeError(f"{options!r} cannot be written as JSON")


def _read_literal(value: Any, kind: Any) -> Any:
    """Return the choice that equals the value; True is not 1."""
    for choice in get_args(kind):
        if is_same(choice, value):
            return choice
    raise ValueError(f"{abbreviate(value)} is not one of {', '.join(map(repr, get_args(kind)))}")


def _read_union(converter: Converter, value: Any, kind: Any) -> Any:
    """Read a value of a union as the first of its types that fits."""
    if value is None and NoneType in get_args(kind):
        return None
    kinds = [member for member in get_args(kind) if member is not NoneType]
    candidates = [member for member in kinds if _can_be(value, member)] if kinds[1:] else kinds
    if len(candidates) == 1:
        return converter.structure(value, candidates[0])
    read = _read_candidates(converter, value, candidates)
    if not read:
        allowed = " or ".join(map(describe_type, get_args(kind)))
        raise ValueError(f"{abbreviate(value)} is not {allowed}")
    # 1 fits float and int: the type that would be written as the same value comes first
    return next((it for it in read if _is_alike(converter.unstructure(it), value)), read[0])


def _read_candidates(converter: Converter, value: Any, candidates: Sequence[Any]) -> list[Any]:
    """Return the value as each of the types that it fits."""
    read = []
    for candidate in candidates:
        with suppress(Exception):
            read.append(converter.structure(value, candidate))
    return read


def _can_be(value: Any, kind: Any) -> bool:
    """Return whether a value has the outer form of a type."""
    if kind in TYPE_DESCRIPTIONS:
        return type(value) is kind or (kind is float and type(value) is int)
    if get_origin(kind) is tuple:
        return isinstance(value, list | tuple)
    return isinstance(value, Mapping) if isinstance(kind, type) and has(kind) else True


def _is_alike(left: Any, right: Any) -> bool:
    return is_same(freeze(left), freeze(right)) or (isinstance(left, dict) and left == right)


def freeze(value: Any) -> Any:
    """Return a JSON value with its lists as tuples, as answers are."""
    return tuple(map(freeze, value)) if isinstance(value, list) else value


def _is_open(kind: Any) -> bool:
    return kind is Any or isinstance(kind, TypeVar)  # a type variable: a question's default


converter = _build_converter()
"""The cattrs converter that reads input values strictly."""


ANSWER_TYPES = (int, float, str, bool, NoneType)
PLAIN_TYPES = (*ANSWER_TYPES, Fraction)
ANSWER_RULE = "int, float, str, bool, None, Literal, a tuple of these, or a union of these"
FIELD_RULE = (
    "int, float, str, bool, None, Fraction, Literal, a tuple of these, a frozen attrs class of "
    "these, or a union of these in which they look different"
)


def validate_field_types(kind: type) -> None:
    """Raise ValueError if a field of an attrs class has no type, and so could not be read."""
    annotated = {name for ancestor in kind.__mro__ for name in get_annotations(ancestor)}
    for attribute in fields(kind):
        if attribute.init and attribute.name not in annotated:
            raise ValueError(
                f"{locate_definition(kind)}: {attribute.name} has no type; write, for example,"
                f" `{attribute.name}: int = ...`"
            )


def validate_message_class(kind: type) -> None:
    """Raise ValueError if a field of a message cannot survive JSON."""
    if not has(kind):
        raise ValueError(f"{kind.__name__} is not a message: make it a frozen attrs class")
    validate_field_types(kind)
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
    if issubclass(kind, Question):
        _validate_options_type(kind)


def _validate_options_type(kind: type) -> None:
    wanted = get_type_hints(kind)["options"]
    if not all(map(_is_options_type, get_args(wanted) if is_union(wanted) else [wanted])):
        raise ValueError(
            f"{kind.__name__}.options is of type {format_type(wanted)}; {OPTIONS_RULE}"
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
    if is_literal(kind):
        return all(type(part) in (int, str, bool, NoneType) for part in parts)
    if origin is tuple or is_union(kind):
        fits = partial(is_permitted, answers=answers, within=within)
        inner = (fits(part) for part in parts if part is not ...)
        return (origin is tuple or _are_distinguishable(parts)) and all(inner)
    if kind in PLAIN_TYPES or _is_options_type(kind):
        return not answers or kind in ANSWER_TYPES
    return not answers and _is_message(kind, within)


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
