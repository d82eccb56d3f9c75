"""The contract sees a game as hosts do: with the bots that plugins add, such as `search`."""

from __future__ import annotations

from functools import partial

import pytest

from arena import Bot, Scenario, UserError
from arena.search import ChanceBot, Search
from tests.support.toys import change
from tests.testing.games.higher import HIGHER
from tests.testing.games.holding import contract


@pytest.mark.parametrize(
    "demo", [("search", "first"), ("search:playouts=2", "random", "search"), ()], ids=str
)
def test_a_demo_may_name_bots_that_plugins_add(demo: tuple[str, ...]) -> None:
    """`arena demo` seats `search`, also with parameters, so the contract allows it."""
    contract(change(HIGHER, demo=demo)).test_demo_and_scenarios_are_playable()


@pytest.mark.parametrize(
    ("demo", "words"),
    [
        (("serch", "first"), "unknown bot 'serch'; did you mean search"),
        (("search:playouts=0", "first"), "bot search:playouts=0: "),
        (("first",), "the demo has 1 seats, which the game does not allow"),
        (("picky", "first"), "the demo cannot be played: only tables of three"),
    ],
    ids=str,
)
def test_a_demo_that_cannot_be_seated_is_refused(demo: tuple[str, ...], words: str) -> None:
    """The reason is the one that `arena demo` would give."""

    class Picky(Bot):
        def check_support(self, variant: object, seats: int) -> None:
            raise UserError("only tables of three")

    game = change(HIGHER, demo=demo, bots={**HIGHER.bots, "picky": Picky})
    with pytest.raises(AssertionError, match=words):
        contract(game).test_demo_and_scenarios_are_playable()


def test_scenarios_of_a_game_without_bots_are_played() -> None:
    """`search` may sit in them, and one that names no bot is found."""
    game = change(HIGHER, bots={}, demo=())
    others = (partial(Search, playouts=2), ChanceBot)
    made = contract(change(game, scenarios=[Scenario("two search", others, 1)]))
    made.test_demo_and_scenarios_are_playable()
    wrong = contract(change(game, scenarios=[Scenario("nobody sits there", (Absent,), 1)]))
    with pytest.raises(ZeroDivisionError):
        wrong.test_demo_and_scenarios_are_playable()


class Absent(Bot):
    """Cannot be created."""

    def __init__(self) -> None:
        raise ZeroDivisionError
