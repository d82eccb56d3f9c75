"""Writing and updating a site: finished parts are written only once."""

from __future__ import annotations

import signal
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

from attrs import define, field

from arena import UserError
from arena.extend import Store, dump, get_worker_context
from arena_web.site.atomic_files import FORMAT, INDEX, read_index, write_file
from arena_web.site.match_lists import DEALS_PER_LIST, ListedMatch, build_lists, list_matches
from arena_web.site.pages import build_pages
from arena_web.site.replay_shards import Key, ReplayShard, build_shards, name_data_file
from arena_web.sources.tournament import TournamentSource, open_sources
from arena_web.sources.visibility import withholds_hands

CHUNK_MATCHES = 64  # matches that a process makes shards of at once
Progress = Callable[[int, int], None]


@define
class ReplayIndex:
    """The index of the replays in a site: the keys of each shard."""

    shards: list[tuple[Key, ...]] = field(factory=list)

    @property
    def shard_numbers(self) -> dict[Key, int]:
        """The shard numbers by match."""
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
    """Write a tournament's pages to a folder; return the number of matches with a replay.

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
    tournament = _open_tournament(what)
    index = read_index(out)
    with tournament.open() as store:
        found = list_matches(store)
        public = _list_public(store, found)
        held = withholds_hands(store)
    known = _parse_index(index, tournament.name, public, transcripts=transcripts)
    done = known.shard_numbers
    new = set() if held else public
    wanted = [key for key in _choose_replays(found, new, replays) if key not in done]
    _write_index(
        tournament, out, known, transcripts=transcripts
    )  # whose folder it is, whatever happens
    try:
        for shard in _report_progress(
            _build_shards(tournament, wanted, jobs), progress, len(wanted)
        ):
            _write_shard(out, known, shard, transcripts=transcripts)
    except BaseException:  # an interrupt, a full disk: the next run goes on from here
        with suppress(UserError):
            _write_index(tournament, out, known, transcripts=transcripts)
        raise
    _write_pages(tournament, out, found, known, transcripts=transcripts)
    return len(known.shard_numbers)


def _open_tournament(what: str) -> TournamentSource:
    (source,) = open_sources([what]).values()
    if not isinstance(source, TournamentSource):
        raise UserError(f"{what} is not a tournament; name a tournament's file or database")
    return source


def _list_public(store: Store, found: Sequence[ListedMatch]) -> set[Key]:
    """Return the matches of decided deals; open deals are queried last, to be safe."""
    open_deals = {deal.number for deal, _ in store.list_todo()}
    return {match.key for match in found if match.recorded and match.key[0] not in open_deals}


def _parse_index(
    index: dict[str, Any], name: str, public: set[Key], *, transcripts: bool
) -> ReplayIndex:
    """Return the replay index of an earlier run; raise UserError for another tournament."""
    if not index:
        return ReplayIndex()
    known = ReplayIndex([tuple((deal, turn) for deal, turn in keys) for keys in index["shards"]])
    if index["name"] != name or not public.issuperset(known.shard_numbers):
        raise UserError("the folder contains the site of another tournament; name another folder")
    return known if index["transcripts"] or not transcripts else ReplayIndex()


def _choose_replays(
    found: Sequence[ListedMatch], public: set[Key], replays: int | None
) -> list[Key]:
    """Return the keys of the matches to replay: the newest, and all with verdicts."""
    some = [match for match in found if match.key in public]
    if replays is None:
        return [match.key for match in some]
    newest = {match.key for match in some[len(some) - min(replays, len(some)) :]}
    return [match.key for match in some if match.key in newest or (replays and match.has_verdict)]


def _build_shards(
    tournament: TournamentSource, wanted: Sequence[Key], jobs: int
) -> Iterator[tuple[int, ReplayShard]]:
    """Yield shards, each with the number of matches processed so far."""
    chunks = [wanted[at : at + CHUNK_MATCHES] for at in range(0, len(wanted), CHUNK_MATCHES)]
    make = partial(build_shards, tournament.address)
    made = (
        map(make, chunks)
        if jobs == 1
        else _map_in_processes(make, chunks, min(jobs, len(chunks) or 1))
    )
    for at, some in enumerate(made):
        yield from ((at * CHUNK_MATCHES, shard) for shard in some)


def _map_in_processes(
    make: Callable[[Sequence[Key]], list[ReplayShard]], chunks: Sequence[Sequence[Key]], jobs: int
) -> Iterator[list[ReplayShard]]:
    """Build shards in other processes, in order, with a bounded number in memory.

    So an interrupt waits for no work that has not been begun.
    """
    under_way: deque[Future[list[ReplayShard]]] = deque()
    with ProcessPoolExecutor(jobs, get_worker_context(), initializer=_ignore_interrupts) as pool:
        for chunk in chunks:
            if len(under_way) == jobs:
                yield under_way.popleft().result()
            under_way.append(pool.submit(make, chunk))
        while under_way:
            yield under_way.popleft().result()


def _ignore_interrupts() -> None:
    """Ignore interrupts in workers: the main process handles them."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def _report_progress(
    made: Iterable[tuple[int, ReplayShard]], progress: Progress | None, planned: int
) -> Iterator[ReplayShard]:
    """Pass the shards on, and report the progress."""
    for at, shard in made:
        yield shard
        if progress:
            progress(min(planned, at + len(shard.keys)), planned)


def _write_shard(out: Path, known: ReplayIndex, shard: ReplayShard, *, transcripts: bool) -> None:
    number = len(known.shards)
    name = name_data_file("r", number)
    write_file(out / "data" / f"{name}.js", shard.to_script(name))
    if transcripts:
        write_file(out / "data" / f"{name_data_file('t', number)}.jsonl.gz", shard.transcripts)
    known.shards.append(shard.keys)


def _write_pages(
    tournament: TournamentSource,
    out: Path,
    found: Sequence[ListedMatch],
    known: ReplayIndex,
    *,
    transcripts: bool,
) -> None:
    """Write everything except shards: lists, pages, and the index for the next run."""
    numbers = []
    for number, body in build_lists(found, known.shard_numbers):
        write_file(out / "data" / f"{name_data_file('l', number)}.js", body)
        numbers.append(number)
    for path, body in build_pages(tournament, numbers, transcripts=transcripts):
        write_file(out / path, body)
    _write_index(tournament, out, known, transcripts=transcripts)


def _write_index(
    tournament: TournamentSource, out: Path, known: ReplayIndex, *, transcripts: bool
) -> None:
    """Write the index for the next run."""
    index = {
        "format": FORMAT,
        "name": tournament.name,
        "deals": DEALS_PER_LIST,
        "transcripts": transcripts,
        "shards": known.shards,
    }
    write_file(out / INDEX, (dump(index) + "\n").encode())
