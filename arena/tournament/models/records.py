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
    ASIDE = "set aside"  #: it failed again and again
    UNFIT = "unfit"  #: it did not build, start or pass its check
    FELL = "fell off"  #: the lowest of a hill that had more than its size


@frozen
class Containment:
    """How far an entrant is trusted, and what its programs may use."""

    untrusted: bool = False  #: the host does not know who has written it
    #: one of `arena.sandbox.CHOICES`; None: the tournament's
    sandbox: str | None = None
    resources: Mapping[str, Any] = field(factory=dict)  #: in place of the tournament's own

    def choose_sandbox(self, usual: str | None) -> str:
        """Return the sandbox to use, given the tournament's setting."""
        return self.sandbox or usual or (AUTO if self.untrusted else TRUSTED)


KNOWN = Containment()
"""The containment of an entrant whose author the host knows."""


@frozen
class Entry:
    """One version of an entrant."""

    name: str  #: what it is called
    version: str  #: the hash of what it is made of, in hexadecimal digits
    bot: str  #: as it was named
    keeps: bool = False  #: does its folder stay between its matches?
    containment: Containment = KNOWN  #: how far it is trusted
    state: State = State.ACTIVE  #: where it stands
    why: str = ""  #: it is not active

    @property
    def id(self) -> Id:
        """The id that schedules use for it."""
        return format_id(self.name, self.version)


@frozen
class MatchResult:
    """A finished match, as a worker reports it; everything in seat order."""

    deal: int  #: its number
    rotation: int  #: in which the deal was played
    seats: tuple[Id, ...]  #: who sat there
    end: End  #: how it ended
    rounds: int  #: played to their end, as the game counts them
    detail: str  #: why it is void
    seconds: float  #: that it took as a whole
    scores: tuple[float, ...] | None  #: in the game's points
    places: tuple[int, ...] | None  #: 1 is the best
    used: tuple[float, ...]  #: seconds by each seat's clock
    verdicts: Mapping[int, Mapping[str, Any]]  #: by seat, as a result's JSON has them
    errors: Mapping[int, str]  #: by seat, the end of what a failed program wrote to stderr
    transcript: bytes | None = None  #: JSON lines, compressed by zlib
    #: what held for each seat's program; None: it played in the worker itself
    sandboxes: tuple[str | None, ...] = ()
    lacking: str = ""  #: what the machine had no more of, if that is why it is void

    @property
    def key(self) -> str:
        """Return the match's key."""
        return f"{self.deal}.{self.rotation}"
