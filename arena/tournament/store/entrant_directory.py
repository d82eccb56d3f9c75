"""The directory of entrants: their numbers in the tables, and the names that people see.

It is the one place where hidden names are exchanged for their aliases: the rows of the tables get
from it each name, title and reason that they give to a reader.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from itertools import starmap

from arena.rules import UnknownNameError, get_player_name
from arena.tournament.entries import Id, format_id, get_name
from arena.tournament.reasons import hide_reason
from arena.tournament.store.facts import Facts
from arena.tournament.titles import Titles


class EntrantDirectory:
    """Who has entered a tournament, by numbers, ids and names; what was read is kept.

    If it is `aliased`, by stored aliases or by these, names that the host has hidden are not in it.
    """

    def __init__(self, facts: Facts, *, aliased: bool | Mapping[str, str]) -> None:
        self._facts = facts
        self._aliased = aliased
        self._players: Sequence[tuple[str, str]] | None = None
        self._ids: tuple[Id, ...] | None = None
        self._numbers: dict[Id, int] | None = None
        self._titles: Mapping[str, str] | None = None

    def reload(self) -> None:
        """Forget what was read: somebody has entered, or titles have changed."""
        self._players = self._ids = self._numbers = self._titles = None

    @cached_property
    def aliases(self) -> Mapping[str, str]:
        """The aliases of hidden names, where these are not to be shown; else none."""
        if isinstance(self._aliased, Mapping):
            return self._aliased
        return self._facts.aliases if self._aliased else {}

    @property
    def _names_and_versions(self) -> Sequence[tuple[str, str]]:
        """The name and the version of each entrant, in the order of numbers."""
        if self._players is None:
            with self._facts.database.begin_read() as connection:
                rows = connection.read_rows("SELECT name, version FROM entrants ORDER BY id")
            self._players = [(self.mask_name(name), version) for name, version in rows]
        return self._players

    @property
    def ids(self) -> tuple[Id, ...]:
        """The entrants in the order of their numbers."""
        if self._ids is None:
            self._ids = tuple(starmap(format_id, self._names_and_versions))
        return self._ids

    @property
    def numbers(self) -> Mapping[Id, int]:
        """The entrants' numbers, which begin with 1."""
        if self._numbers is None:
            self._numbers = {entrant: number for number, entrant in enumerate(self.ids, 1)}
        return self._numbers

    @property
    def titles(self) -> Mapping[str, str]:
        """The titles of entrants by name, without those that look like somebody else."""
        if self._titles is None:
            self._titles = self._load_titles()
        return self._titles

    def _load_titles(self) -> Mapping[str, str]:
        of_file, own = self._facts.file_titles, self._facts.own_titles
        if not (of_file or own):
            return {}
        with self._facts.database.begin_read() as connection:
            names = connection.read_column("SELECT name FROM entrants")
        return Titles(of_file, own, [*names, *self._facts.aliases.values()]).distinct

    def find_number(self, entrant: Id) -> int:
        """Return the number of an entrant in the tables; raise UnknownNameError."""
        if entrant not in self.numbers:
            self.reload()  # it may have entered meanwhile
        if entrant not in self.numbers:
            raise UnknownNameError("entrant", entrant, self.numbers)
        return self.numbers[entrant]

    def find_entrant(self, number: int) -> Id:
        """Return the entrant with a number."""
        try:
            return self.ids[number - 1]
        except IndexError:  # it has entered meanwhile
            self.reload()
            return self.ids[number - 1]

    def find_name_and_version(self, number: int) -> tuple[str, str]:
        """Return the name and the version of the entrant with a number."""
        try:
            return self._names_and_versions[number - 1]
        except IndexError:  # it has entered meanwhile
            self.reload()
            return self._names_and_versions[number - 1]

    def find_numbers(self, bot: str) -> list[int]:
        """Return the numbers of all entrants with this name or id; raise UnknownNameError."""
        numbers = [
            number
            for entrant, number in self.numbers.items()
            if bot in {entrant, get_name(entrant)}
        ]
        if not numbers:
            raise UnknownNameError("entrant", bot, sorted({*map(get_name, self.ids)}))
        return numbers

    def mask_name(self, name: str) -> str:
        """Return the alias of a hidden name, or else the name; a seat's keeps its number."""
        if not self.aliases:
            return name
        player = get_player_name(name)
        return self.aliases.get(player, player) + name.removeprefix(player)

    def mask_reason(self, reason: str) -> str:
        """Return a stored reason without hidden names."""
        return hide_reason(reason, self.aliases)

    def find_title(self, name: str) -> str:
        """Return the title of a name in the tables; empty if it has none, or is hidden."""
        return "" if name in self.aliases else self.titles.get(name, "")

    def label_name(self, name: str) -> str:
        """Return the label that stands for a name: its alias if it is hidden, or its title."""
        player = get_player_name(name)
        label = self.aliases.get(player) or self.titles.get(player, player)
        return label + name.removeprefix(player)
