"""The reader of tournament files: strict TOML, of which all mistakes are found at once.

Each mistake is one line: its place in the file, the value, and the allowed values.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from attrs import fields

from arena.files import read_toml
from arena.host import (
    AnyBot,
    Limits,
    check_arguments,
    format_bot,
)
from arena.plugins import Game, build_named, get_plugins
from arena.rules import (
    Sides,
    UnknownNameError,
    UserError,
    Variant,
    abbreviate,
    find_sides,
    format_choices,
    format_count,
    has_teams,
    is_cooperative,
    join_words,
    seat_alone,
)
from arena.sandbox import Resources
from arena.tournament.entries import format_id
from arena.tournament.file.contents import HillConfig, Partners, Stop, TournamentFile
from arena.tournament.file.spec import TournamentSpec
from arena.tournament.format_protocol import Format, FormatTerms
from arena.wires import ValidationError, converter, read

if TYPE_CHECKING:
    from arena.tournament.ratings import RatingModel

MAX_CHECKED_PLACES = 1000  # of a hill: what a format cannot plan for these it cannot for more


class TournamentFileError(UserError):
    """An invalid tournament file; the message has a line for each mistake."""


def load(path: Path) -> TournamentSpec:
    """Read a tournament file, or raise TournamentFileError with all mistakes."""
    try:
        values = read_toml(path)
    except OSError as problem:
        raise TournamentFileError(f"{path}: {problem.strerror}") from None
    except ValueError as problem:  # not UTF-8, or not TOML
        raise TournamentFileError(f"{path}: {problem}") from None
    try:
        return parse_tournament(values, path.parent, path.stem)
    except TournamentFileError as problem:
        raise TournamentFileError(
            "\n".join(f"{path}: {line}" for line in str(problem).splitlines())
        ) from None


def parse_tournament(values: Mapping[str, Any], home: Path, stem: str) -> TournamentSpec:
    """Parse a tournament file's values, or raise TournamentFileError with all mistakes.

    The file need not exist: commands and results are relative to the folder `home`, and named by
    the `stem`.
    """
    reader = TournamentFileReader(home.absolute(), stem)
    tournament = reader.read_tournament(values)
    if tournament is None or reader.wrong:
        raise TournamentFileError("\n".join(reader.wrong))
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


T = TypeVar("T")
TABLES = {
    "options": "[options]", "time": "[time]", "resources": "[resources]", "entrant": "[[entrant]]",
    "hill": "[hill]",
}  # fmt: skip
KEYED_TABLES = {"time": Limits, "resources": Resources, "hill": HillConfig}  # read key by key
DEFAULT_TABLES = ("time", "resources")  # those that exist even if the file leaves them out


class TournamentFileReader:
    """Reads the values of a tournament file and collects the mistakes."""

    def __init__(self, home: Path, stem: str) -> None:
        self._home = home
        self._stem = stem
        self.wrong: list[str] = []

    def read_tournament(self, values: Mapping[str, Any]) -> TournamentSpec | None:
        """Return the tournament, or None if mistakes prevent that."""
        file = self._read_file(values)
        if file is None:
            return None
        game = self._find_game(file.game)
        executors = self._build("executor", file.executor, get_plugins().executors)
        form = self._build("format", file.format, get_plugins().formats)
        model = file.rating and self._build("rating", file.rating, get_plugins().ratings)
        variant = game and self._read_variant(game, file.options)
        table = game and self._read_table(game, file.table)
        self._check_whole(file, form)
        teams = variant and table and self._find_sides(variant, table)
        if teams:
            self._check_rating(file, model or None, cooperative=is_cooperative(teams))
        if teams and file.partners is Partners.DRAWN:
            self._check_drawn_partners(file, form, teams)
        if not (game and executors and form and variant and table and teams):
            return None
        sides = seat_alone(table) if file.partners is Partners.DRAWN else teams
        self._check_team_sizes(file, sides)
        if is_cooperative(sides) and form.needs_opponents:
            suitable = _list_formats(lambda kind: not kind.needs_opponents)
            self.wrong.append(
                f"format: {file.format} needs opponents, but the game is cooperative; use"
                f" {suitable}"
            )
        if file.hill and form.open:
            self._check_full_hill(file.hill, form, sides)
        duplicate = game.deals_hands if file.duplicate is None else file.duplicate
        return TournamentSpec(
            file=file,
            home=self._home,
            stem=self._stem,
            game=game,
            variant=variant,
            format=form,
            executors=executors,
            seats_per_match=table,
            teams=teams,
            sides=sides,
            duplicate=duplicate,
        )

    def _read_file(self, values: Mapping[str, Any]) -> TournamentFile | None:
        """Read the keys one by one, so that one mistake does not hide another."""
        values = {name: value for name, value in values.items() if self._check_shape(name, value)}
        kinds = {
            name: kind for name, kind in KEYED_TABLES.items() if name in {*values, *DEFAULT_TABLES}
        }
        keys = self._read_keys(
            {**values, **{name: {} for name in kinds}}, TournamentFile, {"game": ""}
        )
        tables = {
            name: kind(**self._read_keys(values.get(name, {}), kind, {}, name))
            for name, kind in kinds.items()
        }
        if "game" not in values:
            self.wrong.append(f"game: is missing (available: {', '.join(get_plugins().games)})")
        return TournamentFile(**{**keys, **tables}) if "game" in keys else None

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
        self, values: Mapping[str, Any], kind: type, required: Mapping[str, Any], path: str = ""
    ) -> dict[str, Any]:
        """Read the keys one by one, each beside the required ones; return the valid values."""
        valid = {}
        for name, value in values.items():
            try:
                valid[name] = getattr(read({**required, name: value}, kind), name)
            except ValidationError as problem:
                self.wrong += [_prefix_path(path, name, line) for line in problem.lines]
        return valid

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

    def _check_rating(
        self, file: TournamentFile, model: RatingModel | None, *, cooperative: bool
    ) -> None:
        """Refuse ratings of opponents in a cooperative game, and others where there are some."""
        if model and model.needs_opponents and cooperative:
            self.wrong.append(
                f"rating: {file.rating!r} needs opponents, but the game is cooperative; leave it"
                " out"
            )
        if model and not model.needs_opponents and not cooperative:
            self.wrong.append(
                f"rating: {file.rating!r} is for cooperative games, and here bots have opponents;"
                " leave it out"
            )
        if file.anchor is not None and cooperative:
            self.wrong.append(
                "anchor: a cooperative game has no ratings that could be relative to one; leave it"
                " out"
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
            suitable = _list_formats(lambda kind: not kind.adaptive)
            self.wrong.append(
                f"partners: {file.format} goes by results, which drawn partners share; use"
                f" {suitable}"
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
        if file.stop is Stop.RESOLVED and file.matches is None:
            self.wrong.append(
                "stop: 'resolved' needs `matches` as well, the number to stop at in any case"
            )

    def _check_hill(self, file: TournamentFile, form: Format | None) -> None:
        if file.seed is not None:
            self.wrong.append("seed: not allowed on a hill, where bots could guess a short seed")
        if form and not form.open:
            suitable = _list_formats(lambda kind: kind.open)
            self.wrong.append(f"format: {file.format} comes to an end; a hill needs {suitable}")
        if file.matches is not None:
            self.wrong.append("matches: not allowed on a hill; set `share` in [hill] instead")

    def _check_full_hill(self, hill: HillConfig, form: Format, sides: Sides) -> None:
        """Refuse a format that cannot plan the matches of a hill all of whose places are taken."""
        size = min(max(hill.size, len(sides)), MAX_CHECKED_PLACES)
        field = [format_id(f"entrant_{number}", "0") for number in range(size)]
        try:
            form.check(field, FormatTerms(len(sides), matches_per_version=hill.share))
        except UserError as problem:
            self.wrong.append(f"format: {problem} ([hill] has size {hill.size})")

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


def _list_formats(is_suitable: Callable[[type[Format]], bool]) -> str:
    """Return the names of some formats, for a message that offers them."""
    formats = get_plugins().formats.items()
    return join_words([name for name, kind in formats if is_suitable(kind)], "or")


def _prefix_path(path: str, name: str, line: str) -> str:
    """Put the path of a table in front of a mistake in one of its keys."""
    if not path:
        return line
    return f"{path}.{line}" if line.startswith(name) else f"{path}: {line}"
