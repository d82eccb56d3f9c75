"""The playing styles of a tournament's bots, which are counted in the background.

Only what is public counts: a deal is counted when all its rotations are over. Where a tournament
holds all hands back until it is over, nothing is counted before.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from time import monotonic

from attrs import define, field, frozen

from arena.tournament import StyleEntry
from arena.tournament.insights.insights import InsightsCounter, merge_entrants
from arena.tournament.insights.playing_styles import build_style
from arena.tournament.store import Store
from arena_web.http.refreshed_values import MAX_WAIT_SECONDS
from arena_web.matches.visibility import withholds_hands
from arena_web.tournaments.store_queries import StoreQueryRunner

BATCH_DEALS = 10  # deals that are counted before pages get another turn


@frozen
class BotStyle:
    """How a bot plays, as far as it was observed."""

    matches: int = 0  #: in which it was observed
    entries: Sequence[StyleEntry] = ()


@define(eq=False)
class PlayingStyleSource:
    """The playing styles of one tournament."""

    ask_in_turn: StoreQueryRunner
    counted: int = field(init=False, default=0)  #: deals, since this server began
    _counter: InsightsCounter | None = field(init=False, default=None)
    _task: asyncio.Task[None] | None = field(init=False, default=None)

    async def advance(self) -> int:
        """Count in the background what is not counted yet, and return how much is counted.

        A moment is waited for, so that a short tournament is complete at once.
        """
        if self._task is None or self._task.done():
            self._task = asyncio.create_task(self._count())
        await asyncio.wait({self._task}, timeout=MAX_WAIT_SECONDS)
        return self.counted

    async def finish(self) -> None:
        """Count all that is not counted yet."""
        while await self.ask_in_turn(self._count_some):
            pass

    def load(self, store: Store, ids: Sequence[str]) -> BotStyle:
        """Return the style of some versions of a bot together."""
        counter = self._open(store)
        if counter is None:
            return BotStyle()
        numbers = [store.entrant_directory.find_number(entrant) for entrant in ids]
        matches = counter.tallies.count_matches()
        tallies = merge_entrants(counter.tallies.load(numbers), numbers)
        entries = build_style(tallies, 0, counter.parts)
        return BotStyle(sum(matches.get(number, 0) for number in numbers), entries)

    async def _count(self) -> None:
        """Count until all is counted, at most half of the time."""
        while True:
            began = monotonic()
            if not await self.ask_in_turn(self._count_some):
                return
            await asyncio.sleep(monotonic() - began)

    def _count_some(self, store: Store) -> int:
        counter = self._open(store)
        many = counter.count_next(store, BATCH_DEALS) if counter else 0
        self.counted += many
        return many

    def _open(self, store: Store) -> InsightsCounter | None:
        """Return the counter; None while the tournament holds everything back."""
        if withholds_hands(store):
            return None
        if self._counter is None:
            self._counter = InsightsCounter.of(store)
        return self._counter
