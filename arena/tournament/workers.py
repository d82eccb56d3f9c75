"""Workers: how they play the matches of a batch.

Any `concurrent.futures.Executor` will do: `Workers` opens one, of processes on this machine
(`LocalWorkers`) or of a plugin. Workers play the matches of a `MatchBatch` one after the other,
return their results, and store nothing.
"""

from __future__ import annotations

import os
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Executor
from contextlib import contextmanager, suppress
from functools import cache, partial
from multiprocessing.util import Finalize
from pathlib import Path
from time import monotonic
from typing import Any, Protocol

from attrs import evolve, frozen

from arena.host import (
    ClassReference,
    Entrant,
    HostConfig,
    Limits,
    ProgramPool,
    Result,
    Series,
    build_folder_entrant,
    describe_shortage,
    host,
    is_bundled,
    parse_entrant,
    seat_sides,
    split_folder_parameters,
)
from arena.plugins import Game, MatchSpec, Observer, get_plugins
from arena.records import InMemoryFile, Recorder, pack_verdict
from arena.rules import (
    End,
    Outcome,
    Seat,
    Sides,
    UserError,
    average,
    derive_seed,
    describe_error,
    has_teams,
    name_seats,
    spread_over_seats,
)
from arena.tournament.bot_copies import CopyFolder
from arena.tournament.live import LiveTranscript, LiveVisibility
from arena.tournament.match_record import MatchRecord, SeatRecord, VerdictRecord
from arena.tournament.models import Entry, Id, VoidCause

SAMPLE_INTERVAL = 10  # `sample` stores the transcript of one match in this many
KEY_HASH_DIGITS = 16  # hexadecimal digits of a hash of the match


@frozen
class PlannedMatch:
    """One match: a rotation of a deal, with its entrants: one for each side, in order."""

    deal: int
    rotation: int
    seats: tuple[Entry, ...]  # at a table without teams one for each seat
    again: int = 0  # earlier starts; entrants with memory get a new deal

    @property
    def key(self) -> str:
        """The match's key."""
        return f"{self.deal}.{self.rotation}"

    @property
    def keepers(self) -> tuple[Entry, ...]:
        """The entrants that keep a folder, and so may remember earlier deals."""
        return tuple(entry for entry in self.seats if entry.keeps)

    @property
    def entrants(self) -> frozenset[Id]:
        """The entrants at the table."""
        return frozenset(entry.id for entry in self.seats)

    def renew(self) -> PlannedMatch:
        """Return the match for a retry, with a new deal if an entrant may remember the old one."""
        return evolve(self, again=self.again + bool(self.keepers))


@frozen
class MatchBatch:
    """Matches that a worker plays one after the other, with all the data it needs."""

    matches: tuple[PlannedMatch, ...]  #: in playing order
    game: str  #: by its name
    variant: Mapping[str, Any]  #: as JSON
    secret: str  #: the source of all seeds
    limits: Limits  #: of each player
    transcripts: str  #: all, verdicts, sample or none
    home: Path  #: the folder for commands
    bots: Path  #: the folder of copies of bots
    folders: Path  #: the folder for bots that keep one
    live: Path | None = None  #: the folder of live transcripts
    whole: bool = False  #: whether live transcripts may show all hands if no player can see them
    #: the file that gets a byte for each match that is begun; None on other machines
    begun: Path | None = None
    table: int | None = None  #: how many seats a match has, or None for one for each entrant
    #: programs that come to the tables in turn, so that as many wait for their next match
    programs: int = 0


def play_batch(batch: MatchBatch) -> list[MatchRecord]:
    """Play the matches of a batch, and record the beginning of each."""
    with _record_begun(batch.begun) as record:
        results = []
        for match in batch.matches:
            record()
            results.append(_play_safely(batch, match))
        return results


@contextmanager
def _record_begun(path: Path | None) -> Iterator[Callable[[], object]]:
    """Yield a function that records that one more match has begun, by a byte in a file."""
    if path is None:
        yield lambda: None
        return
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        yield partial(os.write, descriptor, b".")
    finally:
        os.close(descriptor)


def _play_safely(batch: MatchBatch, match: PlannedMatch) -> MatchRecord:
    began = monotonic()
    try:
        return _play(batch, match)
    except Exception as problem:  # noqa: BLE001  # of a plugin, of the machine
        cause, seconds = find_cause(problem), monotonic() - began
        record = build_void_record(match, describe_error(problem), cause, seconds)
        return evolve(record, lacking=describe_shortage(problem))


def find_cause(problem: BaseException | None) -> VoidCause:
    """Return who is to blame for an exception that makes a match void.

    What the system or the arena refuses in words is the host's affair; anything else is a mistake
    in the game or a plugin, which comes again.
    """
    is_hosts = isinstance(problem, (OSError, UserError)) or describe_shortage(problem)
    return VoidCause.HOST if is_hosts else VoidCause.GAME


def build_void_record(
    match: PlannedMatch, detail: str, cause: VoidCause, seconds: float = 0.0
) -> MatchRecord:
    """Return the record of a match that could not be played, through no bot's fault."""
    seats = tuple([SeatRecord(entry.name, entry.version) for entry in match.seats])
    return MatchRecord(match.deal, match.rotation, End.VOID, 0, seats, seconds, detail, cause)


def _play(batch: MatchBatch, match: PlannedMatch) -> MatchRecord:
    game = get_plugins().find_game(batch.game)
    began = monotonic()
    players = [build_entrant(batch.game, entry, batch.home, batch.bots) for entry in match.seats]
    series = Series(game, game.read_variant(batch.variant), tuple(players), "", batch.table)
    sides = series.sides
    sitting = seat_sides(sides, series.entrants)
    spec = _build_spec(game, batch, match, sitting)
    file = InMemoryFile()
    with _open_recorders(batch, match, spec, file) as recorders:
        watching = [*get_plugins().build_observers(spec), *recorders]
        result = host(spec, sitting, _build_config(batch, match, sides), watching)
    record = _build_record(batch, match, sides, result, file.text)
    return evolve(record, seconds=monotonic() - began)


def _build_spec(
    game: Game, batch: MatchBatch, match: PlannedMatch, sitting: Sequence[Entrant]
) -> MatchSpec:
    """Return the match with the seed of its deal and the key from which bots' seeds are derived.

    The key ends with a hash of the secret, so that no bot can work out another's seed.
    """
    deal = derive_seed(batch.secret, "deal", match.deal, match.again)
    digits = derive_seed(batch.secret, "match", match.deal, match.rotation, match.again)
    names = tuple(entrant.name for entrant in sitting)
    bots = tuple(entrant.bot for entrant in sitting)
    variant = game.read_variant(batch.variant)
    return MatchSpec(f"{match.key}-{digits[:KEY_HASH_DIGITS]}", game, variant, deal, names, bots)


def _build_config(batch: MatchBatch, match: PlannedMatch, sides: Sides) -> HostConfig:
    names, folders, keeps = (
        name_seats(sides, [entry.name for entry in match.seats]),
        name_seats(sides, [entry.id for entry in match.seats]),
        spread_over_seats(sides, [entry.keeps for entry in match.seats]),
    )
    kept_folders = {
        name: batch.folders / folder
        for name, folder, keep in zip(names, folders, keeps, strict=True)
        if keep
    }
    programs = open_programs()
    programs.make_room(batch.programs)
    return HostConfig(batch.limits, kept_folders, programs=programs)


@cache
def open_programs() -> ProgramPool:
    """Open the pool of this process; its programs play match after match, and end with it."""
    pool = ProgramPool()
    Finalize(pool, pool.close, exitpriority=1)
    return pool


@contextmanager
def _open_recorders(
    batch: MatchBatch, match: PlannedMatch, spec: MatchSpec, record: InMemoryFile
) -> Iterator[Sequence[Observer]]:
    """Yield the recorder of a match, if its transcript is kept, which also shows it live."""
    if not _keeps_transcript(batch, match):
        yield ()
    elif batch.live is None:
        yield (Recorder(spec, record),)
    else:
        transcript = LiveTranscript(
            spec, record, batch.live, match.key, partial(_build_header, batch, match, spec.game)
        )
        try:
            yield (transcript,)
        finally:
            transcript.close()


def _keeps_transcript(batch: MatchBatch, match: PlannedMatch) -> bool:
    if batch.transcripts == "sample":
        return int(derive_seed("sample", match.key)[:8], 16) % SAMPLE_INTERVAL == 0
    return batch.transcripts != "none"


def _build_header(batch: MatchBatch, match: PlannedMatch, game: Game) -> LiveVisibility:
    """Return the header of a live transcript: the facts that decide who may watch it."""
    deaf = all(
        entry.sandbox or all(is_bundled(game, member.bot) for member in entry.members)
        for entry in match.seats
    )
    return LiveVisibility(deaf, deaf and batch.whole)


def _build_record(
    batch: MatchBatch,
    match: PlannedMatch,
    sides: Sides,
    result: Result,
    text: str,
) -> MatchRecord:
    outcome = result.outcome
    seats = tuple([
        _build_seat(entry, sides, side, result)
        for entry, side in zip(match.seats, sides, strict=True)
    ])  # fmt: skip
    is_void = outcome.end is End.VOID
    has_failure = any(seat.failure for seat in seats)
    is_wanted = batch.transcripts != "verdicts" or has_failure or is_void
    return MatchRecord(
        match.deal,
        match.rotation,
        outcome.end,
        outcome.rounds,
        seats,
        detail=outcome.detail,
        cause=find_cause(result.problem) if is_void else None,
        lacking=describe_shortage(result.problem),
        transcript=zlib.compress(text.encode()) if text and is_wanted else None,
    )


def _build_seat(entry: Entry, sides: Sides, side: Sequence[Seat], result: Result) -> SeatRecord:
    """Return the record of a side: the mean score, all its time and its first verdict."""
    outcome, seat = result.outcome, _find_failed_seat(side, result.outcome)
    return SeatRecord(
        entry.name,
        entry.version,
        outcome.places[side[0]] if outcome.places else None,
        float(average([outcome.scores[seat] for seat in side])) if outcome.scores else None,
        sum(outcome.seconds[seat] for seat in side),
        None if seat is None else _build_verdict(result, sides, seat),
        "" if seat is None else outcome.verdicts[seat].errors,
        result.sandboxes[side[0]] if result.sandboxes else None,
        result.earlier_matches[side[0]] if result.earlier_matches else None,
    )


def _find_failed_seat(side: Sequence[Seat], outcome: Outcome) -> Seat | None:
    """Return the seat of a side that was the first to fail, or None."""
    seats = [seat for seat in side if seat in outcome.verdicts]
    return min(seats, key=lambda seat: outcome.verdicts[seat].ask, default=None)


def _build_verdict(result: Result, sides: Sides, seat: Seat) -> VerdictRecord:
    """Return the record of a verdict, with its seat where its side has several."""
    verdict = VerdictRecord.parse(pack_verdict(result.spec.game, result.outcome.verdicts[seat]))
    return evolve(verdict, seat=seat) if has_teams(sides) else verdict


@cache
def build_entrant(game: str, entry: Entry, home: Path, bots: Path) -> Entrant:
    """Build who can be seated; cached, so that its matches share a bundled bot."""
    if len(members := entry.members) > 1:
        team = tuple([build_entrant(game, member, home, bots) for member in members])
        return Entrant(entry.name, entry.bot, team[0].factory, partners=team)
    rules, folder = get_plugins().find_game(game), CopyFolder(bots).find(entry.version)
    with work_in(home if home.is_dir() else Path()):  # other machines have copies and bundled bots
        if folder is None:
            entrant = parse_entrant(rules, entry.bot, entry.sandbox)
        else:
            parameters = split_folder_parameters(entry.bot)[1]
            entrant = build_folder_entrant(
                rules, entry.bot, folder, parameters, built=True, sandbox=entry.sandbox
            )
    return evolve(entrant, name=entry.name)


def runs_in_process(game: Game, entry: Entry) -> bool:
    """Return whether a bot is played in the worker's own process."""
    return all(
        is_bundled(game, member.bot) or ClassReference.parse(member.bot) is not None
        for member in entry.members
    )


@contextmanager
def work_in(folder: Path) -> Iterator[None]:
    """Change the working folder within a block; raise OSError if it cannot be entered.

    If the former folder cannot be entered again, such as root's home under sudo, stay in the new
    one.
    """
    before = os.getcwd()  # noqa: PTH109  # it may be gone: then this fails at once
    os.chdir(folder)
    try:
        yield
    finally:
        with suppress(OSError):
            os.chdir(before)


class Workers(Protocol):
    """A source of executors; implementations are frozen attrs classes with parameters as fields."""

    @property
    def remote(self) -> bool:
        """Whether the workers have other disks than the coordinator."""

    def places(self) -> int | None:
        """Return the number of matches that can be played at once, or None to let arena choose."""

    def open(self, workers: int, bots: Path, mark: str) -> Executor:
        """Return an executor with this number of workers.

        `bots` is the folder of the entrants' copies by version; `mark` goes into the environment of
        every program that is started.
        """
