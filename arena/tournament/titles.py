"""The titles of entrants, by which tables and pages call them, and those that mislead."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping

from attrs import frozen

from arena.tournament.lookalikes import TakenTexts


@frozen
class Titles:
    """The titles of a tournament's entrants, by name."""

    of_file: Mapping[str, str]  #: those that the tournament's file gives, which win
    own: Mapping[str, str]  #: those that bots give themselves
    names: Collection[str]  #: names and aliases, which no title of another entrant may look like

    @property
    def by_name(self) -> Mapping[str, str]:
        """All titles, the file's first."""
        return {**self.of_file, **self.own, **self.of_file}

    @property
    def distinct(self) -> Mapping[str, str]:
        """The titles that cannot be taken for somebody else's name or title."""
        alike = self.find_alike()
        return {name: title for name, title in self.by_name.items() if name not in alike}

    def find_alike(self) -> dict[str, str]:
        """Return the name or title of somebody else that each other title looks like, by name.

        Of two titles that look alike the second is the one that misleads.

        >>> Titles({}, {"a": "Ann", "b": "ANN", "c": "B."}, ["a", "b", "c"]).find_alike()
        {'b': 'Ann', 'c': 'b'}
        """
        texts, alike = TakenTexts(), {}
        for name in self.names:
            texts.add(name, name)
        for name, title in self.by_name.items():
            if other := texts.find(title, name):
                alike[name] = other
            else:
                texts.add(title, name)
        return alike

    def describe_alike(self) -> Iterator[str]:
        """Yield a message for each title that can be taken for somebody else's name or title."""
        titles = self.by_name
        for name, other in sorted(self.find_alike().items()):
            yield f"entrant: {name}: the title {titles[name]!r} looks like {other!r}; change it"
