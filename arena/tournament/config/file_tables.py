"""The tables of a tournament file."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from attrs import field, frozen, validators

from arena.host import MAX_WORKERS, NAME_PATTERN, Limits
from arena.sandbox import CHOICES, Resources
from arena.tournament.config.hill import HillConfig
from arena.tournament.models.records import Containment
from arena.wires import read

CHARACTERS = "letters, digits and underscores"


def allow_only(*allowed: str) -> Any:
    """Return a validator that accepts only these values."""
    return validators.in_(allowed)


at_least_one = validators.optional(validators.ge(1))


@frozen
class EntrantConfig:
    """One `[[entrant]]`: a bot, or a folder in which each folder with a bot.toml is one."""

    bot: str | None = None
    name: str | None = None
    folder: str | None = None
    keeps: bool = False  # whether its folder stays between its matches
    untrusted: bool = False
    sandbox: str | None = field(default=None, validator=validators.optional(allow_only(*CHOICES)))
    resources: Mapping[str, Any] = field(factory=dict)

    @property
    def containment(self) -> Containment:
        """The containment that this table sets for the entrant's programs."""
        return Containment(self.untrusted, self.sandbox, self.resources)

    def __attrs_post_init__(self) -> None:
        """Raise ValueError unless the table names either a bot or a folder, with valid settings."""
        read(self.resources, Resources)
        if (self.bot is None) == (self.folder is None):
            raise ValueError("set exactly one of `bot` and `folder`")
        if self.folder is not None and self.name is not None:
            raise ValueError("`name` cannot be set with `folder`: each bot.toml names its own bot")
        if self.name is not None and not re.fullmatch(NAME_PATTERN, self.name):
            raise ValueError(f"{self.name!r} is not a valid name: use 1 to 32 {CHARACTERS}")


@frozen
class TournamentFile:
    """The settings of a tournament file."""

    game: str
    format: str = "round-robin"  # optionally with parameters: `swiss:rounds=7`
    table: int | None = field(default=None, validator=at_least_one)  # seats of a match
    matches: int | None = field(default=None, validator=at_least_one)
    stop: str = field(default="matches", validator=allow_only("matches", "resolved"))
    level: float = field(
        default=0.95, validator=[validators.gt(0.5), validators.lt(1.0)]
    )  # the confidence level of intervals and of `resolved`
    duplicate: bool | None = None  # None: the default of the game
    rating: str | None = None  # None: the model that suits the table
    seed: str | None = None  # None: 128 random bits
    database: str | None = None  # a path next to the file, or an address; None: derived
    executor: str = "local"
    workers: int | None = field(
        default=None, validator=[at_least_one, validators.optional(validators.le(MAX_WORKERS))]
    )
    transcripts: str = field(
        default="all", validator=allow_only("all", "verdicts", "sample", "none")
    )
    live: str = field(
        default="announced", validator=allow_only("announced", "all")
    )  # how much of a live match is shown
    check: bool = True  # whether each entrant plays a trial match before the start
    unfit: str = field(default="leave-out", validator=allow_only("leave-out", "stop"))
    options: Mapping[str, Any] = field(factory=dict)
    time: Limits = field(factory=Limits)
    sandbox: str | None = field(default=None, validator=validators.optional(allow_only(*CHOICES)))
    resources: Resources = field(factory=Resources)  # of each program in a sandbox
    entrant: tuple[EntrantConfig, ...] = ()
    hill: HillConfig | None = None  # None unless the tournament is a hill
