"""Two bots of a tournament side by side: ratings, records and playing styles."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from math import isnan
from typing import Any

import numpy as np
from attrs import frozen

from arena.rules import UnknownNameError, format_count
from arena.tables import Column, DataTable
from arena.tournament.entries import Id
from arena.tournament.insights.insights import InsightsCounter, merge_entrants
from arena.tournament.insights.playing_styles import StyleEntry, build_style
from arena.tournament.ratings import DealComparison, compare_entrants
from arena.tournament.results.pair_records import PairRecord, compute_pair_record, list_pair_records
from arena.tournament.results.standings import Standing
from arena.tournament.results.summary import Summary
from arena.tournament.store import Store

Style = Sequence[StyleEntry]


@frozen
class CommonOpponent:
    """An entrant that both bots have met."""

    id: Id
    label: str  #: its name, with its version if there are several
    first: PairRecord  #: of the first bot against it
    second: PairRecord  #: of the second bot against it

    @property
    def difference(self) -> float:
        """The share of the first bot beyond that of the second one."""
        return self.first.share - self.second.share


@frozen
class BotComparison:
    """The results of two bots, as names or `NAME@VERSION`."""

    first: str  #: as it was asked for
    second: str  #: likewise
    standings: tuple[Sequence[Standing], Sequence[Standing]]  #: of their versions, best first
    record: PairRecord | None  #: of the first against the second; None: they never met
    labels: tuple[str, str]  #: what people call both
    superiority: float  #: the probability that the first is stronger; nan: not known
    opponents: Sequence[CommonOpponent]  #: those first that the first bot deals with better
    #: what both made of the same deals, in a cooperative game; else None
    over_deals: DealComparison | None = None
    styles: Sequence[Style] = ()  #: their playing styles, where they were observed

    def pack(self) -> dict[str, Any]:
        """Return it as JSON."""
        pairs = [
            {"first": common.first.pack(), "second": common.second.pack()}
            for common in self.opponents
        ]
        return {
            "bots": [self.first, self.second],
            "standings": [[standing.pack() for standing in own] for own in self.standings],
            "record": self.record and self.record.pack(),
            "superiority": None if isnan(self.superiority) else round(self.superiority, 6),
            "common_opponents": pairs,
            **({"same_deals": self.over_deals.pack()} if self.over_deals else {}),
            "statistics": [[entry.pack() for entry in style] for style in self.styles],
        }

    def describe_deals(self) -> str:
        """Return a sentence on the deals that both have played, each alone."""
        comparison = self.over_deals
        if comparison is None or not comparison.deals:
            return "They have not played the same deals."
        lead = comparison.won_difference.map(lambda share: 100 * share)
        return (
            f"Over the {format_count(comparison.deals, 'deal')} that both have played,"
            f" {self.first} won {lead.value:+.0f} % of the games"
            f" ({lead.low:+.0f} to {lead.high:+.0f}) and scored"
            f" {comparison.score_difference.format_difference(2)} against {self.second}'s."
        )

    def build_tables(self) -> list[DataTable]:
        """Return tables for people: results, common opponents, and figures of their styles."""
        columns = [*map(Column, self.labels)]
        results = DataTable(
            (Column("", is_text=True), *columns), [*self._list_results()],
            " and ".join(self.labels),
        )  # fmt: skip
        opponents = DataTable(
            (Column("opponent", is_text=True), *columns),
            [(common.label, common.first.format(), common.second.format())
             for common in self.opponents],
            "Finished ahead of common opponents (95 % intervals)",
        )  # fmt: skip
        figures = DataTable(
            (Column("statistic", is_text=True, may_wrap=True), *columns),
            [*_list_figures(self.styles)] if self.styles else [], "Playing style",
        )  # fmt: skip
        return [table for table in (results, opponents, figures) if table.rows]

    def _list_results(self) -> Iterator[Sequence[str]]:
        best = [own[0] for own in self.standings]
        yield ["place", *(str(standing.place) if standing.has_rating else "" for standing in best)]
        yield [best[0].measure, *(str(standing.rating) for standing in best)]
        if self.over_deals:
            yield ["mean score", *(str(standing.mean_score) for standing in best)]
        matches = [sum(standing.matches for standing in own) for own in self.standings]
        yield ["matches", *map(str, matches)]
        if self.record:
            yield ["ahead of the other", self.record.format(), self.record.reverse("").format()]
        if self.over_deals:
            wins, scores = self.over_deals.format()
            yield ["won beyond the other, same deals", wins, ""]
            yield ["score beyond the other, same deals", scores, ""]


def compare_bots(summary: Summary, first: str, second: str) -> BotComparison:
    """Compare the results of two bots, each a name or `NAME@VERSION`.

    Raises:
        UnknownNameError: for a bot that did not enter.
    """
    own, other = _find_entrant(summary, first), _find_entrant(summary, second)
    ids, other_ids = ({standing.entry.id for standing in standings} for standings in (own, other))
    opponents = _find_common_opponents(summary, ids, other_ids)
    return BotComparison(
        first=first,
        second=second,
        standings=(own, other),
        record=compute_pair_record(summary, ids, other_ids, second),
        labels=(summary.label_bot(first), summary.label_bot(second)),
        superiority=_find_superiority(summary, own[0], other[0]),
        opponents=sorted(opponents, key=lambda common: (-common.difference, common.label)),
        over_deals=_compare_over_deals(summary, ids, other_ids),
    )


def _compare_over_deals(
    summary: Summary, ids: Collection[Id], other_ids: Collection[Id]
) -> DealComparison | None:
    """Compare over the same deals in a cooperative game; else return None."""
    if summary.has_opponents:
        return None
    both = [
        np.array(
            [
                index
                for index, entrant in enumerate(summary.rated_results.entrants)
                if entrant in some
            ]
        )
        for some in (ids, other_ids)
    ]
    return compare_entrants(summary.rated_results, both[0], both[1], summary.level)


def _find_entrant(summary: Summary, bot: str) -> list[Standing]:
    standings = summary.find_versions(bot)
    if not standings:
        names = sorted({row.entry.name for row in summary.standings})
        raise UnknownNameError("entrant", bot, names)
    return standings


def _find_common_opponents(
    summary: Summary, ids: Collection[Id], other_ids: Collection[Id]
) -> list[CommonOpponent]:
    theirs = {record.opponent: record for record in list_pair_records(summary, other_ids)}
    names = summary.labels
    return [
        CommonOpponent(record.opponent, names[record.opponent], record, theirs[record.opponent])
        for record in list_pair_records(summary, ids)
        if record.opponent in theirs
    ]


def _find_superiority(summary: Summary, own: Standing, other: Standing) -> float:
    entrants = summary.ratings.entrants
    if not own.has_rating or not other.has_rating or own.entry.id == other.entry.id:
        return float("nan")
    row, column = entrants.index(own.entry.id), entrants.index(other.entry.id)
    return float(summary.ratings.compare(row)[column])


def load_styles(
    store: Store, counter: InsightsCounter, bots: Sequence[Sequence[Standing]]
) -> list[Style]:
    """Return the style of each bot, given by its versions, from what was counted."""
    numbers = [
        [store.entrant_directory.find_number(standing.entry.id) for standing in own] for own in bots
    ]
    tallies = counter.tallies.load([number for own in numbers for number in own])
    return [build_style(merge_entrants(tallies, own), 0, counter.parts) for own in numbers]


def pair_entries(first: Style, second: Style) -> list[tuple[StyleEntry | None, StyleEntry | None]]:
    """Return the entries of two styles by statistic, in the order of the first one's."""
    own, other = _index_entries(first), _index_entries(second)
    return [(own.get(key), other.get(key)) for key in dict.fromkeys([*own, *other])]


def _index_entries(style: Style) -> Mapping[str, StyleEntry]:
    return {entry.statistic.key: entry for entry in style}


def _list_figures(styles: Sequence[Style]) -> Iterator[Sequence[str]]:
    for pair in pair_entries(*styles):
        statistic = next(entry.statistic for entry in pair if entry)
        if statistic.is_figure:
            own, other = (
                entry.points[0].describe(statistic.unit) if entry else "" for entry in pair
            )
            yield statistic.title, own, other
