"""The page of a tournament's rating history: curves of the best, and their figures in a table."""

from __future__ import annotations

from collections.abc import Sequence

from attrs import frozen

from arena.tournament.entries import get_name
from arena_web.pages.page_query import PageQuery
from arena_web.pages.rating_chart import ChartEntrant, RatingChart, build_chart
from arena_web.pages.source_page import TournamentPageValues
from arena_web.pages.tournament_heading import build_heading
from arena_web.tournaments.views import TournamentView

MAX_CURVES = 200  # on the page of the history: the best, and who is chosen
MAX_COLUMNS = 8  # of the table below the curves


@frozen(kw_only=True)
class RatingHistoryPage(TournamentPageValues):
    """The values of the page of the rating history."""

    template = "curves.html"

    chart: RatingChart | None
    chosen: str  #: the bot whose interval is shown, as the address names it; or empty
    chosen_ids: Sequence[str]  #: its versions
    chosen_label: str
    entrants: Sequence[ChartEntrant]  #: that have a curve
    left_out: int  #: bots without a curve
    deals: Sequence[int]  #: so many deals are behind each column of the table
    table: Sequence[tuple[str, str, Sequence[str]]]  #: the label, the id and the ratings of each
    level: str  #: of the confidence intervals, in per cent


async def show_rating_history(tournament: TournamentView, query: PageQuery) -> RatingHistoryPage:
    """Return the values of the page of the rating history."""
    snapshot, history = tournament.snapshot, tournament.history
    summary, labels = snapshot.summary, snapshot.summary.labels
    columns = {id_: index for index, id_ in enumerate(history.entrants)}
    bot = query.get("bot")
    chosen = [id_ for id_ in history.entrants if bot in {id_, get_name(id_)}]
    visible = {*chosen, *(row.entry.id for row in summary.present)}
    ranking = [summary.ratings.entrants[index] for index, _ in summary.rank_indices()]
    ids = [id_ for id_ in ranking if id_ in columns and id_ in visible]
    some_ids = {*ids[:MAX_CURVES], *chosen}
    entrants = [ChartEntrant(columns[id_], id_, labels[id_]) for id_ in ids if id_ in some_ids]
    count = len(history.deals)
    some = sorted(
        {round((step + 1) * count / MAX_COLUMNS) - 1 for step in range(MAX_COLUMNS)} - {-1}
    )
    table = [
        (
            entrant.label,
            entrant.id,
            [_format_rating(float(history.rating[row, entrant.column])) for row in some],
        )
        for entrant in entrants
    ]
    return RatingHistoryPage(
        heading=build_heading(snapshot),
        chart=build_chart(history, entrants, chosen) if entrants else None,
        chosen=bot if chosen else "",
        chosen_ids=chosen,
        chosen_label=summary.label_bot(bot),
        entrants=entrants,
        left_out=len(ids) - len(entrants),
        deals=[int(history.deals[row]) for row in some],
        table=table,
        level=f"{100 * summary.level:g}",
    )


def _format_rating(value: float) -> str:
    return f"{value:z.0f}" if value == value else ""  # noqa: PLR0124  # nan is not itself
