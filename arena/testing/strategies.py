"""The cases in which a game is tried: those that hypothesis draws, and each of a kind."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from attrs import fields
from hypothesis import strategies as st

from arena.plugins import Game
from arena.testing.cases import LARGE, Case, Options, seats_of


def cases(game: Game, always: Options, more: Sequence[Options] = ()) -> st.SearchStrategy[Case]:
    """Draw cases of a game: all options that can be made out, every number of seats.

    `always` are options that every case has; `more` are sets of them that are tried, too.
    """
    return st.builds(
        Case,
        options=options_of(game, always, more),
        seats=st.sampled_from(seats_of(game)),
        seed=st.integers(0, LARGE).map(str),
        moves=st.lists(st.integers(0, LARGE), max_size=8).map(tuple),
    )


def options_of(
    game: Game, always: Options, more: Sequence[Options] = ()
) -> st.SearchStrategy[dict[str, Any]]:
    """Draw options that the variant takes."""
    values = {name: st.sampled_from(some) for name, some in each_option(game).items()}
    drawn = st.fixed_dictionaries({}, optional=values) if values else st.just({})
    if more:
        drawn |= st.sampled_from([*map(dict, more)])
    return drawn.map(lambda options: {**options, **always}).filter(lambda it: allowed(game, it))


def each_option(game: Game) -> dict[str, list[Any]]:
    """Return values for each option of the variant: what its validators list, and its bounds."""
    found = {one.name: _values(one) for one in fields(game.variant) if one.init}
    return {name: values for name, values in found.items() if values}


def _values(attribute: Any) -> list[Any]:
    rules = [attribute.validator, *getattr(attribute.validator, "_validators", ())]
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
    return sorted({value for value in near if value <= 2 * usual} | {usual})  # no huge games


def each_number_of_seats(game: Game, always: Options) -> list[Case]:
    """Return a case for each number of seats, up to eight and the most, with no more options."""
    return [Case(always, seats) for seats in seats_of(game)]


def each_value_of_each_option(game: Game, always: Options) -> list[Case]:
    """Return a case for each value of each option, with the fewest and with more seats."""
    some = [
        Case({name: value, **always}, seats)
        for seats in sorted({game.seats[0], seats_of(game)[-1]})
        for name, values in each_option(game).items()
        for value in values
    ]
    return [case for case in some if allowed(game, case.options)]


def allowed(game: Game, options: Options) -> bool:
    """Say whether the variant takes these options."""
    try:
        game.read_variant(options)
    except ValueError:
        return False
    return True
