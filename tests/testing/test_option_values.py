"""Which values of a game's options the contract tries: never the default alone."""

from __future__ import annotations

import re
from typing import Any

import pytest
from attrs import evolve, field, frozen, validators

from arena import Game, Table
from arena.testing.golden import choose_other_options
from arena.testing.harness.hypothesis_strategies import cases_by_option_value, list_option_values
from arena_briscola import GAME as BRISCOLA
from arena_briscola import Briscola, BriscolaPosition
from tests.testing.games.holding import contract, run


def add_option(kind: Any, option: Any, base: type = Briscola) -> Game:
    """Return briscola with one more option, `points`."""
    variant = frozen(type("Briscola", (base,), {"__annotations__": {"points": kind},
                                                    "points": option}))  # fmt: skip
    return evolve(BRISCOLA, variant=variant)


ABOVE_ZERO = field(default=0, validator=validators.ge(0))
ONE_AT_MOST = field(default=0, validator=[validators.ge(0), validators.le(1)])
OFF_AS_MINUS_ONE = field(default=-1, validator=validators.ge(-1))
TYPED = (int, "int")  # as a module writes it without and with `from __future__ import annotations`


@pytest.mark.parametrize("kind", TYPED, ids=repr)
@pytest.mark.parametrize(
    ("option", "tried"),
    [(ABOVE_ZERO, {0, 1, 2, 3}), (ONE_AT_MOST, {0, 1}), (OFF_AS_MINUS_ONE, {-1, 0, 1, 2})],
    ids=["at least 0", "0 or 1", "at least -1"],
)
def test_an_option_that_is_usually_off_is_tried_switched_on(
    kind: Any, option: Any, tried: set[int]
) -> None:
    """By the contract and the fuzzer, and in the playthrough with other options."""
    game = add_option(kind, option)
    cases = cases_by_option_value(game, {})
    assert {case.options["points"] for case in cases if "points" in case.options} == tried
    assert choose_other_options(game, {})["points"] == max(tried)
    contract(game).test_options()


@pytest.mark.parametrize("option", [0, 7, "long"], ids=repr)
def test_an_option_of_which_only_the_default_is_tried_is_named(option: Any) -> None:
    """Nothing that it changes would be tried: the author is told where to write what."""
    game = add_option(type(option), option)
    words = (
        "points: only its default is tried; give its field in Briscola bounds (validators.ge(1)),"
        " or name values in the test class: option_sets = [{'points': ...}]"
    )
    with pytest.raises(AssertionError, match=f"^{re.escape(words)}"):
        contract(game).test_options()
    with pytest.raises(AssertionError, match=f"^{re.escape(words)}"):  # the default again
        contract(game, option_sets=[{"points": option}]).test_options()
    other = option + type(option)(1)
    contract(game, option_sets=[{"points": other}]).test_options()
    contract(game, fixed_options={"points": other}).test_options()


class FaultyBriscola(Briscola):
    """Fails where one of its options has another value than its default."""

    async def deal(self, table: Table) -> BriscolaPosition:
        assert not getattr(self, "points", 0), "points are not counted"
        return await super().deal(table)


@pytest.mark.parametrize("law", ["every_game_ends", "answers_are_data"])
def test_each_law_tries_each_option(law: str) -> None:
    """However few cases it draws; options that nothing lists are tried by the sets that name them."""
    cases: list[tuple[Any, dict[str, Any], dict[str, Any]]] = [
        (ABOVE_ZERO, {}, {"points": 3}),
        (0, {"option_sets": [{"points": 9}]}, {"points": 9}),
    ]
    for option, more, tried in cases:
        game = add_option(int, option, FaultyBriscola)
        with pytest.raises(AssertionError, match="points are not counted") as problem:
            run(contract(game, max_examples=1, **more), law)
        (note,) = (note for note in problem.value.__notes__ if note.startswith("in Case"))
        assert f"'points': {tried['points']}" in note
        run(contract(add_option(int, option), max_examples=1, **more), law)


def test_no_larger_games_are_tried() -> None:
    """Of an option that is usually above 0 no value is tried above twice that."""
    for default in (1, 2, 5):
        option = field(default=default, validator=validators.ge(0))
        assert max(list_option_values(add_option(int, option))["points"]) <= 2 * default
