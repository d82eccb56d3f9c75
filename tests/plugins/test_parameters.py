"""`name=value` from a command line, strictly by type; and seeds."""

from __future__ import annotations

import inspect
from pathlib import Path
from typing import Any, get_args, get_type_hints

import pytest
from attrs import field, fields, make_class
from attrs.validators import and_, ge, gt, in_, instance_of, le, lt, optional
from hypothesis import given
from hypothesis import strategies as st

from arena.plugins import (
    ParameterError,
    build_variant,
    build_with_parameters,
    get_plugins,
    parse_pairs,
)
from arena.rules import UnknownNameError, UserError, derive_seed, generate_seed
from arena.wires import list_validators
from arena_gops import Gops
from arena_gops.bots import Matching, Ordered
from tests.support.checkout import ROOT

GOPS = get_plugins().find_game("gops")


@pytest.mark.parametrize(
    ("text", "value"),
    [("a=1", 1), ("a=1.5", 1.5), ("a=true", True), ("a=word", "word"), ('a="1"', "1"), ("a=[1,2]", [1, 2]),
     ("a=1,2", [1, 2]), ("a=x,y", ["x", "y"]), ("a=", ""), ("a=b=c", "b=c"), (" a = 1 ", 1), ("a=null", None)],
)  # fmt: skip
def test_values_are_json_where_they_can_be(text: str, value: Any) -> None:
    """What is no JSON is a word, or a list of words."""
    assert parse_pairs([text]) == {"a": value}


@pytest.mark.parametrize("text", ["a", "", "cards:5"])
def test_what_is_no_pair_is_refused(text: str) -> None:
    """The refusal shows the form."""
    with pytest.raises(ParameterError, match="NAME=VALUE"):
        parse_pairs([text])


def test_a_name_that_is_set_twice_is_refused() -> None:
    """Neither value is dropped in silence."""
    with pytest.raises(ParameterError, match=r"^cards is set twice: set it once$"):
        parse_pairs(["cards=3", "ties=split", "cards=4"])


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"cards": "5"}, "cards: '5' is not a whole number"),
        ({"cards": True}, "cards: True is not a whole number"),
        ({"cards": 0}, "cards"),
        ({"ties": "lost"}, "ties"),
        ({"prizes": [1, 2]}, "prizes"),
        ({"prizes": 5}, "prizes"),
        ({"card": 5}, "unknown option 'card'; did you mean cards?"),
    ],
)
def test_a_variant_that_cannot_be_is_refused_in_one_line(
    options: dict[str, Any], words: str
) -> None:
    """The line says where and why, or what there is."""
    with pytest.raises(UserError) as problem:
        build_variant(GOPS, options)
    assert words in str(problem.value)
    assert "\n" not in str(problem.value)


def find_unbounded(kind: type) -> str | None:
    """Return the first parameter of a class that is a number and may be as small as one likes."""
    types = get_type_hints(kind)
    for option in fields(kind):
        is_number = not {int, float}.isdisjoint({types[option.name], *get_args(types[option.name])})
        rules = list_validators(option)
        is_bounded = any(
            getattr(rule, "compare_op", "") in (">=", ">") or hasattr(rule, "options")
            for rule in rules
        )
        if is_number and not is_bounded:
            return str(option.name)
    return None


def check_bounds(kind: type) -> None:
    """Raise AssertionError unless each number among the parameters of a class has a least value."""
    name = find_unbounded(kind)
    file = Path(inspect.getfile(kind))
    assert name is None, (
        f"{name} of {kind.__name__} has no lower bound: give its field in"
        f" {file.relative_to(ROOT) if file.is_relative_to(ROOT) else file} a validator, such as"
        " validators.ge(1)"
    )


KINDS = [
    *(game.variant for game in get_plugins().games.values()),
    *get_plugins().formats.values(),
]
"""The options of each game, and the parameters of each format."""


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_each_number_has_a_lower_bound(kind: type) -> None:
    """Nobody plays -5 deals, in no game and no format; forms show the bound."""
    check_bounds(kind)


def add_points(kind: Any, *rules: Any) -> type:
    """Return a class with a parameter `points` of a type, with these validators."""
    return make_class(
        "Deals",
        {"points": field(type=kind, default=None, validator=[*rules])},
        class_body={"__module__": __name__},
    )


BOUNDED = [ge(1), gt(0), in_((1, 2)), optional(ge(1)), and_(le(9), ge(1))]
UNBOUNDED = [le(9), lt(9), instance_of(int), optional(le(9))]


@pytest.mark.parametrize("number", [int, float, int | None, int | str], ids=str)
def test_a_number_without_a_lower_bound_is_named(number: Any) -> None:
    """With the class, and the file in which its field stands."""
    for rule in BOUNDED:
        check_bounds(add_points(number, rule))
    words = "points of Deals has no lower bound: give its field in tests/plugins/test_parameters.py"
    for rules in ([], *([rule] for rule in UNBOUNDED)):
        with pytest.raises(AssertionError, match=f"^{words}"):
            check_bounds(add_points(number, *rules))
    check_bounds(add_points(str))


def test_a_variant_is_made() -> None:
    """Lists become tuples; what is left out has its default."""
    assert build_variant(GOPS, {"cards": 3, "prizes": [3, 1, 2]}) == Gops(3, prizes=(3, 1, 2))


def test_a_bot_is_made_with_its_parameters() -> None:
    """A class lists them itself; one without has none."""
    assert build_with_parameters(Ordered, {"start": 7}).start == 7
    assert isinstance(build_with_parameters(Matching, {}), Matching)
    for wrong in ({"start": "x"}, {"start": True}, {"start": 0}):
        with pytest.raises(ParameterError):
            build_with_parameters(Ordered, wrong)
    with pytest.raises(UnknownNameError, match="available: none"):
        build_with_parameters(Matching, {"start": 7})


def test_fresh_seeds_are_128_bits_and_differ() -> None:
    """From a small one a bot could search out everybody's hands."""
    some = {generate_seed() for _ in range(100)}
    assert len(some) == 100
    assert all(len(bytes.fromhex(seed)) == 16 for seed in some)


@given(st.text(), st.lists(st.text() | st.integers()), st.lists(st.text() | st.integers()))
def test_derived_seeds_are_fixed_and_apart(seed: str, one: list[Any], other: list[Any]) -> None:
    """One purpose has one seed, another another, and none shows what it came from."""
    assert derive_seed(seed, *one) == derive_seed(seed, *one)
    assert len(derive_seed(seed, *one)) == 32
    if [*map(str, one)] != [*map(str, other)] and not any(
        "\0" in str(part) for part in (*one, *other, seed)
    ):
        assert derive_seed(seed, *one) != derive_seed(seed, *other)
