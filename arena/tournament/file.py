"""The file of a tournament: TOML, read strictly, every mistake said at once.

A mistake is a line: where it stands, what stood there, and what is allowed.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypeVar

from attrs import field, fields, frozen, validators

from arena.host import MOST_WORKERS, NAME, Limits
from arena.plugins import Game, named_one, plugins
from arena.rules import Unknown, UserError, Variant, brief
from arena.sandbox import CHOICES, Resources
from arena.tournament.executors import Workers
from arena.tournament.hill import HillConfig
from arena.tournament.plan import Format
from arena.tournament.records import Containment
from arena.wires import Wrong, converter, dump, read, read_toml

T = TypeVar("T")
TABLES = {
    "options": "[options]", "time": "[time]", "resources": "[resources]", "entrant": "[[entrant]]",
    "hill": "[hill]",
}  # fmt: skip
EACH = {
    "time": Limits,
    "resources": Resources,
    "hill": HillConfig,
}  # tables of which each key is read by itself
ALWAYS = ("time", "resources")  # of those, what there is without its table, too
SUFFIX = ".toml"
CHARACTERS = "letters, digits and underscore"
OPEN = "ladder, king-of-the-hill or round-robin"
MATTERS_NOT = {"database", "workers", "executor", "matches", "stop", "level", "live", "unfit",
                "check", "sandbox", "hill"}  # fmt: skip
"""What may be changed between two runs: where and how long, not what."""


class BadFile(UserError):
    """A file that is no tournament; the text has a line for each mistake."""


def one_of(*allowed: str) -> Any:
    """Return the validator of a choice."""
    return validators.in_(allowed)


at_least_one = validators.optional(validators.ge(1))


@frozen
class EntrantConfig:
    """One `[[entrant]]`: a bot, or a folder in which each folder with a bot.toml is one."""

    bot: str | None = None
    name: str | None = None
    folder: str | None = None
    keeps: bool = False  # does its folder stay between its matches?
    untrusted: bool = False
    sandbox: str | None = field(default=None, validator=validators.optional(one_of(*CHOICES)))
    resources: Mapping[str, Any] = field(factory=dict)

    @property
    def containment(self) -> Containment:
        """Return how far it is trusted."""
        return Containment(self.untrusted, self.sandbox, self.resources)

    def __attrs_post_init__(self) -> None:
        """See that it is one of the two, what it is called, and that its limits are known."""
        read(self.resources, Resources)
        if (self.bot is None) == (self.folder is None):
            raise ValueError("give either bot or folder")
        if self.folder is not None and self.name is not None:
            raise ValueError("the bots of a folder are called as their bot.toml says: no name here")
        if self.name is not None and not re.fullmatch(NAME, self.name):
            raise ValueError(f"{self.name!r} is no name: 1 to 32 of {CHARACTERS}")


@frozen
class File:
    """What a file says."""

    game: str
    format: str = "round-robin"  # perhaps with parameters: `swiss:rounds=7`
    table: int | None = field(default=None, validator=at_least_one)  # seats of a match
    matches: int | None = field(default=None, validator=at_least_one)
    stop: str = field(default="matches", validator=one_of("matches", "resolved"))
    level: float = field(
        default=0.95, validator=[validators.gt(0.5), validators.lt(1.0)]
    )  # of intervals, and of what counts as resolved
    duplicate: bool | None = None  # None: as the game has it
    rating: str | None = None  # None: what suits the table
    seed: str | None = None  # None: 128 bits, drawn at the start
    database: str | None = None  # a path beside the file, or an address; None: named after it
    executor: str = "local"
    workers: int | None = field(
        default=None, validator=[at_least_one, validators.optional(validators.le(MOST_WORKERS))]
    )
    transcripts: str = field(default="all", validator=one_of("all", "verdicts", "sample", "none"))
    live: str = field(default="announced", validator=one_of("announced", "all"))  # is shown of it
    check: bool = True  # see each entrant play before the start?
    unfit: str = field(default="leave-out", validator=one_of("leave-out", "stop"))
    options: Mapping[str, Any] = field(factory=dict)
    time: Limits = field(factory=Limits)
    sandbox: str | None = field(default=None, validator=validators.optional(one_of(*CHOICES)))
    resources: Resources = field(factory=Resources)  # of each program in a sandbox
    entrant: tuple[EntrantConfig, ...] = ()
    hill: HillConfig | None = None  # it stays open, by these terms


@frozen
class TournamentSpec:
    """A tournament whose words are known: what is played, and how it goes on."""

    file: File  #: what its file says
    home: Path  #: the folder of its file, from which its paths are read
    stem: str  #: the file's name without its ending
    game: Game  #: that is played
    variant: Variant  #: of the game
    format: Format  #: who meets whom
    workers: Workers  #: where matches are played
    seats_per_match: int  #: how many sit at a table
    duplicate: bool  #: is each deal played in every rotation of its seats?

    @property
    def database(self) -> str:
        """Return the database: an address, or a path."""
        address = self.file.database or f"{self.stem}.db"
        return address if "://" in address else str(self.home / address)

    @property
    def facts(self) -> dict[str, Any]:
        """Return all that must stay as it is when the tournament goes on."""
        written: dict[str, Any] = converter.unstructure(self.file)
        kept = {name: value for name, value in written.items() if name not in MATTERS_NOT}
        options = self.game.write_variant(self.variant)
        return {
            **kept,
            "table": self.seats_per_match,
            "duplicate": self.duplicate,
            "options": options,
        }


def changes(before: Mapping[str, Any], now: Mapping[str, Any]) -> list[str]:
    """Say what of a tournament's facts has changed, a line each."""
    return [
        f"{name}: it was {dump(before.get(name))}, and is {dump(now[name])}"
        for name in now
        if dump(before.get(name)) != dump(now[name])
    ]


def load(path: Path) -> TournamentSpec:
    """Read a file, or raise BadFile with all that is wrong."""
    try:
        values = read_toml(path)
    except OSError as problem:
        raise BadFile(f"{path}: {problem.strerror}") from None
    except ValueError as problem:  # no UTF-8, or no TOML
        raise BadFile(f"{path}: this is no TOML: {problem}") from None
    try:
        return understood(values, path)
    except BadFile as problem:
        raise BadFile("\n".join(f"{path}: {line}" for line in str(problem).splitlines())) from None


def understood(values: Mapping[str, Any], path: Path) -> TournamentSpec:
    """Return the tournament of a file with these values, or raise BadFile with all that is wrong.

    The file need not be there: its path says where commands are read and results are kept.
    """
    reading = Reading(path.absolute())
    tournament = reading.tournament(values)
    if tournament is None or reading.wrong:
        raise BadFile("\n".join(reading.wrong))
    return tournament


class Reading:
    """Reads a file's values, and takes down what is wrong with them."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self.wrong: list[str] = []

    def tournament(self, values: Mapping[str, Any]) -> TournamentSpec | None:
        """Return the tournament, as far as there is one."""
        file = self._file(values)
        if file is None:
            return None
        game = self._game(file.game)
        workers = self._try("executor", file.executor, plugins().executors)
        form = self._try("format", file.format, plugins().formats)
        if file.rating is not None:
            self._try("rating", file.rating, plugins().ratings)
        played = game and self._variant(game, file.options)
        table = game and self._table(game, file.table)
        self._as_a_whole(file, form)
        if not (game and workers and form and played and table):
            return None
        duplicate = game.deals_hands if file.duplicate is None else file.duplicate
        home, stem = self._path.parent, self._path.stem
        return TournamentSpec(file, home, stem, game, played, form, workers, table, duplicate)

    def _file(self, values: Mapping[str, Any]) -> File | None:
        """Read each key by itself, so that one mistake does not hide another."""
        shapely = {name: value for name, value in values.items() if self._shape(name, value)}
        each = {name: kind for name, kind in EACH.items() if name in {*shapely, *ALWAYS}}
        good = self._each({**shapely, **{name: {} for name in each}}, File, {"game": ""})
        tables = {
            name: kind(**self._each(shapely.get(name, {}), kind, {}, name))
            for name, kind in each.items()
        }
        if "game" not in values:
            known = ", ".join(plugins().games)
            self.wrong.append(f"game: is missing (there is: {known})")
        return File(**{**good, **tables}) if "game" in good else None

    def _shape(self, name: str, value: object) -> bool:
        """See that what holds other things does so."""
        tables = value if name == "entrant" else [value]
        fit = isinstance(tables, list) and all(isinstance(table, dict) for table in tables)
        if name in TABLES and not fit:
            self.wrong.append(f"{name}: {brief(value)} is no table: begin it with {TABLES[name]}")
        return fit or name not in TABLES

    def _each(
        self, values: Mapping[str, Any], kind: type, least: Mapping[str, Any], path: str = ""
    ) -> dict[str, Any]:
        """Read each key by itself, beside the least that this class needs; return the good ones."""
        good = {}
        for name, value in values.items():
            try:
                good[name] = getattr(read({**least, name: value}, kind), name)
            except Wrong as problem:
                self.wrong += [_within(path, name, line) for line in problem.lines]
        return good

    def _variant(self, game: Game, options: Mapping[str, Any]) -> Variant | None:
        known = [one.name for one in fields(game.variant)]
        unknown = [name for name in options if name not in known]
        self.wrong += [f"options: {Unknown('option', name, known)}" for name in unknown]
        try:
            return game.read_variant({name: options[name] for name in options if name in known})
        except ValueError as problem:
            lines = problem.lines if isinstance(problem, Wrong) else [str(problem)]
            self.wrong += [f"options: {line}" for line in lines]
            return None

    def _table(self, game: Game, table: int | None) -> int | None:
        if table is None:
            return game.seats[0]
        if table not in game.seats:
            self.wrong.append(f"table: {game.name} has {_range(game.seats)} seats, not {table}")
            return None
        return table

    def _as_a_whole(self, file: File, form: Format | None) -> None:
        said = any(line.startswith("entrant") for line in self.wrong)
        if not file.entrant and not said and file.hill is None:
            self.wrong.append("entrant: nobody enters: write [[entrant]] and bot = ... for each")
        if file.hill and file.seed is not None:
            self.wrong.append("seed: a hill has none: a short one can be searched by who plays")
        if file.hill and form and not form.open:
            self.wrong.append(f"format: {file.format} comes to an end: a hill wants {OPEN}")
        if file.hill and file.matches is not None:
            self.wrong.append("matches: a hill has none: each version plays the `share` of [hill]")
        if file.stop == "resolved" and file.matches is None:
            self.wrong.append("stop: 'resolved' wants a number of matches to stop at all the same")

    def _game(self, name: str) -> Game | None:
        try:
            return plugins().game(name)
        except UserError as problem:
            self.wrong.append(f"game: {problem}")
            return None

    def _try(self, where: str, text: str, known: Mapping[str, type[T]]) -> T | None:
        try:
            return named_one(where, text, known)
        except UserError as problem:
            self.wrong.append(f"{where}: {problem}")
            return None


def _within(path: str, name: str, line: str) -> str:
    """Put the path of a table before what is wrong with a key in it."""
    if not path:
        return line
    return f"{path}.{line}" if line.startswith(name) else f"{path}: {line}"


def _range(seats: range) -> str:
    return f"{seats[0]}" if len(seats) == 1 else f"{seats[0]} to {seats[-1]}"
