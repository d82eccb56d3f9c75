"""What comes from outside is of its type or is refused, and all that is wrong is said."""

from __future__ import annotations

import json
from enum import StrEnum
from fractions import Fraction
from typing import Any

import pytest
from attrs import field, frozen, validators

from arena.wires import converter, freeze
from arena.wires.strict_converter import describe_errors


@frozen
class Inner:
    """Has one number."""

    number: int


@frozen
class Bounded:
    """Has a number with two bounds."""

    size: int = field(default=1, validator=[validators.ge(1), validators.lt(10)])


@frozen
class Outer:
    """Has one of each."""

    whole: int = 0
    real: float = 0.0
    text: str = ""
    flag: bool = False
    some: tuple[int, ...] = ()
    either: str | tuple[int, ...] = ""
    maybe: int | None = None
    inner: Inner | None = None
    positive: int = field(default=1, validator=validators.gt(0))
    share: float | None = field(
        default=None,
        validator=validators.optional([validators.gt(0.0), validators.le(0.5)]),
    )
    deep: Bounded | None = None


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("whole", "3"), ("whole", 3.0), ("whole", 3.9), ("whole", True), ("whole", None), ("whole", [3]),
        ("real", "3.5"), ("real", True), ("real", None),
        ("text", 3), ("text", None), ("text", b"a"), ("text", ["a"]),
        ("flag", "false"), ("flag", 0), ("flag", 1), ("flag", None),
        ("some", "12"), ("some", [1, "2"]), ("some", [True]), ("some", 5), ("some", None), ("some", {"a": 1}),
        ("either", 5), ("either", [1.0]), ("either", None), ("either", {}),
        ("maybe", "3"), ("maybe", False), ("inner", {}), ("inner", 5), ("inner", {"number": "1"}),
        ("inner", {"number": 1, "more": 2}), ("positive", 0), ("nonsense", 1),
    ],
)  # fmt: skip
def test_a_value_of_another_type_is_refused(name: str, value: object) -> None:
    """Nothing is made into something else, and the complaint names the place."""
    with pytest.raises(Exception) as problem:  # noqa: PT011  # cattrs raises groups
        converter.structure({name: value}, Outer)
    said = "; ".join(describe_errors(problem.value))
    assert name in said
    assert "\n" not in said
    assert "Traceback" not in said


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({}, Outer()),
        ({"real": 3}, Outer(real=3.0)),
        ({"some": [1, 2]}, Outer(some=(1, 2))),
        ({"either": "shuffled"}, Outer(either="shuffled")),
        ({"either": [3, 1]}, Outer(either=(3, 1))),
        ({"maybe": None, "inner": {"number": 5}}, Outer(inner=Inner(5))),
    ],
)
def test_values_of_their_type_are_taken(given: dict[str, Any], expected: Outer) -> None:
    """A whole number is a number too, and a list a tuple."""
    made = converter.structure(given, Outer)
    assert made == expected
    assert type(made.real) is float
    assert converter.structure(json.loads(json.dumps(converter.unstructure(made))), Outer) == made


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"positive": 0}, "positive: 0 is not a whole number above 0"),
        ({"positive": "x"}, "positive: 'x' is not a whole number above 0"),
        ({"share": 0}, "share: 0.0 is not a number above 0 and at most 0.5"),
        ({"share": "x"}, "share: 'x' is not a number above 0 and at most 0.5"),
        ({"deep": {"size": 0}}, "deep.size: 0 is not a whole number of at least 1 and below 10"),
        ({"deep": {"size": 10}}, "deep.size: 10 is not a whole number of at least 1 and below 10"),
        ({"deep": {"size": []}}, "deep.size: [] is not a whole number of at least 1 and below 10"),
    ],
)
def test_a_refused_number_comes_with_both_bounds(given: dict[str, Any], said: str) -> None:
    """Whether it is too small, too large, or no number at all."""
    with pytest.raises(Exception) as problem:  # noqa: PT011  # cattrs raises groups
        converter.structure(given, Outer)
    assert describe_errors(problem.value) == [said]


def test_all_that_is_wrong_is_said_at_once() -> None:
    """A line each, so that nobody has to ask ten times."""
    with pytest.raises(Exception) as problem:  # noqa: PT011  # cattrs raises groups
        converter.structure({"whole": "1", "flag": 1, "wrong": 2, "inner": {}}, Outer)
    said = describe_errors(problem.value)
    assert len(said) == 4
    for name in (
        "whole: '1' is not a whole number",
        "flag: 1 is not true or false",
        "wrong",
        "inner",
    ):
        assert any(name in line for line in said), said


@pytest.mark.parametrize("value", [True, 0.1, "1/0", "a", None, [1]])
def test_a_fraction_is_written_as_one(value: object) -> None:
    """A fraction is a text such as 7/2 or a whole number, and nothing else."""
    assert converter.structure("7/2", Fraction) == Fraction(7, 2)
    assert converter.structure(3, Fraction) == 3
    assert converter.unstructure(Fraction(7, 2)) == "7/2"
    with pytest.raises(Exception):  # noqa: B017, PT011  # cattrs raises groups
        converter.structure(value, Fraction)


def test_freeze_makes_lists_tuples_all_the_way_down() -> None:
    """Answers are tuples, never lists, so that they can be hashed."""
    assert freeze([1, [2, [3]], "a"]) == (1, (2, (3,)), "a")


class Colour(StrEnum):
    """Two names that are texts."""

    RED = "red"
    BLUE = "blue"


@frozen
class Painted:
    """Has a colour."""

    colour: Colour


def test_a_name_is_one_of_its_kind_and_no_text() -> None:
    """So that `is` finds it; any other is refused with all that there are."""
    assert converter.structure({"colour": "red"}, Painted).colour is Colour.RED
    assert converter.unstructure(Painted(Colour.BLUE)) == {"colour": "blue"}
    with pytest.raises(ExceptionGroup) as caught:
        converter.structure({"colour": "green"}, Painted)
    assert describe_errors(caught.value) == ["colour: 'green' is not one of red, blue"]
