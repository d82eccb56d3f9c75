"""Pages of a tournament: standings and history; their rows for the templates."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from math import isfinite
from types import MappingProxyType
from typing import Any

import numpy as np
from attrs import evolve, frozen
from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse, Response

from arena import Count
from arena.tournament import Estimate, Standing, State, Summary
from arena.tournament.entries import get_name
from arena.tournament.rating_input import Results
from arena.tournament.standings_tables import find_span, format_estimate
from arena_web.bot_languages import find_language
from arena_web.pages.page_query import PageQuery
from arena_web.pages.plots import IntervalBar, build_bar, build_chart
from arena_web.texts import find_count
from arena_web.tournament_snapshots import TournamentSnapshot
from arena_web.tournament_views import TournamentView

PAGE_ROWS = 200  # of a page of the standings, so that it stays below 300 kB
MAX_ROWS = 1000  # of the page of versions that have left
MAX_CURVES = 200  # on the page of the history: the best, and who is chosen
MAX_SELECTABLE = 500  # bots from which a form lets people choose
MAX_COLUMNS = 8  # of the table below the curves

MAX_GAPS = 1000  # between neighbours, of which is said how many are decided
MAX_NAMES = 3  # of who may be as good, if there are many
NO_AUTHORS: Mapping[str, str] = MappingProxyType({})


async def show_standings(tournament: TournamentView, query: PageQuery) -> dict[str, Any]:
    """Return the values of one page of the standings, of those who have not left."""
    snapshot = tournament.snapshot
    page = query.get("page", "1")
    pages = count_pages(snapshot.summary)
    if page not in map(str, range(1, pages + 1)):
        raise HTTPException(404)
    figures, names = snapshot.summary, snapshot.summary.labels
    own = [
        (row.place, row.entrant, names.get(row.entrant, get_name(row.entrant)), row.result)
        for row in figures.format_ranking
    ]
    first = PAGE_ROWS * (int(page) - 1)
    some = figures.present[first : first + PAGE_ROWS]
    rows = build_rows(evolve(figures, standings=figures.present), snapshot.authors, some)
    return {
        **build_heading(snapshot),
        "terms": snapshot.terms,
        "highlights": tournament.news,
        "rows": rows,
        "page": int(page),
        "pages": pages,
        "left": len(figures.standings) - len(figures.present),
        "lead": describe_lead(figures),
        "failed": any(row.failed for row in rows),
        "states": any(row.state for row in rows),
        "own": own,
        "remarks": [*figures.list_remarks()],
        "scale": figures.describe_scale(),
        "level": f"{100 * figures.level:g}",
        "origin": figures.origin,
        "model": figures.model.name,
    }


def count_pages(summary: Summary) -> int:
    """Return how many pages the standings of those who have not left have."""
    return max(1, -(-len(summary.present) // PAGE_ROWS))


async def show_departed(tournament: TournamentView, _: PageQuery) -> dict[str, Any]:
    """Return the values of the page of the versions that have left."""
    snapshot = tournament.snapshot
    labels = snapshot.summary.labels
    departed = [row for row in snapshot.summary.standings if row.has_left]
    some = departed[:MAX_ROWS]
    rows = [(row, labels[row.entry.id], format_estimate(row.rating, 0)) for row in some]
    return {**build_heading(snapshot), "rows": rows, "left": len(departed)}


async def get_standings(tournament: TournamentView, query: PageQuery) -> Response:
    """Return the standings as JSON; with `?all=1` also those who have left."""
    everybody = bool(query.get("all"))
    return JSONResponse(build_standings_json(tournament, everybody=everybody))


def build_standings_json(tournament: TournamentView, *, everybody: bool = False) -> dict[str, Any]:
    """Return the standings for programs, of `everybody` or of those who have not left."""
    snapshot = tournament.snapshot
    entrants, present = snapshot.summary.standings, snapshot.summary.present
    return {
        **build_heading(snapshot),
        "level": snapshot.summary.level,
        "left": len(entrants) - len(present),
        "standings": [
            {**standing.pack(), **_serialize_author(snapshot, standing)}
            for standing in (entrants if everybody else present)
        ],
    }


def _serialize_author(snapshot: TournamentSnapshot, standing: Standing) -> dict[str, str]:
    author = snapshot.authors.get(standing.entry.name)
    return {"author": author} if author else {}


async def show_rating_history(tournament: TournamentView, query: PageQuery) -> dict[str, Any]:
    """Return the values of the page of the rating history."""
    snapshot, history = tournament.snapshot, tournament.history
    figures, names = snapshot.summary, snapshot.summary.labels
    columns = {id_: index for index, id_ in enumerate(history.entrants)}
    bot = query.get("bot")
    chosen = [id_ for id_ in history.entrants if bot in {id_, get_name(id_)}]
    visible = {*chosen, *(row.entry.id for row in figures.present)}
    ranking = [figures.ratings.entrants[index] for index, _ in figures.rank_indices()]
    ids = [id_ for id_ in ranking if id_ in columns and id_ in visible]
    some_ids = {*ids[:MAX_CURVES], *chosen}
    who = [(columns[id_], id_, names[id_]) for id_ in ids if id_ in some_ids]
    count = len(history.deals)
    some = sorted(
        {round((step + 1) * count / MAX_COLUMNS) - 1 for step in range(MAX_COLUMNS)} - {-1}
    )
    table = [
        (label, id_, [_format_rating(float(history.rating[row, index])) for row in some])
        for index, id_, label in who
    ]
    return {
        **build_heading(snapshot),
        "chart": build_chart(history, who, chosen) if who else None,
        "chosen": bot if chosen else "",
        "chosen_ids": chosen,
        "chosen_label": figures.label_bot(bot),
        "who": who,
        "left_out": len(ids) - len(who),
        "deals": [int(history.deals[row]) for row in some],
        "table": table,
        "level": f"{100 * figures.level:g}",
    }


def _format_rating(value: float) -> str:
    return f"{value:z.0f}" if value == value else ""  # noqa: PLR0124  # nan is not itself


def list_selectable(summary: Summary, chosen: Sequence[str] = ()) -> dict[str, str]:
    """Return the labels of the bots that a form offers, by name: the best, and who is chosen."""
    names = [*dict.fromkeys(standing.entry.name for standing in summary.standings)]
    some = dict.fromkeys([*sorted(names[:MAX_SELECTABLE]), *filter(None, chosen)])
    return {name: summary.label_bot(name) for name in some}


def build_heading(snapshot: TournamentSnapshot) -> dict[str, Any]:
    """Return the values that all pages of a tournament show."""
    return {
        "game": snapshot.summary.game,
        "stored": snapshot.stored,
        "planned": snapshot.planned,
        "counted": snapshot.summary.matches,
        "measure": snapshot.summary.ratings.measure,
        "over": snapshot.over,
        **build_times(snapshot),
    }


def build_times(snapshot: TournamentSnapshot | None) -> dict[str, str | None]:
    """Return the times at which a tournament's first and last match ended, in ISO 8601."""
    start, last_match = (snapshot and snapshot.span) or (None, None)
    return {"started": start, "last_match": last_match}


@frozen
class StandingsRow:
    """The row of an entrant in the standings."""

    place: str
    name: str
    id: str
    label: str
    rating: str
    rating_sort: str  # figures to sort by
    bar: IntervalBar | None
    mean_place: str
    mean_place_sort: str
    score: str
    score_sort: str
    matches: int
    verdicts: str
    failed: int
    state: str
    win_rate: str = ""  # matches in which it finished first, alone or with others, in per cent
    language: str = ""
    author: str = ""  # of a hill's bot, if it agreed to be shown
    many_games: bool = False  # whether its process plays match after match
    measure: str = "rating"  # the heading of `rating`


def build_rows(
    figures: Summary,
    authors: Mapping[str, str] = NO_AUTHORS,
    standings: Sequence[Standing] | None = None,
) -> list[StandingsRow]:
    """Return the rows of the standings, or of some of them, the best first.

    `authors` are by bot name.
    """
    span = find_span(figures.standings)
    names = figures.labels
    won = compute_win_rates(figures.results)
    return [
        evolve(
            _build_row(standing, names[standing.entry.id], span, find_count(figures.game)),
            author=authors.get(standing.entry.name, ""),
            language=find_language(standing.entry.bot, figures.game),
            win_rate=won.get(standing.entry.id, ""),
            many_games=standing.many_games,
            measure=standing.measure,
        )
        for standing in (figures.standings if standings is None else standings)
    ]


def compute_win_rates(results: Results) -> dict[str, str]:
    """Return the share of matches that each entrant won, alone or with others, in per cent."""
    has_player = results.seats >= 0
    count = np.bincount(results.seats[has_player], minlength=len(results.entrants))
    won = np.bincount(
        results.seats[has_player & (results.places == 1)], minlength=len(results.entrants)
    )
    return {
        id_: f"{100 * won[index] / count[index]:.0f}"
        for index, id_ in enumerate(results.entrants)
        if count[index]
    }


def describe_lead(figures: Summary) -> str:
    """Describe who leads, and with what certainty; "" for fewer than two entrants."""
    fit, names = figures.ratings, figures.labels
    active = {
        standing.entry.id for standing in figures.standings if standing.entry.state is State.ACTIVE
    }
    ranks = [place for place in figures.rank_indices() if fit.entrants[place[0]] in active]
    if not ranks[1:]:  # nobody is better than nobody
        return ""
    order = [index for index, _ in ranks]
    firsts = [names[fit.entrants[index]] for index, place in ranks if place == ranks[0][1]]
    surely = fit.compare(order[0]) >= fit.level
    near = [names[fit.entrants[index]] for index in order[len(firsts) :] if not surely[index]]
    best, steps = _join_names(firsts), [*pairwise(order)]
    gaps = [] if len(steps) > MAX_GAPS else steps
    decisions = sum(bool(fit.compare(better)[worse] >= fit.level) for better, worse in gaps)
    surety = f"{100 * fit.level:g} % confidence"
    lead, is_first = ("lead", "are first") if firsts[1:] else ("leads", "is first")
    if near:
        words = f"{best} {lead}, but {_join_names(near)} may be as good ({surety})."
    elif decisions == len(steps):
        return f"{best} {is_first}, and the whole order is decided ({surety})."
    else:
        words = f"{best} {is_first} ({surety})."
    if not gaps[1:]:
        return words
    verb = "is" if decisions == 1 else "are"
    return f"{words} {decisions} of the {len(steps)} gaps between neighbours {verb} decided."


def _join_names(names: Sequence[str]) -> str:
    """Join names into a phrase, shortened if there are many.

    >>> _join_names(["a"]), _join_names(["a", "b", "c"]), _join_names([*"abcdef"])
    ('a', 'a, b and c', 'a, b, c and 3 others')
    """
    more = len(names) - MAX_NAMES
    parts = [*names[:MAX_NAMES], f"{more} others"] if more > 1 else [*names]
    return " and ".join([", ".join(parts[:-1]), parts[-1]] if parts[1:] else parts)


def _build_row(
    standing: Standing, label: str, span: tuple[float, float], count: Count
) -> StandingsRow:
    state = "" if standing.entry.state is State.ACTIVE else str(standing.entry.state)
    return StandingsRow(
        str(standing.place) if standing.has_rating else "",
        standing.entry.name,
        standing.entry.id,
        label,
        format_estimate(standing.rating, 0),
        _format_sort_key(standing.rating),
        build_bar(standing.rating, span) if standing.is_on_scale else None,
        format_estimate(standing.mean_place, 2),
        _format_sort_key(standing.mean_place),
        format_estimate(_count_scores(standing.mean_score, count), 2),
        _format_sort_key(standing.mean_score),
        standing.matches,
        ", ".join(f"{count} {kind}" for kind, count in standing.verdicts.items()),
        sum(standing.verdicts.values()),
        state,
    )


def _count_scores(mean: Estimate, count: Count) -> Estimate:
    """Return the mean of what people count of scores."""
    low, high = sorted(map(count.of, (mean.low, mean.high)))
    return Estimate(count.of(mean.value), low, high)


def _format_sort_key(estimate: Estimate) -> str:
    return f"{estimate.value:.6f}" if isfinite(estimate.value) else ""
