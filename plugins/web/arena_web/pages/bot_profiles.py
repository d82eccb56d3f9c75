"""The profile of some versions of a bot: what is stored of them, and figures that sum it up."""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite

import numpy as np
from attrs import frozen

from arena.tournament import RatingHistory, Standing, Summary
from arena.tournament.places import ROUNDING
from arena.tournament.store import Store
from arena_web.http.refusals import NotFoundError
from arena_web.pages.standings_rows import StandingsRow, build_rows
from arena_web.tournaments.playing_styles import BotStyle
from arena_web.tournaments.views import TournamentView


@frozen
class BotFacts:
    """What the store says of some versions of a bot."""

    seconds: dict[str, float]  #: used in a match, by version
    debuts: dict[str, str]  #: when the first match was over, by version
    limit: float | None  #: seconds for an answer; None: a bank is all there is
    style: BotStyle


def require_versions(summary: Summary, bot: str) -> list[Standing]:
    """Return the standings of a bot's versions, those that play first; raise 404 for nobody."""
    mine = summary.find_versions(bot)
    if not mine:
        raise NotFoundError
    return mine


@frozen
class BotProfile:
    """Some versions of a bot, with all that their page sums up."""

    summary: Summary
    history: RatingHistory
    standings: Sequence[Standing]  #: of the versions, those that play first
    rows: Sequence[StandingsRow]  #: the same, as people read them
    facts: BotFacts

    @classmethod
    def load(
        cls, tournament: TournamentView, store: Store, standings: Sequence[Standing]
    ) -> BotProfile:
        """Return the profile of the versions with these standings."""
        summary, ids = tournament.summary, [standing.entry.id for standing in standings]
        rows = build_rows(summary, tournament.snapshot.authors, standings)
        debuts = {entrant: store.progress.find_debut(entrant) for entrant in ids}
        limits = store.settings.time
        facts = BotFacts(
            {standing.entry.id: standing.seconds for standing in standings},
            {entrant: when for entrant, when in debuts.items() if when},
            limits.move if limits and limits.bank is None else None,
            tournament.styles.load(store, ids),
        )
        return cls(summary, tournament.history, standings, rows, facts)

    @property
    def ids(self) -> list[str]:
        """The ids of the versions."""
        return [standing.entry.id for standing in self.standings]

    def list_figures(self) -> list[tuple[str, str]]:
        """Return the figures that sum up the bot: what each is, and its words."""
        pairs = zip(self.rows, self.standings, strict=True)
        ranks = [(row, standing) for row, standing in pairs if row.place]
        figures = [("Matches", f"{sum(standing.matches for standing in self.standings):,}")]
        best = self._find_best_rank()
        if ranks:
            many = sum(standing.has_rating for standing in self.summary.standings)
            figures += [
                ("Rank", f"{ranks[0][0].place} of {many}"),
                (ranks[0][1].measure.capitalize(), ranks[0][0].rating),
            ]
            now = int(ranks[0][0].place), len(np.unique(self.summary.rated_results.deal))
            best = now if best is None or now[0] < best[0] else best  # the history may be older
        if best:
            deals = f"{best[1]:,} deal{'' if best[1] == 1 else 's'}"
            figures.append(("Best rank", f"{best[0]} (after {deals})"))
        win_share = self._compute_win_share()
        if win_share is not None and self.summary.has_opponents:
            figures.append(("Matches won", f"{100 * win_share:.0f} %"))
        return [*figures, *self._describe_time()]

    def _find_best_rank(self) -> tuple[int, int] | None:
        """Return the best rank in the history, and after how many deals the bot had it."""
        columns = [index for index, id_ in enumerate(self.history.entrants) if id_ in self.ids]
        best: tuple[int, int] | None = None
        for deals, ratings in zip(self.history.deals, self.history.rating, strict=True):
            own = ratings[columns][np.isfinite(ratings[columns])]
            if own.size:
                rank = 1 + int((ratings > own.max() + ROUNDING).sum())
                if best is None or rank < best[0]:
                    best = rank, int(deals)
        return best

    def _compute_win_share(self) -> float | None:
        """Return the share of matches that the bot won, alone or with others."""
        results, ids = self.summary.rated_results, self.ids
        numbers = [number for number, id_ in enumerate(results.entrants) if id_ in ids]
        own = np.isin(results.seats, numbers)
        return float((results.places[own] == 1).mean()) if own.any() else None

    def _describe_time(self) -> list[tuple[str, str]]:
        limit = self.facts.limit
        for entry in self.facts.style.entries:
            if entry.statistic.key == "seconds" and isfinite(entry.points[0].value):
                words = entry.points[0].format("s")
                return [("Time for an answer", f"{words} of {limit:g} s" if limit else words)]
        return []
