"""A hill as the web server serves it: threads, the limits of uploads, its tournament's pages."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Self, TypeVar

from attrs import define, field

from arena_hill.db.accounts import Principal
from arena_hill.hill_access import HillAccess
from arena_hill.web.upload_rates import UploadRates
from arena_web.http.worker_threads import WorkerThreads
from arena_web.tournaments.sources import TournamentSource
from arena_web.tournaments.views import TournamentView

T = TypeVar("T")


@define(eq=False)
class ServedHill:
    """A hill that is served; its access may block, so coroutines call that with `ask`."""

    access: HillAccess
    tournament: TournamentSource  #: its tournament; the database may not be there yet
    upload_rates: UploadRates  #: of uploads by all ways
    _threads: WorkerThreads = field(init=False, factory=WorkerThreads)

    @classmethod
    def of(cls, access: HillAccess) -> Self:
        """Return a hill to serve."""
        tournament = TournamentSource.of(
            access.hill.spec,
            access.hill.name,
            hill_path=f"hill/{access.hill.name}/",
            find_authors=access.store.accounts.list_public_authors,
        )
        return cls(access, tournament, UploadRates(access.hill.config.uploads_per_hour))

    @classmethod
    def open(cls, file: str | Path) -> Self:
        """Open the hill of a tournament's file; raise UserError if it is not a hill."""
        return cls.of(HillAccess.open(file))

    @property
    def name(self) -> str:
        """The hill's name in addresses."""
        return self.access.hill.name

    async def ask(self, question: Callable[[], T]) -> T:
        """Return the result of a function, called in a thread; raise BusyError if too many wait."""
        return await self._threads.ask(question)

    async def ask_in_turn(self, question: Callable[[], T]) -> T:
        """Return the result of a slow function; such functions run one after the other."""
        return await self._threads.ask_in_turn(question)

    async def identify(self, token: str) -> Principal | None:
        """Return the author whom a token identifies, or None."""
        find = partial(self.access.store.accounts.identify, token)
        return await self.ask(find) if token else None

    async def load_view(self) -> TournamentView | None:
        """Return a view of the tournament, or None before it starts."""
        is_there = await self.ask(self.access.hill.has_tournament)
        return await self.tournament.load_view() if is_there else None
