"""People at a table with bots: who sits where.

People fill the first team, their partners the rest of it, and opponents the other teams. Rotations
move whole teams. Without teams everybody plays alone.
"""

from __future__ import annotations

from collections.abc import Sequence

from attrs import evolve, frozen

from arena.host.entrants import Entrant, make_names_unique
from arena.host.table_sizes import check_seat_count
from arena.plugins import Game
from arena.rules import Sides, UserError, Variant, find_sides, format_count


@frozen
class PeopleTable:
    """A table for people and bots."""

    seats: int  #: how many it has
    entrants: tuple[Entrant, ...]  #: one for each seat, or for each team
    players: tuple[Entrant, ...]  #: everybody, the people first, each with a name of its own


def seat_people(
    game: Game,
    variant: Variant,
    people: Sequence[Entrant],
    others: Sequence[Entrant],
    *,
    partners: Sequence[Entrant] = (),
    table: int | None = None,
) -> PeopleTable:
    """Seat people with bots as partners and as opponents.

    A single opponent takes all seats of the other teams, and so does a single partner. As many
    opponents as other teams have a team each. Where no partners are named, the first of the bots is
    one; of as many bots as there are seats the first ones are. If no `table` is given, it has a
    seat for each who is named, or else the fewest seats that fit.

    Raises:
        UserError: where they cannot be seated so.
    """
    named = len(people) + len(partners) + len(others)
    if table is not None:
        check_seat_count(game, table)
        tables: Sequence[int] = [table]
    else:
        tables = [*([named] if named in game.seats else []), *game.seats]
    problem: UserError | None = None
    for seats in tables:
        try:
            return _fill_table(find_sides(variant, seats), people, partners, others)
        except UserError as why:
            problem = problem or why
    if table is None and not partners:
        check_seat_count(game, named)
    assert problem
    raise problem


def _fill_table(
    sides: Sides, people: Sequence[Entrant], partners: Sequence[Entrant], others: Sequence[Entrant]
) -> PeopleTable:
    """Fill all seats, side by side; raise UserError."""
    seats = sum(map(len, sides))
    size = len(sides[0]) if len({*map(len, sides)}) == 1 else 1  # teams of one size can rotate
    free = seats - len(people)
    own = -len(people) % size  # seats beside people
    if free < 0:
        raise UserError(f"a table of {seats} has no seats for {len(people)} people")
    if not partners and own and others:
        partners, others = (
            (others[:own], others[own:])
            if len(others) == free
            else (others[:1], others if free > own else others[1:])
        )
    beside = _spread(partners, own, own, "a partner")
    against = _spread(others, free - own, (free - own) // size, "an opponent")
    players = make_names_unique([*people, *beside, *against])
    if size == 1:
        return PeopleTable(seats, players, players)
    teams = [players[first : first + size] for first in range(0, seats, size)]
    entrants = [
        evolve(team[0], partners=tuple(team), has_own_names=True, make_bot=None) for team in teams
    ]
    return PeopleTable(seats, tuple(entrants), players)


def _spread(bots: Sequence[Entrant], seats: int, teams: int, role: str) -> list[Entrant]:
    """Return the bot in each of some seats: one for all, one for each team, or one for each."""
    if len(bots) == 1 and seats:
        bots = [*bots] * teams
    if teams and len(bots) == teams:
        each = seats // teams
        return [bot for team in bots for bot in team.partners or [team] * each]
    if bots and not seats:
        raise UserError(f"there is no seat for {role} at this table")
    if len(bots) != seats:
        raise UserError(f"there {'is' if seats == 1 else 'are'} {format_count(seats, 'seat')} for"
                        f" {role}, not {len(bots)}")  # fmt: skip
    return [*bots]
