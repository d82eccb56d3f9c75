"""The work of a worker: it plays planned matches and returns their results."""

from __future__ import annotations

import os
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import cache, partial
from multiprocessing.util import Finalize
from pathlib import Path
from time import monotonic
from typing import Any

from attrs import evolve, frozen

from arena.host import (
    ClassReference,
    Entrant,
    HostConfig,
    Limits,
    ProgramPool,
    Result,
    build_folder_entrant,
    describe_shortage,
    host,
    parse_entrant,
)
from arena.plugins import Game, MatchSpec, Observer, get_plugins
from arena.records import InMemoryFile, Recorder, pack_verdict
from arena.rules import End, UserError, derive_seed, describe_error
from arena.sandbox import Sandbox
from arena.tournament.models.records import MatchResult, VoidCause
from arena.tournament.models.schedule import Id
from arena.tournament.worker.live_transcripts import LiveTranscript, LiveVisibility

SAMPLE_INTERVAL = 10  # `sample` stores the transcript of one match in this many
KEY_HASH_DIGITS = 16  # hexadecimal digits of a hash of the match


@frozen
class Contestant:
    """An entrant in the form that workers receive."""

    id: Id
    name: str
    bot: str  # as on a command line in the tournament's folder
    folder: str | None = None  # the name of its copy, if it is a folder
    keeps: bool = False
    given: str = ""  # the parameters of a folder
    sandbox: Sandbox | None = None  # None if it is trusted

    def comes_with_game(self, game: Game) -> bool:
        """Return whether the bot is bundled with the game."""
        return self.folder is None and self.bot.partition(":")[0] in game.bots

    def runs_in_process(self, game: Game) -> bool:
        """Return whether the bot runs in the worker's own process."""
        is_class = self.folder is None and ClassReference.parse(self.bot) is not None
        return is_class or self.comes_with_game(game)


@frozen
class Job:
    """One match: a rotation of a deal, with its entrants in seat order."""

    deal: int
    rotation: int
    seats: tuple[Contestant, ...]
    again: int = 0  # earlier starts; entrants with memory get a new deal

    @property
    def key(self) -> str:
        """The match's key."""
        return f"{self.deal}.{self.rotation}"

    @property
    def keepers(self) -> tuple[Contestant, ...]:
        """The contestants that keep a folder, and so may remember earlier deals."""
        return tuple(contestant for contestant in self.seats if contestant.keeps)

    @property
    def entrants(self) -> frozenset[Id]:
        """The entrants at the table."""
        return frozenset(contestant.id for contestant in self.seats)

    def renew(self) -> Job:
        """Return the match for a retry, with a new deal if an entrant may remember the old one."""
        return evolve(self, again=self.again + bool(self.keepers))


@frozen
class Task:
    """Matches that a worker plays one after the other, with all the data it needs."""

    jobs: tuple[Job, ...]  #: in playing order
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
    begun: Path | None = None  #: the file that gets a byte for each match that is begun


def play_task(task: Task) -> list[MatchResult]:
    """Play the matches of a task, and record the beginning of each."""
    with _record_begun(task.begun) as record:
        results = []
        for job in task.jobs:
            record()
            results.append(_play_safely(task, job))
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


def build_void_result(job: Job, detail: str, cause: VoidCause, seconds: float = 0.0) -> MatchResult:
    """Return the result of a match that could not be played, through no bot's fault."""
    nothing = (0.0,) * len(job.seats)
    entrants = tuple(contestant.id for contestant in job.seats)
    return MatchResult(
        job.deal, job.rotation, entrants, End.VOID, 0, detail, seconds, None, None, nothing, {}, {},
        cause=cause,
    )  # fmt: skip


def find_cause(problem: BaseException | None) -> VoidCause:
    """Return who is to blame for an exception that makes a match void.

    What the system or the arena refuses in words is the host's affair; anything else is a mistake
    in the game or a plugin, which comes again.
    """
    is_hosts = isinstance(problem, (OSError, UserError)) or describe_shortage(problem)
    return VoidCause.HOST if is_hosts else VoidCause.GAME


def _play_safely(task: Task, job: Job) -> MatchResult:
    began = monotonic()
    try:
        return _play(task, job)
    except Exception as problem:  # noqa: BLE001  # of a plugin, of the machine
        cause, seconds = find_cause(problem), monotonic() - began
        lost = build_void_result(job, describe_error(problem), cause, seconds)
        return evolve(lost, lacking=describe_shortage(problem))


def _play(task: Task, job: Job) -> MatchResult:
    game = get_plugins().find_game(task.game)
    began = monotonic()
    sitting = [
        build_entrant(task.game, contestant, task.home, task.bots) for contestant in job.seats
    ]
    spec = _build_spec(game, task, job, sitting)
    record = InMemoryFile()
    with _open_recorders(task, job, spec, record) as recorders:
        watching = [*get_plugins().build_observers(spec), *recorders]
        result = host(spec, sitting, _build_config(task, job), watching)
    return _build_result(task, job, result, monotonic() - began, record.text)


def _build_config(task: Task, job: Job) -> HostConfig:
    kept = {contestant.name: task.folders / contestant.id for contestant in job.keepers}
    return HostConfig(task.limits, kept, programs=open_programs())


@cache
def open_programs() -> ProgramPool:
    """Open the pool of this process; its programs play match after match, and end with it."""
    pool = ProgramPool()
    Finalize(pool, pool.close, exitpriority=1)
    return pool


def _build_spec(game: Game, task: Task, job: Job, sitting: Sequence[Entrant]) -> MatchSpec:
    """Return the match with the seed of its deal and the key from which bots' seeds are derived.

    The key ends with a hash of the secret, so that no bot can work out another's seed.
    """
    deal = derive_seed(task.secret, "deal", job.deal, job.again)
    hashed = derive_seed(task.secret, "match", job.deal, job.rotation, job.again)[:KEY_HASH_DIGITS]
    names = tuple(entrant.name for entrant in sitting)
    bots = tuple(entrant.bot for entrant in sitting)
    variant = game.read_variant(task.variant)
    return MatchSpec(f"{job.key}-{hashed}", game, variant, deal, names, bots)


@contextmanager
def _open_recorders(
    task: Task, job: Job, spec: MatchSpec, record: InMemoryFile
) -> Iterator[Sequence[Observer]]:
    """Yield the recorder of a match, if its transcript is kept, which also shows it live."""
    if not _keeps_transcript(task, job):
        yield ()
    elif task.live is None:
        yield (Recorder(spec, record),)
    else:
        spool = LiveTranscript(
            spec, record, task.live, job.key, partial(_build_header, task, job, spec.game)
        )
        try:
            yield (spool,)
        finally:
            spool.close()


def _build_header(task: Task, job: Job, game: Game) -> LiveVisibility:
    """Return the header of a live transcript: the facts that decide who may watch it."""
    deaf = all(contestant.sandbox or contestant.comes_with_game(game) for contestant in job.seats)
    return LiveVisibility(deaf, deaf and task.whole)


@cache
def build_entrant(game: str, contestant: Contestant, home: Path, bots: Path) -> Entrant:
    """Build the entrant of a contestant; cached, so that its matches share a bundled bot."""
    rules = get_plugins().find_game(game)
    if contestant.folder is not None:
        return evolve(
            build_folder_entrant(
                rules,
                contestant.bot,
                bots / contestant.folder,
                contestant.given,
                built=True,
                sandbox=contestant.sandbox,
            ),
            name=contestant.name,
        )
    with work_in(home if home.is_dir() else Path()):  # other executors have bundled bots only
        return evolve(
            parse_entrant(rules, contestant.bot, contestant.sandbox), name=contestant.name
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


def _keeps_transcript(task: Task, job: Job) -> bool:
    if task.transcripts == "sample":
        return int(derive_seed("sample", job.key)[:8], 16) % SAMPLE_INTERVAL == 0
    return task.transcripts != "none"


def _build_result(task: Task, job: Job, result: Result, seconds: float, text: str) -> MatchResult:
    outcome, game = result.outcome, result.spec.game
    verdicts = {seat: pack_verdict(game, verdict) for seat, verdict in outcome.verdicts.items()}
    wanted = task.transcripts != "verdicts" or verdicts or outcome.end is End.VOID
    return MatchResult(
        job.deal,
        job.rotation,
        tuple(verdict.id for verdict in job.seats),
        outcome.end,
        outcome.rounds,
        outcome.detail,
        seconds,
        None if outcome.scores is None else tuple(map(float, outcome.scores)),
        outcome.places,
        outcome.seconds,
        verdicts,
        {seat: verdict.errors for seat, verdict in outcome.verdicts.items()},
        zlib.compress(text.encode()) if text and wanted else None,
        result.sandboxes,
        result.earlier_matches,
        describe_shortage(result.problem),
        find_cause(result.problem) if outcome.end is End.VOID else None,
    )
