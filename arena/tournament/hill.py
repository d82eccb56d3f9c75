"""A hill: a tournament that stays open, and the orders by which people come and go meanwhile."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

from attrs import field, frozen, validators

from arena.tournament.records import Entry, State

positive: Any = validators.ge(1)
SOURCES = ("author", "all")


@frozen
class HillConfig:
    """The table `[hill]` of a tournament's file: how many stay, and what authors may ask for."""

    size: int = field(default=50, validator=positive)  #: entrants; then the lowest falls off
    share: int = field(default=100, validator=positive)  #: matches that each version is to have
    bots: int = field(default=3, validator=positive)  #: of an author
    #: of a bot, in 24 hours; one that is refused counts half
    submissions: int = field(default=6, validator=positive)
    uploads_mb: int = field(default=200, validator=positive)  #: of an author, kept
    sources: str = field(default="author", validator=validators.in_(SOURCES))  #: who may see them
    git: bool = False  #: may bots be pushed by git?
    contact: str = ""  #: whom to write to, as it stands on each page
    database: str | None = None  #: of authors and submissions; None: beside the tournament's


@frozen
class Order:
    """Something that the coordinator is to do; numbers go up, and none is carried out twice."""

    number: int  #: by which it comes in order
    name: str  #: of the bot
    entry: Entry | None = None  #: that is to take part, in place of any older version
    state: State = State.WITHDRAWN  #: else: where it stands from now on,
    why: str = ""  #: and why
    alias: str = ""  #: or all that is to happen: what is shown in place of its name


class Gate(Protocol):
    """Where orders come from, while a tournament goes on."""

    def orders(self, after: int) -> Sequence[Order]:
        """Return the orders behind this number, in their order."""
