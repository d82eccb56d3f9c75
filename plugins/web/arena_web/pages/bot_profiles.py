"""The profile of some versions of a bot: what is stored of them, and figures that sum it up."""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite

import numpy as np
from attrs import frozen
from starlette.exceptions import HTTPException

from arena.tournament import RatingHistory, Standing, Summary
from arena.tournament.places import ROUNDING
from arena.tournament.store import Store
from arena.tournament.summary import find_versions
from arena_web.pages.standings_rows import StandingsRow
from arena_web.playing_styles import BotStyle
from arena_web.tournament_views import TournamentView


@frozen
class BotRecord:
    """What the store says of some versions of a bot."""

    seconds: dict[str, float]  #: used in a match, by version
    debuts: dict[str, str]  #: when the first match was over, by version
    limit: float | None  #: seconds for an answer; None: a bank is all there is
    style: BotStyle


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
