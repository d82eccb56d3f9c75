"""The page of a bot, or of one version of it: who it is, how well it does and how it plays."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from math import isfinite

import numpy as np
from attrs import evolve, frozen
from starlette.exceptions import HTTPException

from arena import join_words
from arena.host import split_team
from arena.plugins import Statistic, get_plugins
from arena.tournament import RatingHistory, Standing, Summary, list_opponents
from arena.tournament.places import ROUNDING
from arena.tournament.store import MatchFilter, Store
from arena_web.bot_languages import find_bundled_bot, find_language
from arena_web.match_keys import split_key
from arena_web.pages.head_to_head import HeadToHeadRow, list_head_to_head
from arena_web.pages.matches import BotMatch, list_bot_matches
from arena_web.pages.page_query import PageQuery
from arena_web.pages.plots import (
    RatingChart,
    ShadedTable,
    StyleBar,
    build_bars,
    build_chart,
    build_heat_map,
)
from arena_web.pages.source_page import PageValues
from arena_web.pages.standings import StandingsRow, build_heading, build_rows
from arena_web.playing_styles import BotStyle
from arena_web.tournament_views import TournamentView, list_matches
from arena_web.visibility import MatchSummary, VisiblePlayer

MAX_MATCHES = 10  # matches of a bot that are shown
MAX_OPPONENTS = 500  # listed of a bot, or of two: the hardest


@frozen
class BotRecord:
    """What the store says of some versions of a bot."""

    seconds: dict[str, float]  #: used in a match, by version
    debuts: dict[str, str]  #: when the first match was over, by version
    limit: float | None  #: seconds for an answer; None: a bank is all there is
    style: BotStyle


@frozen
class StylePlots:
    """The figures and plots of a playing style."""

    matches: int  #: in which the bot was observed
    figures: Sequence[tuple[str, str, str, int]]
    """Of each figure the title, the value, its interval, and the number of observations."""
    maps: Sequence[tuple[Statistic, ShadedTable]]
    bars: Sequence[tuple[Statistic, Sequence[StyleBar]]]


@frozen(kw_only=True)
class BotPage(PageValues):
    """The values of the page of a bot, or of one version of it."""

    bot: str  #: as the address names it
    name: str  #: of all its versions
    label: str  #: its name as people read it
    author: str  #: empty where nobody agreed to be shown
    language: str  #: empty where nothing says it
    bundled: str  #: the name of the bundled bot that it is, or empty
    description: str  #: a sentence on it; empty where there is none
    results: str  #: a sentence on its best and worst opponents; empty where it met nobody
    rows: Sequence[StandingsRow]  #: of its versions
    times: Mapping[str, float]  #: seconds that were used in a match, by version
    debuts: Mapping[str, str]  #: when the first match was over, by version
    summary: Sequence[tuple[str, str]]  #: what sums it up: the title of each figure, and its words
    chart: RatingChart | None
    level: str  #: of the confidence intervals, in per cent
    duels: Sequence[HeadToHeadRow]  #: its results by opponent: the hardest ones
    opponents_met: int  #: all of them
    style: StylePlots
    verdict_kinds: Sequence[str]
    failures: Sequence[tuple[MatchSummary, VisiblePlayer]]  #: the latest matches with a verdict
    own: Sequence[BotMatch]  #: its latest matches
    comparable: Collection[str] | None = None
    """The bots of which each two have a page side by side; None: all."""


async def show_bot(tournament: TournamentView, query: PageQuery) -> BotPage:
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
    entry, game = mine[0].entry, snapshot.summary.game
    return BotPage(
        heading=build_heading(snapshot),
        bot=bot,
        name=entry.name,
        label=entry.label,
        author=snapshot.authors.get(entry.name, ""),
        language=find_language(entry.bot, game),
        bundled=find_bundled_bot(entry.bot, game),
        description=describe_bot(entry.bot, game),
        results=describe_results(duels),
        rows=[
            evolve(row, label=standing.entry.version)
            for row, standing in zip(rows, mine, strict=True)
        ],
        times=facts.seconds,
        debuts=facts.debuts,
        summary=build_profile_figures(snapshot.summary, mine, rows, facts, history),
        chart=_build_own_chart(snapshot.summary, history, ids),
        level=f"{100 * snapshot.summary.level:g}",
        duels=duels[:MAX_OPPONENTS],
        opponents_met=len(duels),
        style=_build_style(facts.style),
        verdict_kinds=sorted({kind for standing in mine for kind in standing.verdicts}),
        failures=verdicts,
        own=list_bot_matches(matches, bot),
    )


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
    mine = summary.find_versions(bot)
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


def _build_style(style: BotStyle) -> StylePlots:
    """Return the figures and plots of a playing style."""
    figures = [entry for entry in style.entries if entry.statistic.is_figure]
    plots = [entry for entry in style.entries if not entry.statistic.is_figure]
    return StylePlots(
        style.matches,
        figures=[
            (entry.statistic.title, entry.points[0].format(entry.statistic.unit),
             entry.points[0].format_interval(entry.statistic.unit), entry.points[0].count)
            for entry in figures
        ],
        maps=[(entry.statistic, build_heat_map(entry)) for entry in plots
              if entry.statistic.is_map],
        bars=[(entry.statistic, build_bars(entry)) for entry in plots
              if not entry.statistic.is_map and len(entry.points) > 1],
    )  # fmt: skip


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
    newest = sorted(pairs, key=lambda pair: split_key(pair[0].key), reverse=True)
    return newest[: 2 * MAX_MATCHES]
