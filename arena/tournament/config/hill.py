"""The tables of a tournament file for hills, which are tournaments without an end."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlsplit

from attrs import Attribute, field, frozen, validators

from arena.wires import to_printable

positive: Any = validators.ge(1)
MAX_TITLE_LENGTH = 80  # characters
MAX_DESCRIPTION_LENGTH = 1000  # characters
MAX_LINK_LENGTH = 500  # characters
SOURCES = ("author", "all")
LOOPBACK = ("localhost", "127.0.0.1", "::1")


def _check_secure(_: object, key: Attribute[str], value: str) -> None:
    """Raise ValueError unless the address uses https, or http on this machine."""
    parts = urlsplit(value)
    here = parts.scheme == "http" and parts.hostname in LOOPBACK
    if not (here or (parts.scheme == "https" and parts.hostname)):
        raise ValueError(f"{key.name}: {value!r} does not begin with https://")


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


def _check_length(key: Attribute[str], value: str, longest: int) -> None:
    if len(value) > longest:
        raise ValueError(f"{key.name}: {len(value)} characters (at most {longest} are allowed)")


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
    sources: str = field(default="author", validator=validators.in_(SOURCES))  #: who may read them
    git: bool = False  #: whether bots can be pushed by git
    title: str = field(default="", validator=_check_title)  #: of all pages; empty: the file's name
    description: str = field(
        default="", validator=_check_description
    )  #: a description of the hill for visitors
    link: str = field(default="", validator=_check_link)  #: the address of a page about the hill
    contact: str = ""  #: the contact shown on each page
    database: str | None = None  #: of authors and submissions; None: next to the tournament's
    oauth: OAuth | None = None  #: the provider that authors without an invitation sign in with
