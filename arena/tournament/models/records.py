"""The records of the store: entrants with their versions, and finished matches."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Any

from attrs import field, frozen

from arena.rules import End
from arena.sandbox import AUTO, TRUSTED
from arena.tournament.models.schedule import Id, format_id


class State(StrEnum):
    """The state of an entrant."""

    ACTIVE = "active"  #: takes part
    REPLACED = "replaced"  #: by a newer version of the same name
    WITHDRAWN = "withdrawn"  #: by its owner or the host
    ASIDE = "set aside"  #: it failed repeatedly
    UNFIT = "unfit"  #: it did not build, start or pass its check
    WAITING = "waiting"  #: for a place: it was the lowest of a hill that exceeded its size

    @property
    def is_current(self) -> bool:
        """Whether it plays, or waits for a place on a hill, and so is what its name stands for."""
        return self in (State.ACTIVE, State.WAITING)


@frozen
class Containment:
    """How far an entrant is trusted, and what its programs may use."""

    untrusted: bool = False  #: whether the author is unknown to the host
    #: one of `arena.sandbox.CHOICES`; None: the tournament's setting
    sandbox: str | None = None
    resources: Mapping[str, Any] = field(factory=dict)  #: override the tournament's limits

    def choose_sandbox(self, usual: str | None) -> str:
        """Return the sandbox to use, given the tournament's setting."""
        return self.sandbox or usual or (AUTO if self.untrusted else TRUSTED)


KNOWN = Containment()
"""The containment of an entrant whose author the host knows."""


@frozen
class Entry:
    """One version of an entrant."""

    name: str  #: the name of the bot
    version: str  #: the hash of its contents, in hexadecimal digits
    bot: str  #: as given by the user
    keeps: bool = False  #: whether its folder stays between its matches
    containment: Containment = KNOWN  #: its trust and limits
    state: State = State.ACTIVE  #: its present state
    why: str = ""  #: the reason why it is not active

    @property
    def id(self) -> Id:
        """The id that schedules use for it."""
        return format_id(self.name, self.version)


class VoidCause(StrEnum):
    """The cause of a void match."""

    HOST = "host"  #: the machine or the arena failed
    WORKER = "worker"  #: its worker died, and died again: through the host, or through an entrant
    GAME = "game"  #: the rules or a plugin failed, which they would do again


@frozen
class MatchResult:
    """A finished match, as a worker reports it; everything in seat order."""

    deal: int  #: the number of the deal
    rotation: int  #: the rotation of the deal's seats
    seats: tuple[Id, ...]  #: the entrants by seat
    end: End  #: the kind of end
    rounds: int  #: completed, as the game counts them
    detail: str  #: the reason why it is void
    seconds: float  #: the duration of the match
    scores: tuple[float, ...] | None  #: in the game's points
    places: tuple[int, ...] | None  #: 1 is the best
    used: tuple[float, ...]  #: seconds on each seat's clock
    verdicts: Mapping[int, Mapping[str, Any]]  #: by seat, as in a result's JSON
    errors: Mapping[int, str]  #: by seat: the end of a failed program's stderr
    transcript: bytes | None = None  #: JSON lines, compressed by zlib
    #: the sandbox of each seat's program; None: it played in the worker itself
    sandboxes: tuple[str | None, ...] = ()
    #: how many matches each seat's process had played before; None: it plays one
    earlier: tuple[int | None, ...] = ()
    lacking: str = ""  #: the resource that the machine lacked, if it is void for that
    cause: VoidCause | None = None  #: of a void match

    @property
    def key(self) -> str:
        """Return the match's key."""
        return f"{self.deal}.{self.rotation}"
