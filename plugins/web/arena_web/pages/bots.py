"""Pages of bots: who a bot is, how well it does and how it plays; two side by side."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import isfinite, isnan
from typing import Any

import numpy as np
from attrs import evolve, frozen
from starlette.exceptions import HTTPException

from arena import UserError, join_words
from arena.host import split_team
from arena.plugins import get_plugins
from arena.tournament import RatingHistory, Standing, StyleEntry, Summary, list_opponents
from arena.tournament.bot_comparison import BotComparison, compare_bots, pair_entries
from arena.tournament.insights import sort_label
from arena.tournament.models import get_name
from arena.tournament.pair_records import PairRecord
from arena.tournament.places import ROUNDING
from arena.tournament.store import MatchFilter, Store
from arena.tournament.summary import find_versions
from arena_web.bot_languages import find_bundled_bot, find_language
from arena_web.pages.head_to_head import HeadToHeadRow, choose_shade, list_head_to_head
from arena_web.pages.matches import list_bot_matches
from arena_web.pages.page_query import PageQuery
from arena_web.pages.plots import RatingChart, StyleBar, build_bars, build_chart, build_heat_map
from arena_web.pages.standings import StandingsRow, build_heading, build_rows, list_selectable
from arena_web.playing_styles import BotStyle
from arena_web.texts import find_count
from arena_web.tournament_views import TournamentView, list_matches
from arena_web.visibility import MatchSummary, VisiblePlayer

MAX_MATCHES = 10  # matches of a bot that are shown

MAX_OPPONENTS = 500  # listed of a bot, or of two: the hardest

MAX_COMPARED_BOTS = 20  # the best of a static site, of which each two have a page


@frozen
class BotRecord:
    """What the store says of some versions of a bot."""

    seconds: dict[str, float]  #: used in a match, by version
    debuts: dict[str, str]  #: when the first match was over, by version
    limit: float | None  #: seconds for an answer; None: a bank is all there is
    style: BotStyle


async def show_bot(tournament: TournamentView, query: PageQuery) -> dict[str, Any]:
    """Return the values of the page of a bot, or of one version of it."""
    snapshot, history = tournament.snapshot, tournament.history
    bot = query.path["bot"]
    mine = require_versions(snapshot.summary, bot)
    ids = [standing.entry.id for standing in mine]
    rows = build_rows(snapshot.summary, standings=mine)
    facts, matches, verdicts = await tournament.ask(
        lambda store: (
            load_facts(tournament, store, mine),
            list_matches(store, MatchFilter(bot=bot, limit=MAX_MATCHES, newest=True)),
            _list_verdicts(store, bot, mine),
        )
    )
    duels = list_head_to_head(snapshot.summary, ids)
    return {
        **build_heading(snapshot),
        "bot": bot,
        "name": mine[0].entry.name,
        "label": mine[0].entry.label,
        "author": snapshot.authors.get(mine[0].entry.name, ""),
        "language": find_language(mine[0].entry.bot, snapshot.summary.game),
        "bundled": find_bundled_bot(mine[0].entry.bot, snapshot.summary.game),
        "does": describe_bot(mine[0].entry.bot, snapshot.summary.game),
        "results": describe_results(duels),
        "rows": [evolve(row, label=standing.entry.version)
                 for row, standing in zip(rows, mine, strict=True)],
        "times": facts.seconds,
        "debuts": facts.debuts,
        "summary": build_profile_figures(snapshot.summary, mine, rows, facts, history),
        "chart": _build_own_chart(snapshot.summary, history, ids),
        "level": f"{100 * snapshot.summary.level:g}",
        "duels": duels[:MAX_OPPONENTS],
        "met": len(duels),
        "style": _build_style(facts.style),
        "kinds": sorted({kind for standing in mine for kind in standing.verdicts}),
        "failed": verdicts,
        "own": list_bot_matches(matches, bot),
    }  # fmt: skip


def describe_bot(bot: str, game: str) -> str:
    """Return a sentence on a bundled bot or on a team of such; empty for other bots."""
    if team := split_team(bot):
        are_bundled = all(find_bundled_bot(partner, game) for partner in team)
        return f"A team of {join_words(team, 'and')}." if are_bundled else ""
    bundled = find_bundled_bot(bot, game)
    bots = list_opponents(get_plugins().games[game]) if bundled else []
    return next((opponent.summary for opponent in bots if opponent.name == bundled), "")


def describe_results(duels: Sequence[HeadToHeadRow]) -> str:
    """Return a sentence on the opponents of which a bot finishes ahead most and least often."""
    if not duels:
        return ""
    order = sorted(duels, key=lambda duel: (duel.record.share, duel.label))
    best, worst = order[-1], order[0]
    text = f"It finishes ahead of {best.label} in {100 * best.record.share:.0f} % of their matches"
    if best is worst:
        return f"{text}."
    return (
        f"{text}, and of {worst.label}, its hardest opponent, in {100 * worst.record.share:.0f} %."
    )


def require_versions(summary: Summary, bot: str) -> list[Standing]:
    """Return the standings of a bot's versions, those that play first; raise 404 for nobody."""
    mine = find_versions(summary, bot)
    if not mine:
        raise HTTPException(404)
    return mine


def load_facts(
    tournament: TournamentView, store: Store, standings: Sequence[Standing]
) -> BotRecord:
    """Load what is stored of some versions of a bot, with what their standings say."""
    limits = store.settings.limits
    ids = [standing.entry.id for standing in standings]
    debuts = {entrant: store.find_debut(entrant) for entrant in ids}
    limit = limits.move if limits and limits.bank is None else None
    return BotRecord(
        {standing.entry.id: standing.seconds for standing in standings},
        {entrant: when for entrant, when in debuts.items() if when},
        limit,
        tournament.styles.load(store, ids),
    )


def build_profile_figures(
    summary: Summary,
    mine: Sequence[Standing],
    rows: Sequence[StandingsRow],
    facts: BotRecord,
    history: RatingHistory,
) -> list[tuple[str, str]]:
    """Return the figures that sum up a bot: what each is, and its words."""
    ranks = [(row, standing) for row, standing in zip(rows, mine, strict=True) if row.place]
    figures = [("Matches", f"{sum(standing.matches for standing in mine):,}")]
    best = find_best_rank(history, [standing.entry.id for standing in mine])
    if ranks:
        many = sum(standing.has_rating for standing in summary.standings)
        figures += [
            ("Rank", f"{ranks[0][0].place} of {many}"),
            (ranks[0][1].measure.capitalize(), ranks[0][0].rating),
        ]
        now = int(ranks[0][0].place), len(np.unique(summary.results.deal))
        best = now if best is None or now[0] < best[0] else best  # the history may be older
    if best:
        deals = f"{best[1]:,} deal{'' if best[1] == 1 else 's'}"
        figures.append(("Best rank", f"{best[0]} (after {deals})"))
    won = _count_results(summary, [standing.entry.id for standing in mine])
    if won is not None and summary.ratings.measure == "rating":
        figures.append(("Matches won", f"{100 * won:.0f} %"))
    return [*figures, *_describe_time(facts)]


def find_best_rank(history: RatingHistory, ids: Sequence[str]) -> tuple[int, int] | None:
    """Return the best rank that a bot had in its history, and after how many deals it had it."""
    mine = [index for index, id_ in enumerate(history.entrants) if id_ in ids]
    best: tuple[int, int] | None = None
    for deals, ratings in zip(history.deals, history.rating, strict=True):
        own = ratings[mine][np.isfinite(ratings[mine])]
        if own.size:
            rank = 1 + int((ratings > own.max() + ROUNDING).sum())
            if best is None or rank < best[0]:
                best = rank, int(deals)
    return best


def _count_results(summary: Summary, ids: Sequence[str]) -> float | None:
    """Return the share of matches that a bot won, alone or with others."""
    results = summary.results
    own = np.isin(results.seats, [i for i, id_ in enumerate(results.entrants) if id_ in ids])
    return float((results.places[own] == 1).mean()) if own.any() else None


def _describe_time(facts: BotRecord) -> list[tuple[str, str]]:
    for entry in facts.style.entries:
        if entry.statistic.key == "seconds" and isfinite(entry.points[0].value):
            words = entry.points[0].format("s")
            return [
                ("Time for an answer", f"{words} of {facts.limit:g} s" if facts.limit else words)
            ]
    return []


def _build_own_chart(
    summary: Summary, history: RatingHistory, ids: Sequence[str]
) -> RatingChart | None:
    labels = summary.labels
    who = [(index, id_, labels[id_]) for index, id_ in enumerate(history.entrants) if id_ in ids]
    has_ratings = who and bool(np.isfinite(history.rating[:, [index for index, *_ in who]]).any())
    return build_chart(history, who, ids) if has_ratings and len(history.deals) > 1 else None


def _build_style(style: BotStyle) -> dict[str, Any]:
    """Return the figures and plots of a playing style, for the template."""
    figures = [entry for entry in style.entries if entry.statistic.is_figure]
    plots = [entry for entry in style.entries if not entry.statistic.is_figure]
    return {
        "matches": style.matches,
        "figures": [
            (entry.statistic.title, entry.points[0].format(entry.statistic.unit),
             entry.points[0].format_interval(entry.statistic.unit), entry.points[0].count)
            for entry in figures
        ],
        "maps": [(entry.statistic, build_heat_map(entry)) for entry in plots
                 if entry.statistic.is_map],
        "bars": [(entry.statistic, build_bars(entry)) for entry in plots
                 if not entry.statistic.is_map and len(entry.points) > 1],
    }  # fmt: skip


def _list_verdicts(
    store: Store, bot: str, mine: Sequence[Standing]
) -> list[tuple[MatchSummary, VisiblePlayer]]:
    """Return the latest matches in which this bot failed, with the player, the newest first."""
    matches = []
    for kind in sorted({kind for standing in mine for kind in standing.verdicts}):
        which = MatchFilter(bot=bot, verdict=kind, limit=MAX_MATCHES, newest=True)
        matches += list_matches(store, which, quoting=True)
    pairs = [
        (match, player)
        for match in matches
        for player in match.players
        if player.name == mine[0].entry.name and player.verdict
    ]
    newest = sorted(pairs, key=lambda pair: tuple(map(int, pair[0].key.split("."))), reverse=True)
    return newest[: 2 * MAX_MATCHES]


@frozen
class ComparedOpponent:
    """The results of both bots against an opponent that they have in common."""

    id: str
    label: str
    sides: Sequence[tuple[str, PairRecord, str]]  #: of each bot: its name, its record, its shade
    difference: str  #: in points of per cent
    difference_sort: float


async def show_comparison(tournament: TournamentView, query: PageQuery) -> Mapping[str, Any]:
    """Return the values of the page of two bots; the best ones if none are named."""
    snapshot, history = tournament.snapshot, tournament.history
    pair = choose_pair(snapshot.summary, query.get("bot"), query.get("against"))
    labels = list_selectable(snapshot.summary, pair)
    heading = {
        **build_heading(snapshot), "bots": {name: name for name in labels}, "pair": pair,
        "labels": labels,
    }  # fmt: skip
    if len(pair) < 2:  # noqa: PLR2004  # nobody to compare with
        return heading
    comparison = _compare(snapshot.summary, pair)
    ids = [[standing.entry.id for standing in own] for own in comparison.standings]
    facts = await tournament.ask(
        lambda store: [load_facts(tournament, store, own) for own in comparison.standings]
    )
    own = [build_rows(snapshot.summary, snapshot.authors, some) for some in comparison.standings]
    return {
        **heading,
        "found": comparison,
        "said": _describe(comparison),
        "figures": _build_figures(snapshot.summary, comparison, own, facts, history),
        "bars": [next((row.bar for row in some if row.bar), None) for some in own],
        "level": f"{100 * snapshot.summary.level:g}",
        "chart": _build_chart(snapshot.summary, history, ids),
        "opponents": _list_opponents(comparison),
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
    summary: Summary,
    comparison: BotComparison,
    rows: Sequence[Sequence[StandingsRow]],
    facts: Sequence[BotRecord],
    history: RatingHistory,
) -> list[tuple[str, list[str]]]:
    """Return the figures of both bots by title."""
    both = [
        dict([
            *build_profile_figures(summary, standings, own, record, history),
            *([] if comparison.over_deals else [("Mean place", own[0].mean_place)]),
            (f"{find_count(summary.game).units.capitalize()} per match", own[0].score),
            ("Verdicts", ", ".join(row.verdicts for row in own if row.verdicts) or "none"),
            ("Language", own[0].language), ("Author", own[0].author),
        ])
        for standings, own, record in zip(comparison.standings, rows, facts, strict=True)
    ]  # fmt: skip
    titles = dict.fromkeys(title for own in both for title in own)
    lines = [(title, [own.get(title, "") for own in both]) for title in titles]
    return [(title, words) for title, words in lines if any(words)]


def _build_chart(
    summary: Summary, history: RatingHistory, ids: Sequence[Sequence[str]]
) -> RatingChart | None:
    labels, versions = summary.labels, [id_ for own in ids for id_ in own]
    entrants = history.entrants
    who = [(entrants.index(id_), id_, labels[id_]) for id_ in versions if id_ in entrants]
    return build_chart(history, who, []) if who and len(history.deals) > 1 else None


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


def _build_styles(styles: Sequence[Sequence[StyleEntry]]) -> dict[str, Any]:
    """Return the figures, heat maps and bars of two playing styles."""
    figures, maps, bars = [], [], []
    for pair in pair_entries(*styles):
        statistic = next(entry.statistic for entry in pair if entry)
        if statistic.is_figure:
            cells = [entry and (entry.points[0].describe(statistic.unit), entry.points[0].count)
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
    common = [label for label in labels if any(label in side for side in sides)]
    return [(label, [side.get(label) for side in sides]) for label in common]


def _merge_labels(entries: Sequence[StyleEntry]) -> list[str]:
    """Return the labels of plots in the order of their points, those of both merged."""
    points = {str(point.x): point.x for entry in entries for point in entry.points}
    return sorted(points, key=lambda label: sort_label(points[label]))
