"""The setup of a table: its game, its options and its players."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Self

from attrs import evolve, field, frozen

from arena import Game, RandomBot, UserError, Variant
from arena.host import (
    Entrant,
    Limits,
    PeopleTable,
    configure,
    is_bundled,
    parse_entrant,
    seat_people,
    split_team,
)
from arena.plugins import get_plugins
from arena_web.play.sitting import Sitting
from arena_web.play.store.stored_tables import StoredBot, StoredSetup
from arena_web.play.table_terms import PERSON, TableTerms
from arena_web.player_names import load_strengths

MAX_PERSONS = 10


@frozen
class TableSetup:
    """The setup of a table; enough to play the same match again."""

    game: Game
    variant: Variant
    others: tuple[Entrant, ...]
    seed: str | None = None  #: of the deal, for trying things out; else it is drawn
    partners: tuple[Entrant, ...] = ()  #: of the people; without any the first of the others
    terms: TableTerms = field(kw_only=True)

    def seat(self) -> PeopleTable:
        """Seat stand-ins for the people with the bots; raise UserError where that is impossible."""
        people = [
            evolve(configure(RandomBot), name=name, bot=PERSON) for name in self.terms.persons
        ]
        return seat_people(
            self.game,
            self.variant,
            people,
            self.others,
            partners=self.partners,
            table=self.terms.table,
        )

    def check(self) -> Self:
        """Return the setup; raise UserError where it cannot be played."""
        seating = self.seat()
        for entrant in seating.players[len(self.terms.persons) :]:
            entrant.check_support(self.variant, seating.seats)
        return self

    def change_people(
        self, persons: Sequence[str], bot: Entrant | None, *, invites: bool = False
    ) -> Self:
        """Return the setup with these people in as many seats; a bot takes all others.

        Without a bot there are no other seats. Raise UserError where that cannot be played.
        """
        seats = self.seat().seats
        if len(persons) > min(seats, MAX_PERSONS):
            raise UserError("all seats are taken")
        others = (bot,) if bot and len(persons) < seats else ()
        terms = evolve(
            self.terms,
            persons=tuple(persons),
            table=seats if others else len(persons),
            invites=invites and bool(others),
        )
        return evolve(self, terms=terms, others=others, partners=()).check()

    def deal_anew(self, sitting: Sitting) -> Self:
        """Return the setup of the next match: a deal of the day is followed by others."""
        seed = None if self.terms.daily else self.seed
        return evolve(self, terms=evolve(self.terms, daily="", sitting=sitting), seed=seed)

    @property
    def gathers(self) -> bool:
        """Whether there are people to wait for: several, or friends who are invited."""
        return self.terms.invites or len(self.terms.persons) > 1

    def to_stored(
        self, names: Sequence[str], bots: Sequence[str], seating: Sequence[int], seed: str | None
    ) -> StoredSetup:
        """Return the setup as it is kept, with names and bots in seat order, and what was drawn.

        `seating` has for each seat the number of its player, persons first.
        """
        return StoredSetup(
            game=self.game.name,
            variant=self.game.write_variant(self.variant),
            others=tuple([StoredBot(entrant.name, entrant.bot) for entrant in self.others]),
            partners=tuple([StoredBot(entrant.name, entrant.bot) for entrant in self.partners]),
            seed=seed,
            seating=tuple(seating),
            names=tuple(names),
            bots=tuple(bots),
            terms=self.terms,
        )

    @classmethod
    def restore(cls, stored: StoredSetup, programs: Sequence[str] | None) -> Self:
        """Return a setup that was kept; raise UserError if it can be played no more.

        Of programs it may have these; None: any. The seed is not in it: the next match is drawn.
        """
        game = get_plugins().find_game(stored.game)
        try:
            variant = game.read_variant(stored.variant)
        except ValueError as problem:
            raise UserError(f"{game.name}: {problem}") from None
        return cls(
            game,
            variant,
            tuple([_restore_bot(game, bot, programs) for bot in stored.others]),
            partners=tuple([_restore_bot(game, bot, programs) for bot in stored.partners]),
            terms=stored.terms,
        )

    @property
    def limits(self) -> Limits:
        """The limits of the match, which also hold for programs."""
        bots = (*self.others, *self.partners)
        start = Limits().start if any(bot.factory.is_program for bot in bots) else 0.0
        clock = self.terms.clock
        return Limits(move=clock, start=start) if clock else Limits(start=start)


def count_usual_players(game: Game) -> int:
    """Return the usual number of players of a game: as its bots were measured, or are shown."""
    strengths = load_strengths(game)
    numbers = (strengths.table if strengths else 0, len(game.presentation.demo), game.seats[0])
    return next(number for number in numbers if number in game.seats)


def _restore_bot(game: Game, stored: StoredBot, programs: Sequence[str] | None) -> Entrant:
    players = split_team(stored.bot) or (stored.bot,)
    others = {player for player in players if not is_bundled(game, player)}
    if programs is not None and not others <= {*programs}:
        raise UserError(f"{stored.name} cannot be played against here any more")
    return evolve(parse_entrant(game, stored.bot), name=stored.name)
