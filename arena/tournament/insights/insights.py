"""Insights: what was observed in a tournament's matches, counted by deal and kept.

A game's `Insights` observe finished matches. Rotations of a deal share its hands, so a deal is
counted when each of its rotations is settled, and not before: nothing that is known of the styles
can help a bot that still has to play it.

Of each deal the sums and squares are added up, from which follows how sure a mean is
(`ratings/deal_sums.py`).

The counts are kept in a file beside the database. Nothing is lost with it: it is counted anew from
the transcripts. It names entrants by their numbers in the database, never by what they are called.
Each reader of the tournament may write it, also two processes at once: a deal is counted in the
same transaction in which it is marked.
"""

from __future__ import annotations

import gc
import logging
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from itertools import groupby
from pathlib import Path
from typing import Any

from attrs import Factory, define

from arena.plugins import Insights, get_plugins
from arena.rules import derive_seed
from arena.tournament.deals import format_match_key
from arena.tournament.insights.tally_store import Tallies, TallyKey, TallyStore
from arena.tournament.ratings import DealSums
from arena.tournament.store import Store, StoredTranscript

MatchCounts = dict[TallyKey, tuple[int, float]]
"""How many observations there were in one match, and what they come to."""

FILE_SUFFIX = "-insights"  # behind the name of the database
BATCH_DEALS = 50  # deals that are counted in one transaction
LOG = logging.getLogger(__name__)  # a warning is a line on standard error, if nobody wants it else


@define(eq=False)
class InsightsCounter:
    """Counts a tournament's matches, those that were never counted."""

    parts: Sequence[Insights]  #: what is observed
    tallies: TallyStore  #: where it is kept
    _failed: list[Insights] = Factory(list)  # parts of which a failure was logged

    @classmethod
    def of(cls, store: Store) -> InsightsCounter:
        """Return the counter of a tournament."""
        parts = get_plugins().list_insights(store.settings.game)
        about = [
            [part.version, *(statistic.key for statistic in part.statistics)] for part in parts
        ]
        # what was counted of results that were replaced counts no more
        replaced = store.progress.count_replaced_results()
        mark = derive_seed(store.facts.secret, "insights", about, replaced)
        return cls(parts, TallyStore.open(find_insights_file(store), mark))

    def count_next(self, store: Store, limit: int = BATCH_DEALS) -> int:
        """Count the next deals that are over, at most `limit`; return how many there were."""
        deals = store.deals.list_settled_deals(
            self.tallies.frontier, self.tallies.list_deals(), limit
        )
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
        for _, deal in groupby(
            store.transcripts.iterate(deals), lambda transcript: transcript.key[0]
        ):
            counts: list[MatchCounts] = []
            for transcript in deal:
                with suppress(
                    ValueError, RecursionError, zlib.error
                ):  # damaged: no more than a gap
                    counts += self._observe_match(transcript)
                    for number in {*transcript.numbers}:
                        matches[number] = matches.get(number, 0) + 1
            add_deal(tallies, counts)
        return tallies, matches

    def _observe_match(self, transcript: StoredTranscript) -> list[MatchCounts]:
        """Return what each part observes in a match; nothing of a part that fails."""
        with pause_garbage_collection():
            lines = transcript.parse()
            return [
                counts
                for part in self.parts
                if (counts := self._observe_part(part, transcript, lines))
            ]

    def _observe_part(
        self, part: Insights, transcript: StoredTranscript, lines: Sequence[Mapping[str, Any]]
    ) -> MatchCounts | None:
        """Return what a part observes; where it fails, log that once and return None."""
        try:
            return count_observations([part], transcript.numbers, lines)
        except Exception as problem:  # noqa: BLE001  # of a plugin, whose other figures count
            if part not in self._failed:
                self._failed.append(part)
                LOG.warning(
                    "the insights of %s cannot read match %s and leave out all that they cannot"
                    " read: %r",
                    part.game or "every game",
                    format_match_key(transcript.key),
                    problem,
                )
            return None


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


def find_insights_file(store: Store) -> Path | None:
    """Return the file for a tournament's playing styles; None for a server's database."""
    database = store.address.path
    return database and database.with_name(f"{database.name}{FILE_SUFFIX}")


def count_observations(
    parts: Iterable[Insights], numbers: Sequence[int], lines: Sequence[Mapping[str, Any]]
) -> MatchCounts:
    """Count what is observed in a match; `numbers` are those of the players, by seat."""
    counts = MatchCounts()
    for part in parts:
        for seat, key, value, x, y, many in part.observe(lines):
            at = numbers[seat], key, x, y
            count, total = counts.get(at, (0, 0.0))
            counts[at] = count + many, total + value
    return counts


def add_deal(tallies: Tallies, matches: Iterable[MatchCounts]) -> None:
    """Add a deal, given what was observed in each of its matches."""
    deal = MatchCounts()
    for counts in matches:
        for at, (count, total) in counts.items():
            before, sum_before = deal.get(at, (0, 0.0))
            deal[at] = before + count, sum_before + total
    for at, (count, total) in deal.items():
        tallies[at] = tallies.get(at, DealSums()).merge(DealSums.of(count, total))


def merge_entrants(tallies: Tallies, numbers: Iterable[int]) -> Tallies:
    """Return the counts of several entrants, as versions of one bot, under number 0."""
    own, total = {*numbers}, Tallies()
    for (number, *rest), sums in tallies.items():
        if number in own:
            key, x, y = rest
            total[0, str(key), x, y] = total.get((0, str(key), x, y), DealSums()).merge(sums)
    return total
