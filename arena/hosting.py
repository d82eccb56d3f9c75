"""Hosting one match of entrants: folders, logs, players, the match, and its result."""

from __future__ import annotations

import os
import shutil
import stat
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import IO, Any

from attrs import field, frozen

from arena.clock import Limits
from arena.entrants import Entrant
from arena.errors import in_words
from arena.interrupts import deferred
from arena.match import Match
from arena.observer import Observer, Setting
from arena.outcome import End, Outcome
from arena.play import Play
from arena.players.player import Player
from arena.players.process import end
from arena.transcript import number, pack_verdict

FORMAT = 1
LONGEST_WORDS = 2000  # characters of a bot's stderr that a result shows


@frozen
class House:
    """How matches are hosted: limits, and where programs work and log."""

    limits: Limits = field(factory=Limits)
    folders: Mapping[str, Path] = field(factory=dict)  # by name; who has none gets a fresh one
    logs: Path | None = None  # where what programs write to stderr goes as a whole


@frozen
class Result:
    """A match that was hosted."""

    setting: Setting
    outcome: Outcome
    errors: tuple[str, ...]  # the end of each seat's stderr
    problem: Exception | None = None  # why it is void

    def pack(self, transcript: Path | None = None) -> dict[str, Any]:
        """Give the result as JSON, as `arena match --json` prints it."""
        setting, outcome = self.setting, self.outcome
        return {
            "format": FORMAT,
            "match": setting.key,
            "game": setting.game.name,
            "seed": setting.seed,
            "variant": setting.game.write_variant(setting.variant),
            "outcome": outcome.end,
            "rounds": outcome.rounds,
            "transcript": transcript and str(transcript),
            "seats": [self._seat(seat) for seat in range(len(setting.names))],
        }

    def _seat(self, seat: int) -> dict[str, Any]:
        setting, outcome = self.setting, self.outcome
        verdict = outcome.verdicts.get(seat)
        return {
            "seat": seat,
            "name": setting.names[seat],
            "bot": setting.bots[seat],
            "score": outcome.scores and number(outcome.scores[seat]),
            "place": outcome.places and outcome.places[seat],
            "verdict": verdict and pack_verdict(setting.game, verdict),
            "seconds": round(outcome.seconds[seat], 6),
            "stderr": self.errors[seat][-LONGEST_WORDS:],
        }


def host(
    setting: Setting,
    seated: Sequence[Entrant],
    house: House,
    observers: Sequence[Observer] = (),
) -> Result:
    """Host one match; programs are started all at once, and are gone when this returns."""
    players: list[Player] = []
    with _folders(seated, house) as folders, ExitStack() as logs:
        try:
            play = Play.deal(setting.variant, len(seated), setting.seed)
            with deferred():
                for seat, entrant in enumerate(seated):
                    log = _log(logs, setting, seat, entrant, house)
                    players.append(entrant.maker.player(seat, folders[seat], log))
            return _run(setting, play, players, house, observers)
        except BaseException as problem:
            end([one for player in players for one in player.processes], grace=0.0)
            if not isinstance(problem, Exception):
                raise
            return _void(setting, problem, observers)


def _run(
    setting: Setting,
    play: Play,
    players: Sequence[Player],
    house: House,
    observers: Sequence[Observer],
) -> Result:
    match = Match(
        play,
        players,
        house.limits,
        game=setting.game.name,
        key=setting.key,
        observers=observers,
    )
    outcome = match.run()
    return Result(setting, outcome, tuple(one.errors for one in players), match.problem)


def _void(setting: Setting, problem: Exception, observers: Sequence[Observer]) -> Result:
    """Give the result of a match that could not begin, which is no bot's fault."""
    nothing = (0.0,) * len(setting.names)
    outcome = Outcome(End.VOID, 0, None, None, {}, nothing, in_words(problem))
    for observer in observers:
        observer.ended(outcome)
    return Result(setting, outcome, ("",) * len(setting.names), problem)


@contextmanager
def _folders(seated: Sequence[Entrant], house: House) -> Iterator[list[Path | None]]:
    """Give each program a private, writable folder; the fresh ones go with the match."""
    if not any(entrant.maker.runs for entrant in seated):
        yield [None] * len(seated)
        return
    base = Path(tempfile.mkdtemp(prefix="arena-"))
    try:
        yield [_folder(entrant, base / str(seat), house) for seat, entrant in enumerate(seated)]
    finally:
        shutil.rmtree(base, onerror=_unlock)


def _unlock(remove: Callable[[str], object], path: str, _: object) -> None:
    """Remove what a bot has locked; what even then stays is left to the system."""
    with suppress(OSError):
        Path(path).parent.chmod(stat.S_IRWXU)
        Path(path).chmod(stat.S_IRWXU)
        if remove in (os.scandir, os.open, os.lstat):  # a folder that could not be looked into
            shutil.rmtree(path, ignore_errors=True)
        else:
            remove(path)


def _folder(entrant: Entrant, fresh: Path, house: House) -> Path | None:
    if not entrant.maker.runs:
        return None
    folder = house.folders.get(entrant.name, fresh).absolute()
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def _log(
    logs: ExitStack, setting: Setting, seat: int, entrant: Entrant, house: House
) -> IO[bytes] | None:
    if house.logs is None or not entrant.maker.runs:
        return None
    path = house.logs / f"{setting.key}-{seat}-{setting.names[seat]}.log"
    return logs.enter_context(path.open("wb", buffering=0))
