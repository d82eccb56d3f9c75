"""Bots as a program in Python hands them over: a text, a class, or what makes one."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from typing import Any, TypeAlias

from attrs import frozen

from arena.host.botfile import BotError
from arena.host.class_loader import format_class_path
from arena.host.commandline import clean_name
from arena.host.entrants import Entrant, make_names_unique, parse_entrant
from arena.players import Bot, BotPlayer, Player
from arena.plugins import Game
from arena.rules import Seat, describe_error
from arena.wires import dump

BotFactory: TypeAlias = Callable[..., Bot]
"""A class of bots, or any function that returns a new one."""

AnyBot: TypeAlias = str | BotFactory | Entrant
"""A bot: a text as on the command line, a class, a factory, or what `configure` returns."""


@frozen
class CallableFactory:
    """A bot in this process, made anew for each match."""

    factory: BotFactory
    is_program = False
    sandbox = None

    def create_player(self, seat: Seat, folder: object, log: object) -> Player:
        """Return a new one."""
        return BotPlayer(self.create_bot())

    def create_bot(self) -> Bot:
        """Make the bot; raise BotError where that gives none."""
        try:
            bot = self.factory()
        except Exception as problem:
            raise BotError(
                f"{get_factory_name(self.factory)} cannot be created: {describe_error(problem)}"
            ) from problem
        if not isinstance(bot, Bot):
            raise BotError(
                f"{get_factory_name(self.factory)} returns {type(bot).__name__}, not an arena.Bot"
            )
        return bot


def configure(factory: BotFactory, *, name: str | None = None, **parameters: Any) -> Entrant:
    """Return a class of bots with a name and parameters, to be seated.

    Args:
        factory: a subclass of `Bot`, or what returns a new bot each time it is called.
        name: what it is called in results; without one, as its class.
        **parameters: keyword arguments of the class, the same in each match.

    Raises:
        UserError: where no bot can be made of it.

    >>> from arena_gops.bots import Ordered
    >>> configure(Ordered, name="late", start=7).bot
    'Ordered:start=7'
    """
    own = get_factory_name(factory)
    given = ",".join(f"{key}={value}" for key, value in parameters.items())
    bot_factory = CallableFactory(partial(factory, **parameters) if parameters else factory)
    bot_factory.create_bot()  # now, rather than when a match begins
    return Entrant(
        clean_name(name or own),
        f"{own}:{given}" if given else own,
        bot_factory,
        bot_factory.create_bot,
    )


def build_entrants(game: Game, bots: Iterable[AnyBot]) -> tuple[Entrant, ...]:
    """Build the entrants, and give each a unique name; raise UserError."""
    return make_names_unique([_build_entrant(game, bot) for bot in bots])


def _build_entrant(game: Game, bot: AnyBot) -> Entrant:
    if isinstance(bot, Entrant):
        return bot
    if isinstance(bot, str):
        return parse_entrant(game, bot)
    if not callable(bot):
        raise BotError(
            f"{bot!r} is not a bot: pass a string, a subclass of Bot,"
            " or a function that returns a bot"
        )
    return configure(bot)


def format_bot(bot: AnyBot) -> str:
    """Return a bot as another process can read it: its text, or its class as `PATH.py:CLASS`.

    Raises:
        UserError: where it stands in no file, as what a notebook defines.
    """
    if isinstance(bot, str):
        return bot
    name, bot_factory = (
        (f"{bot.name}=", bot.factory) if isinstance(bot, Entrant) else ("", CallableFactory(bot))
    )
    if not isinstance(bot_factory, CallableFactory):
        return f"{name}{bot.bot}" if isinstance(bot, Entrant) else ""
    factory, given = bot_factory.factory, ""
    if isinstance(factory, partial):
        given = ",".join(f"{key}={dump(value)}" for key, value in factory.keywords.items())
        factory = factory.func
    return f"{name}{format_class_path(factory)}" + f":{given}" * bool(given)


def get_factory_name(factory: BotFactory) -> str:
    """Return the name of a class or function; for a partial, of the function that it wraps."""
    while isinstance(factory, partial):
        factory = factory.func
    return getattr(factory, "__name__", type(factory).__name__)
