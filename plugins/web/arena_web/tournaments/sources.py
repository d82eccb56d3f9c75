"""Tournaments as sources of pages: their databases, and what is computed of them for all pages."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Generic, Self, TypeVar

from anyio import to_thread
from attrs import define, field, frozen

from arena.rules import StorageError
from arena.tournament import RatingHistory
from arena.tournament.file.contents import HillConfig
from arena.tournament.file.spec import TournamentSpec
from arena.tournament.results.rating_history import compute_rating_history
from arena.tournament.store import Store
from arena.tournament.workers.live import LIVE_FOLDER
from arena_web.http.refreshed_values import RefreshedValue, SharedRead
from arena_web.http.worker_threads import WorkerThreads
from arena_web.tournaments.news import NewsFinder, TournamentNews
from arena_web.tournaments.playing_styles import PlayingStyleSource
from arena_web.tournaments.snapshots import TournamentSnapshot, take_snapshot
from arena_web.tournaments.views import NO_HISTORY, STANDINGS, TournamentView, ViewParts

T = TypeVar("T")
HISTORY_POINTS = 40  # of a curve


@frozen(eq=False)
class SnapshotPart(Generic[T]):
    """What was computed of a tournament, with the state of which it was."""

    snapshot: TournamentSnapshot
    value: T


@define(eq=False)
class TournamentSource:
    """A tournament's database, opened read-only, and what is computed of it for all pages."""

    kind = "tournament"  #: as the list of all sources calls it
    name: str
    address: str
    live: Path  #: where matches that are watched are written as they are played
    hill_path: str = ""  #: the way from the root to where bots are sent, if it is open to all
    about: HillConfig = field(factory=HillConfig)  #: what its host says of it
    find_authors: Callable[[], Mapping[str, str]] = dict
    """Finds the authors who agreed to be shown, by the names of their bots."""
    styles: PlayingStyleSource = field(init=False)
    snapshot: RefreshedValue[TournamentSnapshot] = field(init=False)
    rating_history: RefreshedValue[SnapshotPart[RatingHistory]] = field(init=False)
    news: RefreshedValue[SnapshotPart[TournamentNews]] = field(init=False)
    _aliases: SharedRead[Mapping[str, str]] = field(init=False)
    _threads: WorkerThreads = field(init=False, factory=WorkerThreads)

    def __attrs_post_init__(self) -> None:
        self.styles = PlayingStyleSource(self.ask_in_turn)
        self.snapshot = RefreshedValue(self._load_snapshot)
        self.rating_history = RefreshedValue(self._load_rating_history)
        self.news = RefreshedValue(self._load_news)
        self._aliases = SharedRead(partial(self.ask, lambda store: store.entrant_directory.aliases))

    @classmethod
    def of(
        cls,
        spec: TournamentSpec,
        name: str,
        *,
        hill_path: str = "",
        find_authors: Callable[[], Mapping[str, str]] = dict,
    ) -> Self:
        """Return the tournament of a file; this is its name in addresses."""
        about, live = spec.file.hill or HillConfig(), spec.data_folder / LIVE_FOLDER
        return cls(name, spec.database, live, hill_path, about, find_authors)

    @property
    def title(self) -> str:
        """The title of its pages."""
        return self.about.title or self.name

    def open(self, aliases: Mapping[str, str] | None = None) -> Store:
        """Open the database for reading public data, with these aliases or those of now."""
        return Store.open(self.address, write=False, aliased=True if aliases is None else aliases)

    async def ask(
        self, question: Callable[[Store], T], aliases: Mapping[str, str] | None = None
    ) -> T:
        """Query the store in a thread; a question reads one state of the tournament."""
        return await self._threads.ask(partial(self._query, question, aliases))

    async def ask_in_turn(
        self, question: Callable[[Store], T], aliases: Mapping[str, str] | None = None
    ) -> T:
        """Run one of many queries, for a download, without delaying pages."""
        return await self._threads.ask_in_turn(partial(self._query, question, aliases))

    def _query(self, question: Callable[[Store], T], aliases: Mapping[str, str] | None) -> T:
        with self.open(aliases) as store, store.begin_read():
            return question(store)

    async def load_aliases(self) -> Mapping[str, str]:
        """Return the aliases of the names that are hidden now."""
        return await self._aliases.get()

    async def load_view(self, parts: ViewParts = STANDINGS) -> TournamentView:
        """Return the view of the source as it is now, with these parts."""
        deals = await self.styles.advance() if parts.styles else 0
        while True:
            news, history = None, None
            if parts.news:
                news = await _load_part(self.news, parts)
            if parts.history:
                history = await _load_part(self.rating_history, parts)
            snapshot = await self.snapshot.get()
            aliases = await self.load_aliases()  # after all that may have newer ones
            snapshots = [snapshot, *(part.snapshot for part in (history, news) if part)]
            if all(part.aliases == aliases for part in snapshots):
                break
            self._forget_other_names(aliases)
        return TournamentView(
            name=self.name,
            title=self.title,
            about=self.about,
            snapshot=snapshot,
            history=history.value if history else NO_HISTORY,
            news=news.value.name_bots(snapshot.summary) if news else TournamentNews(),
            styles=self.styles,
            cache_key=(*(part.cache_key for part in snapshots), deals),
            ask=partial(self.ask, aliases=aliases),
            ask_in_turn=partial(self.ask_in_turn, aliases=aliases),
        )

    def _forget_other_names(self, aliases: Mapping[str, str]) -> None:
        """Forget what was computed while other names were hidden.

        A host seldom hides a name; then pages wait until all is computed anew. So nothing that is
        computed has to know where there are names in it.
        """
        if (snapshot := self.snapshot.value) and snapshot.aliases != aliases:
            self.snapshot.forget()
        parts: Sequence[RefreshedValue[Any]] = (self.rating_history, self.news)
        for part in parts:
            if part.value is not None and part.value.snapshot.aliases != aliases:
                part.forget()

    async def refresh(self, since: float) -> tuple[object, ...]:
        """Return the parts that pages show now: the snapshot, and those that a page has asked for.

        What is older than this moment is refreshed, as soon as that may be; whoever asks again and
        again sees it come.
        """
        if self.snapshot.began < since:
            await self.snapshot.get()
        snapshot = self.snapshot.value
        parts: Sequence[RefreshedValue[Any]] = (self.rating_history, self.news)
        for part in parts:
            if part.value is not None and part.value.snapshot is not snapshot:
                await part.get()
        return (snapshot, *[part.value for part in parts])

    async def _load_snapshot(self) -> TournamentSnapshot:
        return await self.ask(partial(self._take_snapshot, self.snapshot.value))

    def _take_snapshot(self, before: TournamentSnapshot | None, store: Store) -> TournamentSnapshot:
        try:
            authors = self.find_authors()
        except StorageError:  # of the hill's own database: standings can be shown without it
            authors = before.authors if before else {}
        return take_snapshot(store, before, authors)

    async def _load_rating_history(self) -> SnapshotPart[RatingHistory]:
        snapshot = await self.snapshot.get()
        before = self.rating_history.value
        if before is not None and before.snapshot is snapshot:
            return before
        summary = snapshot.summary
        compute = partial(
            compute_rating_history, summary.rated_results, summary.model, summary.level,
            HISTORY_POINTS, before.value if before else None,
        )  # fmt: skip
        return SnapshotPart(snapshot, await to_thread.run_sync(compute))

    async def _load_news(self) -> SnapshotPart[TournamentNews]:
        history = await self.rating_history.get()
        snapshot, before = history.snapshot, self.news.value
        if before is not None and before.snapshot is snapshot:
            return before
        news = await self.ask_in_turn(
            lambda store: NewsFinder(store, snapshot.summary, history.value).find(),
            snapshot.aliases,
        )
        return SnapshotPart(snapshot, news)


async def _load_part(value: RefreshedValue[T], parts: ViewParts) -> T | None:
    """Return a part of a view; None where it is not there yet, and a page does not wait for it."""
    return await value.get() if parts.waits else await value.get_soon()
