"""Who sits where in a match with people: drawn once, and the same after a restart of the server."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Self

from attrs import evolve, frozen

from arena import Count, Game, MatchSpec, Seat
from arena.host import Entrant, PeopleTable, PlayerFactory, Result, Series
from arena.rules import Sides, derive_seed, find_sides, is_decided
from arena_web.matches.finish import MatchFinish
from arena_web.play.sitting import Sitting
from arena_web.play.store.stored_tables import StoredSetup
from arena_web.play.table_setup import TableSetup
from arena_web.player_names import join_players, present_players


@frozen
class Seating:
    """A match of a table: its deal, and who has which seat."""

    setup: TableSetup
    spec: MatchSpec
    entrants: tuple[Entrant, ...]  #: in seat order, with stand-ins for the people
    players: tuple[int, ...]  #: the number of each seat's player, persons first
    names: Sequence[str]  #: in seat order, as people read them
    next_seat: Seat  #: of the first person, where all move on by one seat

    @classmethod
    def draw(cls, setup: TableSetup, first_seat: Seat | None = None) -> Self:
        """Draw the deal and the seats; the first person sits at `first_seat`, if there is one."""
        table = setup.seat()
        series = Series.create(setup.game, setup.variant, table.entrants, setup.seed, table.seats)
        return cls._choose_rotation(setup, table, series, first_seat)

    @classmethod
    def restore(cls, setup: TableSetup, stored: StoredSetup) -> Self:
        """Seat all as they sat at a table that was kept, and deal the same cards."""
        table = setup.seat()
        number = {player.name: at for at, player in enumerate(table.players)}
        first = {
            entrant.name: min(
                stored.find_seat(number[player.name]) for player in entrant.partners or (entrant,)
            )
            for entrant in table.entrants
        }
        in_order = tuple(sorted(table.entrants, key=lambda entrant: first[entrant.name]))
        series = Series(setup.game, setup.variant, in_order, stored.seed, table.seats)
        return cls._choose_rotation(setup, table, series, None)

    @classmethod
    def _choose_rotation(
        cls, setup: TableSetup, table: PeopleTable, series: Series, first_seat: Seat | None
    ) -> Self:
        """Take the first match, or the rotation of its deal with the first person in this seat."""
        rotations = [*series.iter_matches(len(series.entrants))]
        seats = [entrants.index(table.players[0]) for _, entrants in rotations]
        if first_seat is not None and first_seat not in seats:
            raise ValueError(f"there is no seat {first_seat}")
        at = 0 if first_seat is None else seats.index(first_seat)
        spec, entrants = rotations[at]
        if setup.terms.daily:  # bots draw from the key, which the name of a person must not change
            spec = evolve(spec, key=derive_seed(spec.seed, "daily")[: len(spec.key)])
        players = tuple([table.players.index(entrant) for entrant in entrants])
        names = present_players(setup.game.name, spec.names, spec.bots)
        next_seat = seats[at - 1]  # a rotation moves all back by one
        return cls(setup, spec, entrants, players, names, next_seat)

    @property
    def game(self) -> Game:
        """The game that is played."""
        return self.spec.game

    @property
    def count(self) -> Count:
        """What people read of scores."""
        return self.game.presentation.count

    @property
    def clock(self) -> float | None:
        """The seconds that a person has for each answer; None: all the time."""
        return self.setup.terms.clock

    @property
    def sitting(self) -> Sitting:
        """The matches that these players have played before."""
        return self.setup.terms.sitting

    def compute_finish(self, result: Result) -> MatchFinish | None:
        """Return the finish of the match with a result of the host; None where it is void."""
        return MatchFinish.of(result, self.names, self.count)

    def to_stored(self) -> StoredSetup:
        """Return the setup as it is kept, with what was drawn."""
        return self.setup.to_stored(self.spec.names, self.spec.bots, self.players, self.spec.seed)

    @property
    def sides(self) -> Sides:
        """The seats of each side."""
        return find_sides(self.spec.variant, len(self.spec.names))

    def find_seat(self, person: int) -> Seat:
        """Return the seat of a person, by the number in the setup."""
        return self.players.index(person)

    def replace_people(self, factory: PlayerFactory) -> tuple[Entrant, ...]:
        """Return the entrants, with the players of this factory in the seats of the people."""
        people = len(self.setup.terms.persons)
        return tuple([
            Entrant(entrant.name, entrant.bot, factory) if player < people else entrant
            for entrant, player in zip(self.entrants, self.players, strict=True)
        ])  # fmt: skip

    def goes_on_without(self, lost: Collection[Seat]) -> bool:
        """Whether the match is still to be decided when these seats have a verdict."""
        return not is_decided(self.sides, {*lost})

    def describe_company(self, seat: Seat) -> str:
        """Return the partners and opponents of the player in a seat, for a heading."""
        own = next(side for side in self.sides if seat in side)
        partners = [partner for partner in own if partner != seat]
        others = [other for other in range(len(self.names)) if other not in own]
        return " ".join(
            f"{how} {join_players([self.names[other] for other in seats])}"
            for how, seats in (("with", partners), ("against", others))
            if seats
        )
