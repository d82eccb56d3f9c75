"""The page of a bot: who it is, how well it does and how it plays."""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite
from typing import Any

import numpy as np
from attrs import evolve, frozen
from starlette.exceptions import HTTPException
from starlette.requests import Request

from arena.extend import MatchFilter, Store, find_versions
from arena.tournament import RatingHistory, Standing, Summary
from arena_web.pages.bot_matches import list_bot_matches
from arena_web.pages.plots import RatingChart, build_chart
from arena_web.pages.standings_view import StandingsRow, build_labels, build_rows, list_head_to_head
from arena_web.pages.style_plots import build_bars, build_heat_map
from arena_web.pages.tournaments import build_heading
from arena_web.sources.bot_languages import find_bundled_bot, find_language
from arena_web.sources.playing_styles import BotStyle
from arena_web.sources.tournament import TournamentSource, list_matches
from arena_web.sources.visibility import MatchSummary, VisiblePlayer

MAX_MATCHES = 10  # matches of a bot that are shown


@frozen
class BotRecord:
    """What the store says of some versions of a bot."""

    seconds: dict[str, float]  #: used in a match, by version
    debuts: dict[str, str]  #: when the first match was over, by version
    limit: float | None  #: seconds for an answer; None: a bank is all there is
    style: BotStyle


async def show_bot(tournament: TournamentSource, request: Request) -> dict[str, Any]:
    """Return the values of the page of a bot, or of one version of it."""
    seen = await tournament.snapshot.get()
    _, history = await tournament.rating_history.get()  # perhaps of an earlier snapshot
    asked = request.path_params["bot"]
    mine = require_versions(seen.summary, asked)
    ids = [standing.entry.id for standing in mine]
    rows = [row for row in build_rows(seen.summary) if row.id in ids]
    facts, matches, failed = await tournament.ask(
        lambda store: (
            load_facts(tournament, store, ids),
            list_matches(store, MatchFilter(bot=asked, limit=MAX_MATCHES, newest=True)),
            _list_verdicts(store, asked, mine),
        )
    )
    return {
        **build_heading(seen),
        "bot": asked,
        "name": mine[0].entry.name,
        "author": seen.authors.get(mine[0].entry.name, ""),
        "language": find_language(mine[0].entry.bot, seen.summary.game),
        "bundled": find_bundled_bot(mine[0].entry.bot, seen.summary.game),
        "rows": [evolve(row, label=standing.entry.version)
                 for row, standing in zip(rows, mine, strict=True)],
        "times": facts.seconds,
        "debuts": facts.debuts,
        "summary": build_profile_figures(seen.summary, mine, rows, facts, history),
        "chart": _build_own_chart(seen.summary, history, ids),
        "level": f"{100 * seen.summary.level:g}",
        "duels": list_head_to_head(seen.summary, ids),
        "style": _build_style(facts.style),
        "kinds": sorted({kind for standing in mine for kind in standing.verdicts}),
        "failed": failed,
        "own": list_bot_matches(matches, asked),
    }  # fmt: skip


def require_versions(summary: Summary, asked: str) -> list[Standing]:
    """Return the standings of a bot's versions, those that play first; raise 404 for nobody."""
    mine = find_versions(summary, asked)
    if not mine:
        raise HTTPException(404)
    return mine


def load_facts(tournament: TournamentSource, store: Store, ids: Sequence[str]) -> BotRecord:
    """Load what is stored of some versions of a bot; raise 404 if its name was hidden since."""
    if not store.numbers.keys() >= {*ids}:
        raise HTTPException(404)
    totals, time = store.count_totals(), store.get_fact("tournament").get("time") or {}
    debuts = {entrant: store.find_debut(entrant) for entrant in ids}
    limit = time.get("move") if time.get("bank") is None else None
    return BotRecord(
        {entrant: totals[entrant].seconds for entrant in ids},
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
    rated = [(row, standing) for row, standing in zip(rows, mine, strict=True) if row.place]
    found = [("Matches", f"{sum(standing.matches for standing in mine):,}")]
    best = find_best_rank(history, [standing.entry.id for standing in mine])
    if rated:
        many = sum(standing.has_rating for standing in summary.standings)
        found += [("Rank", f"{rated[0][0].place} of {many}"), ("Rating", rated[0][0].rating)]
        now = int(rated[0][0].place), len(np.unique(summary.results.deal))
        best = now if best is None or now[0] < best[0] else best  # the history may be older
    if best:
        deals = f"{best[1]:,} deal{'' if best[1] == 1 else 's'}"
        found.append(("Best rank", f"{best[0]} (after {deals})"))
    won = _count_results(summary, [standing.entry.id for standing in mine])
    if won is not None:
        found.append(("Matches won", f"{100 * won:.0f} %"))
    return [*found, *_describe_time(facts)]


def find_best_rank(history: RatingHistory, ids: Sequence[str]) -> tuple[int, int] | None:
    """Return the best rank that a bot had in its history, and after how many deals it had it."""
    mine = [index for index, id_ in enumerate(history.entrants) if id_ in ids]
    best: tuple[int, int] | None = None
    for deals, ratings in zip(history.deals, history.rating, strict=True):
        own = ratings[mine][np.isfinite(ratings[mine])]
        if own.size:
            rank = 1 + int((ratings > own.max()).sum())
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
    labels = build_labels(summary)
    who = [(index, id_, labels[id_]) for index, id_ in enumerate(history.entrants) if id_ in ids]
    rated = who and bool(np.isfinite(history.rating[:, [index for index, *_ in who]]).any())
    return build_chart(history, who, ids) if rated and len(history.deals) > 1 else None


def _build_style(style: BotStyle) -> dict[str, Any]:
    """Return the figures and plots of a playing style, for the template."""
    figures = [entry for entry in style.entries if entry.statistic.is_figure]
    plots = [entry for entry in style.entries if not entry.statistic.is_figure]
    return {
        "matches": style.matches,
        "figures": [
            (entry.statistic.title, entry.points[0].format(entry.statistic.unit),
             entry.points[0].count)
            for entry in figures
        ],
        "maps": [(entry.statistic, build_heat_map(entry)) for entry in plots
                 if entry.statistic.is_map],
        "bars": [(entry.statistic, build_bars(entry)) for entry in plots
                 if not entry.statistic.is_map and len(entry.points) > 1],
    }  # fmt: skip


def _list_verdicts(
    store: Store, asked: str, mine: Sequence[Standing]
) -> list[tuple[MatchSummary, VisiblePlayer]]:
    """Return the latest matches in which this bot failed, with the player, the newest first."""
    found = []
    for kind in sorted({kind for standing in mine for kind in standing.verdicts}):
        which = MatchFilter(bot=asked, verdict=kind, limit=MAX_MATCHES, newest=True)
        found += list_matches(store, which, quoting=True)
    pairs = [
        (match, player)
        for match in found
        for player in match.players
        if player.name == mine[0].entry.name and player.verdict
    ]
    newest = sorted(pairs, key=lambda pair: tuple(map(int, pair[0].key.split("."))), reverse=True)
    return newest[: 2 * MAX_MATCHES]
