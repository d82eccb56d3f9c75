"""The rows of the standings, as templates show and sort them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import isfinite
from types import MappingProxyType

import numpy as np
from attrs import frozen

from arena import Count
from arena.tournament import Estimate, Standing, State, Summary
from arena.tournament.ratings.rating_input import Results
from arena.tournament.results.standings_tables import find_span, format_estimate
from arena_web.bot_languages import find_language
from arena_web.pages.interval_bars import IntervalBar, build_bar
from arena_web.texts import find_count

NO_AUTHORS: Mapping[str, str] = MappingProxyType({})


@frozen(kw_only=True)
class StandingsRow:
    """The row of an entrant in the standings."""

    place: str
    name: str
    id: str
    label: str
    rating: str
    rating_sort: str  #: figures to sort by
    bar: IntervalBar | None
    mean_place: str
    mean_place_sort: str
    score: str
    score_sort: str
    matches: int
    verdicts: str
    failed: int
    state: str
    win_rate: str = ""  #: matches in which it finished first, alone or with others, in per cent
    language: str = ""
    author: str = ""  #: of a hill's bot, if it agreed to be shown
    many_games: bool = False  #: whether its process plays match after match
    measure: str = "rating"  #: the heading of `rating`


def build_rows(
    summary: Summary,
    authors: Mapping[str, str] = NO_AUTHORS,
    standings: Sequence[Standing] | None = None,
) -> list[StandingsRow]:
    """Return the rows of the standings, or of some of them, the best first.

    `authors` are by bot name.
    """
    build = _RowBuilder(
        summary.game, summary.labels, authors, compute_win_rates(summary.rated_results),
        find_span(summary.standings), find_count(summary.game),
    ).build  # fmt: skip
    return [*map(build, summary.standings if standings is None else standings)]


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


@frozen
class _RowBuilder:
    """What the rows of a tournament's standings need besides the standings."""

    game: str
    labels: Mapping[str, str]  # of the entrants, by id
    authors: Mapping[str, str]  # by the names of their bots
    win_rates: Mapping[str, str]  # by id
    span: tuple[float, float]  # of all ratings
    count: Count  # of the game's scores

    def build(self, standing: Standing) -> StandingsRow:
        entry, verdicts = standing.entry, standing.verdicts
        return StandingsRow(
            place=str(standing.place) if standing.has_rating else "",
            name=entry.name,
            id=entry.id,
            label=self.labels[entry.id],
            rating=format_estimate(standing.rating, 0),
            rating_sort=_format_sort_key(standing.rating),
            bar=build_bar(standing.rating, self.span) if standing.is_on_scale else None,
            mean_place=format_estimate(standing.mean_place, 2),
            mean_place_sort=_format_sort_key(standing.mean_place),
            score=format_estimate(_count_scores(standing.mean_score, self.count), 2),
            score_sort=_format_sort_key(standing.mean_score),
            matches=standing.matches,
            verdicts=", ".join(f"{count} {kind}" for kind, count in verdicts.items()),
            failed=sum(verdicts.values()),
            state="" if entry.state is State.ACTIVE else str(entry.state),
            win_rate=self.win_rates.get(entry.id, ""),
            language=find_language(entry.bot, self.game),
            author=self.authors.get(entry.name, ""),
            many_games=standing.many_games,
            measure=standing.measure,
        )


def _count_scores(mean: Estimate, count: Count) -> Estimate:
    """Return the mean of what people count of scores."""
    low, high = sorted(map(count.of, (mean.low, mean.high)))
    return Estimate(count.of(mean.value), low, high)


def _format_sort_key(estimate: Estimate) -> str:
    return f"{estimate.value:.6f}" if isfinite(estimate.value) else ""
