"""Hosting one match of entrants: folders, logs, players, the match, and its result."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, nullcontext
from pathlib import Path
from typing import IO

from attrs import field, frozen

from arena.host.clock import Limits
from arena.host.entering import Entrant
from arena.host.match import Match
from arena.host.private_folders import WorkingFolder, kept_folder, work_folder
from arena.host.result import Result
from arena.host.shortage import short_of
from arena.players import Player, deferred, end
from arena.plugins import MatchSpec, Observer
from arena.rules import End, Outcome, Play, UserError, and_where


@frozen
class HostConfig:
    """How matches are hosted: limits, and where programs work and log."""

    limits: Limits = field(factory=Limits)  #: what each player is allowed
    folders: Mapping[str, Path] = field(factory=dict)  #: by name; who has none gets a fresh one
    logs: Path | None = None  #: where what programs write to stderr goes as a whole


def host(
    spec: MatchSpec,
    seated: Sequence[Entrant],
    config: HostConfig,
    observers: Sequence[Observer] = (),
) -> Result:
    """Host one match; programs are started all at once, and are gone when this returns.

    Args:
        spec: what is played, from which seed.
        seated: who sits there, in seat order.
        config: limits, in seconds, and where programs work and log.
        observers: who watches.

    Returns how it came out; also where it is void, which is nobody's fault.
    """
    players: list[Player] = []
    runs = any(entrant.factory.runs for entrant in seated)
    rooms = _folders(seated, config) if runs else nullcontext([None] * len(seated))
    with rooms as folders, ExitStack() as logs:
        try:
            play = Play.deal(spec.variant, len(seated), spec.seed)
            with deferred() if runs else nullcontext():  # an interrupt loses none of them
                for seat, entrant in enumerate(seated):
                    log = _log(logs, spec, seat, entrant, config)
                    players.append(entrant.factory.player(seat, folders[seat], log))
            match = Match(
                play,
                players,
                config.limits,
                game=spec.game.name,
                key=spec.key,
                observers=observers,
            )
            return _result(spec, seated, players, match)
        except BaseException as problem:
            end([one for player in players for one in player.processes], grace=0.0)
            if not isinstance(problem, Exception):
                raise
            return _void(spec, problem, observers)


def see_played(result: Result) -> Result:
    """Return a result, or raise UserError where the machine lacked what a match needs."""
    if lacking := short_of(result.problem):
        raise UserError(f"{lacking}; match {result.spec.key} was not played")
    return result


def _result(
    spec: MatchSpec, seated: Sequence[Entrant], players: Sequence[Player], match: Match
) -> Result:
    """Play the match, and return what it has come to."""
    outcome = match.run()
    errors = tuple([one.errors for one in players])
    sandboxes = tuple([one.tier for one in seated])
    return Result(spec, outcome, errors, match.problem, sandboxes=sandboxes)


def _void(spec: MatchSpec, problem: Exception, observers: Sequence[Observer]) -> Result:
    """Return the result of a match that could not begin, which is no bot's fault."""
    nothing = (0.0,) * len(spec.names)
    outcome = Outcome(End.VOID, 0, None, None, {}, nothing, and_where(problem))
    for observer in observers:
        observer.ended(outcome)
    return Result(spec, outcome, ("",) * len(spec.names), problem)


@contextmanager
def _folders(
    seated: Sequence[Entrant], config: HostConfig
) -> Iterator[Sequence[WorkingFolder | None]]:
    """Give each program a private, writable folder; the fresh ones go with the match."""
    with ExitStack() as rooms:
        yield [_folder(entrant, config, rooms) for entrant in seated]


def _folder(entrant: Entrant, config: HostConfig, rooms: ExitStack) -> WorkingFolder | None:
    if not entrant.factory.runs:
        return None
    kept, contained = config.folders.get(entrant.name), entrant.factory.sandbox is not None
    if kept is None:
        return work_folder(rooms, contained=contained)
    return kept_folder(kept, contained=contained)


def _log(
    logs: ExitStack, spec: MatchSpec, seat: int, entrant: Entrant, config: HostConfig
) -> IO[bytes] | None:
    if config.logs is None or not entrant.factory.runs:
        return None
    path = config.logs / f"{spec.key}-{seat}-{spec.names[seat]}.log"
    return logs.enter_context(path.open("wb", buffering=0))
