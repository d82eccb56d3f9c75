"""The contents of a tournament file: its TOML tables as classes, with defaults and checks."""

from __future__ import annotations

import re
from collections.abc import Mapping
from enum import StrEnum
from typing import Any
from urllib.parse import urlsplit

from attrs import Attribute, field, frozen, validators

from arena.host import (
    MAX_WORKERS,
    NAME_PATTERN,
    Limits,
    check_title,
    join_team,
    split_team,
)
from arena.rules import (
    SeedText,
    UserError,
)
from arena.sandbox import CHOICES, Resources
from arena.tournament.anchor import Anchor
from arena.tournament.entries import Containment
from arena.tournament.file import DEFAULT_LEVEL
from arena.tournament.kept_transcripts import KeptTranscripts
from arena.wires import read, to_printable

MAX_TITLE_LENGTH = 80  # characters, of a hill's pages
MAX_DESCRIPTION_LENGTH = 1000  # characters
MAX_LINK_LENGTH = 500  # characters
LOOPBACK = ("localhost", "127.0.0.1", "::1")
CHARACTERS = "letters, digits and underscores"

positive: Any = validators.ge(1)
at_least_one = validators.optional(positive)
known_sandbox = validators.optional(validators.in_(CHOICES))


class Stop(StrEnum):
    """When a tournament is over."""

    MATCHES = "matches"  #: once all matches are played
    RESOLVED = "resolved"  #: earlier, once the ranking is certain


class Partners(StrEnum):
    """How partners are found in a game of teams."""

    OWN = "own"  #: an entrant plays all seats of a team
    DRAWN = "drawn"  #: entrants have one seat each, and partners are drawn


class LiveDetail(StrEnum):
    """How much of a live match is shown."""

    ANNOUNCED = "announced"  #: what everybody at the table knows
    ALL = "all"  #: all hands, if no player can see them


class UnfitPolicy(StrEnum):
    """What is done with entrants that fail the check before the start."""

    LEAVE_OUT = "leave-out"  #: the others play
    STOP = "stop"  #: nobody plays


class SourceReaders(StrEnum):
    """The readers of the sources of the bots on a hill."""

    AUTHOR = "author"  #: the bot's author, unless that publishes it
    ALL = "all"  #: everybody


def _check_secure(_: object, key: Attribute[str], value: str) -> None:
    """Raise ValueError unless the address uses https, or http on this machine."""
    parts = urlsplit(value)
    is_local = parts.scheme == "http" and parts.hostname in LOOPBACK
    if not (is_local or (parts.scheme == "https" and parts.hostname)):
        raise ValueError(f"{key.name}: {value!r} does not begin with https://")


def _check_length(key: Attribute[str], value: str, longest: int) -> None:
    if len(value) > longest:
        raise ValueError(f"{key.name}: {len(value)} characters (at most {longest} are allowed)")


def _check_title(_: object, key: Attribute[str], value: str) -> None:
    """Raise ValueError unless the text is one short, printable line."""
    _check_length(key, value, MAX_TITLE_LENGTH)
    if to_printable(value) != value:
        raise ValueError(f"{key.name}: write one line, without control characters")


def _check_description(_: object, key: Attribute[str], value: str) -> None:
    """Raise ValueError unless the text is short and printable."""
    _check_length(key, value, MAX_DESCRIPTION_LENGTH)
    if any(to_printable(line) != line for line in value.split("\n")):
        raise ValueError(f"{key.name}: control characters are not allowed")


def _check_link(_: object, key: Attribute[str], value: str) -> None:
    """Raise ValueError unless the text is empty or the address of a page."""
    _check_length(key, value, MAX_LINK_LENGTH)
    parts = urlsplit(value)
    web = parts.scheme in ("http", "https") and parts.hostname
    if value and (not web or to_printable(value) != value or " " in value):
        raise ValueError(f"{key.name}: {value!r} does not begin with https:// or http://")


def _check_anchor(_: object, key: Attribute[str], value: str) -> None:
    """Raise ValueError unless the text names an entrant and its rating."""
    try:
        Anchor.parse(value)
    except ValueError as problem:
        raise ValueError(f"{key.name}: {problem}") from None


@frozen
class OAuth:
    """The table `[hill.oauth]`: the OAuth 2 provider that authors sign in with."""

    authorize: str = field(validator=_check_secure)  #: the address of the sign-in page
    token: str = field(validator=_check_secure)  #: exchanges a code for an access token
    user: str = field(validator=_check_secure)  #: the address of the user's data
    client: str  #: the client id of the hill at the provider
    secret_file: str | None = None  #: relative to the file; None: in the environment
    name: str = "login"  #: the key of the name in the user's JSON
    scope: str = ""  #: the requested scopes

    @property
    def provider(self) -> str:
        """The provider's host name."""
        return urlsplit(self.authorize).hostname or ""


@frozen
class HillConfig:
    """The table `[hill]` of a tournament file: the size of the hill and the limits of authors."""

    size: int = field(default=50, validator=positive)  #: entrants; then the lowest falls off
    share: int = field(default=100, validator=positive)  #: the matches that each version plays
    bots: int = field(default=3, validator=positive)  #: per author
    #: per bot in 24 hours; a rejected one counts half
    submissions: int = field(default=6, validator=positive)
    uploads_per_hour: int = field(default=60, validator=positive)  #: and pushes, per client address
    #: stored per author, both uploads and built bots
    uploads_mb: int = field(default=200, validator=positive)
    sources: SourceReaders = SourceReaders.AUTHOR  #: their readers
    git: bool = False  #: whether bots can be pushed by git
    title: str = field(default="", validator=_check_title)  #: of all pages; empty: the file's name
    description: str = field(
        default="", validator=_check_description
    )  #: a description of the hill for visitors
    link: str = field(default="", validator=_check_link)  #: the address of a page about the hill
    contact: str = ""  #: the contact shown on each page
    database: str | None = None  #: of authors and submissions; None: next to the tournament's
    oauth: OAuth | None = None  #: the provider that authors without an invitation sign in with


@frozen
class EntrantConfig:
    """One `[[entrant]]`: a bot, a team, or a folder in which each folder with a bot.toml is one."""

    bot: str | None = None
    bots: tuple[str, ...] = ()  # of a team, one for each of its seats
    name: str | None = None
    #: what tables and pages call it; None: its name
    title: str | None = field(default=None, validator=validators.optional(check_title))
    folder: str | None = None
    keeps: bool = False  # whether its folder stays between its matches
    untrusted: bool = False
    sandbox: str | None = field(default=None, validator=known_sandbox)
    resources: Mapping[str, Any] = field(factory=dict)

    @property
    def containment(self) -> Containment:
        """The containment that this table sets for the entrant's programs."""
        return Containment(self.untrusted, self.sandbox, self.resources)

    def __attrs_post_init__(self) -> None:
        """Raise ValueError unless the table names either a bot or a folder, with valid settings."""
        read(self.resources, Resources)
        if sum([self.bot is not None, bool(self.bots), self.folder is not None]) != 1:
            raise ValueError("set exactly one of `bot`, `bots` and `folder`")
        if self.bots:
            try:
                split_team(join_team(self.bots))
            except UserError as problem:
                raise ValueError(f"bots: {problem}") from None
        if self.folder is not None and self.name is not None:
            raise ValueError("`name` cannot be set with `folder`: each bot.toml names its own bot")
        if self.folder is not None and self.title is not None:
            raise ValueError("`title` cannot be set with `folder`: each bot has one of its own")
        if self.name is not None and not re.fullmatch(NAME_PATTERN, self.name):
            raise ValueError(f"{self.name!r} is not a valid name: use 1 to 32 {CHARACTERS}")


@frozen
class TournamentFile:
    """The settings of a tournament file."""

    game: str
    format: str = "round-robin"  # optionally with parameters: `swiss:rounds=7`
    table: int | None = field(default=None, validator=at_least_one)  # seats of a match
    matches: int | None = field(default=None, validator=at_least_one)
    stop: Stop = Stop.MATCHES
    #: the confidence level of intervals and of `resolved`
    level: float = field(default=DEFAULT_LEVEL, validator=[validators.gt(0.5), validators.lt(1.0)])
    #: NAME = RATING of an entrant; None: ratings are relative to the mean
    anchor: str | None = field(default=None, validator=validators.optional(_check_anchor))
    partners: Partners = Partners.OWN
    duplicate: bool | None = None  # None: the default of the game
    rating: str | None = None  # None: the model that suits the table
    seed: SeedText | None = None  # None: 128 random bits
    database: str | None = None  # a path next to the file, or an address; None: derived
    executor: str = "local"
    workers: int | None = field(
        default=None, validator=[at_least_one, validators.optional(validators.le(MAX_WORKERS))]
    )
    transcripts: KeptTranscripts = KeptTranscripts.ALL
    live: LiveDetail = LiveDetail.ANNOUNCED
    check: bool = True  # whether each entrant plays a trial match before the start
    unfit: UnfitPolicy = UnfitPolicy.LEAVE_OUT
    options: Mapping[str, Any] = field(factory=dict)
    time: Limits = field(factory=Limits)
    sandbox: str | None = field(default=None, validator=known_sandbox)
    resources: Resources = field(factory=Resources)  # of each program in a sandbox
    entrant: tuple[EntrantConfig, ...] = ()
    hill: HillConfig | None = None  # None unless the tournament is a hill
