"""News of a tournament: who leads since when, arrivals, departures, records.

All of it is about results, which are public at once.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from functools import cached_property
from math import isfinite

import numpy as np
from attrs import define, evolve, frozen

from arena.rules import get_player_name
from arena.tournament import RatingHistory, State, Summary
from arena.tournament.deals import Key
from arena.tournament.entries import get_name
from arena.tournament.ratings.rating_input import Ints
from arena.tournament.store import MatchFilter, Store

MAX_NEWS = 5  # arrivals and departures that are shown
MAX_INTERVAL = 400  # rating points: a rating that is less certain makes nobody an underdog
MAX_LEADERS = 20  # changes of the lead that are told in a feed
GONE = {
    State.REPLACED: "was replaced by a newer version",
    State.WITHDRAWN: "was withdrawn",
    State.ASIDE: "was set aside",
    State.UNFIT: "did not pass its check",
    State.WAITING: "fell off the hill",
}


@frozen
class NewsItem:
    """One thing that happened, in a sentence."""

    kind: str  #: leader, arrival, departure, record or end
    key: str  #: another one for each thing of its kind that one bot did
    sentence: str  #: what happened, with a `{}` for each of the names
    when: str  #: ISO 8601, UTC
    names: Sequence[str] = ()  #: what people call the bots, in the order of the sentence
    title: str = ""  #: of a record, such as "Longest game"
    match: str = ""  #: the key of the match, if it is one
    bot: str = ""  #: the id of the entrant, if it is one

    @property
    def text(self) -> str:
        """The sentence with the names."""
        return self.sentence.format(*self.names)


@frozen
class TournamentNews:
    """What is worth telling about a tournament."""

    leader: NewsItem | None = None  #: who leads, and since when
    leaders: Sequence[NewsItem] = ()  #: all changes of the lead, the newest first
    arrivals: Sequence[NewsItem] = ()  #: the newest first
    departures: Sequence[NewsItem] = ()  #: the newest first
    records: Sequence[NewsItem] = ()

    def name_bots(self, summary: Summary) -> TournamentNews:
        """Return the news with what people call the bots now, as a summary says."""
        labels = {row.entry.name: row.entry.label for row in summary.standings}

        def label_name(name: str) -> str:
            player = get_player_name(name)
            return labels.get(player, player) + name.removeprefix(player)

        def name_bot(item: NewsItem) -> NewsItem:
            return evolve(item, names=tuple(map(label_name, item.names)))

        kinds = [
            [*map(name_bot, items)]
            for items in (self.leaders, self.arrivals, self.departures, self.records)
        ]
        return TournamentNews(self.leader and name_bot(self.leader), *kinds)

    def list_news(self) -> list[NewsItem]:
        """Return everything for a feed, the newest first; without times that cannot be read."""
        news = [*self.leaders[:MAX_LEADERS], *self.arrivals, *self.departures, *self.records]
        items = [item for item in news if parse_time(item.when)]
        return sorted(items, key=lambda item: item.when, reverse=True)


def parse_time(text: str) -> datetime | None:
    """Return a stored time, or None if it is none."""
    try:
        at = datetime.fromisoformat(text)
    except ValueError:
        return None
    return at if at.tzinfo else None


@define(eq=False, slots=False)
class NewsFinder:
    """Finds the news of a tournament in its results, its rating history and its store."""

    store: Store
    summary: Summary
    history: RatingHistory

    def find(self) -> TournamentNews:
        """Return all news."""
        leaders = self._list_leaders()
        records = (self._find_longest(), self._find_closest(), self._find_upset())
        return TournamentNews(
            leaders[0] if leaders else None,
            leaders,
            self._list_arrivals(),
            self._list_departures(),
            [record for record in records if record],
        )

    def _list_leaders(self) -> list[NewsItem]:
        """Return each change of the lead in the rating history, the newest first."""
        rating, ids = self.history.rating, self.summary.ratings.entrants
        deals, leaders, last = np.unique(self.summary.rated_results.deal), [], -1
        active = {
            standing.entry.id
            for standing in self.summary.standings
            if standing.entry.state is State.ACTIVE
        }
        playing = np.array([id_ in active for id_ in ids], dtype=bool)
        for size, row in zip(self.history.deals, rating, strict=True):
            ratings = np.where(np.isfinite(row) & playing, row, -np.inf)
            best = int(ratings.argmax()) if ratings.size else -1
            if best >= 0 and isfinite(ratings[best]) and best != last:
                last, deal = best, int(deals[size - 1])
                leaders.append(
                    NewsItem(
                        "leader",
                        str(deal),
                        "{} took the lead.",
                        self._find_time(deal),
                        [get_name(ids[best])],
                        bot=ids[best],
                    )
                )
        return leaders[::-1]

    def _list_arrivals(self) -> list[NewsItem]:
        """Return the entrants that came after the start, the newest first."""
        first = self.store.facts.first_entrants or 0
        late = [
            id_ for id_, number in self.store.entrant_directory.numbers.items() if number > first
        ]
        arrivals = list[NewsItem]()
        for id_ in late[::-1][:MAX_NEWS]:
            if when := self.store.progress.find_debut(id_):
                arrivals.append(
                    NewsItem("arrival", "", "{} entered.", when, [get_name(id_)], bot=id_)
                )
        return arrivals

    def _list_departures(self) -> list[NewsItem]:
        """Return the entrants that left, the latest first, with the time of their last match."""
        departures = list[NewsItem]()
        for entry in self.store.entries.list_all():
            if entry.state in GONE and (when := self._find_last_time(entry.id)):
                text = f"{{}} {GONE[entry.state]}."
                departures.append(NewsItem("departure", "", text, when, [entry.name], bot=entry.id))
        return sorted(departures, key=lambda item: item.when, reverse=True)[:MAX_NEWS]

    def _find_last_time(self, entrant: str) -> str:
        newest = self.store.matches.find_matches(MatchFilter(bot=entrant, limit=1, newest=True))
        return next((match.when for match in newest), "")

    def _find_longest(self) -> NewsItem | None:
        """Return the longest match, unless all are as long."""
        longest = self.store.progress.find_longest()
        if longest is None:
            return None
        (deal, rotation), rounds = longest
        achievement = f": {rounds:,} rounds"
        return self._build_record("Longest game", achievement, deal, rotation)

    def _find_closest(self) -> NewsItem | None:
        """Return the latest of the matches that were won by the smallest margin."""
        results = self.summary.rated_results
        columns = [team[0] for team in results.teams or ()] or [*range(results.scores.shape[1])]
        if not len(results.deal) or not columns[1:]:  # no matches, or nobody to be ahead of
            return None
        own = results.scores[:, columns]
        scores = np.sort(np.where(np.isnan(own), -np.inf, own), axis=1)
        with np.errstate(invalid="ignore"):
            margins = scores[:, -1] - scores[:, -2]
        margins[~np.isfinite(margins) | (margins <= 0)] = np.inf
        if not isfinite(margins.min()):
            return None
        at = int(np.flatnonzero(margins == margins.min())[-1])
        best, second = scores[at, -1], scores[at, -2]
        deal, rotation = self._find_key(at)
        achievement = f": {best:g} to {second:g}"
        return self._build_record("Closest finish", achievement, deal, rotation)

    def _find_upset(self) -> NewsItem | None:
        """Return the match whose winner was rated furthest below another player before it."""
        results, deals = self.summary.rated_results, self._deal_numbers
        if not len(results.deal) or len(self.history.deals) <= 1:
            return None
        before = np.searchsorted(self.history.deals, np.searchsorted(deals, results.deal)) - 1
        before = np.where(before >= 0, before, 0)
        at = before[:, None], np.maximum(results.seats, 0)
        width = self.history.high[at] - self.history.low[at]
        is_certain = (results.seats >= 0) & (width <= MAX_INTERVAL)
        rating = np.where(is_certain, self.history.rating[at], np.nan)
        early = np.searchsorted(deals, results.deal) < self.history.deals[0]
        won = (results.places == 1) & (results.seats >= 0)
        winner = np.where(won & np.isfinite(rating), rating, -np.inf).max(axis=1)
        best = np.where(~won & np.isfinite(rating), rating, -np.inf).max(axis=1)
        with np.errstate(invalid="ignore"):
            gap = best - winner
        gap[early | ~np.isfinite(gap) | (won.sum(axis=1) != 1)] = -np.inf
        row = int(gap.argmax())
        if not isfinite(gap[row]) or gap[row] <= 0:
            return None
        deal, rotation = self._find_key(row)
        winner_name = get_name(results.entrants[int(results.seats[row][won[row]][0])])
        achievement = f" won as the underdog by {gap[row]:.0f} rating points"
        return self._build_record("Biggest upset", achievement, deal, rotation, [winner_name])

    def _find_key(self, at: int) -> Key:
        """Return the key of a result: its deal, and the rotation that seats were in."""
        results, deal = self.summary.rated_results, int(self.summary.rated_results.deal[at])
        seats = tuple(results.entrants[index] for index in results.seats[at] if index >= 0)
        return deal, self.store.matches.find_rotation(deal, seats)

    @cached_property
    def _deal_numbers(self) -> Ints:
        return np.unique(self.summary.rated_results.deal)

    def _build_record(
        self, title: str, achievement: str, deal: int, rotation: int, names: Sequence[str] = ()
    ) -> NewsItem:
        """Return the news of a record that these players of a match set, or all of them."""
        match = self.store.matches.find_match(deal, rotation)
        names = names or [seat.name for seat in match.seats]
        sentence = ", ".join(["{}"] * len(names)) + achievement
        return NewsItem(
            "record", f"{title} {match.match}", sentence, match.when, names, title,
            match=match.match,
        )  # fmt: skip

    def _find_time(self, deal: int) -> str:
        return self.store.progress.find_deal_time(deal) or ""
