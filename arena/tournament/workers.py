"""Workers: the processes that play matches, and the batches of matches that they play.

Any `concurrent.futures.Executor` will do: `Workers` opens one, of processes on this machine
(`LocalWorkers`) or of a plugin. Workers play the matches of a `MatchBatch` one after the other,
return their results, and store nothing. A mark in the environment of the programs that they start
identifies those that outlive their worker.
"""

from __future__ import annotations

import os
import signal
import tempfile
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Executor, Future
from contextlib import ExitStack, contextmanager, suppress
from functools import cache, partial
from multiprocessing import reduction
from multiprocessing.process import BaseProcess
from multiprocessing.util import Finalize
from pathlib import Path
from time import monotonic
from typing import Any, Protocol
from weakref import finalize

from attrs import evolve, frozen

from arena.host import (
    PASSABLE_MODE,
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
    remove_folder,
    seat_sides,
    split_folder_parameters,
)
from arena.players import WorkerPool, defer_signals, kill_all, set_up_worker
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
from arena.tournament.bot_copies import find_copy
from arena.tournament.live import LiveTranscript, LiveVisibility
from arena.tournament.match_record import MatchRecord, SeatRecord, VerdictRecord
from arena.tournament.models import Entry, Id, VoidCause
from arena.wires import to_printable

MARK_VARIABLE = "ARENA_TOURNAMENT"
"""The environment variable that marks all processes of a tournament."""
EXECVE_TIMEOUT_SECONDS = 5.0
"""The longest wait for a process that is replacing its program; this takes microseconds."""
KERNEL_THREAD = 0x00200000
"""The flag of kernel threads (PF_KTHREAD), which never have an environment."""
SPARE_DESCRIPTORS = 4
"""Spare descriptors, so that a run without free descriptors can still clean up."""
STDERR = 2
"""The descriptor of standard error."""
MAX_STDERR_BYTES = 4000
"""How much is read of what workers wrote last."""
MAX_LINE_LENGTH = 300
"""How much is shown of their last line, in characters."""
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
        lost = build_void_record(match, describe_error(problem), cause, seconds)
        return evolve(lost, lacking=describe_shortage(problem))


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
    hashed = derive_seed(batch.secret, "match", match.deal, match.rotation, match.again)
    names = tuple(entrant.name for entrant in sitting)
    bots = tuple(entrant.bot for entrant in sitting)
    variant = game.read_variant(batch.variant)
    return MatchSpec(f"{match.key}-{hashed[:KEY_HASH_DIGITS]}", game, variant, deal, names, bots)


def _build_config(batch: MatchBatch, match: PlannedMatch, sides: Sides) -> HostConfig:
    names, folders, keeps = (
        name_seats(sides, [entry.name for entry in match.seats]),
        name_seats(sides, [entry.id for entry in match.seats]),
        spread_over_seats(sides, [entry.keeps for entry in match.seats]),
    )
    kept = {
        name: batch.folders / folder
        for name, folder, keep in zip(names, folders, keeps, strict=True)
        if keep
    }
    programs = open_programs()
    programs.make_room(batch.programs)
    return HostConfig(batch.limits, kept, programs=programs)


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
        spool = LiveTranscript(
            spec, record, batch.live, match.key, partial(_build_header, batch, match, spec.game)
        )
        try:
            yield (spool,)
        finally:
            spool.close()


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
    failed = any(seat.failure for seat in seats)
    wanted = batch.transcripts != "verdicts" or failed or is_void
    return MatchRecord(
        match.deal,
        match.rotation,
        outcome.end,
        outcome.rounds,
        seats,
        detail=outcome.detail,
        cause=find_cause(result.problem) if is_void else None,
        lacking=describe_shortage(result.problem),
        transcript=zlib.compress(text.encode()) if text and wanted else None,
    )


def _build_seat(entry: Entry, sides: Sides, side: Sequence[Seat], result: Result) -> SeatRecord:
    """Return the record of a side: the mean score, all its time and its first verdict."""
    outcome, failed = result.outcome, _find_failed_seat(side, result.outcome)
    return SeatRecord(
        entry.name,
        entry.version,
        outcome.places[side[0]] if outcome.places else None,
        float(average([outcome.scores[seat] for seat in side])) if outcome.scores else None,
        sum(outcome.seconds[seat] for seat in side),
        None if failed is None else _build_verdict(result, sides, failed),
        "" if failed is None else outcome.verdicts[failed].errors,
        result.sandboxes[side[0]] if result.sandboxes else None,
        result.earlier_matches[side[0]] if result.earlier_matches else None,
    )


def _find_failed_seat(side: Sequence[Seat], outcome: Outcome) -> Seat | None:
    """Return the seat of a side that was the first to fail, or None."""
    failed = [seat for seat in side if seat in outcome.verdicts]
    return min(failed, key=lambda seat: outcome.verdicts[seat].ask, default=None)


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
    rules, folder = get_plugins().find_game(game), find_copy(bots, entry.version)
    with work_in(home if home.is_dir() else Path()):  # other machines have copies and bundled bots
        if folder is None:
            entrant = parse_entrant(rules, entry.bot, entry.sandbox)
        else:
            given = split_folder_parameters(entry.bot)[1]
            entrant = build_folder_entrant(
                rules, entry.bot, folder, given, built=True, sandbox=entry.sandbox
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


@frozen
class LocalWorkers:
    """Worker processes on this machine."""

    remote = False

    def places(self) -> None:
        """Return None: the number depends on how many programs of a match think at once."""

    def open(self, workers: int, bots: Path, mark: str) -> Executor:
        """Start new worker processes, since a fork would copy the coordinator's threads."""
        stderr = StartupStderr()
        return _TournamentPool(
            stderr, workers, initializer=set_up_tournament_worker, initargs=(mark, stderr)
        )


class _TournamentPool(WorkerPool):
    """A process pool that knows how workers ended before they were up."""

    def __init__(self, stderr: StartupStderr, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._stderr = stderr
        self._started: list[BaseProcess] = []

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """Submit a call; start workers if there are too few."""
        try:
            with self._stderr.pass_on():
                return super().submit(fn, *args, **kwargs)
        finally:
            self._started = [*(self._processes or {}).values()] or self._started

    def describe_end(self) -> str:
        """Return how workers ended before they were up; ask once the pool is shut down."""
        codes = [process.exitcode for process in self._started]
        signals = [-code for code in codes if code and code < 0 and code != -signal.SIGTERM]
        killed = f"killed by signal {signals[0]}" if signals else ""
        return self._stderr.read_last_line() or killed


def describe_end(executor: Executor) -> str:
    """Return how the workers of an executor that is shut down ended before they were up.

    An empty string where nothing is known of it.
    """
    return executor.describe_end() if isinstance(executor, _TournamentPool) else ""


class StartupStderr:
    """What workers write to standard error before they are up, in a file without a name.

    It says why a worker did not start. Once it is up, a worker writes to the coordinator's standard
    error.
    """

    def __init__(self) -> None:
        self._file = os.memfd_create("stderr")
        finalize(self, os.close, self._file)
        self._original = _duplicate_stderr()
        finalize(self, os.close, self._original)

    def __reduce__(self) -> tuple[Callable[[Any], int], tuple[Any]]:
        """Travel to a new process as the descriptor of the original standard error."""
        return _receive_descriptor, (reduction.DupFd(self._original),)

    @contextmanager
    def pass_on(self) -> Iterator[None]:
        """Give the processes that are started within a block this file as standard error."""
        os.dup2(self._file, STDERR)
        try:
            yield
        finally:
            os.dup2(self._original, STDERR)

    def read_last_line(self) -> str:
        """Return the last line that is not blank, or an empty string."""
        start = max(0, os.fstat(self._file).st_size - MAX_STDERR_BYTES)
        lines = os.pread(self._file, MAX_STDERR_BYTES, start).decode(errors="replace").split("\n")
        line = next((line.strip() for line in reversed(lines) if line.strip()), "")
        return to_printable(line[:MAX_LINE_LENGTH])


def _duplicate_stderr() -> int:
    try:
        return os.dup(STDERR)
    except OSError:  # it is closed
        return os.open(os.devnull, os.O_WRONLY)


def _receive_descriptor(sent: Any) -> int:
    descriptor: int = sent.detach()
    return descriptor


def set_up_tournament_worker(mark: str, stderr: int) -> None:
    """Set up a worker process, whose programs the coordinator ends, or the worker if that has died.

    What goes wrong here is written to the standard error of workers that start.
    """
    set_up_worker(partial(kill_programs, mark))
    os.environ[MARK_VARIABLE] = mark
    tempfile.tempdir = str(make_scratch_folder(mark))
    os.dup2(stderr, STDERR)
    os.close(stderr)


@contextmanager
def clean_up_around(mark: str) -> Iterator[None]:
    """Clean up before and after a block, including the leftovers of an interrupted run."""
    spare = ExitStack()
    try:
        clean_up(mark)
        for _ in range(SPARE_DESCRIPTORS):
            spare.callback(os.close, os.open(os.devnull, os.O_RDONLY))
        yield
    finally:
        spare.close()
        with defer_signals():
            clean_up(mark)


def clean_up(mark: str) -> None:
    """Kill the processes and remove the files that a run with this mark has left behind."""
    kill_programs(mark)
    remove_folder(make_scratch_folder(mark))


@contextmanager
def mark_processes(mark: str, where: Path) -> Iterator[None]:
    """Mark the processes that this process starts, and set their temporary folder, in a block."""
    before, tempfile.tempdir = tempfile.tempdir, str(where)
    os.environ[MARK_VARIABLE] = mark
    try:
        yield
    finally:
        del os.environ[MARK_VARIABLE]
        tempfile.tempdir = before


def make_scratch_folder(mark: str) -> Path:
    """Return the folder for files that programs write during their matches."""
    path = Path(tempfile.gettempdir())
    path = path if path.name == f"arena-{mark}" else path / f"arena-{mark}"
    path.mkdir(mode=PASSABLE_MODE, exist_ok=True)
    return path


def kill_programs(mark: str) -> None:
    """Kill every process that a worker with this mark has started."""
    kill_all(lambda: _find_processes(mark))


def _find_processes(mark: str) -> Iterator[int]:
    """Return a pidfd for each process alive that carries the mark in its environment."""
    for name in os.listdir("/proc"):  # noqa: PTH208  # this is hot
        if name.isdigit() and int(name) != os.getpid():
            with suppress(OSError):
                descriptor = os.pidfd_open(int(name))
                if _has_mark(name, mark):  # the id was not reused meanwhile
                    yield descriptor
                else:
                    os.close(descriptor)


def _has_mark(process: str, mark: str) -> bool:
    try:
        environment = _read_environment(process)
    except OSError:  # it ended, or belongs to another user
        return False
    return f"{MARK_VARIABLE}={mark}".encode() in environment.split(b"\0")


def _read_environment(process: str) -> bytes:
    """Return the environment of a process; wait while the system call execve replaces it.

    During execve the kernel shows an empty environment: without the wait, a program that is just
    being started would not be found, and would outlive its match.
    """
    until = monotonic() + EXECVE_TIMEOUT_SECONDS
    while True:
        environment = Path("/proc", process, "environ").read_bytes()
        if environment or _has_no_environment(process) or monotonic() > until:
            return environment
        os.sched_yield()


def _has_no_environment(process: str) -> bool:
    """Return whether a process has an empty environment, or none, by proc_pid_stat(5).

    While execve has not finished, the start of the code is 0.
    """
    fields = Path("/proc", process, "stat").read_bytes().rpartition(b")")[2].split()
    state, flags, code, start, end = fields[0], int(fields[6]), fields[23], fields[47], fields[48]
    return state in b"ZX" or bool(flags & KERNEL_THREAD) or (code != b"0" and start == end)
