"""What is served: tournaments, which are asked, and folders of transcripts, which are read."""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Iterable, Mapping
from functools import partial
from itertools import chain, count
from pathlib import Path
from typing import Self, TypeVar
from urllib.parse import urlsplit

from anyio import to_thread
from attrs import define, evolve, field, frozen
from starlette.exceptions import HTTPException

from arena.records import SUFFIX, Transcript, read
from arena.rules import StorageError, UserError
from arena.tournament import (
    LIVE,
    Curves,
    Figures,
    Filter,
    HillConfig,
    Store,
    Tournament,
    TournamentSpec,
    curves_of,
    folder,
)
from arena_web.embargo import Shown, is_public, released, shown, waiting
from arena_web.kept import Kept
from arena_web.links import plain
from arena_web.threads import Threads
from arena_web.transcript_folder import Shelf, as_it_is

T = TypeVar("T")
POINTS = 40  # of a curve
FILE = ".toml"


@frozen(eq=False)
class Seen:
    """The figures of a tournament, and how far it was then."""

    figures: Figures
    stored: int  # matches, whatever came of them
    planned: int
    span: tuple[str, str] | None  # when the first and the last match were over, in UTC
    authors: Mapping[str, str]  # who agreed to be shown, by the names of their bots
    played: Hashable  # the same where the figures are

    @property
    def mark(self) -> Hashable:
        """What is the same where nothing has changed."""
        return self.played, tuple(sorted(self.authors.items()))


@define(eq=False)
class Contest:
    """A tournament's database, which is read and never written."""

    name: str
    address: str
    live: Path  #: where matches that are watched are written as they are played
    takes_part: str = ""  #: the way from the root to where bots are sent, if it is open to all
    about: HillConfig = field(factory=HillConfig)  #: what its host says of it
    find_authors: Callable[[], Mapping[str, str]] = dict
    """Finds the authors who agreed to be shown, by the names of their bots."""
    figures: Kept[Seen] = field(init=False)
    curves: Kept[tuple[Seen, Curves]] = field(init=False)
    _threads: Threads = field(init=False, factory=Threads)
    _last: Seen | None = field(init=False, default=None)
    _drawn: tuple[Seen, Curves] | None = field(init=False, default=None)

    def __attrs_post_init__(self) -> None:
        self.figures = Kept(self._see)
        self.curves = Kept(self._draw)

    @classmethod
    def of(cls, spec: TournamentSpec, name: str) -> Self:
        """Return the tournament of a file; this is its name in addresses."""
        about = spec.file.hill or HillConfig()
        return cls(name, spec.database, folder(spec) / LIVE, about=about)

    @property
    def title(self) -> str:
        """What its pages call it."""
        return self.about.title or self.name

    def open(self) -> Store:
        """Open the database for reading what is for everybody's eyes."""
        return Store.open(self.address, write=False, aliased=True)

    async def ask(self, question: Callable[[Store], T]) -> T:
        """Put a question to the store, in a thread."""
        return await self._threads.ask(partial(self._answered, question))

    async def ask_in_turn(self, question: Callable[[Store], T]) -> T:
        """Put one of many questions to the store, for a file; nobody else waits behind them."""
        return await self._threads.ask_in_turn(partial(self._answered, question))

    def _answered(self, question: Callable[[Store], T]) -> T:
        with self.open() as store:
            return question(store)

    async def _see(self) -> Seen:
        self._last = await self.ask(self._look)
        return self._last

    def _look(self, store: Store) -> Seen:
        try:
            authors = self.find_authors()
        except StorageError:  # of the hill's own database: standings can be shown without it
            authors = self._last.authors if self._last else {}
        return seen(store, self._last, authors)

    async def _draw(self) -> tuple[Seen, Curves]:
        now = await self.figures.get()
        if self._drawn is None or self._drawn[0] is not now:
            known = now.figures
            make = partial(curves_of, known.results, known.model, known.level, POINTS)
            self._drawn = (now, await to_thread.run_sync(make))
        return self._drawn

    async def game(self) -> str:
        """Return the name of the game that is played."""
        return await self.ask(_game)

    async def matches(self, which: Filter) -> list[Shown]:
        """Return the matches that a filter lets through; hands and quotes are left out."""
        return await self.ask(lambda store: matches_of(store, which))

    async def verdicts(self, which: Filter) -> list[Shown]:
        """Return such matches with what their verdicts say, where that is public."""
        return await self.ask(lambda store: matches_of(store, which, quoting=True))

    async def match(self, key: str) -> Shown:
        """Return a match; 404 where there is none."""
        return await self.ask(lambda store: _match(store, *_known(key)))

    async def transcript(self, key: str) -> Transcript:
        """Return a match's transcript as it may go out; 404 where it may not, or is none."""
        return await self.made(key, as_it_is)

    async def made(self, key: str, make: Callable[[Transcript], T]) -> T:
        """Return what is made of such a transcript, in the thread that reads it."""
        return await self._threads.ask(partial(self._made, key, make))

    def _made(self, key: str, make: Callable[[Transcript], T]) -> T:
        found = self._answered(lambda store: _transcript(store, *_known(key)))
        return make(found)

    def stamp(self, _: str) -> int:
        """Return what changes with a transcript: nothing does that may be seen."""
        return 0


def seen(store: Store, before: Seen | None, authors: Mapping[str, str]) -> Seen:
    """Compute a tournament's figures, unless they are as before."""
    counts = store.counts()
    states = tuple((one.id, str(one.state)) for one in store.entries())
    played = (counts, states, store.fact("over"))
    if before is not None and before.played == played:
        return before if before.authors == authors else evolve(before, authors=authors)
    figures, span = Figures.of(store), store.first_and_last()
    return Seen(figures, counts.stored, counts.planned, span, authors, played)


def _game(store: Store) -> str:
    return str(store.fact("tournament")["game"])


def matches_of(store: Store, which: Filter, *, quoting: bool = False) -> list[Shown]:
    """Return matches as all may see them; with what verdicts say (`quoting`) where it is public."""
    game = _game(store)
    found = [*store.matches(which)]
    deals = {one["match"]: int(one["match"].partition(".")[0]) for one in found}
    public = {deal: quoting and is_public(store, deal) for deal in {*deals.values()}}
    hidden = store.aliases
    return [shown(one, game, public=public[deals[one["match"]]], hidden=hidden) for one in found]


def _match(store: Store, deal: int, rotation: int) -> Shown:
    try:
        packed = store.match(deal, rotation)
    except StorageError:
        raise
    except UserError:
        raise HTTPException(404) from None
    why = waiting(store, deal)
    game, hidden = _game(store), store.aliases
    return shown(packed, game, public=not why, waiting=why, hidden=hidden)


def _transcript(store: Store, deal: int, rotation: int) -> Transcript:
    found = released(store, deal, rotation)
    if found is None:
        raise HTTPException(404)
    return found


def numbers(key: str) -> tuple[int, int] | None:
    """Return a key's deal and rotation; None where it is none, or no database knows such numbers.

    >>> numbers("12.0"), numbers("12"), numbers("-1.0")
    ((12, 0), None, None)
    """
    found = re.fullmatch(r"([0-9]{1,9})\.([0-9]{1,4})", key)
    return (int(found[1]), int(found[2])) if found else None


def keyed(match: str) -> tuple[int, int]:
    """Return the deal and rotation of a stored match, by what it is called."""
    found = numbers(match)
    assert found, match
    return found


def _known(key: str) -> tuple[int, int]:
    """Return a key's deal and rotation; 404 where it is none."""
    found = numbers(key)
    if found is None:
        raise HTTPException(404)
    return found


Source = Contest | Shelf


def opened(what: Iterable[str]) -> dict[str, Source]:
    """Return what is served by its name; raise UserError where something cannot be."""
    found: dict[str, Source] = {}
    for one in what:
        source = _source(one, found)
        found[source.name] = source
    return found


def _source(what: str, taken: Iterable[str]) -> Source:
    """Return what somebody means by a word of the command line."""
    path = Path(what)
    if "://" not in what and (what.endswith(SUFFIX) or path.is_dir()):
        return _shelf(path, taken)
    spec = Tournament.load(path).spec if what.endswith(FILE) else None
    Store.open(spec.database if spec else what, write=False).close()  # to say a slip at the start
    stem = urlsplit(what).path.rpartition("/")[2] if "://" in what else path.stem
    name = _called(stem, taken)
    beside = path.absolute().with_name(f"{path.stem}.arena") / LIVE
    return Contest.of(spec, name) if spec else Contest(name, what, beside)


def _shelf(path: Path, taken: Iterable[str]) -> Shelf:
    shelf = Shelf(_called(path.absolute().name.removesuffix(SUFFIX), taken), path.absolute())
    if path.is_dir():
        if not shelf.files():
            raise UserError(f"there are no transcripts in {path}")
    else:
        read(path)
    return shelf


def _called(stem: str, taken: Iterable[str]) -> str:
    """Return a name that can stand in an address, and is nobody's yet."""
    name = plain(stem).strip(".-") or "arena"
    others = {*taken}
    several = (f"{name}-{number}" for number in count(2))
    return next(one for one in chain([name], several) if one not in others)
