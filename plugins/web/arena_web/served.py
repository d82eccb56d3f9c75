"""What is served: tournaments, which are asked, and folders of transcripts, which are read."""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Iterable
from functools import lru_cache, partial
from itertools import chain, count
from pathlib import Path
from typing import TypeVar
from urllib.parse import urlsplit

from anyio import to_thread
from attrs import define, field, frozen
from starlette.exceptions import HTTPException

from arena.records import SUFFIX, Transcript, Unreadable, read
from arena.rules import UserError
from arena.tournament import LIVE, Curves, Figures, Filter, Store, Tournament, curves_of
from arena_web.embargo import Shown, is_public, published, recorded, released, shown, waiting
from arena_web.kept import Kept
from arena_web.links import plain
from arena_web.threads import Threads

T = TypeVar("T")
POINTS = 40  # of a curve
FILE = ".toml"


@frozen(eq=False)
class Seen:
    """The figures of a tournament, and how far it was then."""

    figures: Figures
    stored: int  # matches, whatever came of them
    planned: int
    mark: Hashable  # the same where nothing has changed


@define(eq=False)
class Contest:
    """A tournament's database, which is read and never written."""

    name: str
    address: str
    live: Path  #: where matches that are watched are written as they are played
    takes_part: str = ""  #: the way from the root to where bots are sent, if it is open to all
    contact: str = ""  #: whom to write to
    figures: Kept[Seen] = field(init=False)
    curves: Kept[tuple[Seen, Curves]] = field(init=False)
    _threads: Threads = field(init=False, factory=Threads)
    _last: Seen | None = field(init=False, default=None)
    _drawn: tuple[Seen, Curves] | None = field(init=False, default=None)

    def __attrs_post_init__(self) -> None:
        self.figures = Kept(self._see)
        self.curves = Kept(self._draw)

    def open(self) -> Store:
        """Open the database for reading what is for everybody's eyes."""
        return Store.open(self.address, write=False, aliased=True)

    async def ask(self, question: Callable[[Store], T]) -> T:
        """Put a question to the store, in a thread."""
        return await self._threads.ask(partial(self._answered, question))

    def _answered(self, question: Callable[[Store], T]) -> T:
        with self.open() as store:
            return question(store)

    async def _see(self) -> Seen:
        self._last = await self.ask(partial(seen, before=self._last))
        return self._last

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
        return await self.ask(lambda store: _matches(store, which))

    async def verdicts(self, which: Filter) -> list[Shown]:
        """Return such matches with what their verdicts say, where that is public."""
        return await self.ask(lambda store: _matches(store, which, quoting=True))

    async def match(self, key: str) -> Shown:
        """Return a match; 404 where there is none."""
        return await self.ask(lambda store: _match(store, *_known(key)))

    async def transcript(self, key: str) -> Transcript:
        """Return a match's transcript as it may go out; 404 where it may not, or is none."""
        return await self.made(key, _itself)

    async def made(self, key: str, make: Callable[[Transcript], T]) -> T:
        """Return what is made of such a transcript, in the thread that reads it."""
        return await self._threads.ask(partial(self._made, key, make))

    def _made(self, key: str, make: Callable[[Transcript], T]) -> T:
        found = self._answered(lambda store: _transcript(store, *_known(key)))
        return make(found)

    def stamp(self, _: str) -> int:
        """Return what changes with a transcript: nothing does that may be seen."""
        return 0


def seen(store: Store, before: Seen | None) -> Seen:
    """Compute a tournament's figures, unless they are as before."""
    counts = store.counts()
    states = tuple((one.id, str(one.state)) for one in store.entries())
    mark = (counts, states, store.fact("over"))
    if before is not None and before.mark == mark:
        return before
    return Seen(Figures.of(store), counts.stored, counts.planned, mark)


def _game(store: Store) -> str:
    return str(store.fact("tournament")["game"])


def _matches(store: Store, which: Filter, *, quoting: bool = False) -> list[Shown]:
    game = _game(store)
    found = [*store.matches(which)]
    deals = {one["match"]: int(one["match"].partition(".")[0]) for one in found}
    public = {deal: quoting and is_public(store, deal) for deal in {*deals.values()}}
    hidden = store.aliases
    return [shown(one, game, public=public[deals[one["match"]]], hidden=hidden) for one in found]


def _match(store: Store, deal: int, rotation: int) -> Shown:
    try:
        packed = store.match(deal, rotation)
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


def _itself(transcript: Transcript) -> Transcript:
    return transcript


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


@define(eq=False)
class Shelf:
    """Transcripts that lie in files; they are looked for again each time."""

    name: str
    _where: Path  # a file, or a folder

    def files(self) -> dict[str, Path]:
        """Return them by their names without the ending, in order."""
        if not self._where.is_dir():
            return {self._where.stem: self._where}
        return {path.stem: path for path in sorted(self._where.glob(f"*{SUFFIX}"))}

    async def matches(self, after: str, most: int) -> list[Shown]:
        """Return matches that come behind this name; those that cannot be read are passed over."""
        return await to_thread.run_sync(partial(self._matches, after, most))

    def _matches(self, after: str, most: int) -> list[Shown]:
        found: list[Shown] = []
        for key, path in self.files().items():
            if key > after and len(found) < most:
                try:
                    found.append(recorded(_read(path, _stamp(path)), key))
                except UserError:
                    continue
        return found

    async def match(self, key: str) -> Shown:
        """Return a match; 404 where there is none."""
        return recorded(await self.transcript(key), key)

    def stamp(self, key: str) -> tuple[int, int]:
        """Return what changes with a transcript."""
        path = self.files().get(key)
        return _stamp(path) if path else (0, 0)

    async def transcript(self, key: str) -> Transcript:
        """Return a transcript as it may go out; 404 where there is none."""
        return await self.made(key, _itself)

    async def made(self, key: str, make: Callable[[Transcript], T]) -> T:
        """Return what is made of such a transcript, in the thread that reads it."""
        return await to_thread.run_sync(self._made, key, make)

    def _made(self, key: str, make: Callable[[Transcript], T]) -> T:
        path = self.files().get(key)
        if path is None:
            raise HTTPException(404)
        try:
            found = _read(path, _stamp(path))
        except Unreadable:
            raise HTTPException(404) from None
        return make(found)


def _stamp(path: Path) -> tuple[int, int]:
    try:
        now = path.stat()
    except OSError:
        return 0, 0
    return now.st_mtime_ns, now.st_size


@lru_cache(maxsize=64)
def _read(path: Path, _stamp: tuple[int, int]) -> Transcript:
    return published(read(path))


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
    address = Tournament.load(path).spec.database if what.endswith(FILE) else what
    Store.open(address, write=False).close()  # so that a slip is said at the start
    stem = urlsplit(what).path.rpartition("/")[2] if "://" in what else path.stem
    beside = path.absolute().with_name(f"{path.stem}.arena") / LIVE
    return Contest(_called(stem, taken), address, beside)


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
