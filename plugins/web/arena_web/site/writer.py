"""Writing a static site, and bringing one up to date that was written before."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Container, Iterable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Literal

from attrs import frozen

from arena import UserError
from arena.tournament.deals import Key
from arena.tournament.store import Store
from arena_web.matches.visibility import withholds_hands
from arena_web.site.files import name_data_file, write_file
from arena_web.site.lists import ListedMatch, abridge_matches, build_lists
from arena_web.site.pages import build_pages, load_records
from arena_web.site.replay_index import ReplayIndex
from arena_web.site.shards import ReplayShard, build_all_shards
from arena_web.sources import open_sources
from arena_web.tournaments.sources import TournamentSource

NAMED_FOLDERS = ("data", "bots", "compare")  # with files that a later run may leave as they are
LATEST_MATCHES = 3  # of each bot, and with a verdict, that have a replay among the best

ReplayChoice = int | Literal["best", "all"]
"""Which matches have a replay: see `write_site`."""

Progress = Callable[[int, int], None]


def write_site(
    what: str,
    out: Path,
    *,
    replays: ReplayChoice = "best",
    transcripts: bool = False,
    jobs: int = 1,
    progress: Progress | None = None,
) -> int:
    """Write a tournament's pages to a folder; return the number of matches with a replay.

    Args:
        what: the tournament's file, or its database.
        out: the folder; a site that was written there before is brought up to date.
        replays: of which matches: "best", those that pages show (the latest of each bot, with and
            without a verdict, and the records), of "all", or of the newest, so many of them.
        transcripts: write them, too?
        jobs: processes that build replays at once.
        progress: called with the number of replays that are written, and to be written.

    Raises:
        UserError: where it cannot be read or written, or the folder holds something else.
    """
    tournament = _open_tournament(what)
    with tournament.open() as store:
        aliases = sorted(store.entrant_directory.aliases.values())
        matches = abridge_matches(store)
        public = _list_public(store, matches)
        replayable = set() if withholds_hands(store) else public
    index = ReplayIndex.read(out, tournament.name, public, transcripts=transcripts)
    records = load_records(tournament) if replays == "best" else set()
    if index.aliases != aliases:  # what is there may have a name that is hidden now
        _delete_named_files(out)
        index = ReplayIndex(tournament.name, transcripts, aliases)
    there = index.shard_numbers
    keys = _choose_replays(matches, replayable, replays, records)
    site = _Site(tournament, out, index)
    site.write_shards([key for key in keys if key not in there], jobs, progress)
    site.write_pages(matches)
    return len(index.shard_numbers)


def _open_tournament(what: str) -> TournamentSource:
    (source,) = open_sources([what]).values()
    if not isinstance(source, TournamentSource):
        raise UserError(f"{what} is not a tournament; name a tournament's file or database")
    return source


def _list_public(store: Store, matches: Sequence[ListedMatch]) -> set[Key]:
    """Return the matches of decided deals; open deals are queried last, to be safe."""
    open_deals = {deal.number for deal, _ in store.deals.list_todo()}
    return {match.key for match in matches if match.recorded and match.key[0] not in open_deals}


def _delete_named_files(out: Path) -> None:
    """Delete the files of an earlier run that have names of bots, in them or as their own."""
    try:
        for folder in NAMED_FOLDERS:
            for path in (out / folder).glob("*"):
                path.unlink()
    except OSError as problem:
        raise UserError(f"{problem.filename} cannot be deleted: {problem.strerror}") from None


def _choose_replays(
    matches: Sequence[ListedMatch],
    public: Container[Key],
    replays: ReplayChoice,
    records: Container[Key],
) -> list[Key]:
    """Return the keys of the matches to replay, in order."""
    keys = [match.key for match in matches if match.key in public]
    if replays == "all":
        return keys
    if replays == "best":
        latest = _list_latest(match for match in reversed(matches) if match.key in public)
        return [key for key in keys if key in latest or key in records]
    return keys[len(keys) - min(replays, len(keys)) :]


def _list_latest(matches: Iterable[ListedMatch]) -> set[Key]:
    """Return the latest matches of each bot, and those in which it had a verdict.

    `matches` begin with the newest.
    """
    latest: set[Key] = set()
    counts = Counter[tuple[str, bool]]()
    for match in matches:
        for bot, verdict in match.seats:
            kinds = {(bot, False), (bot, bool(verdict))}
            if any(counts[kind] < LATEST_MATCHES for kind in kinds):
                latest.add(match.key)
            counts.update(kinds)
    return latest


@frozen
class _Site:
    """The site of a tournament in a folder, with the index of its replays."""

    tournament: TournamentSource
    out: Path
    index: ReplayIndex

    def write_shards(self, keys: Sequence[Key], jobs: int, progress: Progress | None) -> None:
        """Write the replays of these matches; where that is interrupted, the next run goes on."""
        self.index.write(self.out)  # first, so that it is known whose folder it is
        shards = build_all_shards(self.tournament.address, keys, jobs)
        try:
            for count, shard in shards:
                self._write_shard(shard)
                if progress:
                    progress(min(len(keys), count + len(shard.keys)), len(keys))
        except BaseException:  # an interrupt, a full disk
            with suppress(UserError):
                self.index.write(self.out)
            raise

    def _write_shard(self, shard: ReplayShard) -> None:
        number = len(self.index.shards)
        name = name_data_file("r", number)
        write_file(self.out / "data" / f"{name}.js", shard.to_script(name))
        if self.index.transcripts:
            name = name_data_file("t", number)
            write_file(self.out / "data" / f"{name}.jsonl.gz", shard.transcripts)
        self.index.shards.append(shard.keys)

    def write_pages(self, matches: Sequence[ListedMatch]) -> None:
        """Write everything except shards: lists, pages, and the index for the next run."""
        numbers = []
        for number, body in build_lists(matches, self.index.shard_numbers):
            write_file(self.out / "data" / f"{name_data_file('l', number)}.js", body)
            numbers.append(number)
        transcripts = self.index.transcripts
        for path, body in build_pages(self.tournament, numbers, transcripts=transcripts):
            write_file(self.out / path, body)
        self.index.write(self.out)
