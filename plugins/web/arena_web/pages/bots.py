"""The page of a bot, or of one version of it: who it is, how well it does and how it plays."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

import numpy as np
from attrs import evolve, frozen

from arena import join_words
from arena.host import split_team
from arena.plugins import Statistic, get_plugins
from arena.tournament import Standing, list_opponents
from arena.tournament.store import MatchFilter, Store
from arena_web.bot_languages import find_bundled_bot, find_language
from arena_web.matches.keys import split_key
from arena_web.matches.summaries import MatchSummary, VisiblePlayer
from arena_web.pages.bot_matches import BotMatch, list_bot_matches
from arena_web.pages.bot_profiles import BotProfile, require_versions
from arena_web.pages.head_to_head import HeadToHeadRow, list_head_to_head
from arena_web.pages.page_query import PageQuery
from arena_web.pages.rating_chart import ChartEntrant, RatingChart, build_chart
from arena_web.pages.source_page import TournamentPageValues
from arena_web.pages.standings_rows import StandingsRow
from arena_web.pages.style_plots import ShadedTable, StyleBar, build_bars, build_heat_map
from arena_web.pages.tournament_heading import build_heading
from arena_web.tournaments.playing_styles import BotStyle
from arena_web.tournaments.views import TournamentView, summarize_matches

MAX_MATCHES = 10  # matches of a bot that are shown
MAX_OPPONENTS = 500  # listed of a bot, or of two: the hardest


@frozen(kw_only=True)
class StyleFigure:
    """A figure of a playing style."""

    title: str
    about: str  #: what it says; may be empty
    words: str  #: its value with its unit
    interval: str
    count: int  #: observations


@frozen
class StylePlots:
    """The figures and plots of a playing style."""

    matches: int  #: in which the bot was observed
    figures: Sequence[StyleFigure]
    maps: Sequence[tuple[Statistic, ShadedTable]]
    bars: Sequence[tuple[Statistic, Sequence[StyleBar]]]


@frozen(kw_only=True)
class BotPage(TournamentPageValues):
    """The values of the page of a bot, or of one version of it."""

    template = "bot.html"

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
    snapshot, summary, bot = tournament.snapshot, tournament.summary, query.path["bot"]
    standings = require_versions(summary, bot)
    profile, matches, failures = await tournament.ask(
        lambda store: (
            BotProfile.load(tournament, store, standings),
            summarize_matches(store, MatchFilter(bot=bot, limit=MAX_MATCHES, newest=True)),
            _list_failures(store, bot, standings),
        )
    )
    duels = list_head_to_head(summary, profile.ids)
    entry, game = standings[0].entry, summary.game
    return BotPage(
        heading=build_heading(snapshot),
        bot=bot,
        name=entry.name,
        label=entry.label,
        author=snapshot.authors.get(entry.name, ""),
        language=find_language(entry.bot, game),
        bundled=find_bundled_bot(entry.bot, game),
        description=describe_bot(entry.bot, game),
        results=describe_duels(duels),
        rows=[
            evolve(row, label=standing.entry.version)
            for row, standing in zip(profile.rows, standings, strict=True)
        ],
        times=profile.facts.seconds,
        debuts=profile.facts.debuts,
        summary=profile.list_figures(),
        chart=_build_own_chart(profile),
        level=f"{100 * summary.level:g}",
        duels=duels[:MAX_OPPONENTS],
        opponents_met=len(duels),
        style=_build_style(profile.facts.style),
        verdict_kinds=_list_verdict_kinds(standings),
        failures=failures,
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


def describe_duels(duels: Sequence[HeadToHeadRow]) -> str:
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


def _build_own_chart(profile: BotProfile) -> RatingChart | None:
    history, labels, ids = profile.history, profile.summary.labels, profile.ids
    entrants = [
        ChartEntrant(index, id_, labels[id_])
        for index, id_ in enumerate(history.entrants) if id_ in ids
    ]  # fmt: skip
    columns = [entrant.column for entrant in entrants]
    has_ratings = entrants and bool(np.isfinite(history.rating[:, columns]).any())
    return build_chart(history, entrants, ids) if has_ratings and len(history.deals) > 1 else None


def _build_style(style: BotStyle) -> StylePlots:
    """Return the figures and plots of a playing style."""
    figures = [entry for entry in style.entries if entry.statistic.is_figure]
    plots = [entry for entry in style.entries if not entry.statistic.is_figure]
    return StylePlots(
        style.matches,
        figures=[
            StyleFigure(
                title=entry.statistic.title, about=entry.statistic.about,
                words=entry.points[0].format(entry.statistic.unit),
                interval=entry.points[0].format_interval(entry.statistic.unit),
                count=entry.points[0].count,
            )
            for entry in figures
        ],
        maps=[(entry.statistic, build_heat_map(entry)) for entry in plots
              if entry.statistic.is_map],
        bars=[(entry.statistic, build_bars(entry)) for entry in plots
              if not entry.statistic.is_map and len(entry.points) > 1],
    )  # fmt: skip


def _list_verdict_kinds(standings: Sequence[Standing]) -> list[str]:
    return sorted({kind for standing in standings for kind in standing.verdicts})


def _list_failures(
    store: Store, bot: str, standings: Sequence[Standing]
) -> list[tuple[MatchSummary, VisiblePlayer]]:
    """Return the latest matches in which this bot failed, with the player, the newest first."""
    matches = []
    for kind in _list_verdict_kinds(standings):
        which = MatchFilter(bot=bot, verdict=kind, limit=MAX_MATCHES, newest=True)
        matches += summarize_matches(store, which, quoting=True)
    pairs = [
        (match, player)
        for match in matches
        for player in match.players
        if player.name == standings[0].entry.name and player.verdict
    ]
    newest = sorted(pairs, key=lambda pair: split_key(pair[0].key), reverse=True)
    return newest[: 2 * MAX_MATCHES]
