"""Rematches: the next tables of those who have played at one, and who is told of them."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from attrs import define, field, frozen
from cachetools import LRUCache

from arena_web.play.match.table import PlayTable
from arena_web.play.seat_secrets import Secret
from arena_web.protocol.messages import RematchNews


@frozen
class Rematch:
    """The next table of those who have played at one."""

    table: PlayTable  #: at which they have played
    key: str  #: of the next one
    secrets: Mapping[Secret, Secret]  #: of the people there, by their secrets here
    swaps: bool  #: whether all move on by one seat

    def invite(self, arrived: Sequence[str], secrets: Collection[Secret]) -> None:
        """Tell all who have arrived at the next table, and those who watch where it is.

        Whose secret is not among those there is told that the others play alone.
        """
        how = ", and all move on by one seat" if self.swaps else ""
        verb = "wants" if len(arrived) == 1 else "want"
        sentence = f"{' and '.join(arrived)} {verb} to play again{how}."
        late = RematchNews("The others play without you.", f"../table/{self.key}")
        for secret, chair in self.table.chairs.items():
            coming = self.secrets[secret] in secrets
            chair.feed.tell(RematchNews(sentence) if coming else late)
        self.table.attendance.feed.tell(RematchNews(sentence, self.key))


@define(eq=False)
class Rematches:
    """The newest rematches, which are found by the keys of both of their tables."""

    size: int  #: that are remembered
    _by_finished: LRUCache[str, Rematch] = field(init=False)
    _by_next: LRUCache[str, Rematch] = field(init=False)

    @_by_finished.default
    @_by_next.default
    def _create_cache(self) -> LRUCache[str, Rematch]:
        return LRUCache(self.size)

    def add(self, rematch: Rematch) -> None:
        """Remember a rematch."""
        self._by_finished[rematch.table.key] = self._by_next[rematch.key] = rematch

    def find_after(self, key: str) -> Rematch | None:
        """Return the rematch that follows the table of this key, if one was opened."""
        return self._by_finished.get(key)

    def find(self, key: str) -> Rematch | None:
        """Return the rematch that is played at the table of this key, if it is one."""
        return self._by_next.get(key)
