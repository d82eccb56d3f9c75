"""Bots as a program in Python hands them over: a text, a class, or what makes one."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from typing import Any, TypeAlias

from attrs import frozen

from arena.host.botfile import BadBot
from arena.host.classes import as_source
from arena.host.commandline import clean
from arena.host.entering import Entrant, distinct, entrant
from arena.players import Bot, InProcess, Player
from arena.plugins import Game
from arena.rules import Seat, in_words
from arena.wires import dump

Factory: TypeAlias = Callable[..., Bot]
"""A class of bots, or any function that returns a new one."""

AnyBot: TypeAlias = str | Factory | Entrant
"""A bot: what a command line takes, a subclass of `arena.Bot`, a factory, a `configured` one."""


@frozen
class Made:
    """A bot in this process, made anew for each match."""

    factory: Factory
    runs = False
    sandbox = None

    def player(self, seat: Seat, folder: object, log: object) -> Player:
        """Return a new one."""
        return InProcess(self.bot())

    def bot(self) -> Bot:
        """Make the bot; raise BadBot where that gives none."""
        try:
            made = self.factory()
        except Exception as problem:
            raise BadBot(f"{named(self.factory)} cannot be made: {in_words(problem)}") from problem
        if not isinstance(made, Bot):
            raise BadBot(f"{named(self.factory)} makes {type(made).__name__}, and no arena.Bot")
        return made


def configured(factory: Factory, *, name: str | None = None, **parameters: Any) -> Entrant:
    """Return a class of bots with a name and parameters, to be seated.

    Args:
        factory: a subclass of `Bot`, or what returns a new bot each time it is called.
        name: what it is called in results; without one, as its class.
        **parameters: keyword arguments of the class, the same in each match.

    Raises:
        UserError: where no bot can be made of it.

    >>> from arena_gops.bots.plain import Ordered
    >>> configured(Ordered, name="late", start=7).bot
    'Ordered:start=7'
    """
    own = named(factory)
    given = ",".join(f"{key}={value}" for key, value in parameters.items())
    made = Made(partial(factory, **parameters) if parameters else factory)
    made.bot()  # now, rather than when a match begins
    return Entrant(clean(name or own), f"{own}:{given}" if given else own, made, made.bot)


def seat_all(game: Game, bots: Iterable[AnyBot]) -> tuple[Entrant, ...]:
    """Return who enters, built and ready, each with a name of its own; raise UserError."""
    return distinct([_seated(game, bot) for bot in bots])


def _seated(game: Game, bot: AnyBot) -> Entrant:
    if isinstance(bot, Entrant):
        return bot
    if isinstance(bot, str):
        return entrant(game, bot)
    if not callable(bot):
        raise BadBot(f"{bot!r} is no bot: give a text, a subclass of Bot, or what makes one")
    return configured(bot)


def as_text(bot: AnyBot) -> str:
    """Return a bot as another process can read it: its text, or its class as `PATH.py:CLASS`.

    Raises:
        UserError: where it stands in no file, as what a notebook defines.
    """
    if isinstance(bot, str):
        return bot
    name, made = (f"{bot.name}=", bot.factory) if isinstance(bot, Entrant) else ("", Made(bot))
    if not isinstance(made, Made):
        return f"{name}{bot.bot}" if isinstance(bot, Entrant) else ""
    factory, given = made.factory, ""
    if isinstance(factory, partial):
        given = ",".join(f"{key}={dump(value)}" for key, value in factory.keywords.items())
        factory = factory.func
    return f"{name}{as_source(factory)}" + f":{given}" * bool(given)


def named(factory: Factory) -> str:
    """Return what a class or a function is called; a partial one as what it calls."""
    while isinstance(factory, partial):
        factory = factory.func
    return getattr(factory, "__name__", type(factory).__name__)
