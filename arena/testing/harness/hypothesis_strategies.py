"""The cases in which a game is tried, by hypothesis or as lists, and bad answers and lines for it.

Bad answers and lines are such as strangers' bots send: wrong in form, in kind, in number.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from random import Random
from typing import Any

from attrs import NOTHING, fields
from hypothesis import strategies as st

from arena.plugins import Game
from arena.rules import Question
from arena.testing.harness.cases import MOVE_RANGE, Case, Options, list_seat_counts
from arena.wires import list_validators


def draw_cases(
    game: Game, always: Options, more: Sequence[Options] = ()
) -> st.SearchStrategy[Case]:
    """Build a strategy for cases of a game: all options that can be derived, all seat counts.

    `always` are options that every case has; `more` are further option sets to try.
    """
    return st.builds(
        Case,
        options=draw_options(game, always, more),
        seats=st.sampled_from(list_seat_counts(game)),
        seed=st.integers(0, MOVE_RANGE).map(str),
        moves=st.lists(st.integers(0, MOVE_RANGE), max_size=8).map(tuple),
    )


def draw_options(
    game: Game, always: Options, more: Sequence[Options] = ()
) -> st.SearchStrategy[dict[str, Any]]:
    """Build a strategy for options that the variant accepts."""
    values = {name: st.sampled_from(some) for name, some in list_option_values(game).items()}
    drawn = st.fixed_dictionaries({}, optional=values) if values else st.just({})
    if more:
        drawn |= st.sampled_from([*map(dict, more)])
    return drawn.map(lambda options: {**options, **always}).filter(
        lambda options: are_valid_options(game, options)
    )


USUAL_ABOVE_ZERO = 3  # the largest value that is tried of an option that is usually 0


def list_option_values(game: Game) -> dict[str, list[Any]]:
    """Return values for each option of the variant, from its validators' lists and bounds."""
    found = {
        attribute.name: _list_values(attribute)
        for attribute in fields(game.variant)
        if attribute.init
    }
    return {name: values for name, values in found.items() if values}


def _list_values(attribute: Any) -> list[Any]:
    rules = list_validators(attribute)
    for rule in rules:
        if choices := getattr(rule, "options", None):  # of attrs' `in_`
            return [*choices]
    if attribute.type in ("bool", bool):
        return [False, True]
    if attribute.type not in ("int", int):
        return []
    bounds = [rule.bound for rule in rules if isinstance(getattr(rule, "bound", None), int)]
    near = {bound + by for bound in bounds for by in (-1, 0, 1, 2, 3)}
    usual = attribute.default if isinstance(attribute.default, int) else 0
    most = 2 * usual if usual > 0 else USUAL_ABOVE_ZERO
    return sorted({value for value in near if value <= most} | {usual})  # no huge games


def cases_by_seats(game: Game, always: Options) -> list[Case]:
    """Return a case for each number of seats that is tried, with no further options."""
    return [Case(always, seats) for seats in list_seat_counts(game)]


def cases_by_option_value(game: Game, always: Options) -> list[Case]:
    """Return a case for each value of each option, with the fewest and the most seats."""
    some = [
        Case({name: value, **always}, seats)
        for seats in sorted({game.seats[0], list_seat_counts(game)[-1]})
        for name, values in list_option_values(game).items()
        for value in values
    ]
    return [case for case in some if are_valid_options(game, case.options)]


def find_untried_option(game: Game, always: Options, more: Sequence[Options] = ()) -> str | None:
    """Return the first option that no case gives another value than its default, or None.

    `always` are options that every case has; `more` are further option sets to try.
    """
    single = [
        {name: value} for name, values in list_option_values(game).items() for value in values
    ]
    tried = [
        game.read_variant(options)
        for options in ({**some, **always} for some in (*single, *more))
        if are_valid_options(game, options)
    ]
    required = {option.name for option in fields(game.variant) if option.default is NOTHING}
    usual = game.read_variant({name: always[name] for name in required & always.keys()})
    for option in fields(game.variant):
        values = [getattr(variant, option.name) for variant in (usual, *tried)]
        if (
            option.init
            and option.name not in required
            and all(value == values[0] for value in values)
        ):
            return str(option.name)
    return None


def are_valid_options(game: Game, options: Options) -> bool:
    """Whether the variant accepts these options."""
    try:
        game.read_variant(options)
    except ValueError:
        return False
    return True


BAD_ANSWERS: tuple[Any, ...] = (
    None, True, False, 0, 1, -1, 2**70, 1.0, float("nan"), "", " ", "0", "x" * 5000, "\x00\n",
    (), (None,), ((),), ("",), (1, 1), [], [1], {}, {"a": 1}, b"", object(), ("2C", "2C"),
)  # fmt: skip
"""Values of every kind, few of which any question allows."""

BAD_LINES: tuple[str, ...] = (
    "", " ", "\t", "0", "-1", "1.0", "1e999", "NaN", "null", "true", "yes", "[]", "[[]]", "{}",
    '"', '"x"', "[1,", "Bid", "Pass", "9" * 300, "[" * 3000, "x" * 4000, "\x00", "é", "\u2028",
    "\ud83d", "1 2 3", "1,2,3", "AS", "AS KD", "as", "None", "tell", '{"ask":1}', "٣", "１",
)  # fmt: skip
"""Lines of every kind."""


def generate_wrong_answers(question: Question[Any], others: tuple[Any, ...] = ()) -> Iterator[Any]:
    """Yield answers that may be illegal: values of any kind, and answers to other questions."""
    yield from BAD_ANSWERS
    for answer in (*others, question.default, question.options.draw(Random(0))):
        yield from (answer, (answer,), [answer], str(answer), (answer, answer))
