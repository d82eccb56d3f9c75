"""How many seats a match has, for so many players and their partners."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from arena.host.entrants import Entrant
from arena.plugins import Game
from arena.rules import Sides, UserError, Variant, find_sides, format_choices, format_count


def check_seat_count(game: Game, seats: int, teams: Sequence[int] = ()) -> None:
    """Raise UserError where a game is not for so many; it may be for so many teams, too."""
    if seats not in game.seats:
        allowed = format_choices(game.seats)
        also = "".join(f" or {format_count(number, 'team')}" for number in teams)
        raise UserError(f"{game.name} is for {allowed} players{also}, not {seats}")


def choose_table(
    game: Game, variant: Variant, players: int, table: int | None = None, *, partners: int = 0
) -> int:
    """Return the seats of a match of so many players, each in one seat or in all seats of a side.

    If no `table` is given, each has one seat where the game allows it; where a player is a team of
    so many `partners`, all seats of a side.

    Raises:
        UserError: where they cannot be seated so.
    """
    if table is None:
        counts = [players] if players in game.seats and not partners else game.seats
        tables = [seats for seats in counts if players in (seats, _count_sides(variant, seats))]
        if partners:
            tables = [seats for seats in tables if partners in map(len, find_sides(variant, seats))]
            if not tables:
                raise UserError(f"{game.name} has no table of {players} teams of {partners}")
        if not tables:
            several = {_count_sides(variant, seats) for seats in game.seats} - {*game.seats}
            check_seat_count(game, players, sorted(several))
        return tables[0]
    check_seat_count(game, table)
    sides = _count_sides(variant, table)
    if players not in (table, sides):
        teams = "" if sides == table else f" or {format_count(sides, 'team')}"
        raise UserError(f"a table of {table} is for {table} players{teams}, not {players}")
    return table


def check_partners(entrants: Iterable[Entrant], sides: Sides) -> None:
    """Raise UserError where a team of several bots does not have a seat for each of them."""
    for entrant in entrants:
        wrong = [len(side) for side in sides if len(side) != len(entrant.partners)]
        if entrant.partners and wrong:
            raise UserError(
                f"{entrant.name} is a team of {len(entrant.partners)} bots, but here an entrant has"
                f" {format_count(wrong[0], 'seat')}"
            )


def _count_sides(variant: Variant, seats: int) -> int:
    return len(find_sides(variant, seats))
