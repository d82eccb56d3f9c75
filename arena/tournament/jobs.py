"""What a worker does: it plays matches that were planned, and says how they came out."""

from __future__ import annotations

import io
import zlib
from collections.abc import Mapping, Sequence
from contextlib import chdir
from functools import cache
from pathlib import Path
from time import monotonic
from typing import Any

from attrs import evolve, frozen

from arena.clock import Limits
from arena.entrants import Entrant, entrant, in_folder
from arena.errors import in_words
from arena.game import Game
from arena.hosting import LONGEST_WORDS, House, Result, host
from arena.observer import Observer, Setting
from arena.outcome import End
from arena.plugins import plugins
from arena.seeds import derived
from arena.tournament.plan import Id
from arena.tournament.records import Done
from arena.transcript import Recorder, pack_verdict

SAMPLE = 10  # one match in so many keeps its transcript, where a sample is kept
SHORT = 16  # hexadecimal digits of a match's hash


@frozen
class Contestant:
    """An entrant as a worker gets to know it."""

    id: Id
    name: str
    bot: str  # as a command line would name it, from the tournament's folder
    folder: str | None = None  # its version, if it is a folder: what its copy is called
    keeps: bool = False

    def bundled(self, game: Game) -> bool:
        """Say whether it thinks in the worker's own process."""
        return self.folder is None and self.bot.partition(":")[0] in game.bots


@frozen
class Job:
    """One match: a turn of a deal, and who sits where."""

    deal: int
    turn: int
    seats: tuple[Contestant, ...]
    again: int = 0  # a deal that was cut is another one for who may remember it

    @property
    def key(self) -> str:
        """Give the match's key."""
        return f"{self.deal}.{self.turn}"

    @property
    def kept(self) -> tuple[Contestant, ...]:
        """Give those seated who keep a folder, and may remember."""
        return tuple(one for one in self.seats if one.keeps)

    def renewed(self) -> Job:
        """Give the match to be played again: from another deal, if somebody may remember it."""
        return evolve(self, again=self.again + bool(self.kept))


@frozen
class Task:
    """Matches that one worker plays one after the other, and all it has to know for that."""

    jobs: tuple[Job, ...]
    game: str
    variant: Mapping[str, Any]
    secret: str
    limits: Limits
    transcripts: str  # all, verdicts, sample or none
    home: Path  # where commands are read
    bots: Path  # where copies of bots' folders are
    folders: Path  # where those who keep a folder have it


def play(task: Task) -> list[Done]:
    """Play them."""
    return [_played(task, job) for job in task.jobs]


def void(job: Job, detail: str, seconds: float = 0.0) -> Done:
    """Give what a match comes to that could not be played, by no bot's fault."""
    nothing = (0.0,) * len(job.seats)
    return Done(
        job.deal, job.turn, tuple(one.id for one in job.seats), End.VOID, 0, detail, seconds,
        None, None, nothing, {}, {},
    )  # fmt: skip


def _played(task: Task, job: Job) -> Done:
    began = monotonic()
    try:
        return _play(task, job)
    except Exception as problem:  # noqa: BLE001  # of a plugin, of the machine
        return void(job, in_words(problem), monotonic() - began)


def _play(task: Task, job: Job) -> Done:
    game = plugins().game(task.game)
    began = monotonic()
    sitting = [seated(task.game, one, task.home, task.bots) for one in job.seats]
    setting = _setting(game, task, job, sitting)
    record = _Record()
    watching: list[Observer] = plugins().observers(setting)
    if _may_keep(task, job):
        watching.append(Recorder(setting, record))
    kept = {one.name: task.folders / one.id for one in job.kept}
    result = host(setting, sitting, House(task.limits, kept), watching)
    return _done(task, job, result, monotonic() - began, record.text)


def _setting(game: Game, task: Task, job: Job, sitting: Sequence[Entrant]) -> Setting:
    """Give the match with its seeds: the deal's, and its key, from which the bots' come.

    The key ends with a hash of the secret, so that no bot can work out another's seed.
    """
    deal = derived(task.secret, "deal", job.deal, job.again)
    hashed = derived(task.secret, "match", job.deal, job.turn, job.again)[:SHORT]
    names = tuple(one.name for one in sitting)
    bots = tuple(one.bot for one in sitting)
    variant = game.read_variant(task.variant)
    return Setting(f"{job.key}-{hashed}", game, variant, deal, names, bots)


@cache
def seated(game: str, one: Contestant, home: Path, bots: Path) -> Entrant:
    """Make a contestant an entrant again; a bundled bot is the same for all its matches."""
    rules = plugins().game(game)
    if one.folder is not None:
        return evolve(in_folder(rules, one.bot, bots / one.folder, built=True), name=one.name)
    with chdir(home if home.is_dir() else "."):  # elsewhere there are bundled bots only
        return evolve(entrant(rules, one.bot), name=one.name)


def _may_keep(task: Task, job: Job) -> bool:
    if task.transcripts == "sample":
        return int(derived("sample", job.key)[:8], 16) % SAMPLE == 0
    return task.transcripts != "none"


def _done(task: Task, job: Job, result: Result, seconds: float, text: str) -> Done:
    outcome, game = result.outcome, result.setting.game
    verdicts = {seat: pack_verdict(game, one) for seat, one in outcome.verdicts.items()}
    wanted = task.transcripts != "verdicts" or verdicts or outcome.end is End.VOID
    return Done(
        job.deal,
        job.turn,
        tuple(one.id for one in job.seats),
        outcome.end,
        outcome.rounds,
        outcome.detail,
        seconds,
        None if outcome.scores is None else tuple(map(float, outcome.scores)),
        outcome.places,
        outcome.seconds,
        verdicts,
        {seat: result.errors[seat][-LONGEST_WORDS:] for seat in verdicts},
        zlib.compress(text.encode()) if text and wanted else None,
    )


class _Record(io.StringIO):
    """A file in memory, whose text is there still when it has been closed."""

    text = ""

    def close(self) -> None:
        self.text = self.getvalue()
        super().close()
