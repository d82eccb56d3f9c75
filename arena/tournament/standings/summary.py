"""The summary of a tournament, computed from one read of its store."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from attrs import frozen

from arena.tournament.models.records import State
from arena.tournament.models.result_columns import Results
from arena.tournament.models.schedule import Id, get_name
from arena.tournament.ratings import (
    HeadToHead,
    RatingModel,
    Ratings,
    compute_head_to_head,
    find_connectivity,
    find_dominance,
)
from arena.tournament.standings.compute import (
    Standing,
    build_standings,
    choose_model,
    compute_format_ranking,
    exclude_set_aside,
)
from arena.tournament.store import Store

DEFAULT_LEVEL = 0.95
CYCLE_ERROR_RATE = 0.05  # the probability that a reported cycle is due to chance


@frozen(eq=False)
class Summary:
    """The results, ratings and standings of a tournament."""

    game: str  #: the name of the game
    level: float  #: of the intervals, such as 0.95
    matches: int  #: without void ones
    results: Results  #: the results behind the ratings
    model: RatingModel  #: the rating model
    ratings: Ratings  #: the ratings of all entrants
    head_to_head: HeadToHead  #: the results of each pair
    standings: Sequence[Standing]  #: the standings, best first
    format_ranking: Sequence[
        tuple[Id, float | str]
    ]  #: the ranking of the format itself, if it has one

    @classmethod
    def of(cls, store: Store) -> Summary:
        """Compute the summary from all stored matches."""
        facts, results = store.get_fact("tournament"), store.load_results()
        level = store.get_fact("level") or DEFAULT_LEVEL  # not set yet if the run has just begun
        begun = store.get_fact("terms") is not None
        model = choose_model(facts["rating"], results.seats.shape[1])
        rated = exclude_set_aside(store, results)
        fit = model.fit(rated, level)
        return cls(
            facts["game"], fit.level, len(results.deal), rated, model, fit,
            compute_head_to_head(results), build_standings(store, results, fit),
            compute_format_ranking(store) if begun else [],
        )  # fmt: skip

    def list_remarks(self) -> Iterator[str]:
        """Yield remarks on facts that a ranking cannot show."""
        aside = [
            row for row in self.standings if row.entry.state is State.ASIDE and not row.has_rating
        ]
        for row in aside:
            many = "1 match" if row.matches == 1 else f"{row.matches} matches"
            yield f"{row.entry.name} was set aside after {many} and is not rated."
        groups = [group for group in find_connectivity(self.results).groups if len(group) > 1]
        if len(groups) > 1:
            listed = " | ".join(", ".join(map(get_name, group)) for group in groups)
            yield f"These groups never met, so ratings compare only within a group: {listed}"
        pairs = max(1, len(self.head_to_head.entrants) * (len(self.head_to_head.entrants) - 1) // 2)
        cycle = find_dominance(
            self.head_to_head, 1 - CYCLE_ERROR_RATE / pairs
        ).cycle  # among many pairs some differ by chance
        if cycle:
            names = map(get_name, (*cycle, cycle[0]))
            yield f"The order is not transitive: {' beats '.join(names)}."
