"""The settings of a tournament as its database has them, which stay as they were at first."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property, partial
from itertools import zip_longest
from typing import TYPE_CHECKING, Any

from attrs import evolve, field, fields_dict, frozen

from arena.host import Limits
from arena.plugins import Game
from arena.rules import Sides, has_teams, is_cooperative
from arena.sandbox import Resources
from arena.wires import converter, dump, read

if TYPE_CHECKING:  # a large import, which reading results does not need
    from arena.tournament.file.contents import EntrantConfig
    from arena.tournament.file.spec import TournamentSpec

MAX_SETTING_LENGTH = 100  # characters of a changed setting that are shown


@frozen
class StoredSettings:
    """The settings with which a tournament was created, without those that may change later.

    Their names are those of the JSON in databases, and of the tournament's file.
    """

    game: str = ""  #: its name
    format: str = ""  #: with its parameters, such as `swiss:rounds=7`
    table: int | None = None  #: the number of seats of a match
    duplicate: bool | None = None  #: whether each deal is played in every rotation of its seats
    rating: str | None = None  #: the rating model, with its parameters; None: the usual one
    seed: str | None = None  #: that was set by hand; None: it was drawn
    transcripts: str | None = None  #: which ones are stored
    options: Mapping[str, Any] = field(factory=dict)  #: of the game
    time: Limits | None = None  #: of each player; None where none are stored
    resources: Resources | None = None  #: of each program in a sandbox; None where none are stored
    entrant: Sequence[Mapping[str, Any]] = ()  #: the tables of the file's entrants, as JSON
    teams: Sides | None = None  #: the seats of each entrant of a match; None: each has one
    partners: Sides | None = None  #: the seats of each team, where partners are drawn; else None
    is_duel: bool = False  #: whether it is a duel, which has a `sprt`
    sprt: Mapping[str, float] | None = None  #: the parameters of a duel's sequential test

    @classmethod
    def of(cls, spec: TournamentSpec) -> StoredSettings:
        """Return the settings of a tournament that is about to be created or resumed."""
        file = spec.file
        return cls(
            game=file.game,
            format=file.format,
            table=spec.seats_per_match,
            duplicate=spec.duplicate,
            rating=file.rating,
            seed=file.seed,
            transcripts=file.transcripts,
            options=spec.game.write_variant(spec.variant),
            time=file.time,
            resources=file.resources,
            entrant=tuple(map(_pack_entrant, file.entrant)),
            teams=spec.sides if has_teams(spec.sides) else None,
            partners=spec.teams if spec.draws_partners else None,
        )

    @classmethod
    def parse(cls, values: Mapping[str, Any]) -> StoredSettings:
        """Return the settings from JSON; those of older databases may lack some.

        >>> pairs = StoredSettings.parse({"table": 4, "teams": [[0, 2], [1, 3]]})
        >>> pairs.teams, pairs.plays_alone, pairs.is_cooperative
        (((0, 2), (1, 3)), False, False)
        """
        packed = {
            name: value
            for name, value in values.items()
            if name in fields_dict(cls) and value is not None
        }
        packed |= {name: parse(packed[name]) for name, parse in PARSERS.items() if name in packed}
        return cls(**packed, is_duel="sprt" in values)

    def pack(self) -> dict[str, Any]:
        """Return the settings as JSON, as they are stored."""
        packed: dict[str, Any] = converter.unstructure(self)
        unset = {name for name in ("teams", "partners") if packed[name] is None}
        if not self.is_duel:
            unset.add("sprt")
        return {name: packed[name] for name in packed if name not in {"is_duel", *unset}}

    def list_changes(self, now: StoredSettings, game: Game) -> list[str]:
        """List the settings that differ now, each with its path, what it was and what it is."""
        options = {**game.default_options, **self.options}  # it may have gained some since
        return list_changes(evolve(self, options=options).pack(), now.pack())

    @property
    def plays_alone(self) -> bool:
        """Whether a match has one entrant."""
        return (len(self.teams) if self.teams else self.table) == 1

    @property
    def is_cooperative(self) -> bool:
        """Whether the game is cooperative at this table."""
        sides = self.teams or self.partners
        return is_cooperative(sides) if sides else self.table == 1

    @cached_property
    def team_numbers(self) -> Mapping[int, int]:
        """The number of the team of each seat, where partners are drawn; else nothing."""
        teams = enumerate(self.partners or ())
        return {seat: number for number, side in teams for seat in side}


@frozen
class LastHillSettings:
    """The settings of a hill in its last run, by which its next start tells what authors lose."""

    size: int  #: entrants
    sources: str  #: who may read them

    @classmethod
    def parse(cls, values: Mapping[str, Any]) -> LastHillSettings:
        """Return the settings from JSON."""
        return cls(values["size"], values["sources"])


def _pack_entrant(entrant: EntrantConfig) -> dict[str, Any]:
    """Return the table of an entrant as JSON, as it stands in all databases."""
    packed: dict[str, Any] = converter.unstructure(entrant)
    del packed["title"]  # which may change
    if not entrant.bots:  # as it stands in databases from before there were teams
        del packed["bots"]
    return packed


def _parse_sides(sides: Any) -> Sides:
    return tuple(map(tuple, sides))


PARSERS: Mapping[str, Callable[[Any], Any]] = {
    "time": partial(read, kind=Limits),
    "resources": partial(read, kind=Resources),
    "entrant": tuple,
    "teams": _parse_sides,
    "partners": _parse_sides,
}
"""How settings are read from JSON, where that is not what they are."""


def list_changes(before: Any, now: Any, path: str = "") -> list[str]:
    """List the settings that have changed, each with its path, what it was and what it is now.

    Settings that are no longer read, as they stand in older databases, are no changes.

    >>> list_changes({"options": {"cards": 13}, "entrant": [{"bot": "a"}]},
    ...              {"options": {"cards": 9}, "entrant": [{"bot": "a"}, {"bot": "b"}]})
    ['options.cards was 13, now 9', 'entrant[1] was not set, now {"bot":"b"}']
    """
    if dump(before) == dump(now):
        return []
    if isinstance(before, dict) and isinstance(now, dict):
        dot = f"{path}." * bool(path)
        return [
            line
            for name in (now if not path else {**before, **now})
            for line in list_changes(before.get(name), now.get(name), f"{dot}{name}")
        ]
    if isinstance(before, list | tuple) and isinstance(now, list | tuple):
        return [
            line
            for number, (old, new) in enumerate(zip_longest(before, now))
            for line in list_changes(old, new, f"{path}[{number}]")
        ]
    return [f"{path} was {_format_setting(before)}, now {_format_setting(now)}"]


def _format_setting(value: Any) -> str:
    """Return a setting as JSON, of a table only what is set in it."""
    if value is None:
        return "not set"
    if isinstance(value, dict):
        is_set = {name: part or type(part) in (int, float) for name, part in value.items()}
        value = {name: part for name, part in value.items() if is_set[name]}
    text = dump(value)
    return text if len(text) <= MAX_SETTING_LENGTH else f"{text[:MAX_SETTING_LENGTH]}..."
