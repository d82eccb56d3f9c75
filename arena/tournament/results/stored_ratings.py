"""The ratings of a stored tournament: its model, its anchor, and the results that count."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np
from attrs import Factory, evolve, frozen
from numpy.typing import NDArray

from arena.plugins import build_named, get_plugins
from arena.rules import UnknownNameError
from arena.tournament.anchor import Anchor
from arena.tournament.entries import Entry, Id, State
from arena.tournament.file import DEFAULT_LEVEL
from arena.tournament.format_protocol import Format, FormatStanding, RankedFormat
from arena.tournament.formats.evenness import Evenness, compute_evenness
from arena.tournament.ratings import (
    AnchoredModel,
    RatingModel,
    Ratings,
    compute_mean_scores,
    is_ranking_certain,
)
from arena.tournament.ratings.rating_input import Results
from arena.tournament.results.departed import choose_entrants, find_departed, select_counted_results
from arena.tournament.results.standings import rank_rated
from arena.tournament.store import EntrantTotals, Store, StoredSettings

MIN_FAIR_MATCHES = 10
"""The number of matches without a verdict that an excluded entrant needs for a rating.

Its other matches show its failures and not its play: it lost them against anybody, so a fit puts it
a thousand points away, shifts the mean, and widens all intervals. From about ten matches on,
intervals reach their nominal coverage (see `ratings/bradley_terry.py`); with fewer, a rating has no
meaning.
"""

DEFAULT_MODEL = "bradley-terry"
COOPERATIVE_MODEL = "games-won"
"""The model of a tournament of a cooperative game, instead of the default."""


@frozen(eq=False)
class RatingBasis:
    """What ratings are computed from."""

    entries: Sequence[Entry]  #: all entrants but archived ones
    results: Results  #: of the entrants that count, for means and for pairs
    plain_model: RatingModel  #: without an anchor
    anchor: Anchor | None = None  #: the entrant with a fixed rating
    has_opponents: bool = True  #: not in a cooperative game
    #: the results that count for ratings as well
    rated_results: Results = Factory(lambda self: self.results, takes_self=True)

    @property
    def anchored_id(self) -> Id | None:
        """The version that the anchor stands for; UnknownNameError if it has not entered."""
        return find_anchor(self.entries, self.anchor) if self.anchor else None

    @property
    def model(self) -> RatingModel:
        """The model, whose ratings are relative to the anchor, if there is one."""
        if self.anchor is None or self.anchored_id is None:
            return self.plain_model
        return AnchoredModel(self.plain_model, self.anchored_id, self.anchor.rating)

    def fit(self, level: float) -> Ratings:
        """Fit the ratings; raise UserError for an impossible level."""
        return self.model.fit(self.rated_results, level)


@frozen
class StoredRatings:
    """How a tournament rates its entrants, by what its database says."""

    store: Store

    @property
    def level(self) -> float:
        """The level of the last run, or the default if it has just begun and set none yet."""
        return self.store.facts.level or DEFAULT_LEVEL

    @property
    def model(self) -> RatingModel:
        """The rating model that the tournament's settings name, or the usual one."""
        return choose_model(self.store.settings)

    @property
    def format(self) -> Format:
        """The format of the tournament."""
        return build_named("format", self.store.settings.format, get_plugins().formats)

    def load_anchor(self, entries: Iterable[Entry]) -> Anchor | None:
        """Return the anchor of the last run; None without one, or if it has not entered."""
        text = self.store.facts.anchor
        if text is None:
            return None
        anchor = Anchor.parse(text)
        name = self.store.entrant_directory.mask_name(anchor.name)
        is_here = name in {entry.name for entry in entries}
        return Anchor(name, anchor.rating) if is_here else None

    def exclude_set_aside(
        self, results: Results, totals: Mapping[Id, EntrantTotals] | None = None
    ) -> Results:
        """Return the results without entrants that were set aside after a few matches.

        Their seats become empty, so the results of the others at the same table still count. Totals
        that are not given are counted where they are needed.
        """
        aside = [entry.id for entry in self.store.entries.list_all() if entry.state is State.ASIDE]
        if not aside:
            return results
        totals = totals or self.store.seats.count_totals()
        few = [
            entrant
            for entrant in aside
            if totals[entrant].fair_matches < MIN_FAIR_MATCHES and entrant in results.entrants
        ]
        if not few:
            return results
        return clear_seats(results, np.isin(results.seats, [*map(results.entrants.index, few)]))

    def select(
        self,
        results: Results,
        totals: Mapping[Id, EntrantTotals] | None = None,
        anchor: Anchor | None = None,
    ) -> RatingBasis:
        """Return what ratings are computed from, of all results; call this in one transaction.

        Args:
            results: of all entrants.
            totals: likewise; None: they are counted where they are needed.
            anchor: None: that of the last run.

        Raises:
            UnknownNameError: where no entrant has the name of the anchor.
        """
        everybody = self.store.entries.list_all()
        entries = [entry for entry in everybody if entry.state is not State.ARCHIVED]
        anchor = anchor or self.load_anchor(entries)
        counted = select_rated_results(results, everybody, anchor)
        rated_results = self.exclude_set_aside(counted, totals)
        return RatingBasis(
            entries, counted, self.model, anchor,
            has_opponents=not self.store.settings.is_cooperative, rated_results=rated_results,
        )  # fmt: skip

    def rank(self) -> list[Id]:
        """Return all entrants but archived ones, in the order of the standings."""
        with self.store.begin_read():
            basis = self.select(self.store.seats.load_results())
            fit = basis.fit(self.level)
        scores = None if basis.has_opponents else compute_mean_scores(basis.results, fit.level).mean
        rated = [entrant for _, entrant in rank_rated(fit, find_departed(basis.entries), scores)]
        ids = {*rated}
        return rated + [entry.id for entry in basis.entries if entry.id not in ids]

    def is_order_certain(self) -> bool:
        """Return whether the order of the active entrants is certain, at the level."""
        results = self.exclude_set_aside(self.store.seats.load_results(self._list_active()))
        fit = self.model.fit(results, self.level)  # an anchor changes no order
        has_deals = len(fit.deals) > 1 and bool((fit.deals > 1).all())
        return has_deals and is_ranking_certain(fit, fit.level)

    def rank_by_format(self) -> list[FormatStanding]:
        """Return the format's own ranking, if it has one and a run has begun."""
        form, terms = self.format, self.store.facts.terms
        if terms is None or not isinstance(form, RankedFormat):
            return []
        past = self.store.deals.load_past(results=True)
        return form.ranking(self._list_active(), past, terms)

    def measure_evenness(self) -> Evenness:
        """Return the evenness of the active entrants' seating."""
        return compute_evenness(self.store.deals.load_past(), self._list_active())

    def _list_active(self) -> list[Id]:
        return [entry.id for entry in self.store.entries.list_active()]

    def find_uncounted_entrants(self) -> list[Id]:
        """Return the versions that have left and count no more, in the order of entry."""
        with self.store.begin_read():
            entries = self.store.entries.list_all()
            anchor, results = self.load_anchor(entries), self.store.seats.load_results()
        ids = {*select_rated_results(results, entries, anchor).entrants}
        return [
            entry.id
            for entry in entries
            if entry.id not in ids and entry.state is not State.ARCHIVED
        ]


def choose_model(settings: StoredSettings) -> RatingModel:
    """Return the rating model that a tournament's settings name, or the usual one."""
    if settings.rating is None:
        return build_usual_model(cooperative=settings.is_cooperative)
    return _build_model(settings.rating)


def build_usual_model(*, cooperative: bool) -> RatingModel:
    """Return the rating model for cooperative games, or for other games."""
    return _build_model(COOPERATIVE_MODEL if cooperative else DEFAULT_MODEL)


def _build_model(name: str) -> RatingModel:
    return build_named("rating", name, get_plugins().ratings)


def find_anchor(entries: Iterable[Entry], anchor: Anchor) -> Id:
    """Return the version that an anchor stands for: the one that plays, or else the last one.

    Raises:
        UnknownNameError: where there is no such entrant.
    """
    entries = [*entries]
    versions = [entry for entry in entries if entry.name == anchor.name]
    if not versions:
        raise UnknownNameError("entrant", anchor.name, sorted({entry.name for entry in entries}))
    return ([entry for entry in versions if entry.state.is_current] or versions)[-1].id


def clear_seats(results: Results, seats: NDArray[np.bool_]) -> Results:
    """Return the results with these seats (matches, table) empty."""
    return evolve(
        results,
        seats=np.where(seats, -1, results.seats),
        places=np.where(seats, 0, results.places),
        scores=np.where(seats, np.nan, results.scores),
    )


def select_rated_results(
    results: Results, entries: Sequence[Entry], anchor: Anchor | None
) -> Results:
    """Return the results that count, of entrants that are not archived.

    Those of an anchor do, since all are relative to it.
    """
    departed = {*find_departed(entries)}
    if anchor:
        departed.discard(find_anchor(entries, anchor))
    mask = np.array([entry.state is not State.ARCHIVED for entry in entries], bool)
    return select_counted_results(choose_entrants(results, mask), departed)
