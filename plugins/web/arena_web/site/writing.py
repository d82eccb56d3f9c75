"""Writing a site, the first time and again: what is settled is written once."""

from __future__ import annotations

import signal
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from contextlib import suppress
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from attrs import define, field

from arena.rules import UserError
from arena.tournament import Store
from arena.wires import dump
from arena_web.embargo import held_back
from arena_web.served import Contest, opened
from arena_web.site.files import FORMAT, INDEX, index_of, put
from arena_web.site.lists import DEALS, Listed, lists, matches
from arena_web.site.pages import pages
from arena_web.site.shards import Key, Shard, name_of, shards

CHUNK = 64  # matches that a process makes shards of at once
Progress = Callable[[int, int], None]


@define
class Written:
    """What a site has of replays: the keys of each shard."""

    shards: list[tuple[Key, ...]] = field(factory=list)

    @property
    def of(self) -> dict[Key, int]:
        """Return which shard shows a match."""
        return {key: number for number, keys in enumerate(self.shards) for key in keys}


def write_site(
    what: str,
    out: Path,
    *,
    replays: int | None = 10_000,
    transcripts: bool = False,
    jobs: int = 1,
    progress: Progress | None = None,
) -> int:
    """Write a tournament's pages to a folder; return how many matches have a replay there.

    Args:
        what: the tournament's file, or its database.
        out: the folder; a site that was written there before is brought up to date.
        replays: of so many of the newest matches, and of all with verdicts; None: of all.
        transcripts: write them, too?
        jobs: processes that work at once.
        progress: called with the number of replays that are written, and to be written.

    Raises:
        UserError: where it cannot be read or written, or the folder holds something else.
    """
    contest = _contest(what)
    index = index_of(out)
    with contest.open() as store:
        found = matches(store)
        public = _public(store, found)
        held = held_back(store)
    known = _before(index, contest.name, public, transcripts=transcripts)
    done = known.of
    new = set() if held else public
    wanted = [key for key in _wanted(found, new, replays) if key not in done]
    _note(contest, out, known, transcripts=transcripts)  # whose folder it is, whatever happens
    try:
        for shard in _counted(_made(contest, wanted, jobs), progress, len(wanted)):
            _add(out, known, shard, transcripts=transcripts)
    except BaseException:  # an interrupt, a full disk: the next run goes on from here
        with suppress(UserError):
            _note(contest, out, known, transcripts=transcripts)
        raise
    _write(contest, out, found, known, transcripts=transcripts)
    return len(known.of)


def _contest(what: str) -> Contest:
    (source,) = opened([what]).values()
    if not isinstance(source, Contest):
        raise UserError(f"{what} is no tournament: a site is made of a tournament's results")
    return source


def _public(store: Store, found: Sequence[Listed]) -> set[Key]:
    """Return the matches whose deals are settled: what is still to be played is asked last."""
    open_deals = {deal.number for deal, _ in store.todo()}
    return {one.key for one in found if one.recorded and one.key[0] not in open_deals}


def _before(index: dict[str, Any], name: str, public: set[Key], *, transcripts: bool) -> Written:
    """Return what an earlier run has written; raise UserError if it is something else's site."""
    if not index:
        return Written()
    known = Written([tuple((deal, turn) for deal, turn in keys) for keys in index["shards"]])
    if index["name"] != name or not public.issuperset(known.of):
        raise UserError("the folder holds the site of another tournament")
    return known if index["transcripts"] or not transcripts else Written()


def _wanted(found: Sequence[Listed], public: set[Key], replays: int | None) -> list[Key]:
    """Return the keys of which there are to be replays: the newest, and all with verdicts."""
    some = [one for one in found if one.key in public]
    if replays is None:
        return [one.key for one in some]
    newest = {one.key for one in some[len(some) - min(replays, len(some)) :]}
    return [one.key for one in some if one.key in newest or (replays and one.failed)]


def _made(contest: Contest, wanted: Sequence[Key], jobs: int) -> Iterator[tuple[int, Shard]]:
    """Give shards, each with the number of matches that have been looked at before it."""
    chunks = [wanted[at : at + CHUNK] for at in range(0, len(wanted), CHUNK)]
    make = partial(shards, contest.address)
    made = map(make, chunks) if jobs == 1 else _beside(make, chunks, min(jobs, len(chunks) or 1))
    for at, some in enumerate(made):
        yield from ((at * CHUNK, shard) for shard in some)


def _beside(
    make: Callable[[Sequence[Key]], list[Shard]], chunks: Sequence[Sequence[Key]], jobs: int
) -> Iterator[list[Shard]]:
    """Make shards in other processes, in order; no more lies there than is worked at.

    So an interrupt waits for no work that has not been begun.
    """
    under_way: deque[Future[list[Shard]]] = deque()
    with ProcessPoolExecutor(jobs, get_context("spawn"), initializer=_deaf) as pool:
        for chunk in chunks:
            if len(under_way) == jobs:
                yield under_way.popleft().result()
            under_way.append(pool.submit(make, chunk))
        while under_way:
            yield under_way.popleft().result()


def _deaf() -> None:
    """Leave an interrupt to the process that writes: it is the one that says so."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def _counted(
    made: Iterable[tuple[int, Shard]], progress: Progress | None, planned: int
) -> Iterator[Shard]:
    """Give the shards, and say how far that is."""
    for at, shard in made:
        yield shard
        if progress:
            progress(min(planned, at + len(shard.keys)), planned)


def _add(out: Path, known: Written, shard: Shard, *, transcripts: bool) -> None:
    number = len(known.shards)
    name = name_of("r", number)
    put(out / "data" / f"{name}.js", shard.script(name))
    if transcripts:
        put(out / "data" / f"{name_of('t', number)}.jsonl.gz", shard.transcripts)
    known.shards.append(shard.keys)


def _write(
    contest: Contest, out: Path, found: Sequence[Listed], known: Written, *, transcripts: bool
) -> None:
    """Write all but the shards: lists, pages, and what the next run is to know."""
    numbers = []
    for number, body in lists(found, known.of):
        put(out / "data" / f"{name_of('l', number)}.js", body)
        numbers.append(number)
    for path, body in pages(contest, numbers, transcripts=transcripts):
        put(out / path, body)
    _note(contest, out, known, transcripts=transcripts)


def _note(contest: Contest, out: Path, known: Written, *, transcripts: bool) -> None:
    """Write what the next run is to know."""
    index = {
        "format": FORMAT,
        "name": contest.name,
        "deals": DEALS,
        "transcripts": transcripts,
        "shards": known.shards,
    }
    put(out / INDEX, (dump(index) + "\n").encode())
