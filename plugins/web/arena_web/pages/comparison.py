"""The page of two bots side by side: ratings, results and playing styles."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import isnan
from typing import Any

from attrs import frozen
from starlette.exceptions import HTTPException
from starlette.requests import Request

from arena import UserError
from arena.extend import BotComparison, PairRecord, compare_bots, get_name, pair_entries, sort_label
from arena.tournament import RatingHistory, StyleEntry, Summary
from arena_web.pages.bots import BotRecord, build_profile_figures, load_facts
from arena_web.pages.plots import RatingChart, build_chart
from arena_web.pages.standings_view import StandingsRow, build_labels, build_rows, choose_shade
from arena_web.pages.style_plots import StyleBar, build_bars, build_heat_map
from arena_web.pages.tournaments import build_heading
from arena_web.sources.tournament import TournamentSource

MAX_COMPARED_BOTS = 20  # the best of a static site, of which each two have a page


@frozen
class ComparedOpponent:
    """The results of both bots against an opponent that they have in common."""

    id: str
    label: str
    sides: Sequence[tuple[str, PairRecord, str]]  #: of each bot: its name, its record, its shade
    difference: str  #: in points of per cent
    difference_sort: float


async def show_comparison(tournament: TournamentSource, request: Request) -> Mapping[str, Any]:
    """Return the values of the page of two bots; the best ones if none are named."""
    seen = await tournament.snapshot.get()
    _, history = await tournament.rating_history.get()  # perhaps of an earlier snapshot
    asked = (request.query_params.get("bot", ""), request.query_params.get("against", ""))
    pair = choose_pair(seen.summary, *asked)
    names = sorted({standing.entry.name for standing in seen.summary.standings})
    heading = {**build_heading(seen), "bots": {name: name for name in {**dict.fromkeys(names),
               **dict.fromkeys(pair)}}, "pair": pair}  # fmt: skip
    if len(pair) < 2:  # noqa: PLR2004  # nobody to compare with
        return heading
    found = _compare(seen.summary, pair)
    ids = [[standing.entry.id for standing in own] for own in found.standings]
    facts = await tournament.ask(
        lambda store: [load_facts(tournament, store, some) for some in ids]
    )
    rows = build_rows(seen.summary, seen.authors)
    own = [[row for row in rows if row.id in some] for some in ids]
    return {
        **heading,
        "found": found,
        "said": _describe(found),
        "figures": _build_figures(seen.summary, found, own, facts, history),
        "bars": [next((row.bar for row in some if row.bar), None) for some in own],
        "level": f"{100 * seen.summary.level:g}",
        "chart": _build_chart(seen.summary, history, ids),
        "opponents": _list_opponents(found),
        "observed": [record.style.matches for record in facts],
        **_build_styles([record.style.entries for record in facts]),
    }  # fmt: skip


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
        raise HTTPException(404) from None


def _describe(found: BotComparison) -> str:
    """Return a sentence on who is better, and how certain that is."""
    words = []
    if not isnan(found.superiority):
        certain = max(found.superiority, 1 - found.superiority)
        both = (found.first, found.second)
        better, other = both if found.superiority >= 1 - found.superiority else both[::-1]
        words.append(f"By the ratings, {better} is stronger than {other} with a probability of"
                     f" {min(99.9, 100 * certain):.3g} %.")  # fmt: skip
    if found.record:
        low, high = (100 * end for end in found.record.interval)
        many = found.record.matches
        words.append(
            f"Against each other, {found.first} finished ahead in {100 * found.record.share:.0f} %"
            f" of {many:,} match{'' if many == 1 else 'es'}"
            f" (95 % interval {low:.0f} to {high:.0f} %; a tie counts half)."
        )
    else:
        words.append("They have not met.")
    return " ".join(words)


def _build_figures(
    summary: Summary,
    found: BotComparison,
    rows: Sequence[Sequence[StandingsRow]],
    facts: Sequence[BotRecord],
    history: RatingHistory,
) -> list[tuple[str, list[str]]]:
    """Return the figures of both bots by title."""
    both = [
        dict([
            *build_profile_figures(summary, standings, own, record, history),
            ("Mean place", own[0].mean_place), ("Points per match", own[0].score),
            ("Verdicts", ", ".join(row.verdicts for row in own if row.verdicts) or "none"),
            ("Language", own[0].language), ("Author", own[0].author),
        ])
        for standings, own, record in zip(found.standings, rows, facts, strict=True)
    ]  # fmt: skip
    titles = dict.fromkeys(title for own in both for title in own)
    found_rows = [(title, [own.get(title, "") for own in both]) for title in titles]
    return [(title, words) for title, words in found_rows if any(words)]


def _build_chart(
    summary: Summary, history: RatingHistory, ids: Sequence[Sequence[str]]
) -> RatingChart | None:
    labels, wanted = build_labels(summary), [id_ for own in ids for id_ in own]
    entrants = history.entrants
    who = [(entrants.index(id_), id_, labels[id_]) for id_ in wanted if id_ in entrants]
    return build_chart(history, who, []) if who and len(history.deals) > 1 else None


def _list_opponents(found: BotComparison) -> list[ComparedOpponent]:
    return [
        ComparedOpponent(
            common.id, common.label,
            [(bot, record, choose_shade(record.share))
             for bot, record in ((found.first, common.first), (found.second, common.second))],
            _format_difference(common.difference), common.difference,
        )
        for common in found.opponents
    ]  # fmt: skip


def _format_difference(share: float) -> str:
    """Format a difference of shares in points of per cent, with its sign.

    >>> _format_difference(0.278), _format_difference(0.001)
    ('+28', '0')
    """
    points = round(100 * share)
    return f"{points:+}" if points else "0"


def _build_styles(styles: Sequence[Sequence[StyleEntry]]) -> dict[str, Any]:
    """Return the figures, heat maps and bars of two playing styles."""
    figures, maps, bars = [], [], []
    for pair in pair_entries(*styles):
        statistic = next(entry.statistic for entry in pair if entry)
        if statistic.is_figure:
            cells = [entry and (entry.points[0].format(statistic.unit), entry.points[0].count)
                     for entry in pair]  # fmt: skip
            figures.append((statistic.title, cells))
        elif statistic.is_map:
            maps.append((statistic, [entry and build_heat_map(entry) for entry in pair]))
        else:
            bars.append((statistic, _pair_bars(*pair)))
    plots = [(statistic, rows) for statistic, rows in bars if len(rows) > 1]
    return {"style_figures": figures, "style_maps": maps, "style_bars": plots}


def _pair_bars(
    first: StyleEntry | None, second: StyleEntry | None
) -> list[tuple[str, list[StyleBar | None]]]:
    """Return the bars of two plots by label, on one scale."""
    sides = [
        {bar.label: bar for bar in build_bars(entry, beside)} if entry else {}
        for entry, beside in ((first, second), (second, first))
    ]
    labels = _merge_labels([entry for entry in (first, second) if entry])
    shown = [label for label in labels if any(label in side for side in sides)]
    return [(label, [side.get(label) for side in sides]) for label in shown]


def _merge_labels(entries: Sequence[StyleEntry]) -> list[str]:
    """Return the labels of plots in the order of their points, those of both merged."""
    points = {str(point.x): point.x for entry in entries for point in entry.points}
    return sorted(points, key=lambda label: sort_label(points[label]))
