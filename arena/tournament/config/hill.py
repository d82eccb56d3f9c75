"""The tables of a tournament file that are for hills: tournaments that stay open."""

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
    """Raise ValueError unless the text is one short line that can be shown."""
    _check_length(key, value, MAX_TITLE_LENGTH)
    if to_printable(value) != value:
        raise ValueError(f"{key.name}: write one line, without control characters")


def _check_description(_: object, key: Attribute[str], value: str) -> None:
    """Raise ValueError unless the text is short, and all of it can be shown."""
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

    authorize: str = field(validator=_check_secure)  #: where a browser goes to sign in
    token: str = field(validator=_check_secure)  #: where the hill asks for a token of who has,
    user: str = field(validator=_check_secure)  #: and with it, who that is
    client: str  #: as which the provider knows the hill
    secret_file: str | None = None  #: beside the file; None: in the environment
    name: str = "login"  #: the key in the user's JSON that has the name
    scope: str = ""  #: what is asked for

    @property
    def provider(self) -> str:
        """The provider's host name."""
        return urlsplit(self.authorize).hostname or ""


@frozen
class HillConfig:
    """The table `[hill]` of a tournament file: the size of the hill and the limits of authors."""

    size: int = field(default=50, validator=positive)  #: entrants; then the lowest falls off
    share: int = field(default=100, validator=positive)  #: matches that each version is to have
    bots: int = field(default=3, validator=positive)  #: of an author
    #: of a bot, in 24 hours; one that is refused counts half
    submissions: int = field(default=6, validator=positive)
    uploads_per_hour: int = field(default=60, validator=positive)  #: and pushes, of an address
    #: that are kept of an author: uploads, and bots as they were built
    uploads_mb: int = field(default=200, validator=positive)
    sources: str = field(default="author", validator=validators.in_(SOURCES))  #: who may see them
    git: bool = False  #: may bots be pushed by git?
    title: str = field(default="", validator=_check_title)  #: of all pages; empty: the file's name
    description: str = field(
        default="", validator=_check_description
    )  #: what this hill is, and for whom
    link: str = field(default="", validator=_check_link)  #: a page with more about it
    contact: str = ""  #: whom to write to, as it stands on each page
    database: str | None = None  #: of authors and submissions; None: beside the tournament's
    oauth: OAuth | None = None  #: who answers for authors that nobody has invited
