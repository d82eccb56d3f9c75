"""The ratings of a stored tournament: its model, its anchor, and the results that count."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np
from attrs import evolve
from numpy.typing import NDArray

from arena.plugins import build_named, get_plugins
from arena.rules import UnknownNameError
from arena.tournament.anchor import Anchor
from arena.tournament.departed import choose_entrants, find_departed, select_counted
from arena.tournament.entries import Entry, Id, State
from arena.tournament.format_protocol import Format, FormatStanding, RankedFormat
from arena.tournament.formats.seating import Evenness, compute_evenness
from arena.tournament.rating_input import Results
from arena.tournament.ratings import RatingModel, Ratings, is_ranking_certain
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
"""The model of a tournament in which nobody plays against anybody, instead of the default."""
DEFAULT_LEVEL = 0.95


def fit_ratings(store: Store, results: Results) -> Ratings:
    """Fit the ratings to a tournament's results, without an anchor; excluded ones have no deals."""
    model = choose_model(store.settings)
    return model.fit(exclude_set_aside(store, results), load_level(store))


def load_level(store: Store) -> float:
    """Return the level of the last run, or the default if it has just begun and set none yet."""
    return store.facts.level or DEFAULT_LEVEL


def choose_model(settings: StoredSettings) -> RatingModel:
    """Return the rating model that a tournament's settings name, or the usual one."""
    if settings.rating is None:
        return build_usual_model(cooperative=settings.is_cooperative)
    return _build_model(settings.rating)


def build_usual_model(*, cooperative: bool) -> RatingModel:
    """Return the rating model for where nobody plays against anybody, or for other games."""
    return _build_model(COOPERATIVE_MODEL if cooperative else DEFAULT_MODEL)


def _build_model(name: str) -> RatingModel:
    return build_named("rating", name, get_plugins().ratings)


def load_anchor(store: Store, entries: Iterable[Entry]) -> Anchor | None:
    """Return the anchor of a tournament's last run; None without one, or if it has not entered."""
    text = store.facts.anchor
    if text is None:
        return None
    anchor = Anchor.parse(text)
    name = store.entrants.mask_name(anchor.name)
    return Anchor(name, anchor.rating) if name in {entry.name for entry in entries} else None


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


def exclude_set_aside(
    store: Store, results: Results, totals: Mapping[Id, EntrantTotals] | None = None
) -> Results:
    """Return the results without entrants that were set aside after a few matches.

    Their seats become empty, so the results of the others at the same table still count. Totals
    that are not given are counted where they are needed.
    """
    aside = [entry.id for entry in store.list_entries() if entry.state is State.ASIDE]
    if not aside:
        return results
    totals = totals or store.count_totals()
    few = [
        entrant
        for entrant in aside
        if totals[entrant].fair_matches < MIN_FAIR_MATCHES and entrant in results.entrants
    ]
    if not few:
        return results
    return clear_seats(results, np.isin(results.seats, [*map(results.entrants.index, few)]))


def clear_seats(results: Results, seats: NDArray[np.bool_]) -> Results:
    """Return the results with these seats (matches, table) empty."""
    return evolve(
        results,
        seats=np.where(seats, -1, results.seats),
        places=np.where(seats, 0, results.places),
        scores=np.where(seats, np.nan, results.scores),
    )


def is_order_certain(store: Store) -> bool:
    """Return whether the order of the active entrants is certain, at the tournament's level."""
    results = store.load_results(_list_active(store))
    fit = fit_ratings(store, results)
    return len(fit.deals) > 1 and bool((fit.deals > 1).all()) and is_ranking_certain(fit, fit.level)


def compute_format_ranking(store: Store) -> list[FormatStanding]:
    """Return the format's own ranking, if it has one and a run has begun."""
    form, terms = load_format(store), store.facts.terms
    if terms is None or not isinstance(form, RankedFormat):
        return []
    past = store.load_past()
    past.results = store.list_results()
    return form.ranking(_list_active(store), past, terms)


def measure_evenness(store: Store) -> Evenness:
    """Return the evenness of the active entrants' seating."""
    return compute_evenness(store.load_past(), _list_active(store))


def _list_active(store: Store) -> list[Id]:
    return [entry.id for entry in store.list_active()]


def load_format(store: Store) -> Format:
    """Return the format of a tournament."""
    return build_named("format", store.settings.format, get_plugins().formats)


def find_uncounted(store: Store) -> list[Id]:
    """Return the versions that have left and whose results count no more, in the order of entry."""
    entries = store.list_entries()
    anchor = load_anchor(store, entries)
    ids = {*select_rated(store.load_results(), entries, anchor).entrants}
    return [
        entry.id for entry in entries if entry.id not in ids and entry.state is not State.ARCHIVED
    ]


def select_rated(results: Results, entries: Sequence[Entry], anchor: Anchor | None) -> Results:
    """Return the results that count, of entrants that are not archived.

    Those of an anchor do, since all are relative to it.
    """
    departed = {*find_departed(entries)}
    if anchor:
        departed.discard(find_anchor(entries, anchor))
    mask = np.array([entry.state is not State.ARCHIVED for entry in entries], bool)
    return select_counted(choose_entrants(results, mask), departed)
