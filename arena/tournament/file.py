"""The tournament file: strict TOML, of which all mistakes are found at once.

Each mistake is one line: its place in the file, the value, and the allowed values.
"""

from __future__ import annotations

import re
import stat
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import urlsplit

from attrs import Attribute, Factory, field, fields, frozen, validators

from arena.files import read_toml
from arena.host import (
    MAX_WORKERS,
    NAME_PATTERN,
    AnyBot,
    Limits,
    check_arguments,
    check_title,
    format_bot,
    join_team,
    split_team,
)
from arena.plugins import Game, build_named, get_plugins
from arena.rules import (
    SeedText,
    Sides,
    UnknownNameError,
    UserError,
    Variant,
    abbreviate,
    find_sides,
    format_choices,
    format_count,
    has_teams,
    seat_alone,
)
from arena.sandbox import CHOICES, Resources
from arena.tournament.anchor import Anchor
from arena.tournament.entries import Containment, Entry, Id
from arena.tournament.format_protocol import Format, FormatTerms
from arena.tournament.match_batch import MatchBatch
from arena.tournament.workers import Workers
from arena.wires import ValidationError, converter, read, to_printable

MAX_TITLE_LENGTH = 80  # characters, of a hill's pages
MAX_DESCRIPTION_LENGTH = 1000  # characters
MAX_LINK_LENGTH = 500  # characters
SOURCES = ("author", "all")
OWN_PARTNERS, DRAWN_PARTNERS = "own", "drawn"
LOOPBACK = ("localhost", "127.0.0.1", "::1")
CHARACTERS = "letters, digits and underscores"
OPEN_FORMATS = "ladder, king-of-the-hill or round-robin"
CHANGEABLE = {"database", "workers", "executor", "matches", "stop", "level", "anchor", "live",
              "unfit", "check", "sandbox", "hill"}  # fmt: skip
"""The settings that may change between runs; none of them changes the matches to play."""
OTHERS_WRITE = stat.S_IWGRP | stat.S_IWOTH

positive: Any = validators.ge(1)
at_least_one = validators.optional(positive)


def allow_only(*values: str) -> Any:
    """Return a validator that accepts only these values."""
    return validators.in_(values)


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
    sandbox: str | None = field(default=None, validator=validators.optional(allow_only(*CHOICES)))
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
    stop: str = field(default="matches", validator=allow_only("matches", "resolved"))
    level: float = field(
        default=0.95, validator=[validators.gt(0.5), validators.lt(1.0)]
    )  # the confidence level of intervals and of `resolved`
    #: NAME = RATING of an entrant; None: ratings are relative to the mean
    anchor: str | None = field(default=None, validator=validators.optional(_check_anchor))
    #: in a game of teams: whether an entrant plays all seats of one, or has partners that are drawn
    partners: str = field(default=OWN_PARTNERS, validator=allow_only(OWN_PARTNERS, DRAWN_PARTNERS))
    duplicate: bool | None = None  # None: the default of the game
    rating: str | None = None  # None: the model that suits the table
    seed: SeedText | None = None  # None: 128 random bits
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


class TournamentFileError(UserError):
    """An invalid tournament file; the message has a line for each mistake."""


@frozen
class TournamentSpec:
    """A tournament file with its names resolved: the game, the format and the workers."""

    file: TournamentFile  #: the settings of the file
    home: Path  #: the folder of the file, to which its paths are relative
    stem: str  #: the file's name without its extension
    game: Game  #: the game to play
    variant: Variant  #: the variant of the game
    format: Format  #: the format, which pairs the entrants
    workers: Workers  #: the workers that play matches
    seats_per_match: int  #: the number of seats at a table
    teams: Sides  #: the seats of each side of a match: who plays together
    sides: Sides  #: the seats of each entrant of a match: one, or those of a team
    duplicate: bool  #: whether each deal is played in every rotation of its seats
    data_folder: Path = field(
        default=Factory(lambda self: self.home / f"{self.stem}.arena", takes_self=True)
    )  #: for copies of bots and the files that they keep; usually next to the file

    @property
    def file_name(self) -> str:
        """The name of the file, for messages."""
        return f"{self.stem}.toml"

    @property
    def database(self) -> str:
        """The database: an address, or a path."""
        address = self.file.database or f"{self.stem}.db"
        return address if "://" in address else str(self.home / address)

    @property
    def fixed_settings(self) -> dict[str, Any]:
        """The settings that must not change when the tournament is resumed."""
        settings: dict[str, Any] = converter.unstructure(self.file)
        fixed = {name: value for name, value in settings.items() if name not in CHANGEABLE}
        for entrant in fixed["entrant"]:
            del entrant["title"]  # which may change
            if not entrant["bots"]:  # as it stands in databases from before there were teams
                del entrant["bots"]
        options = self.game.write_variant(self.variant)
        partners = fixed.pop("partners")
        teams = {"teams": self.sides} if has_teams(self.sides) else {}
        if partners == DRAWN_PARTNERS:
            teams = {"partners": self.teams}
        return {
            **fixed,
            **teams,
            "table": self.seats_per_match,
            "duplicate": self.duplicate,
            "options": options,
        }

    def build_terms(self, entries: Sequence[Entry], first: int) -> FormatTerms:
        """Return what the format has to know, `first` being the number of the first entrants."""
        keepers = frozenset(entry.id for entry in entries if entry.keeps)
        each = self.file.hill.share if self.file.hill else None
        return FormatTerms(len(self.sides), self.file.matches, first, self.duplicate, keepers, each)

    def build_batch(self, secret: str, bots: Path, folders: Path) -> MatchBatch:
        """Return what all batches of matches have, without any match.

        Args:
            secret: the source of all seeds.
            bots: the folder of copies of bots.
            folders: the folder for bots that keep one.
        """
        return MatchBatch(
            matches=(),
            game=self.game.name,
            variant=self.game.write_variant(self.variant),
            secret=secret,
            limits=self.file.time,
            transcripts=self.file.transcripts,
            home=self.home,
            bots=bots,
            folders=folders,
            table=self.seats_per_match,
        )

    def check_field(self, field: Sequence[Id], terms: FormatTerms) -> None:
        """Raise UserError if the field cannot play, and say why a team's seats need so many."""
        try:
            self.format.check(field, terms)
        except UserError as problem:
            if self.file.partners != DRAWN_PARTNERS or len(field) >= terms.seats_per_match:
                raise
            raise UserError(f'{problem}; use partners = "own", or enter more bots') from None


def load(path: Path) -> TournamentSpec:
    """Read a tournament file, or raise TournamentFileError with all mistakes."""
    try:
        values = read_toml(path)
    except OSError as problem:
        raise TournamentFileError(f"{path}: {problem.strerror}") from None
    except ValueError as problem:  # not UTF-8, or not TOML
        raise TournamentFileError(f"{path}: {problem}") from None
    try:
        return parse_tournament(values, path)
    except TournamentFileError as problem:
        raise TournamentFileError(
            "\n".join(f"{path}: {line}" for line in str(problem).splitlines())
        ) from None


def parse_tournament(values: Mapping[str, Any], path: Path) -> TournamentSpec:
    """Parse a tournament file's values, or raise TournamentFileError with all mistakes.

    The file need not exist: commands and results are relative to its path.
    """
    reading = TournamentFileReader(path.absolute())
    tournament = reading.read_tournament(values)
    if tournament is None or reading.wrong:
        raise TournamentFileError("\n".join(reading.wrong))
    return tournament


def build_file_values(
    game: str,
    bots: Sequence[AnyBot],
    options: Mapping[str, Any] | None,
    limits: Limits | None,
    settings: Mapping[str, Any],
) -> dict[str, Any]:
    """Return arguments as the keys of a tournament file; what is None has the file's default."""
    check_arguments(game, bots, options, limits)
    return {
        "game": game,
        "entrant": [{"bot": format_bot(bot)} for bot in bots],
        "options": dict(options or {}),
        "time": converter.unstructure(limits) if limits else {},
        **{name: value for name, value in settings.items() if value is not None},
    }


def make_data_folder(tournament: TournamentSpec) -> None:
    """Make the folder for a tournament's data, in which nobody else may rename anything.

    Raises:
        UserError: where it cannot be made.
    """
    folder = tournament.data_folder
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as problem:
        raise UserError(f"{folder} cannot be made: {problem.strerror}") from None
    mode = stat.S_IMODE(folder.stat().st_mode)
    if mode & OTHERS_WRITE:
        with suppress(PermissionError):  # somebody else's, as the host has decided
            folder.chmod(mode & ~OTHERS_WRITE)


T = TypeVar("T")
TABLES = {
    "options": "[options]", "time": "[time]", "resources": "[resources]", "entrant": "[[entrant]]",
    "hill": "[hill]",
}  # fmt: skip
KEYED_TABLES = {"time": Limits, "resources": Resources, "hill": HillConfig}  # read key by key
DEFAULT_TABLES = ("time", "resources")  # those that exist even if the file leaves them out


class TournamentFileReader:
    """Reads the values of a tournament file and collects the mistakes."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self.wrong: list[str] = []

    def read_tournament(self, values: Mapping[str, Any]) -> TournamentSpec | None:
        """Return the tournament, or None if mistakes prevent that."""
        file = self._read_file(values)
        if file is None:
            return None
        game = self._find_game(file.game)
        workers = self._build("executor", file.executor, get_plugins().executors)
        form = self._build("format", file.format, get_plugins().formats)
        if file.rating is not None:
            self._build("rating", file.rating, get_plugins().ratings)
        variant = game and self._read_variant(game, file.options)
        table = game and self._read_table(game, file.table)
        self._check_whole(file, form)
        teams = variant and table and self._find_sides(variant, table)
        if teams and len(teams) == 1:
            self._check_cooperative(file)
        if teams and file.partners == DRAWN_PARTNERS:
            self._check_drawn_partners(file, form, teams)
        if not (game and workers and form and variant and table and teams):
            return None
        sides = seat_alone(table) if file.partners == DRAWN_PARTNERS else teams
        self._check_team_sizes(file, sides)
        duplicate = game.deals_hands if file.duplicate is None else file.duplicate
        home, stem = self._path.parent, self._path.stem
        return TournamentSpec(
            file, home, stem, game, variant, form, workers, table, teams, sides, duplicate
        )

    def _read_file(self, values: Mapping[str, Any]) -> TournamentFile | None:
        """Read the keys one by one, so that one mistake does not hide another."""
        shapely = {name: value for name, value in values.items() if self._check_shape(name, value)}
        each = {
            name: kind for name, kind in KEYED_TABLES.items() if name in {*shapely, *DEFAULT_TABLES}
        }
        good = self._read_keys(
            {**shapely, **{name: {} for name in each}}, TournamentFile, {"game": ""}
        )
        tables = {
            name: kind(**self._read_keys(shapely.get(name, {}), kind, {}, name))
            for name, kind in each.items()
        }
        if "game" not in values:
            self.wrong.append(f"game: is missing (available: {', '.join(get_plugins().games)})")
        return TournamentFile(**{**good, **tables}) if "game" in good else None

    def _check_shape(self, name: str, value: object) -> bool:
        """Return whether a value that must be a table is one; record a mistake if not."""
        tables = value if name == "entrant" else [value]
        fit = isinstance(tables, list) and all(isinstance(table, dict) for table in tables)
        if name in TABLES and not fit:
            table = TABLES[name]
            self.wrong.append(
                f"{name}: {abbreviate(value)} is not a table (write {table} above it)"
            )
        return fit or name not in TABLES

    def _read_keys(
        self, values: Mapping[str, Any], kind: type, least: Mapping[str, Any], path: str = ""
    ) -> dict[str, Any]:
        """Read the keys one by one, including required ones; return the valid values."""
        good = {}
        for name, value in values.items():
            try:
                good[name] = getattr(read({**least, name: value}, kind), name)
            except ValidationError as problem:
                self.wrong += [_prefix_path(path, name, line) for line in problem.lines]
        return good

    def _read_variant(self, game: Game, options: Mapping[str, Any]) -> Variant | None:
        names = [option.name for option in fields(game.variant)]
        unknown = [name for name in options if name not in names]
        self.wrong += [f"options: {UnknownNameError('option', name, names)}" for name in unknown]
        try:
            return game.read_variant({name: options[name] for name in options if name in names})
        except ValueError as problem:
            lines = problem.lines if isinstance(problem, ValidationError) else [str(problem)]
            self.wrong += [f"options: {line}" for line in lines]
            return None

    def _read_table(self, game: Game, table: int | None) -> int | None:
        if table is None:
            return game.seats[0]
        if table not in game.seats:
            self.wrong.append(
                f"table: {game.name} has {format_choices(game.seats)} seats, not {table}"
            )
            return None
        return table

    def _find_sides(self, variant: Variant, table: int) -> Sides | None:
        try:
            return find_sides(variant, table)
        except UserError as problem:
            self.wrong.append(f"table: {problem}")
            return None

    def _check_cooperative(self, file: TournamentFile) -> None:
        """Refuse a rating that compares opponents where there are none."""
        if file.rating is not None and file.rating.partition(":")[0] != "games-won":
            self.wrong.append(
                f"rating: {file.rating!r} needs opponents, but here nobody plays against anybody;"
                " leave it out, or write 'games-won'"
            )

    def _check_drawn_partners(
        self, file: TournamentFile, form: Format | None, teams: Sides
    ) -> None:
        """Refuse drawn partners without teams, and with a format that goes by results."""
        if not has_teams(teams):
            self.wrong.append(
                f"partners: nobody has partners at a table of {len(teams)}; leave it out"
            )
        if form and form.adaptive:
            self.wrong.append(
                f"partners: {file.format} goes by results, which drawn partners share; use"
                " round-robin or king-of-the-hill"
            )

    def _check_team_sizes(self, file: TournamentFile, sides: Sides) -> None:
        """Refuse a team whose bots are more or fewer than the seats of an entrant."""
        for number, entrant in enumerate(file.entrant):
            wrong = [len(side) for side in sides if len(side) != len(entrant.bots)]
            if entrant.bots and wrong:
                self.wrong.append(
                    f"entrant[{number}].bots: {len(entrant.bots)} bots, but an entrant has"
                    f" {format_count(wrong[0], 'seat')} of a match"
                )

    def _check_whole(self, file: TournamentFile, form: Format | None) -> None:
        is_reported = any(line.startswith("entrant") for line in self.wrong)
        if not file.entrant and not is_reported and file.hill is None:
            self.wrong.append(
                "entrant: there are no entrants; add [[entrant]] and `bot = ...` for each bot"
            )
        if file.hill:
            self._check_hill(file, form)
        if file.stop == "resolved" and file.matches is None:
            self.wrong.append(
                "stop: 'resolved' needs `matches` as well, the number to stop at in any case"
            )

    def _check_hill(self, file: TournamentFile, form: Format | None) -> None:
        if file.seed is not None:
            self.wrong.append("seed: not allowed on a hill, where bots could guess a short seed")
        if form and not form.open:
            self.wrong.append(f"format: {file.format} comes to an end; a hill needs {OPEN_FORMATS}")
        if file.matches is not None:
            self.wrong.append("matches: not allowed on a hill; set `share` in [hill] instead")

    def _find_game(self, name: str) -> Game | None:
        try:
            return get_plugins().find_game(name)
        except UserError as problem:
            self.wrong.append(f"game: {problem}")
            return None

    def _build(self, where: str, text: str, kinds: Mapping[str, type[T]]) -> T | None:
        try:
            return build_named(where, text, kinds)
        except UserError as problem:
            self.wrong.append(f"{where}: {problem}")
            return None


def _prefix_path(path: str, name: str, line: str) -> str:
    """Put the path of a table in front of a mistake in one of its keys."""
    if not path:
        return line
    return f"{path}.{line}" if line.startswith(name) else f"{path}: {line}"
