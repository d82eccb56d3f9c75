"""Sources of pages: the databases of tournaments, and what the command line names."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from itertools import chain, count
from operator import attrgetter
from pathlib import Path
from typing import Any, Protocol, Self, TypeVar
from urllib.parse import urlsplit

from anyio import to_thread
from attrs import define, evolve, field

from arena import UserError
from arena.records import SUFFIX, read_transcript
from arena.rules import StorageError
from arena.tournament import RatingHistory, Tournament
from arena.tournament.file import HillConfig, TournamentSpec
from arena.tournament.live import LIVE_FOLDER
from arena.tournament.rating_history import compute_rating_history
from arena.tournament.store import Store
from arena_web.addresses import slugify
from arena_web.http.caches import RefreshedValue, SharedRead
from arena_web.http.worker_threads import WorkerThreads
from arena_web.news import TournamentNews, find_highlights
from arena_web.playing_styles import PlayingStyleSource
from arena_web.tournament_snapshots import TournamentSnapshot, take_snapshot
from arena_web.tournament_views import NO_HISTORY, STANDINGS, TournamentView, ViewParts
from arena_web.transcript_folders import TranscriptFolder

T = TypeVar("T")
V_co = TypeVar("V_co", covariant=True)
HISTORY_POINTS = 40  # of a curve
TOURNAMENT_SUFFIX = ".toml"


class PageSource(Protocol[V_co]):
    """A source, as its pages need it."""

    @property
    def name(self) -> str:
        """Its name in addresses."""

    @property
    def title(self) -> str:
        """The title of its pages."""

    @property
    def about(self) -> HillConfig | None:
        """What its host says of it."""

    @property
    def hill_path(self) -> str:
        """The way from the root to where bots are sent, if there is one."""

    async def load_view(self, parts: ViewParts) -> V_co:
        """Return what a page shows that was asked for now, with these parts."""


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
    rating_history: RefreshedValue[tuple[TournamentSnapshot, RatingHistory]] = field(init=False)
    highlights: RefreshedValue[tuple[TournamentSnapshot, TournamentNews]] = field(init=False)
    _aliases: SharedRead[Mapping[str, str]] = field(init=False)
    _threads: WorkerThreads = field(init=False, factory=WorkerThreads)

    def __attrs_post_init__(self) -> None:
        self.styles = PlayingStyleSource(self.ask_in_turn)
        self.snapshot = RefreshedValue(self._load_snapshot)
        self.rating_history = RefreshedValue(self._load_rating_history)
        self.highlights = RefreshedValue(self._load_highlights)
        self._aliases = SharedRead(partial(self.ask, attrgetter("entrants.aliases")))

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
        """Return what is shown in place of the names that are hidden now."""
        return await self._aliases.get()

    async def load_view(self, parts: ViewParts = STANDINGS) -> TournamentView:
        """Return what a page shows that was asked for now, with these parts."""
        news, history = None, None
        if parts.news:
            news = await _load_part(self.highlights, parts)
        if parts.history:
            history = await _load_part(self.rating_history, parts)
        deals = await self.styles.advance() if parts.styles else 0
        snapshot = await self.snapshot.get()
        aliases = await self.load_aliases()  # after all that may have newer ones
        snapshot = evolve(snapshot, summary=snapshot.summary.hide(aliases))
        part_keys = [part[0].cache_key for part in (history, news) if part]
        return TournamentView(
            name=self.name,
            title=self.title,
            about=self.about,
            snapshot=snapshot,
            aliases=aliases,
            history=history[1].hide(aliases) if history else NO_HISTORY,
            news=news[1].name_bots(snapshot.summary, aliases) if news else TournamentNews(),
            styles=self.styles,
            cache_key=(snapshot.cache_key, tuple(sorted(aliases.items())), *part_keys, deals),
            ask=partial(self.ask, aliases=aliases),
            ask_in_turn=partial(self.ask_in_turn, aliases=aliases),
        )

    async def refresh(self, since: float) -> tuple[object, ...]:
        """Return what pages show now: the snapshot, and what they have wished for besides.

        What is older than this moment is refreshed, as soon as that may be; whoever asks again and
        again sees it come.
        """
        if self.snapshot.began < since:
            await self.snapshot.get()
        snapshot = self.snapshot.value
        parts: Sequence[RefreshedValue[Any]] = (self.rating_history, self.highlights)
        for part in parts:
            if part.value is not None and part.value[0] is not snapshot:
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

    async def _load_rating_history(self) -> tuple[TournamentSnapshot, RatingHistory]:
        snapshot = await self.snapshot.get()
        before = self.rating_history.value
        if before is not None and before[0] is snapshot:
            return before
        summary = snapshot.summary
        compute = partial(
            compute_rating_history, summary.results, summary.model, summary.level,
            HISTORY_POINTS, before and before[1],
        )  # fmt: skip
        return snapshot, await to_thread.run_sync(compute)

    async def _load_highlights(self) -> tuple[TournamentSnapshot, TournamentNews]:
        snapshot, history = await self.rating_history.get()
        before = self.highlights.value
        if before is not None and before[0] is snapshot:
            return before
        find = partial(find_highlights, summary=snapshot.summary, history=history)
        return snapshot, await self.ask_in_turn(find)


async def _load_part(value: RefreshedValue[T], parts: ViewParts) -> T | None:
    """Return a part of a view; None where it is not there yet, and a page does not wait for it."""
    return await value.get() if parts.waits else await value.get_soon()


Source = TournamentSource | TranscriptFolder
MatchView = TournamentView | TranscriptFolder
"""What a page of matches is handed."""


def open_sources(what: Iterable[str]) -> dict[str, Source]:
    """Open sources and return them by name; raise UserError if one cannot be opened."""
    sources: dict[str, Source] = {}
    for argument in what:
        source = _open_source(argument, sources)
        sources[source.name] = source
    return sources


def _open_source(what: str, names: Iterable[str]) -> Source:
    """Open the source that an argument of the command line names."""
    path = Path(what)
    if "://" not in what and (what.endswith(SUFFIX) or path.is_dir()):
        return _open_folder(path, names)
    spec = Tournament.load(path).spec if what.endswith(TOURNAMENT_SUFFIX) else None
    Store.open(spec.database if spec else what, write=False).close()  # to say a slip at the start
    stem = urlsplit(what).path.rpartition("/")[2] if "://" in what else path.stem
    name = choose_name(stem, names)
    beside = path.absolute().with_name(f"{path.stem}.arena") / LIVE_FOLDER
    return TournamentSource.of(spec, name) if spec else TournamentSource(name, what, beside)


def _open_folder(path: Path, names: Iterable[str]) -> TranscriptFolder:
    folder = TranscriptFolder(
        choose_name(path.absolute().name.removesuffix(SUFFIX), names), path.absolute()
    )
    if path.is_dir():
        if not folder.list_files():
            raise UserError(f"{path} contains no transcripts")
    else:
        read_transcript(path)
    return folder


def choose_name(stem: str, names: Iterable[str]) -> str:
    """Return an unused name that fits into an address."""
    name = slugify(stem).strip(".-") or "arena"
    others = {*names}
    several = (f"{name}-{number}" for number in count(2))
    return next(candidate for candidate in chain([name], several) if candidate not in others)
