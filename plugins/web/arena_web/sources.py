"""Sources of pages: tournaments with their snapshots and playing styles, folders of transcripts.

Playing styles are counted in the background, and only from what is public: a deal is counted when
all its rotations are over. Where a tournament holds all hands back until it is over, nothing is
counted before.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Callable, Hashable, Iterable, Mapping, Sequence
from functools import lru_cache, partial
from itertools import chain, count
from operator import attrgetter
from pathlib import Path
from time import monotonic
from typing import Any, Protocol, Self, TypeVar
from urllib.parse import urlsplit

import numpy as np
from anyio import to_thread
from attrs import define, evolve, field, frozen
from starlette.exceptions import HTTPException

from arena import UserError
from arena.plugins import get_plugins
from arena.records import (
    SUFFIX,
    Transcript,
    UnreadableTranscriptError,
    parse_lines,
    read_transcript,
)
from arena.rules import StorageError
from arena.tournament import RatingHistory, StyleEntry, Summary, Tournament
from arena.tournament.file import HillConfig, TournamentSpec, get_data_folder
from arena.tournament.insights import InsightsCounter, build_style, merge_entrants
from arena.tournament.live import LIVE_FOLDER
from arena.tournament.rating_history import compute_rating_history
from arena.tournament.store import MatchFilter, Store, StoredSettings
from arena.wires import to_printable
from arena_web.app import slugify
from arena_web.http.caches import MAX_WAIT_SECONDS, RefreshedValue, SharedRead, WorkerThreads
from arena_web.news import TournamentNews, find_highlights
from arena_web.visibility import (
    MatchSummary,
    explain_waiting,
    is_public,
    load_public_transcript,
    redact_transcript,
    summarize_match,
    summarize_transcript,
    withholds_hands,
)

T = TypeVar("T")

BATCH_DEALS = 10  # deals that are counted before pages get another turn

HISTORY_POINTS = 40  # of a curve
NO_HISTORY = RatingHistory((), np.empty(0, np.int64), *np.empty((3, 0, 0)))
TOURNAMENT_SUFFIX = ".toml"


@frozen(eq=False)
class TournamentSnapshot:
    """The summary of a tournament, and its progress at that time."""

    summary: Summary
    stored: int  # matches, whatever came of them
    planned: int
    span: tuple[str, str] | None  # when the first and the last match were over, in UTC
    authors: Mapping[str, str]  # who agreed to be shown, by the names of their bots
    played: Hashable  # the same where the figures are
    terms: str = ""  # what is played, in words
    over: bool = False  # is all played that was planned?
    replaced: int = 0  # results, by playing a match again

    @property
    def cache_key(self) -> Hashable:
        """A key that is equal if nothing has changed."""
        return self.played, tuple(sorted(self.authors.items()))


@frozen
class ViewParts:
    """What a page shows of a tournament besides its standings: it is computed on the first wish."""

    history: bool = False  #: the history of the ratings
    news: bool = False  #: who leads, who came and went, records
    styles: bool = False  #: playing styles
    waits: bool = True  #: for what is computed for the first time; else a moment only


STANDINGS = ViewParts()


class StoreQueryRunner(Protocol):
    """Whatever asks a tournament's store in a thread."""

    def __call__(self, question: Callable[[Store], T]) -> Awaitable[T]:
        """Return the answer."""


@frozen(eq=False)
class TournamentView:
    """All that one page shows of a tournament; a page is handed this, and can reach nothing else.

    Its parts may be of different ages: the standings are the newest, and have all entrants that the
    others have. The names that the host had hidden when the page was asked for are hidden in all of
    them, whatever their age, and in all that the page asks of the store.
    """

    name: str  #: of the tournament in addresses
    title: str  #: of its pages
    about: HillConfig  #: what its host says of it
    snapshot: TournamentSnapshot
    aliases: Mapping[str, str]  #: what is shown in place of the names that are hidden
    history: RatingHistory  #: of no deals before it was computed
    news: TournamentNews  #: nothing before it was computed
    styles: PlayingStyleSource
    cache_key: Hashable  #: the same where all of the above is
    ask: StoreQueryRunner = field(repr=False)  #: a question reads one state of the tournament
    ask_in_turn: StoreQueryRunner = field(repr=False)
    """Asks one of many questions, for a download, without delaying pages."""

    @property
    def summary(self) -> Summary:
        """The results, ratings and standings."""
        return self.snapshot.summary

    @property
    def transcript_key(self) -> Hashable:
        """A key that is equal as long as no match was played again and no name was hidden."""
        return self.snapshot.replaced, tuple(sorted(self.aliases.items()))

    async def get_game(self) -> str:
        """Return the name of the game that is played."""
        return await self.ask(lambda store: store.settings.game)

    async def list_matches(self, which: MatchFilter) -> list[MatchSummary]:
        """Return the matches that pass a filter, without hands and quotes."""
        return await self.ask(lambda store: list_matches(store, which))

    async def find_match(self, key: str) -> MatchSummary:
        """Return a match; raise 404 if there is none."""
        return await self.ask(lambda store: _find_match(store, *_require_key(key)))

    async def load_transcript(self, key: str) -> Transcript:
        """Return the public transcript of a match; raise 404 if there is none."""
        return await self.load_with(key, return_transcript)

    async def load_with(self, key: str, make: Callable[[Transcript], T]) -> T:
        """Return the result of a function of a transcript, called in the thread that reads it."""
        return await self.ask(lambda store: make(_load_transcript(store, *_require_key(key))))


@define(eq=False)
class TournamentSource:
    """A tournament's database, opened read-only, and what is computed of it for all pages."""

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
    _last: TournamentSnapshot | None = field(init=False, default=None)
    _told: tuple[TournamentSnapshot, TournamentNews] | None = field(init=False, default=None)
    _drawn: tuple[TournamentSnapshot, RatingHistory] | None = field(init=False, default=None)

    def __attrs_post_init__(self) -> None:
        self.styles = PlayingStyleSource(self.ask_in_turn)
        self.snapshot = RefreshedValue(self._load_snapshot)
        self.rating_history = RefreshedValue(self._load_rating_history)
        self.highlights = RefreshedValue(self._load_highlights)
        self._aliases = SharedRead(partial(self.ask, attrgetter("entrants.aliases")))

    @classmethod
    def of(cls, spec: TournamentSpec, name: str) -> Self:
        """Return the tournament of a file; this is its name in addresses."""
        about = spec.file.hill or HillConfig()
        return cls(name, spec.database, get_data_folder(spec) / LIVE_FOLDER, about=about)

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
        counted = await self.styles.advance() if parts.styles else 0
        snapshot = await self.snapshot.get()
        aliases = await self.load_aliases()  # after all that may have newer ones
        snapshot = evolve(snapshot, summary=snapshot.summary.hide(aliases))
        dated = [part[0].cache_key for part in (history, news) if part]
        return TournamentView(
            self.name,
            self.title,
            self.about,
            snapshot,
            aliases,
            history[1].hide(aliases) if history else NO_HISTORY,
            news[1].name_bots(snapshot.summary, aliases) if news else TournamentNews(),
            self.styles,
            (snapshot.cache_key, tuple(sorted(aliases.items())), *dated, counted),
            partial(self.ask, aliases=aliases),
            partial(self.ask_in_turn, aliases=aliases),
        )

    async def refresh(self, since: float) -> tuple[object, ...]:
        """Return what pages show now: the snapshot, and what they have wished for besides.

        What is older than this moment is refreshed, as soon as that may be; whoever asks again and
        again sees it come.
        """
        if self.snapshot.began < since:
            await self.snapshot.get()
        shown = self.snapshot.value
        parts: Sequence[RefreshedValue[Any]] = (self.rating_history, self.highlights)
        for part in parts:
            if part.value is not None and part.value[0] is not shown:
                await part.get()
        return (shown, *[part.value for part in parts])

    async def _load_snapshot(self) -> TournamentSnapshot:
        self._last = await self.ask(self._take_snapshot)
        return self._last

    def _take_snapshot(self, store: Store) -> TournamentSnapshot:
        try:
            authors = self.find_authors()
        except StorageError:  # of the hill's own database: standings can be shown without it
            authors = self._last.authors if self._last else {}
        return take_snapshot(store, self._last, authors)

    async def _load_rating_history(self) -> tuple[TournamentSnapshot, RatingHistory]:
        now = await self.snapshot.get()
        if self._drawn is None or self._drawn[0] is not now:
            known, before = now.summary, self._drawn and self._drawn[1]
            make = partial(
                compute_rating_history, known.results, known.model, known.level, HISTORY_POINTS,
                before,
            )  # fmt: skip
            self._drawn = (now, await to_thread.run_sync(make))
        return self._drawn

    async def _load_highlights(self) -> tuple[TournamentSnapshot, TournamentNews]:
        seen, history = await self.rating_history.get()
        if self._told is None or self._told[0] is not seen:
            find = partial(find_highlights, summary=seen.summary, history=history)
            self._told = (seen, await self.ask_in_turn(find))
        return self._told


async def _load_part(value: RefreshedValue[T], parts: ViewParts) -> T | None:
    """Return a part of a view; None where it is not there yet, and a page does not wait for it."""
    return await value.get() if parts.waits else await value.get_soon()


def take_snapshot(
    store: Store, before: TournamentSnapshot | None, authors: Mapping[str, str]
) -> TournamentSnapshot:
    """Take a snapshot of a tournament, or return the current one if nothing has changed."""
    counts = store.count_matches()
    states = tuple((entry.id, entry.title, str(entry.state)) for entry in store.list_entries())
    replaced = store.count_replaced()
    over = store.facts.is_over
    played = (counts, states, over, store.facts.level, store.facts.anchor, replaced)
    if before is not None and before.played == played:
        return before if before.authors == authors else evolve(before, authors=authors)
    figures, span = Summary.of(store), store.find_first_and_last()
    terms = describe_terms(store.settings)
    stored, planned = counts.stored, counts.planned
    return TournamentSnapshot(
        figures, stored, planned, span, authors, played, terms, over, replaced
    )


def describe_terms(settings: StoredSettings) -> str:
    """Describe the format, the seats, and the options of the game that are not the usual ones.

    >>> values = {"game": "gops", "format": "swiss:rounds=7", "table": 2}
    >>> options = {"cards": 5, "ties": "discard"}
    >>> describe_terms(StoredSettings.parse({**values, "options": options}))
    'swiss, 2 players a match, cards 5'
    """
    game = get_plugins().games.get(settings.game)
    usual = game.write_variant(game.read_variant({})) if game else {}
    options = [
        f"{name} {to_printable(str(value))}"
        for name, value in settings.options.items()
        if usual.get(name) != value and isinstance(value, str | int | float)
    ]
    form = settings.format.partition(":")[0]
    return ", ".join([form, f"{settings.table} players a match", *options])


def list_matches(store: Store, which: MatchFilter, *, quoting: bool = False) -> list[MatchSummary]:
    """Return public summaries of matches, with details of verdicts (`quoting`) if public."""
    game = store.settings.game
    found = [*store.find_matches(which)]
    deals = {match.deal for match in found}
    public = {deal: quoting and is_public(store, deal) for deal in deals}
    hidden, teams = frozenset(store.entrants.aliases.values()), store.settings.teams
    return [
        summarize_match(
            match,
            game,
            public=public[match.deal],
            hidden=hidden,
            teams=teams,
            label_name=store.entrants.label_name,
        )
        for match in found
    ]


def _find_match(store: Store, deal: int, rotation: int) -> MatchSummary:
    try:
        record = store.find_match(deal, rotation)
    except StorageError:
        raise
    except UserError:
        raise HTTPException(404) from None
    why = explain_waiting(store, deal)
    game, hidden = store.settings.game, frozenset(store.entrants.aliases.values())
    return summarize_match(
        record,
        game,
        public=not why,
        waiting=why,
        hidden=hidden,
        teams=store.settings.teams,
        label_name=store.entrants.label_name,
    )


def _load_transcript(store: Store, deal: int, rotation: int) -> Transcript:
    found = load_public_transcript(store, deal, rotation)
    if found is None:
        raise HTTPException(404)
    return found


def parse_key(key: str) -> tuple[int, int] | None:
    """Return the deal and rotation of a key; None if it is not valid or out of range.

    >>> parse_key("12.0"), parse_key("12"), parse_key("-1.0")
    ((12, 0), None, None)
    """
    found = re.fullmatch(r"([0-9]{1,9})\.([0-9]{1,4})", key)
    return (int(found[1]), int(found[2])) if found else None


def split_key(match: str) -> tuple[int, int]:
    """Return the deal and rotation of a stored match by its key."""
    found = parse_key(match)
    assert found, match
    return found


def _require_key(key: str) -> tuple[int, int]:
    """Return the deal and rotation of a key; raise 404 if it is not valid."""
    found = parse_key(key)
    if found is None:
        raise HTTPException(404)
    return found


@frozen
class BotStyle:
    """How a bot plays, as far as it was observed."""

    matches: int = 0  #: in which it was observed
    entries: Sequence[StyleEntry] = ()


@define(eq=False)
class PlayingStyleSource:
    """The playing styles of one tournament."""

    ask_in_turn: StoreQueryRunner
    counted: int = field(init=False, default=0)  #: deals, since this server began
    _counter: InsightsCounter | None = field(init=False, default=None)
    _task: asyncio.Task[None] | None = field(init=False, default=None)

    async def advance(self) -> int:
        """Count in the background what is not counted yet, and return how much is counted.

        A moment is waited for, so that a short tournament is complete at once.
        """
        if self._task is None or self._task.done():
            self._task = asyncio.create_task(self._count())
        await asyncio.wait({self._task}, timeout=MAX_WAIT_SECONDS)
        return self.counted

    async def finish(self) -> None:
        """Count all that is not counted yet."""
        while await self.ask_in_turn(self._count_some):
            pass

    def load(self, store: Store, ids: Sequence[str]) -> BotStyle:
        """Return the style of some versions of a bot together."""
        counter = self._open(store)
        if counter is None:
            return BotStyle()
        numbers = [store.entrants.find_number(entrant) for entrant in ids]
        matches = counter.tallies.count_matches()
        tallies = merge_entrants(counter.tallies.load(numbers), numbers)
        entries = build_style(tallies, 0, counter.parts)
        return BotStyle(sum(matches.get(number, 0) for number in numbers), entries)

    async def _count(self) -> None:
        """Count until all is counted, at most half of the time."""
        while True:
            began = monotonic()
            if not await self.ask_in_turn(self._count_some):
                return
            await asyncio.sleep(monotonic() - began)

    def _count_some(self, store: Store) -> int:
        counter = self._open(store)
        many = counter.count_next(store, BATCH_DEALS) if counter else 0
        self.counted += many
        return many

    def _open(self, store: Store) -> InsightsCounter | None:
        """Return the counter; None while the tournament holds everything back."""
        if withholds_hands(store):
            return None
        if self._counter is None:
            self._counter = InsightsCounter.of(store)
        return self._counter


@define(eq=False)
class TranscriptFolder:
    """Transcripts in a folder, which is listed anew each time."""

    name: str
    _where: Path  # a file, or a folder

    @property
    def title(self) -> str:
        """The title of its pages."""
        return self.name

    def list_files(self) -> dict[str, Path]:
        """Return the files by their names without the suffix, in order."""
        if not self._where.is_dir():
            return {self._where.stem: self._where}
        return {path.stem: path for path in sorted(self._where.glob(f"*{SUFFIX}"))}

    async def list_matches(
        self, after: str, most: int, first: int = 1, text: str = ""
    ) -> list[MatchSummary]:
        """Return matches after this name, or from the `first` one on, skipping unreadable ones.

        With a `text` they are those that have it in their own or a player's name.
        """
        return await to_thread.run_sync(partial(self._list_matches, after, most, first, text))

    def _list_matches(self, after: str, most: int, first: int, text: str) -> list[MatchSummary]:
        found: list[MatchSummary] = []
        for number, (key, path) in enumerate(self.list_files().items(), 1):
            if key > after and number >= first and len(found) < most:
                if text and not _is_named(path, text.casefold()):
                    continue
                try:
                    found.append(
                        summarize_transcript(_read_redacted(path, _get_file_stamp(path)), key)
                    )
                except UserError:
                    continue
        return found

    async def find_match(self, key: str) -> MatchSummary:
        """Return a match; raise 404 if there is none."""
        return summarize_transcript(await self.load_transcript(key), key)

    def stamp(self, key: str) -> tuple[int, int]:
        """Return the time and the size of a transcript, which change with it."""
        path = self.list_files().get(key)
        return _get_file_stamp(path) if path else (0, 0)

    async def load_transcript(self, key: str) -> Transcript:
        """Return the public transcript of a match; raise 404 if there is none."""
        return await self.load_with(key, return_transcript)

    async def load_with(self, key: str, make: Callable[[Transcript], T]) -> T:
        """Return the result of a function of a transcript, called in the thread that reads it."""
        return await to_thread.run_sync(self._load_with, key, make)

    def _load_with(self, key: str, make: Callable[[Transcript], T]) -> T:
        path = self.list_files().get(key)
        if path is None:
            raise HTTPException(404)
        try:
            found = _read_redacted(path, _get_file_stamp(path))
        except UnreadableTranscriptError:
            raise HTTPException(404) from None
        return make(found)


MAX_HEADER_LENGTH = 100_000  # characters


def _is_named(path: Path, text: str) -> bool:
    """Return whether a transcript has a text in its own or a player's name, by its first line."""
    try:
        with path.open(encoding="utf-8") as file:
            names = parse_lines([file.readline(MAX_HEADER_LENGTH).rstrip("\n")]).header.names
    except (OSError, ValueError, UserError):
        return False
    return any(text in to_printable(name).casefold() for name in (path.stem, *names))


def _get_file_stamp(path: Path) -> tuple[int, int]:
    try:
        now = path.stat()
    except OSError:
        return 0, 0
    return now.st_mtime_ns, now.st_size


@lru_cache(maxsize=64)
def _read_redacted(path: Path, _stamp: tuple[int, int]) -> Transcript:
    return redact_transcript(read_transcript(path))


def return_transcript(transcript: Transcript) -> Transcript:
    """Return a transcript unchanged."""
    return transcript


Source = TournamentSource | TranscriptFolder
MatchView = TournamentView | TranscriptFolder
"""What a page of matches is handed."""


def open_sources(what: Iterable[str]) -> dict[str, Source]:
    """Open sources and return them by name; raise UserError if one cannot be opened."""
    found: dict[str, Source] = {}
    for argument in what:
        source = _open_source(argument, found)
        found[source.name] = source
    return found


def _open_source(what: str, taken: Iterable[str]) -> Source:
    """Open the source that an argument of the command line names."""
    path = Path(what)
    if "://" not in what and (what.endswith(SUFFIX) or path.is_dir()):
        return _open_folder(path, taken)
    spec = Tournament.load(path).spec if what.endswith(TOURNAMENT_SUFFIX) else None
    Store.open(spec.database if spec else what, write=False).close()  # to say a slip at the start
    stem = urlsplit(what).path.rpartition("/")[2] if "://" in what else path.stem
    name = choose_name(stem, taken)
    beside = path.absolute().with_name(f"{path.stem}.arena") / LIVE_FOLDER
    return TournamentSource.of(spec, name) if spec else TournamentSource(name, what, beside)


def _open_folder(path: Path, taken: Iterable[str]) -> TranscriptFolder:
    shelf = TranscriptFolder(
        choose_name(path.absolute().name.removesuffix(SUFFIX), taken), path.absolute()
    )
    if path.is_dir():
        if not shelf.list_files():
            raise UserError(f"{path} contains no transcripts")
    else:
        read_transcript(path)
    return shelf


def choose_name(stem: str, taken: Iterable[str]) -> str:
    """Return an unused name that fits into an address."""
    name = slugify(stem).strip(".-") or "arena"
    others = {*taken}
    several = (f"{name}-{number}" for number in count(2))
    return next(candidate for candidate in chain([name], several) if candidate not in others)
