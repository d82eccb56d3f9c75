"""Counting what is observed in a tournament's matches, step by step.

Rotations of a deal share its hands. So a deal is counted when each of its rotations is settled,
and not before: nothing that is known of the styles can help a bot that still has to play it.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from attrs import define

from arena.plugins import Insights, get_plugins
from arena.rules import derive_seed
from arena.tournament.insights.tallies import Tallies, add_observations
from arena.tournament.insights.tally_store import TallyStore
from arena.tournament.store import Store, StoredTranscript

FILE_SUFFIX = "-insights"  # of the file, behind the name of the database
BATCH_DEALS = 50  # deals that are counted in one transaction


def find_insights_file(store: Store) -> Path | None:
    """Return the file for a tournament's playing styles; None for a server's database."""
    database = store.address.path
    return database and database.with_name(f"{database.name}{FILE_SUFFIX}")


@define(eq=False)
class InsightsCounter:
    """Counts a tournament's matches, those that were never counted."""

    parts: Sequence[Insights]  #: what is observed
    tallies: TallyStore  #: where it is kept

    @classmethod
    def of(cls, store: Store) -> InsightsCounter:
        """Return the counter of a tournament."""
        parts = get_plugins().list_insights(store.get_fact("tournament")["game"])
        about = [
            [part.version, *(statistic.key for statistic in part.statistics)] for part in parts
        ]
        replaced = store.count_replaced()  # what was counted of these results counts no more
        mark = derive_seed(store.get_fact("secret"), "insights", about, replaced)
        return cls(parts, TallyStore(find_insights_file(store), mark))

    def count_next(self, store: Store, limit: int = BATCH_DEALS) -> int:
        """Count the next deals that are over, at most `limit`; return how many there were."""
        deals = store.list_settled_deals(self.tallies.frontier, self.tallies.list_deals(), limit)
        if deals:
            tallies, matches = self._observe(store, deals)
            self.tallies.add(deals, matches, tallies)
        return len(deals)

    def count_all(self, store: Store) -> None:
        """Count all deals that are over."""
        while self.count_next(store):
            pass

    def _observe(self, store: Store, deals: Sequence[int]) -> tuple[Tallies, dict[int, int]]:
        tallies, matches = Tallies(), dict[int, int]()
        for stored in store.iterate_transcripts(deals):
            with suppress(Exception):  # what a game cannot read is worth no more than a gap
                _add(tallies, self._observe_match(stored))
                for number in stored.entrants:
                    matches[number] = matches.get(number, 0) + 1
        return tallies, matches

    def _observe_match(self, stored: StoredTranscript) -> Tallies:
        found = Tallies()
        with pause_garbage_collection():
            add_observations(found, self.parts, stored.entrants, stored.parse())
        return found


@contextmanager
def pause_garbage_collection() -> Iterator[None]:
    """Do not look for garbage meanwhile, so that a transcript is read twice as fast.

    Its lines are thousands of containers at once, which makes Python look for cycles among them
    again and again; there are none.
    """
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


def _add(tallies: Tallies, more: Tallies) -> None:
    for at, (count, total) in more.items():
        before, sum_before = tallies.get(at, (0, 0.0))
        tallies[at] = before + count, sum_before + total
