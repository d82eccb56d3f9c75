"""Reading a tournament file: strict TOML, with all mistakes reported at once.

Each mistake is one line: its place in the file, the value, and the allowed values.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypeVar

from attrs import fields, frozen

from arena.host import Limits
from arena.plugins import Game, build_named, get_plugins
from arena.rules import UnknownNameError, UserError, Variant, abbreviate
from arena.sandbox import Resources
from arena.tournament.config.file_tables import TournamentFile
from arena.tournament.config.hill import HillConfig
from arena.tournament.executors import Workers
from arena.tournament.models.schedule import Format
from arena.wires import ValidationError, converter, dump, read, read_toml

T = TypeVar("T")
TABLES = {
    "options": "[options]", "time": "[time]", "resources": "[resources]", "entrant": "[[entrant]]",
    "hill": "[hill]",
}  # fmt: skip
KEYED_TABLES = {
    "time": Limits,
    "resources": Resources,
    "hill": HillConfig,
}  # tables whose keys are read one by one
DEFAULT_TABLES = ("time", "resources")  # those that exist even if the file leaves them out
SUFFIX = ".toml"
OPEN_FORMATS = "ladder, king-of-the-hill or round-robin"
CHANGEABLE = {"database", "workers", "executor", "matches", "stop", "level", "live", "unfit",
                "check", "sandbox", "hill"}  # fmt: skip
"""The settings that may change between runs; none of them changes the matches to play."""


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
    duplicate: bool  #: whether each deal is played in every rotation of its seats
    data_folder: Path | None = None  #: for copies of bots; None: next to the file

    @property
    def database(self) -> str:
        """The database: an address, or a path."""
        address = self.file.database or f"{self.stem}.db"
        return address if "://" in address else str(self.home / address)

    @property
    def facts(self) -> dict[str, Any]:
        """The settings that must not change when the tournament is resumed."""
        written: dict[str, Any] = converter.unstructure(self.file)
        kept = {name: value for name, value in written.items() if name not in CHANGEABLE}
        options = self.game.write_variant(self.variant)
        return {
            **kept,
            "table": self.seats_per_match,
            "duplicate": self.duplicate,
            "options": options,
        }


def list_changes(before: Mapping[str, Any], now: Mapping[str, Any]) -> list[str]:
    """List the settings that have changed, one line each."""
    return [
        f"{name} was {dump(before.get(name))}, now {dump(now[name])}"
        for name in now
        if dump(before.get(name)) != dump(now[name])
    ]


def load(path: Path) -> TournamentSpec:
    """Read a tournament file, or raise TournamentFileError with all mistakes."""
    try:
        values = read_toml(path)
    except OSError as problem:
        raise TournamentFileError(f"{path}: {problem.strerror}") from None
    except ValueError as problem:  # not UTF-8, or not TOML
        raise TournamentFileError(f"{path}: invalid TOML: {problem}") from None
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
        played = game and self._read_variant(game, file.options)
        table = game and self._read_table(game, file.table)
        self._check_whole(file, form)
        if not (game and workers and form and played and table):
            return None
        duplicate = game.deals_hands if file.duplicate is None else file.duplicate
        home, stem = self._path.parent, self._path.stem
        return TournamentSpec(file, home, stem, game, played, form, workers, table, duplicate)

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
        known = [option.name for option in fields(game.variant)]
        unknown = [name for name in options if name not in known]
        self.wrong += [f"options: {UnknownNameError('option', name, known)}" for name in unknown]
        try:
            return game.read_variant({name: options[name] for name in options if name in known})
        except ValueError as problem:
            lines = problem.lines if isinstance(problem, ValidationError) else [str(problem)]
            self.wrong += [f"options: {line}" for line in lines]
            return None

    def _read_table(self, game: Game, table: int | None) -> int | None:
        if table is None:
            return game.seats[0]
        if table not in game.seats:
            self.wrong.append(
                f"table: {game.name} has {_format_range(game.seats)} seats, not {table}"
            )
            return None
        return table

    def _check_whole(self, file: TournamentFile, form: Format | None) -> None:
        said = any(line.startswith("entrant") for line in self.wrong)
        if not file.entrant and not said and file.hill is None:
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

    def _build(self, where: str, text: str, known: Mapping[str, type[T]]) -> T | None:
        try:
            return build_named(where, text, known)
        except UserError as problem:
            self.wrong.append(f"{where}: {problem}")
            return None


def _prefix_path(path: str, name: str, line: str) -> str:
    """Put the path of a table in front of a mistake in one of its keys."""
    if not path:
        return line
    return f"{path}.{line}" if line.startswith(name) else f"{path}: {line}"


def _format_range(seats: range) -> str:
    return f"{seats[0]}" if len(seats) == 1 else f"{seats[0]} to {seats[-1]}"
