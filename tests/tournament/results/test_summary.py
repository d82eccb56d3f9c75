"""Figures of a tournament at once, and how its ratings came to be what they are."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest
from attrs import evolve, frozen
from numpy.typing import NDArray

from arena.tournament import Summary, Tournament
from arena.tournament.anchor import Anchor
from arena.tournament.deals import Deal
from arena.tournament.entries import Entry, State
from arena.tournament.format_protocol import FormatTerms
from arena.tournament.ratings import BradleyTerry, Ratings
from arena.tournament.ratings.rating_input import Results
from arena.tournament.results.charts import render_ratings
from arena.tournament.results.rating_history import compute_rating_history
from arena.tournament.results.standings_tables import build_standings_table
from arena.tournament.results.stored_ratings import RatingBasis, StoredRatings
from arena.tournament.store import Facts, Store, StoredSettings
from tests.support.texts import list_texts
from tests.support.tournaments.folders import run_tournament, write_tournament
from tests.support.tournaments.inline_workers import play_inline
from tests.support.tournaments.stored_matches import (
    ADA,
    BOB,
    CEM,
    SECRET,
    C,
    build_deals,
    build_result,
)

pytestmark = pytest.mark.slow  # a run, and fits of its results
TEXT = """
game = "gops"
seed = "1"
matches = 40
check = false
workers = 1
options = {cards = 4}
"""
BOTS = ("match", "easy", "random", "ordered")


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("hill")
    with play_inline():
        run_tournament(write_tournament(folder, TEXT, *BOTS))
    return folder / "tournament.toml"


@pytest.fixture
def figures(file: Path) -> Iterator[Summary]:
    with Store.open(file.with_suffix(".db"), write=False) as store:
        yield Summary.of(store)


def select_first_deals(results: Results, deals: int) -> Results:
    return select_matches(results, np.isin(results.deal, sorted({*results.deal.tolist()})[:deals]))


def select_matches(results: Results, mask: NDArray[np.bool_]) -> Results:
    return Results(
        results.entrants,
        results.deal[mask],
        results.seats[mask],
        results.places[mask],
        results.scores[mask],
    )


def test_figures_are_those_of_the_standings(figures: Summary, file: Path) -> None:
    """A summary has the order and the figures of the standings, of all matches."""
    assert [row.pack() for row in figures.standings] == [
        row.pack() for row in Tournament.load(file).standings()
    ]
    assert (figures.game, figures.matches, figures.level) == ("gops", 40, 0.95)
    assert figures.head_to_head.matches.sum() == 40
    assert [*figures.list_remarks()] == []
    ties = figures.head_to_head.level.sum() / figures.head_to_head.matches.sum()
    assert "100 points higher gets 64 % of the points" in figures.describe_scale()
    assert f"{100 * ties:.0f} % of all meetings here were ties" in figures.describe_scale()


def test_a_standing_is_the_same_in_each_form(figures: Summary) -> None:
    """JSON and flat rows have the same columns with the same figures, whole estimates aside."""
    for row in figures.standings:
        record, packed = row.to_record(), row.pack()
        assert record.pop("measure") == "rating"
        assert record.pop("verdicts") == sum(packed.pop("verdicts").values())
        for name in ("mean_score", "mean_place"):
            estimate = packed.pop(name)
            ends = [record.pop(column) for column in (name, f"{name}_low", f"{name}_high")]
            assert ends == [*estimate.values()]
        assert packed == record


@frozen
class OtherHeading:
    """A plugin's model whose ratings have another heading."""

    name: ClassVar = "glicko"
    summary: ClassVar = "ratings with another heading"
    needs_opponents: ClassVar = True

    def fit(self, results: Results, level: float = 0.95) -> Ratings:
        """Return usual ratings."""
        return evolve(BradleyTerry().fit(results, level), measure="glicko")


def test_another_heading_of_ratings_does_not_take_the_opponents_away(
    figures: Summary,
) -> None:
    """A model with another heading is shown as one of ratings, and may have an anchor."""
    entries = [row.entry for row in figures.standings]
    totals = {row.entry.id: row.totals for row in figures.standings}
    anchor = Anchor.parse("random = 0")
    basis = RatingBasis(entries, figures.rated_results, OtherHeading(), anchor)
    summary = Summary.rate("gops", basis, totals)
    assert summary.has_opponents
    assert summary.unit == "Elo points, random = 0"
    assert "100 points higher" in summary.describe_scale()
    headings = [column.heading for column in build_standings_table(summary.standings).columns]
    assert {"glicko", "place"} <= {*headings}
    assert [row.name for row in summary.standings] == [row.name for row in figures.standings]
    svg = render_ratings(summary.standings, "gops", 40, 0.95, summary.unit)
    assert "Games won" not in svg


@pytest.mark.parametrize("anchor", [None, "ada", "cem"])
def test_names_that_are_hidden_are_nowhere_in_a_summary(tmp_path: Path, anchor: str | None) -> None:
    """Where the store hides names, nothing in it names these entrants, whatever it computes."""
    entries = [evolve(entry, bot="x") for entry in (ADA, BOB, CEM)]
    settings = StoredSettings("gops", "swiss:rounds=4")
    with Store.create(tmp_path / "league.db", settings, SECRET, entries) as store:
        store.deals.plan([evolve(deal, state=(deal.number,)) for deal in build_deals(4)])
        for deal in range(4):
            store.matches.record(build_result(deal))
        store.facts.set(Facts.terms, FormatTerms(2))
        store.entries.set_state(C, State.ASIDE, "it failed, as cem does")
        store.facts.set(Facts.anchor, anchor and f"{anchor} = 0")
    aliases = {"ada": "bot_1", "cem": "bot_3"}
    with Store.open(tmp_path / "league.db", write=False, aliased=aliases) as store:
        hidden = Summary.of(store)
    assert (hidden.anchor is not None) == (anchor == "ada"), "cem has no matches that count"
    assert [*filter(re.compile("ada|cem").search, list_texts(hidden))] == []
    assert [*hidden.labels] == ["bot_1@a0", "bob@b0", "bot_3@c0"]
    ratings = hidden.model.fit(hidden.rated_results, hidden.level)
    assert ratings.entrants == hidden.ratings.entrants
    np.testing.assert_array_equal(ratings.rating, hidden.ratings.rating)


@pytest.mark.parametrize("rating", [None, "games-won"])
@pytest.mark.parametrize("anchor", [None, "bob = 1500"])
def test_the_order_alone_is_that_of_the_standings(
    tmp_path: Path, rating: str | None, anchor: str | None
) -> None:
    """Whoever needs no more than the order gets it without a summary, also of two groups."""
    names = "abcdefgh"
    entries = [*(Entry(name, "0", "x") for name in names), *(ADA, BOB, CEM)]
    partners = ((0, 1),) if rating else None  # a cooperative game
    settings = StoredSettings("gops", "round-robin", rating=rating, partners=partners)
    with Store.create(tmp_path / "hill.db", settings, SECRET, entries) as store:
        pairs = [("a", "b"), ("b", "a"), ("a", "c"), ("d", "e"), ("e", "f"), ("g", "a")]
        seats = [*((f"{one}@0", f"{two}@0") for one, two in pairs * 2), *(2 * [(ADA.id, BOB.id)])]
        for number, pair in enumerate(seats):
            store.deals.plan([Deal(number, pair, 1)])
            store.matches.record(build_result(number, seats=pair))
        store.entries.set_state("g@0", State.ASIDE)
        store.entries.set_state("e@0", State.WITHDRAWN)
        store.entries.set_state("h@0", State.ARCHIVED)
        if not rating:
            store.facts.set(Facts.anchor, anchor)
        standings = [row.entry.id for row in Summary.of(store).standings]
        assert StoredRatings(store).rank() == standings
        assert len(standings) == len(entries) - 1


def test_curves_are_refits_of_the_first_deals(figures: Summary) -> None:
    """Each point is what a fit to the deals so far says; who has played none has no point."""
    curves = compute_rating_history(figures.rated_results, figures.model, figures.level, points=7)
    assert curves.deals.tolist() == [8, 16, 24, 32, 40]
    assert curves.deals[-1] == len({*figures.rated_results.deal.tolist()})
    for row, deals in enumerate(curves.deals.tolist()):
        fit = figures.model.fit(select_first_deals(figures.rated_results, deals), figures.level)
        played = fit.deals > 0
        for name in ("rating", "low", "high"):
            curve = getattr(curves, name)[row]
            np.testing.assert_array_equal(curve[played], getattr(fit, name)[played])
            assert np.isnan(curve[~played]).all()
    assert (curves.rating[-1] == figures.ratings.rating).all()


def test_a_curve_has_no_more_points_than_deals(figures: Summary) -> None:
    """Three deals have three points, and none at all none."""
    history = compute_rating_history(
        select_first_deals(figures.rated_results, 3), figures.model, figures.level, points=40
    )
    assert history.deals.tolist() == [1, 2, 3]
    no_history = compute_rating_history(
        select_first_deals(figures.rated_results, 0), figures.model, figures.level, points=40
    )
    assert no_history.rating.shape == (0, len(BOTS))


def test_a_curve_goes_on_from_the_one_before(
    figures: Summary, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Only what was not fitted to the same results is fitted, also where somebody has entered."""
    fit = (figures.model, figures.level, 7)
    before = compute_rating_history(select_first_deals(figures.rated_results, 39), *fit)
    more = evolve(figures.rated_results, entrants=(*figures.rated_results.entrants, "late@0"))
    whole = compute_rating_history(more, *fit)
    fits, fit_once = [], BradleyTerry.fit

    def count_fit(model: BradleyTerry, *given: Any) -> Ratings:
        fits.append(given)
        return fit_once(model, *given)

    monkeypatch.setattr(BradleyTerry, "fit", count_fit)
    grown = compute_rating_history(more, *fit, before)
    assert len(fits) == 1
    for name in ("deals", "rating", "low", "high"):
        np.testing.assert_allclose(getattr(grown, name), getattr(whole, name), rtol=1e-9)
    other = compute_rating_history(evolve(more, places=more.places[::-1]), *fit, before)
    assert len(fits) == 1 + len(other.deals)


def test_those_who_never_met_are_named(figures: Summary) -> None:
    """Ratings compare only within a group, and that is remarked."""
    groups = [{0, 1}, {2, 3}]
    apart = np.array([{*seats} in groups for seats in figures.rated_results.seats.tolist()])
    results = select_matches(figures.rated_results, apart)
    (remark,) = evolve(figures, rated_results=results).list_remarks()
    assert "These groups never met" in remark
    assert remark.count("|") == 1
