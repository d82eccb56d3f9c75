"""What the store keeps: entrants with their versions, and matches that are over."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Any

from attrs import frozen

from arena.outcome import End
from arena.tournament.plan import Id


class State(StrEnum):
    """Where an entrant stands."""

    ACTIVE = "active"  # takes part
    REPLACED = "replaced"  # by a newer version of the same name
    WITHDRAWN = "withdrawn"  # by its owner or the host
    ASIDE = "set aside"  # it failed again and again
    UNFIT = "unfit"  # it did not build, start or pass its check


@frozen
class Entry:
    """Somebody who has entered, in one version."""

    name: str
    version: str  # the hash of what it is made of, in hexadecimal digits
    bot: str  # as it was named
    keeps: bool = False  # does its folder stay between its matches?
    state: State = State.ACTIVE
    why: str = ""  # it is not active

    @property
    def id(self) -> Id:
        """Give what schedules call it."""
        return f"{self.name}@{self.version}"


@frozen
class Done:
    """A match that is over, as it comes from a worker; everything in seat order."""

    deal: int
    turn: int
    seats: tuple[Id, ...]
    end: End
    rounds: int
    detail: str  # why it is void
    seconds: float  # that it took as a whole
    scores: tuple[float, ...] | None
    places: tuple[int, ...] | None
    used: tuple[float, ...]  # seconds by each seat's clock
    verdicts: Mapping[int, Mapping[str, Any]]  # by seat, as a result's JSON has them
    errors: Mapping[int, str]  # by seat, the end of what a failed program wrote to stderr
    transcript: bytes | None = None  # JSON lines, compressed by zlib

    @property
    def key(self) -> str:
        """Give the match's key."""
        return f"{self.deal}.{self.turn}"
