"""Entrants: who can be seated in a match, and their names."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from attrs import evolve, frozen

from arena.host.player_factories import PlayerFactory
from arena.host.shortages import ShortageError, describe_shortage
from arena.players import Bot
from arena.rules import UserError, Variant, describe_error
from arena.sandbox import TRUSTED


@frozen
class Entrant:
    """Somebody who can be seated: what it is called, and what it is."""

    name: str  #: what it is called
    bot: str  #: as it was named
    factory: PlayerFactory  #: makes its player for each match
    make_bot: Callable[[], Bot] | None = None  #: makes the bot, where it is a class
    #: where it is a team of several bots: all of them, in the order of its seats
    partners: tuple[Entrant, ...] = ()
    has_own_names: bool = False  #: whether these are called by their own names in a match

    @property
    def tier(self) -> str | None:
        """The tier of its sandbox, or `trusted`; None for a bot in this process."""
        sandbox = self.factory.sandbox
        return (sandbox.tier if sandbox else TRUSTED) if self.factory.is_program else None

    @property
    def searches(self) -> bool:
        """Whether it, or one of its partners, is handed junctures in this process."""
        alone = self.make_bot is not None and self.make_bot().searches
        return alone or any(partner.searches for partner in self.partners)

    def check_support(self, variant: Variant, seats: int) -> None:
        """Raise UserError where it is known that it cannot play this."""
        for partner in self.partners:
            partner.check_support(variant, seats)
        if self.make_bot:
            try:
                self.make_bot().check_support(variant, seats)
            except UserError as problem:
                message = f"{self.bot}: {problem.message}"
                raise UserError(message, command=problem.command) from None
            except Exception as problem:
                if shortage := describe_shortage(problem):
                    raise ShortageError(f"{self.bot}: {shortage}") from problem
                raise UserError(f"{self.bot}: {describe_error(problem)}") from problem


def make_names_unique(entrants: Sequence[Entrant]) -> tuple[Entrant, ...]:
    """Return entrants of the same name a number each, from the second on.

    Names that differ in nothing but case count as the same.
    """
    taken: set[str] = set()
    renamed = []
    for entrant in entrants:
        name, number = entrant.name, 1
        while name.casefold() in taken:
            number += 1
            name = f"{entrant.name[:28]}_{number}"
        taken.add(name.casefold())
        renamed.append(evolve(entrant, name=name))
    return tuple(renamed)


def clean_name(name: str) -> str:
    """Return a name of an entrant that is as like this as names may be."""
    return re.sub("[^A-Za-z0-9_]", "_", name)[:32] or "bot"
