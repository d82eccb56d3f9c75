"""Which types fields and answers may have: what is permitted survives JSON, all else is named."""

from __future__ import annotations

import json
from fractions import Fraction
from types import new_class
from typing import Any, Literal, Optional, Union

import attrs
import pytest
from attrs import define, evolve, frozen
from hypothesis import given
from hypothesis import strategies as st

from arena import MalformedLineError, OneOf, Question
from arena.rules import is_same
from arena.wires import JsonLines, Vocabulary
from tests.support.toys import TOY

Kind = tuple[Any, st.SearchStrategy[Any]]
"""A type, and what is of it."""
TUPLE: Any = tuple
UNION: Any = Union  # of types that are values here
ATOMS: dict[Any, st.SearchStrategy[Any]] = {
    int: st.integers(),
    float: st.floats(allow_nan=False, allow_infinity=False),
    str: st.text(st.characters(exclude_categories=["Cs"])),
    bool: st.booleans(),
    None: st.none(),
    Literal[1, "a", True]: st.sampled_from((1, "a", True)),
}


def message_of(kind: Any) -> type:
    """Return a class of events with a field of this type."""
    return attrs.make_class("Told", {"field": attrs.field(type=kind)}, frozen=True)


def question_of(kind: Any) -> Any:
    """Return a class of questions that want such an answer."""
    return new_class("Asked", (Question[kind],))


@st.composite
def kinds(draw: st.DrawFn, depth: int = 3) -> Kind:
    """Draw a type that is permitted for answers, and what is of it."""
    form = draw(st.sampled_from(("atom", "some", "pair", "union") if depth else ("atom",)))
    if form == "atom":
        atom: Kind = draw(st.sampled_from([*ATOMS.items()]))
        return atom
    if form == "some":
        kind, values = draw(kinds(depth - 1))
        return TUPLE[kind, ...], st.lists(values, max_size=3).map(tuple)
    (one, some), (other, more) = draw(kinds(depth - 1)), draw(kinds(depth - 1))
    if form == "pair":
        return TUPLE[one, other], st.tuples(some, more)
    return UNION[one, other], some | more


@given(st.data())
def test_what_is_permitted_survives_json(data: st.DataObject) -> None:
    """A field, a default answer and an answer come back as they were, of their own types."""
    kind, values = data.draw(kinds())
    event = message_of(kind)
    asked = question_of(kind)
    game = Vocabulary.of(event, asked)
    value = data.draw(values)
    for message in (event(value), asked(OneOf((value,)), default=value)):
        again = game.unpack(json.loads(json.dumps(game.pack(message))))
        assert again == message
        shown = again.default if isinstance(again, Question) else again.field
        assert is_same(shown, value), (shown, value)
    wire, question = JsonLines(game), asked(OneOf((value,)))
    assert is_same(wire.read(question, wire.say(question, value)), value)


@pytest.mark.parametrize(
    ("kind", "value"),
    [
        (int | str, True), (int | str, 1.0), (int | str, None), (int | str, []), (bool | str, 1),
        (int | tuple[int, ...], [True]), (int | tuple[int, ...], ["1"]), (int | None, False),
        (str | tuple[str, ...], [["a"]]), (Literal[1, 2], True), (Literal[1, 2] | str, True),
        (tuple[int, str] | str, [1, "a", "b"]), (tuple[int, str] | None, ["a", 1]),
    ],
)  # fmt: skip
def test_what_is_of_no_part_of_a_union_is_refused(kind: Any, value: object) -> None:
    """True is not 1, and 1 is not True; what is allowed is said."""
    game = Vocabulary.of(message_of(kind))
    with pytest.raises(MalformedLineError, match=r"^field.*: .* (is not|in) "):
        game.unpack({"tell": "Told", "field": value})


@frozen
class Inner:
    """Is part of another."""

    cards: tuple[str, ...] | str = ()


@frozen
class Outer:
    """Has one of each that is not an answer's."""

    one: Inner | None
    several: tuple[Inner | int, ...]
    shares: tuple[Fraction, ...]
    maybe: Optional[Fraction]  # noqa: UP045  # it is written so, too
    open: Any = ()


def test_classes_and_fractions_survive_json() -> None:
    """Classes and fractions in the fields of events survive JSON."""
    game = Vocabulary.of(Outer)
    message = Outer(Inner("AS"), (Inner(("AS",)), 3), (Fraction(1, 3),), None, (1, (True, None)))
    for sent in (message, evolve(message, one=None, maybe=Fraction(2))):
        assert game.unpack(json.loads(json.dumps(game.pack(sent)))) == sent


@define
class Loose:
    """Can be changed."""

    number: int = 0


@frozen
class Other:
    """Looks like Inner."""

    cards: str = ""


@pytest.mark.parametrize(
    ("kind", "name"),
    [
        (list[int], "list[int]"), (dict[str, int], "dict[str, int]"), (set[str], "set[str]"),
        (frozenset[int], "frozenset[int]"), (bytes, "bytes"), (complex, "complex"), (object, "object"),
        (tuple[bytes, ...], "tuple[bytes, ...]"), (int | list[int], "int | list[int]"),
        (Fraction | str, "Fraction | str"), (Inner | Other, "Inner | "), (Loose, "Loose"),
        (tuple[Loose, int], "Loose"), (Literal[b"a"], "Literal"),
    ],
)  # fmt: skip
def test_what_is_not_permitted_is_said_where_it_stands(kind: Any, name: str) -> None:
    """When the game is made, in a line: the class, the field, its type, and what is permitted."""
    with pytest.raises(
        ValueError, match=r"^Told\.field is of type .*, which is not permitted: "
    ) as e:
        evolve(TOY, messages=(message_of(kind),))
    assert name.rpartition(".")[2] in str(e.value)
    assert (
        "a field must be int, float, str, bool, None, Fraction, Literal, a tuple of these"
        in str(e.value)
    )
    assert "\n" not in str(e.value)


@pytest.mark.parametrize("kind", [list[int], Fraction, Inner, int | Inner, tuple[Fraction, ...]])
def test_an_answer_that_is_not_permitted_is_named(kind: Any) -> None:
    """The error for a forbidden type of answer names its question."""
    asked = question_of(kind)
    with pytest.raises(
        ValueError, match=r"^Asked asks for .*, which is not permitted: an answer must be"
    ):
        evolve(TOY, messages=(asked,))


def test_a_type_that_cannot_be_found_is_named() -> None:
    """Such as one that is imported for type checkers only."""
    with pytest.raises(
        ValueError, match=r"^Told has a field of a type that cannot be found: name 'Nowhere'"
    ):
        Vocabulary.of(message_of("Nowhere"))


def test_what_is_no_attrs_class_is_no_message() -> None:
    """Its fields are not known."""
    with pytest.raises(ValueError, match=r"^int is not a message: make it a frozen attrs class"):
        Vocabulary.of(int)
