"""The page of two bots side by side: who is better, and how each of them plays."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import isnan

from attrs import frozen

from arena import UserError
from arena.plugins import Statistic
from arena.tournament import StyleEntry, Summary
from arena.tournament.entries import get_name
from arena.tournament.insights.playing_styles import sort_label
from arena.tournament.results.bot_comparison import BotComparison, compare_bots, pair_entries
from arena.tournament.results.pair_records import PairRecord
from arena_web.http.refusals import NotFoundError
from arena_web.pages.bot_choices import list_selectable
from arena_web.pages.bot_profiles import BotProfile
from arena_web.pages.bots import MAX_OPPONENTS
from arena_web.pages.head_to_head import choose_shade
from arena_web.pages.interval_bars import IntervalBar
from arena_web.pages.page_query import PageQuery
from arena_web.pages.rating_chart import ChartEntrant, RatingChart, build_chart
from arena_web.pages.source_page import TournamentPageValues
from arena_web.pages.style_plots import ShadedTable, StyleBar, build_bars, build_heat_map
from arena_web.pages.tournament_heading import build_heading
from arena_web.texts import find_count
from arena_web.tournaments.views import TournamentView

MAX_COMPARED_BOTS = 20  # the best of a static site, of which each two have a page


@frozen
class ComparedOpponent:
    """The results of both bots against an opponent that they have in common."""

    id: str
    label: str
    sides: Sequence[tuple[str, PairRecord, str]]  #: of each bot: its name, its record, its shade
    difference: str  #: in points of per cent
    difference_sort: float


@frozen
class ObservedFigure:
    """A figure of the playing style of one bot."""

    words: str
    count: int  #: observations


@frozen
class PairedFigure:
    """A figure of two playing styles."""

    title: str
    both: Sequence[ObservedFigure | None]  #: None for a bot of which it was not observed


@frozen
class PairedMap:
    """The heat maps of a statistic of two playing styles."""

    statistic: Statistic
    both: Sequence[ShadedTable | None]  #: None for a bot of which it was not observed


@frozen
class PairedBar:
    """Two bars beside each other."""

    label: str
    both: Sequence[StyleBar | None]  #: None for a bot of which it was not observed


@frozen
class PairedPlot:
    """The bars of a statistic of two playing styles, on one scale."""

    statistic: Statistic
    bars: Sequence[PairedBar]


@frozen
class PairedStyles:
    """The figures, heat maps and bars of two playing styles, side by side."""

    figures: Sequence[PairedFigure]
    maps: Sequence[PairedMap]
    plots: Sequence[PairedPlot]


@frozen(kw_only=True)
class ComparisonForm(TournamentPageValues):
    """The values of a page on which two bots can be chosen."""

    template = "compare.html"

    pair: Sequence[str]  #: the bots that are chosen: two, or fewer where there are not two
    labels: Mapping[str, str]  #: of the bots that can be chosen, by name
    links: Mapping[str, str]  #: what names each of these in the address of a comparison


@frozen(kw_only=True)
class ComparisonPage(ComparisonForm):
    """The values of the page of two bots."""

    conclusion: str  #: a sentence on who is better
    direct_record: PairRecord | None  #: of the first against the second
    figures: Sequence[tuple[str, Sequence[str]]]  #: of both, by title
    bars: Sequence[IntervalBar | None]  #: of their ratings
    level: str  #: of the confidence intervals, in per cent
    chart: RatingChart | None
    opponents: Sequence[ComparedOpponent]
    observed: Sequence[int]  #: matches from which their styles are known
    styles: PairedStyles


async def show_comparison(tournament: TournamentView, query: PageQuery) -> ComparisonForm:
    """Return the values of the page of two bots; the best ones if none are named."""
    snapshot = tournament.snapshot
    pair = choose_pair(snapshot.summary, query.get("bot"), query.get("against"))
    heading, labels = build_heading(snapshot), list_selectable(snapshot.summary, pair)
    links = {name: name for name in labels}
    if len(pair) < 2:  # noqa: PLR2004  # nobody to compare with
        return ComparisonForm(heading=heading, pair=pair, labels=labels, links=links)
    comparison = _compare(snapshot.summary, pair)
    profiles = await tournament.ask(
        lambda store: [
            BotProfile.load(tournament, store, standings) for standings in comparison.standings
        ]
    )
    return ComparisonPage(
        heading=heading,
        pair=pair,
        labels=labels,
        links=links,
        conclusion=_describe(comparison),
        direct_record=comparison.record,
        figures=_build_figures(comparison, profiles),
        bars=[next((row.bar for row in own.rows if row.bar), None) for own in profiles],
        level=f"{100 * snapshot.summary.level:g}",
        chart=_build_chart(profiles),
        opponents=_list_opponents(comparison),
        observed=[own.facts.style.matches for own in profiles],
        styles=_build_styles([own.facts.style.entries for own in profiles]),
    )


def choose_pair(summary: Summary, bot: str, against: str) -> list[str]:
    """Return the two bots that are compared; the best of the others for who is not named."""
    best = choose_comparable(summary)
    bot = bot or next(iter(best), "")
    others = [name for name in best if name != get_name(bot) and name != bot]
    other = against if against and against != bot else next(iter(others), "")
    return [name for name in (bot, other) if name]


def choose_comparable(summary: Summary) -> list[str]:
    """Return the names of the best bots, the best first."""
    names = dict.fromkeys(standing.entry.name for standing in summary.standings)
    return [*names][:MAX_COMPARED_BOTS]


def _compare(summary: Summary, pair: Sequence[str]) -> BotComparison:
    try:
        return compare_bots(summary, *pair)
    except UserError:
        raise NotFoundError from None


def _describe(comparison: BotComparison) -> str:
    """Return a sentence on who is better, and how certain that is."""
    words, both = [], comparison.labels
    if not isnan(comparison.superiority):
        certain = max(comparison.superiority, 1 - comparison.superiority)
        better, other = both if comparison.superiority >= 1 - comparison.superiority else both[::-1]
        what = (f"{better} wins more games than {other}" if comparison.over_deals
                else f"By the ratings, {better} is stronger than {other}")  # fmt: skip
        words.append(f"{what} with a probability of {min(99.9, 100 * certain):.3g} %.")
    if comparison.over_deals:
        words.append(comparison.describe_deals())
    elif comparison.record:
        low, high = (100 * end for end in comparison.record.interval)
        many = comparison.record.matches
        words.append(
            f"Against each other, {both[0]} finished ahead in {100 * comparison.record.share:.0f} %"
            f" of {many:,} match{'' if many == 1 else 'es'}"
            f" (95 % interval {low:.0f} to {high:.0f} %; a tie counts half)."
        )
    else:
        words.append("They have not met.")
    return " ".join(words)


def _build_figures(
    comparison: BotComparison, profiles: Sequence[BotProfile]
) -> list[tuple[str, list[str]]]:
    """Return the figures of both bots by title."""
    both = [
        dict([
            *own.list_figures(),
            *([] if comparison.over_deals else [("Mean place", own.rows[0].mean_place)]),
            (f"{find_count(own.summary.game).units.capitalize()} per match", own.rows[0].score),
            ("Verdicts", ", ".join(row.verdicts for row in own.rows if row.verdicts) or "none"),
            ("Language", own.rows[0].language), ("Author", own.rows[0].author),
        ])
        for own in profiles
    ]  # fmt: skip
    titles = dict.fromkeys(title for own in both for title in own)
    lines = [(title, [own.get(title, "") for own in both]) for title in titles]
    return [(title, words) for title, words in lines if any(words)]


def _build_chart(profiles: Sequence[BotProfile]) -> RatingChart | None:
    history, labels = profiles[0].history, profiles[0].summary.labels
    versions = [id_ for own in profiles for id_ in own.ids if id_ in history.entrants]
    entrants = [ChartEntrant(history.entrants.index(id_), id_, labels[id_]) for id_ in versions]
    return build_chart(history, entrants, []) if entrants and len(history.deals) > 1 else None


def _list_opponents(comparison: BotComparison) -> list[ComparedOpponent]:
    bots = comparison.first, comparison.second
    return [
        ComparedOpponent(
            common.id, common.label,
            [(bot, record, choose_shade(record.share))
             for bot, record in zip(bots, (common.first, common.second), strict=True)],
            _format_difference(common.difference), common.difference,
        )
        for common in comparison.opponents[:MAX_OPPONENTS]
    ]  # fmt: skip


def _format_difference(share: float) -> str:
    """Format a difference of shares in points of per cent, with its sign.

    >>> _format_difference(0.278), _format_difference(0.001)
    ('+28', '0')
    """
    points = round(100 * share)
    return f"{points:+}" if points else "0"


def _build_styles(styles: Sequence[Sequence[StyleEntry]]) -> PairedStyles:
    """Return the figures, heat maps and bars of two playing styles."""
    figures, maps, plots = [], [], []
    for pair in pair_entries(*styles):
        statistic = next(entry.statistic for entry in pair if entry)
        if statistic.is_figure:
            points = [entry.points[0] if entry else None for entry in pair]
            both = [
                ObservedFigure(point.describe(statistic.unit), point.count) if point else None
                for point in points
            ]
            figures.append(PairedFigure(statistic.title, both))
        elif statistic.is_map:
            tables = [build_heat_map(entry) if entry else None for entry in pair]
            maps.append(PairedMap(statistic, tables))
        else:
            plots.append(PairedPlot(statistic, _pair_bars(*pair)))
    return PairedStyles(figures, maps, [plot for plot in plots if len(plot.bars) > 1])


def _pair_bars(first: StyleEntry | None, second: StyleEntry | None) -> list[PairedBar]:
    """Return the bars of two plots by label, on one scale."""
    sides = [
        {bar.label: bar for bar in build_bars(entry, beside)} if entry else {}
        for entry, beside in ((first, second), (second, first))
    ]
    labels = _merge_labels([entry for entry in (first, second) if entry])
    common = [label for label in labels if any(label in side for side in sides)]
    return [PairedBar(label, [side.get(label) for side in sides]) for label in common]


def _merge_labels(entries: Sequence[StyleEntry]) -> list[str]:
    """Return the labels of plots in the order of their points, those of both merged."""
    points = {
        entry.statistic.describe_label(point.x): point.x
        for entry in entries
        for point in entry.points
    }
    return sorted(points, key=lambda label: sort_label(points[label]))
