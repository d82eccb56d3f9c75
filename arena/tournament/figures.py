"""All that the results of a tournament come to, computed at once from one look at its store."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from attrs import frozen

from arena.tournament.plan import Id, name_of
from arena.tournament.ratings import (
    HeadToHead,
    RatingModel,
    Ratings,
    connectivity,
    dominance,
    head_to_head,
)
from arena.tournament.records import State
from arena.tournament.results import Results
from arena.tournament.standings import Standing, fair, model_for, own_ranking, ranked
from arena.tournament.store import Store

LEVEL = 0.95
DOUBT = 0.05  # that a cycle which is named is none


@frozen(eq=False)
class Figures:
    """What is known of a tournament."""

    game: str  #: what is played
    level: float  #: of the intervals, such as 0.95
    matches: int  #: that count
    results: Results  #: that the ratings are fitted to
    model: RatingModel  #: by which they are
    fit: Ratings  #: everybody's rating
    met: HeadToHead  #: who finished ahead of whom
    found: Sequence[Standing]  #: the best first
    own: Sequence[tuple[Id, float | str]]  #: the ranking of the format itself, if it has one

    @classmethod
    def of(cls, store: Store) -> Figures:
        """Compute them from all matches that are stored."""
        facts, results = store.fact("tournament"), store.results()
        level = store.fact("level") or LEVEL  # a run that has just begun has not said it yet
        begun = store.fact("terms") is not None
        model = model_for(facts["rating"], results.seats.shape[1])
        rated = fair(store, results)
        fit = model.fit(rated, level)
        return cls(
            facts["game"], fit.level, len(results.deal), rated, model, fit, head_to_head(results),
            ranked(store, results, fit), own_ranking(store) if begun else [],
        )  # fmt: skip

    def remarks(self) -> Iterator[str]:
        """Say what a ranking cannot show."""
        aside = [one for one in self.found if one.entry.state is State.ASIDE and not one.rated]
        for one in aside:
            many = "1 match" if one.matches == 1 else f"{one.matches} matches"
            yield f"{one.entry.name} was set aside after {many}, and is left out of the ratings."
        groups = [group for group in connectivity(self.results).groups if len(group) > 1]
        if len(groups) > 1:
            listed = " | ".join(", ".join(map(name_of, group)) for group in groups)
            yield f"These never met; ratings compare only within a group: {listed}"
        pairs = max(1, len(self.met.entrants) * (len(self.met.entrants) - 1) // 2)
        cycle = dominance(self.met, 1 - DOUBT / pairs).cycle  # among many some differ by chance
        if cycle:
            names = map(name_of, (*cycle, cycle[0]))
            yield f"The order is not transitive: {' beats '.join(names)}."
