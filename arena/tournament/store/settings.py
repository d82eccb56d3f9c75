"""The settings of a tournament as its database has them, which stay as they were at first."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from itertools import zip_longest
from typing import Any

from attrs import frozen

from arena.host import Limits
from arena.plugins import Game
from arena.rules import Sides
from arena.wires import dump, read

MAX_SETTING_LENGTH = 100  # characters of a changed setting that are shown


@frozen(eq=False)
class StoredSettings:
    """The settings with which a tournament was created, without those that may change later."""

    game: str  #: its name
    format: str  #: with its parameters, such as `swiss:rounds=7`
    rating: str | None  #: the rating model, with its parameters; None: the usual one
    table: int | None  #: the number of seats of a match
    teams: Sides | None  #: the seats of each entrant of a match; None: each has one
    partners: Sides | None  #: the seats of each team, where partners are drawn; else None
    options: Mapping[str, Any]  #: of the game
    seed: str | None  #: that was set by hand; None: it was drawn
    values: Mapping[str, Any]  #: all that is stored, to be compared with a file

    @classmethod
    def parse(cls, values: Mapping[str, Any]) -> StoredSettings:
        """Return the settings from JSON.

        >>> pairs = StoredSettings.parse({"table": 4, "teams": [[0, 2], [1, 3]]})
        >>> pairs.teams, pairs.plays_alone, pairs.is_cooperative
        (((0, 2), (1, 3)), False, False)
        """
        return cls(
            game=values.get("game", ""),
            format=values.get("format", ""),
            rating=values.get("rating"),
            table=values.get("table"),
            teams=_parse_sides(values.get("teams")),
            partners=_parse_sides(values.get("partners")),
            options=values.get("options") or {},
            seed=values.get("seed"),
            values=values,
        )

    def list_changes(self, now: Mapping[str, Any], game: Game) -> list[str]:
        """List the settings that differ now, each with its path, what it was and what it is."""
        options = {**game.default_options, **self.options}  # it may have gained some since
        return list_changes({**self.values, "options": options}, now)

    @property
    def plays_alone(self) -> bool:
        """Whether a match has one entrant."""
        return (len(self.teams) if self.teams else self.table) == 1

    @property
    def is_cooperative(self) -> bool:
        """Whether nobody plays against anybody."""
        sides = self.teams or self.partners
        return (len(sides) if sides else self.table) == 1

    @cached_property
    def limits(self) -> Limits | None:
        """The limits of each player; None where none are stored."""
        limits = self.values.get("time")
        return read(limits, Limits) if limits else None

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


def _parse_sides(sides: Any) -> Sides | None:
    return sides and tuple(map(tuple, sides))


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
