"""The summary of a tournament: all that standings, tables and charts show, from one read."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property

from attrs import evolve, frozen

from arena.rules import UserError
from arena.tournament.anchor import Anchor
from arena.tournament.entries import Id, State
from arena.tournament.file import DEFAULT_LEVEL
from arena.tournament.format_protocol import FormatStanding
from arena.tournament.ratings import (
    HeadToHead,
    RatingModel,
    Ratings,
    compute_head_to_head,
    find_beating_cycle,
    list_connected_groups,
)
from arena.tournament.ratings.rating_input import Results
from arena.tournament.results.standings import Standing, build_standings, label_versions
from arena.tournament.results.stored_ratings import RatingBasis, StoredRatings
from arena.tournament.store import EntrantTotals, Store

CYCLE_ERROR_RATE = 0.05  # the probability that a reported cycle is due to chance


@frozen(eq=False)
class Summary:
    """The results, ratings and standings of a tournament."""

    game: str  #: the name of the game
    level: float  #: of the intervals, such as 0.95
    matches: int  #: without void ones
    rated_results: Results  #: the results behind the ratings
    model: RatingModel  #: the rating model
    ratings: Ratings  #: the ratings of all entrants
    head_to_head: HeadToHead  #: the results of each pair
    standings: Sequence[Standing]  #: the standings, best first
    has_opponents: bool  #: not in a cooperative game, which has no ratings
    #: the ranking of the format itself, if it has one
    format_ranking: Sequence[FormatStanding] = ()
    #: the entrant with a fixed rating; None: the mean is 0
    anchor: Anchor | None = None

    @classmethod
    def of(cls, store: Store, anchor: Anchor | None = None) -> Summary:
        """Compute the summary from all stored matches, with this anchor or that of the last run.

        Raises:
            UnknownNameError: where no entrant has the name of the anchor.
        """
        with store.begin_read():
            return cls._read(store, anchor)

    @classmethod
    def _read(cls, store: Store, anchor: Anchor | None) -> Summary:
        ratings = StoredRatings(store)
        results, totals = store.seats.load_results_and_totals()
        basis = ratings.select(results, totals, anchor)
        summary = cls.rate(store.settings.game, basis, totals, ratings.level)
        return evolve(summary, matches=len(results.deal), format_ranking=ratings.rank_by_format())

    @classmethod
    def rate(
        cls,
        game: str,
        basis: RatingBasis,
        totals: Mapping[Id, EntrantTotals],
        level: float = DEFAULT_LEVEL,
    ) -> Summary:
        """Rate results of any origin.

        Raises:
            UnknownNameError: where no entrant has the name of the anchor.
            UserError: where the model gives no ratings that could be relative to an anchor.
        """
        results, anchor = basis.results, basis.anchor
        if anchor and not basis.plain_model.needs_opponents:
            raise UserError(
                f"anchor: {anchor.name} cannot have a rating: {basis.model.name} rates no opponents"
            )
        fit = basis.fit(level)
        if basis.anchored_id and not fit.deals[fit.entrants.index(basis.anchored_id)]:
            anchor = None  # it has no matches that count, so nobody is relative to it
        return cls(
            game=game,
            level=fit.level,
            matches=len(results.deal),
            rated_results=basis.rated_results,
            model=basis.model,
            ratings=fit,
            head_to_head=compute_head_to_head(results),
            standings=build_standings(
                basis.entries, totals, results, fit, has_opponents=basis.has_opponents
            ),
            has_opponents=basis.has_opponents,
            anchor=anchor,
        )

    @cached_property
    def labels(self) -> Mapping[Id, str]:
        """What people call each entrant: its title or name, with a version if there are several."""
        return label_versions(self.standings)

    def find_versions(self, bot: str) -> list[Standing]:
        """Return the standings of a bot's versions, best first, by its name or `NAME@VERSION`."""
        return self._standings_by_bot.get(bot, [])

    def label_bot(self, bot: str) -> str:
        """Return the label of a bot that is named, or is `NAME@VERSION`: its title instead."""
        standings = self.find_versions(bot)
        if not standings:
            return bot
        return f"{standings[0].entry.label}{bot.removeprefix(standings[0].entry.name)}"

    def rank_indices(self) -> list[tuple[int, int]]:
        """Return the index and the place of each rated entrant, in the order of the standings."""
        index = {entrant: number for number, entrant in enumerate(self.ratings.entrants)}
        return [(index[row.entry.id], row.place) for row in self.standings if row.has_rating]

    @cached_property
    def _standings_by_bot(self) -> Mapping[str, list[Standing]]:
        """The standings of each bot's versions, best first, by its name and by `NAME@VERSION`."""
        by_bot = defaultdict[str, list[Standing]](list)
        for standing in self.standings:
            for word in {standing.entry.name, standing.entry.id}:
                by_bot[word].append(standing)
        return {**by_bot}

    @property
    def present(self) -> Sequence[Standing]:
        """The standings of those who have not left."""
        return [row for row in self.standings if not row.has_left]

    @property
    def origin(self) -> str:
        """What the ratings are relative to, such as `mean 0` or `random = 0`."""
        return str(self.anchor) if self.anchor else "mean 0"

    @property
    def unit(self) -> str:
        """The unit of the ratings, for charts."""
        if not self.has_opponents:
            return "games won, in %"
        return f"Elo points, {self.anchor}" if self.anchor else "Elo points above the mean"

    def describe_scale(self) -> str:
        """Return a sentence on the meaning of a difference of ratings, with the ties here."""
        if not self.has_opponents:
            return (
                "The game is cooperative: bots are ranked by the games that they won, and then by"
                " their scores."
            )
        level, matches = self.head_to_head.level.sum(), self.head_to_head.matches.sum()
        ties = f"; {100 * level / matches:.0f} % of all meetings here were ties" if matches else ""
        teams = (
            " A team is as strong as its members on average." if self.rated_results.teams else ""
        )
        return (
            "A bot rated 100 points higher gets 64 % of the points against the other"
            f" (200 points: 76 %, 400: 91 %). A tie is half a point for each{ties}.{teams}"
        ) + (f" Ratings and intervals are relative to {self.anchor}." if self.anchor else "")

    def list_remarks(self) -> Iterator[str]:
        """Yield remarks on facts that a ranking cannot show."""
        aside = [
            row for row in self.standings if row.entry.state is State.ASIDE and not row.has_rating
        ]
        for row in aside:
            many = "1 match" if row.matches == 1 else f"{row.matches} matches"
            yield f"{row.entry.label} was set aside after {many} and is not rated."
        groups = [group for group in list_connected_groups(self.rated_results) if len(group) > 1]
        if len(groups) > 1:
            text = " | ".join(", ".join(map(self.labels.__getitem__, group)) for group in groups)
            yield f"These groups never met, so ratings compare only within a group: {text}"
        pairs = max(1, len(self.head_to_head.entrants) * (len(self.head_to_head.entrants) - 1) // 2)
        confidence = 1 - CYCLE_ERROR_RATE / pairs  # among many pairs some differ by chance
        cycle = find_beating_cycle(self.head_to_head, confidence)
        if cycle:
            names = map(self.labels.__getitem__, (*cycle, cycle[0]))
            yield f"The order is not transitive: {' beats '.join(names)}."
