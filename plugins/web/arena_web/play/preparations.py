"""Bots that have to be prepared before they can play, such as by solving a game: one at a time."""

from __future__ import annotations

from functools import partial
from threading import Thread

from attrs import define, field

from arena import Bot, Game, UserError
from arena.host import BotClassFactory, parse_entrant
from arena.plugins import build_variant
from arena.wires import to_printable
from arena_web.http.worker_threads import start_thread
from arena_web.play.offers import OpponentPool


class PreparationStoppedError(UserError):
    """The server stops before a bot is ready."""


@define(eq=False)
class Preparation:
    """The preparation of a bot for the usual table of a game."""

    game: str  #: its name
    bot: str  #: its name
    share: float = 0.0  #: that is done, from 0 to 1
    problem: str = ""  #: why it failed
    over: bool = False


@define(eq=False)
class Preparations:
    """Prepares bots, one at a time."""

    latest: Preparation | None = None
    _thread: Thread | None = field(init=False, default=None)
    _closed: bool = field(init=False, default=False)

    def find(self, game: str, bot: str) -> Preparation | None:
        """Return the latest preparation, if it is that of this bot."""
        latest = self.latest
        return latest if latest and (latest.game, latest.bot) == (game, bot) else None

    def start(self, pool: OpponentPool, bot: str) -> None:
        """Begin to prepare a bot.

        Raises:
            UserError: if it needs none, another one is prepared, or no thread can start.
        """
        game = pool.game
        if not can_prepare(game, bot):
            raise UserError(f"{bot} needs no preparation")
        if self.latest and not self.latest.over:
            raise UserError(f"{self.latest.bot} is being prepared; wait until it is ready")
        preparation = Preparation(game.name, bot)
        self._thread = start_thread(partial(self._prepare, pool, preparation), f"prepare {bot}")
        self.latest = preparation

    def close(self) -> None:
        """Stop when the server stops."""
        self._closed = True

    def join(self, timeout: float | None = None) -> None:
        """Wait until nothing is prepared any more."""
        if self._thread:
            self._thread.join(timeout)

    def _prepare(self, pool: OpponentPool, preparation: Preparation) -> None:
        def report(share: float) -> None:
            preparation.share = share
            if self._closed:
                raise PreparationStoppedError("the server has stopped")

        try:
            factory = parse_entrant(pool.game, preparation.bot).factory
            assert isinstance(factory, BotClassFactory)
            factory.create_bot().prepare(build_variant(pool.game, {}), pool.usual, report)
        except UserError as problem:
            preparation.problem = to_printable(problem.message)
        finally:
            preparation.over = True


def can_prepare(game: Game, bot: str) -> bool:
    """Return whether a bot of a game says how it is prepared."""
    return bot in game.bots and game.bots[bot].prepare is not Bot.prepare
