"""Which entrants are set aside for killing workers, by the matches that count against each.

The rule blames nobody for a host in trouble. A worker that was killed does not reveal its killer.
So every death of a worker clears the entrants that were in none of the matches it may have been
playing, and a worker that dies without a match clears everybody. Only a match that dies twice, the
second time alone, counts against those in it, and only once until a match without them has ended,
which shows that workers live without them.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator

from attrs import Factory, define

from arena.tournament.deals import Key, format_match_key
from arena.tournament.entries import Id

MAX_CRASHES = 3  # different matches; then an entrant is set aside


@define
class CrashRecord:
    """The matches that count against each entrant."""

    _crashes: defaultdict[Id, set[Key]] = Factory(lambda: defaultdict(set))
    _unproven: set[Id] = Factory(set)  # no match without it has ended since its last crash

    def count_death(self, entrants: Collection[Id]) -> None:
        """Count the death of a worker; `entrants` are those of all matches it may have played."""
        for entrant in [entrant for entrant in self._crashes if entrant not in entrants]:
            del self._crashes[entrant]
            self._unproven.discard(entrant)

    def count_crash(self, key: Key, entrants: Collection[Id]) -> None:
        """Count a match whose worker died twice."""
        for entrant in entrants:
            if entrant not in self._unproven:
                self._crashes[entrant].add(key)
                self._unproven.add(entrant)

    def count_end(self, entrants: Collection[Id]) -> None:
        """Count a match that came to its end."""
        self._unproven.intersection_update(entrants)

    def pop_culprits(self) -> Iterator[tuple[Id, tuple[str, ...]]]:
        """Yield each entrant that is to be set aside with its matches, and forget it."""
        for entrant, keys in [*self._crashes.items()]:
            if len(keys) >= MAX_CRASHES and entrant not in self._unproven:
                del self._crashes[entrant]
                yield entrant, tuple(sorted(map(format_match_key, keys)))
