"""What a worker does: it plays matches that were planned, and says how they came out."""

from __future__ import annotations

import os
import zlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import cache, partial
from pathlib import Path
from time import monotonic
from typing import Any

from attrs import evolve, frozen

from arena.host import (
    ClassInFile,
    Entrant,
    HostConfig,
    Limits,
    Result,
    entrant,
    host,
    in_folder,
    short_of,
)
from arena.plugins import Game, MatchSpec, Observer, plugins
from arena.records import Kept, Recorder, pack_verdict
from arena.rules import End, Fault, derived, in_words
from arena.sandbox import Sandbox
from arena.tournament.plan import Id
from arena.tournament.records import MatchResult
from arena.tournament.spool import Note, Spool

SAMPLE = 10  # one match in so many keeps its transcript, where a sample is kept
SHORT = 16  # hexadecimal digits of a match's hash


@frozen
class Contestant:
    """An entrant as a worker gets to know it."""

    id: Id
    name: str
    bot: str  # as a command line would name it, from the tournament's folder
    folder: str | None = None  # if it is one: what its copy is called
    keeps: bool = False
    given: str = ""  # its parameters, if it is a folder
    sandbox: Sandbox | None = None  # None: it is trusted

    def bundled(self, game: Game) -> bool:
        """Say whether the game brings it."""
        return self.folder is None and self.bot.partition(":")[0] in game.bots

    def in_process(self, game: Game) -> bool:
        """Say whether it thinks in the worker's own process."""
        is_class = self.folder is None and ClassInFile.named(self.bot) is not None
        return is_class or self.bundled(game)


@frozen
class Job:
    """One match: a turn of a deal, and who sits where."""

    deal: int
    rotation: int
    seats: tuple[Contestant, ...]
    again: int = 0  # a deal that was cut is another one for who may remember it

    @property
    def key(self) -> str:
        """Return the match's key."""
        return f"{self.deal}.{self.rotation}"

    @property
    def kept(self) -> tuple[Contestant, ...]:
        """Return those seated who keep a folder, and may remember."""
        return tuple(one for one in self.seats if one.keeps)

    @property
    def table(self) -> frozenset[Id]:
        """Return who sits there."""
        return frozenset(one.id for one in self.seats)

    def renewed(self) -> Job:
        """Return the match to be played again: from another deal, if somebody may remember it."""
        return evolve(self, again=self.again + bool(self.kept))


@frozen
class Task:
    """Matches that one worker plays one after the other, and all it has to know for that."""

    jobs: tuple[Job, ...]  #: in the order in which they are played
    game: str  #: by its name
    variant: Mapping[str, Any]  #: as JSON
    secret: str  #: from which all seeds come
    limits: Limits  #: of each player
    transcripts: str  #: all, verdicts, sample or none
    home: Path  #: where commands are read
    bots: Path  #: where copies of bots' folders are
    folders: Path  #: where those who keep a folder have it
    live: Path | None = None  #: where matches that are watched are written as they are played
    whole: bool = False  #: with all hands, where nobody who plays can hear of them?


def play(task: Task) -> list[MatchResult]:
    """Play them."""
    return [_played(task, job) for job in task.jobs]


def void(job: Job, detail: str, seconds: float = 0.0) -> MatchResult:
    """Return what a match comes to that could not be played, by no bot's fault."""
    nothing = (0.0,) * len(job.seats)
    return MatchResult(
        job.deal, job.rotation, tuple(one.id for one in job.seats), End.VOID, 0, detail, seconds,
        None, None, nothing, {}, {},
    )  # fmt: skip


def crashed(job: Job, one: Id, detail: str) -> MatchResult:
    """Return what a match comes to whose worker was killed by an entrant: as if it had crashed.

    It is last; the others share the first place, for nobody has played.
    """
    guilty = next(seat for seat, contestant in enumerate(job.seats) if contestant.id == one)
    verdict = {"kind": Fault.CRASHED, "question": None, "line": "", "limit": None, "seconds": 0.0}
    ranks = tuple(len(job.seats) if seat == guilty else 1 for seat in range(len(job.seats)))
    return evolve(
        void(job, ""), end=End.FORFEITED, scores=(0.0,) * len(job.seats), places=ranks,
        verdicts={guilty: {**verdict, "detail": detail}},
    )  # fmt: skip


def _played(task: Task, job: Job) -> MatchResult:
    began = monotonic()
    try:
        return _play(task, job)
    except Exception as problem:  # noqa: BLE001  # of a plugin, of the machine
        lost = void(job, in_words(problem), monotonic() - began)
        return evolve(lost, lacking=short_of(problem))


def _play(task: Task, job: Job) -> MatchResult:
    game = plugins().game(task.game)
    began = monotonic()
    sitting = [seated(task.game, one, task.home, task.bots) for one in job.seats]
    spec = _spec(game, task, job, sitting)
    record = Kept()
    kept = {one.name: task.folders / one.id for one in job.kept}
    with _recording(task, job, spec, record) as recorders:
        watching = [*plugins().observers(spec), *recorders]
        result = host(spec, sitting, HostConfig(task.limits, kept), watching)
    return _done(task, job, result, monotonic() - began, record.text)


def _spec(game: Game, task: Task, job: Job, sitting: Sequence[Entrant]) -> MatchSpec:
    """Return the match with its seeds: the deal's, and its key, from which the bots' come.

    The key ends with a hash of the secret, so that no bot can work out another's seed.
    """
    deal = derived(task.secret, "deal", job.deal, job.again)
    hashed = derived(task.secret, "match", job.deal, job.rotation, job.again)[:SHORT]
    names = tuple(one.name for one in sitting)
    bots = tuple(one.bot for one in sitting)
    variant = game.read_variant(task.variant)
    return MatchSpec(f"{job.key}-{hashed}", game, variant, deal, names, bots)


@contextmanager
def _recording(task: Task, job: Job, spec: MatchSpec, record: Kept) -> Iterator[Sequence[Observer]]:
    """Have who writes the match down, if it is to be kept, and who shows it to others meanwhile."""
    if not _may_keep(task, job):
        yield ()
    elif task.live is None:
        yield (Recorder(spec, record),)
    else:
        spool = Spool(spec, record, task.live, job.key, partial(_note, task, job, spec.game))
        try:
            yield (spool,)
        finally:
            spool.close()


def _note(task: Task, job: Job, game: Game) -> Note:
    """Return what is to be known of a match by who shows it."""
    deaf = all(one.sandbox or one.bundled(game) for one in job.seats)
    return Note(deaf, deaf and task.whole)


@cache
def seated(game: str, one: Contestant, home: Path, bots: Path) -> Entrant:
    """Make a contestant an entrant again; a bundled bot is the same for all its matches."""
    rules = plugins().game(game)
    if one.folder is not None:
        return evolve(
            in_folder(
                rules, one.bot, bots / one.folder, one.given, built=True, sandbox=one.sandbox
            ),
            name=one.name,
        )
    with working_in(home if home.is_dir() else Path()):  # elsewhere there are bundled bots only
        return evolve(entrant(rules, one.bot, one.sandbox), name=one.name)


@contextmanager
def working_in(folder: Path) -> Iterator[None]:
    """Work in a folder while this lasts; raise OSError where it cannot be entered.

    Whoever has come from a folder that it may not enter again, such as root's home with sudo,
    stays.
    """
    before = os.getcwd()  # noqa: PTH109  # it may be gone: then this fails at once
    os.chdir(folder)
    try:
        yield
    finally:
        with suppress(OSError):
            os.chdir(before)


def _may_keep(task: Task, job: Job) -> bool:
    if task.transcripts == "sample":
        return int(derived("sample", job.key)[:8], 16) % SAMPLE == 0
    return task.transcripts != "none"


def _done(task: Task, job: Job, result: Result, seconds: float, text: str) -> MatchResult:
    outcome, game = result.outcome, result.spec.game
    verdicts = {seat: pack_verdict(game, one) for seat, one in outcome.verdicts.items()}
    wanted = task.transcripts != "verdicts" or verdicts or outcome.end is End.VOID
    return MatchResult(
        job.deal,
        job.rotation,
        tuple(one.id for one in job.seats),
        outcome.end,
        outcome.rounds,
        outcome.detail,
        seconds,
        None if outcome.scores is None else tuple(map(float, outcome.scores)),
        outcome.places,
        outcome.seconds,
        verdicts,
        {seat: one.errors for seat, one in outcome.verdicts.items()},
        zlib.compress(text.encode()) if text and wanted else None,
        result.sandboxes,
        short_of(result.problem),
    )
