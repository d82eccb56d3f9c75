"""Entrants of a tournament: a version each, with its name, its state and how far it is trusted.

An entrant is identified by an `Id`, `NAME@VERSION`: a new version is a new entrant. In a game of
teams it plays all seats of a team (`arena/rules/sides.py`).
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Any

from attrs import evolve, field, frozen

from arena.sandbox import AUTO, TRUSTED, Sandbox

Id = str
"""`NAME@VERSION`."""


def format_id(name: str, version: str) -> Id:
    """Return the id that schedules use for an entrant.

    >>> format_id("mine", "3fa2b1c09d7e")
    'mine@3fa2b1c09d7e'
    """
    return f"{name}@{version}"


def get_name(entrant: Id) -> str:
    """Return an entrant's name, without its version.

    >>> get_name("mine@3fa2b1c09d7e")
    'mine'
    """
    return entrant.rpartition("@")[0]


def get_version(entrant: Id) -> str:
    """Return an entrant's version.

    >>> get_version("mine@3fa2b1c09d7e")
    '3fa2b1c09d7e'
    """
    return entrant.rpartition("@")[2]


VERSION_JOINT = "-"
"""Stands between the versions of a team's bots in the version of the team."""


def shorten_version(version: str) -> str:
    """Return a version with which people can tell it from others.

    >>> shorten_version("3fa2b1c09d7e-0123456789ab")
    '3fa2b1-012345'
    """
    return VERSION_JOINT.join([part[:6] for part in version.split(VERSION_JOINT)])


class State(StrEnum):
    """The state of an entrant."""

    ACTIVE = "active"  #: takes part
    REPLACED = "replaced"  #: by a newer version of the same name
    WITHDRAWN = "withdrawn"  #: by its owner or the host
    ASIDE = "set aside"  #: it failed repeatedly
    UNFIT = "unfit"  #: it did not build, start or pass its check
    WAITING = "waiting"  #: for a place: it was the lowest of a hill that exceeded its size
    ARCHIVED = "archived"  #: it left, and its matches were moved to a file

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
    #: override the tournament's limits
    resources: Mapping[str, Any] = field(factory=dict, hash=False)

    def choose_sandbox(self, usual: str | None) -> str:
        """Return the sandbox to use, given the tournament's setting."""
        return self.sandbox or usual or (AUTO if self.untrusted else TRUSTED)


KNOWN = Containment()
"""The containment of an entrant whose author the host knows."""


@frozen
class Entry:
    """One version of an entrant."""

    name: str  #: the name of the bot, which protocols carry
    version: str  #: the hash of its contents, in hexadecimal digits
    bot: str  #: as given by the user
    keeps: bool = False  #: whether its folder stays between its matches
    containment: Containment = KNOWN  #: its trust and limits
    state: State = State.ACTIVE  #: its present state
    why: str = ""  #: the reason why it is not active
    title: str = ""  #: what tables and pages call it; empty: its name

    @property
    def id(self) -> Id:
        """The id that schedules use for it."""
        return format_id(self.name, self.version)

    @property
    def label(self) -> str:
        """What tables and pages call it: its title, or else its name."""
        return self.title or self.name

    @property
    def members(self) -> tuple[Entry, ...]:
        """The bots of a team, each with a version of its own; of others the entrant itself."""
        from arena.host import split_team  # a large import, which reading results does not need

        bots = split_team(self.bot)
        versions = self.version.split(VERSION_JOINT)
        return tuple([
            evolve(self, bot=bot, version=version)
            for bot, version in zip(bots, versions, strict=True)
        ]) if bots else (self,)  # fmt: skip


@frozen
class ReadyEntry:
    """An entrant whose programs can be started: its copy is built, and its sandbox is known."""

    entry: Entry  #: the version of the entrant
    sandbox: Sandbox | None  #: of its programs; None: they run with the rights of the host

    @property
    def id(self) -> Id:
        """The id that schedules use for it."""
        return self.entry.id

    @property
    def members(self) -> tuple[ReadyEntry, ...]:
        """The bots of a team, each on its own; of others the entrant itself."""
        return tuple([evolve(self, entry=member) for member in self.entry.members])
