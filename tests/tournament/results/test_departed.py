"""Versions that have left: who they are, and how long their results count."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from arena.tournament import Summary
from arena.tournament.deals import Deal
from arena.tournament.entries import Entry, State
from arena.tournament.ratings import BradleyTerry
from arena.tournament.ratings.rating_input import Results
from arena.tournament.results import departed
from arena.tournament.results.departed import LEAST_COUNTED, find_departed, select_counted_results
from arena.tournament.results.stored_ratings import StoredRatings
from arena.tournament.store import Store
from arena.tournament.store.stored_entries import StoredEntries
from tests.support.tournaments.long_hills import create_long_hill
from tests.support.tournaments.stored_matches import (
    A,
    C,
    build_deals,
    build_result,
    create_tournament,
)

PLACES = 20
VERSIONS = 300


def test_who_has_failed_stays_in_sight_until_a_successor_comes() -> None:
    """Who was replaced or withdrawn has left, and who waits for a place has not."""
    states = {
        "old": State.REPLACED, "gone": State.WITHDRAWN, "long gone": State.ARCHIVED,
        "failed": State.ASIDE, "late": State.UNFIT, "waits": State.WAITING, "plays": State.ACTIVE,
    }  # fmt: skip
    entries = [Entry(name, "1", "bot", state=state) for name, state in states.items()]
    left = {"old@1", "gone@1", "long gone@1"}
    assert find_departed(entries) == left
    assert find_departed([*entries, Entry("failed", "2", "bot")]) == left | {"failed@1"}


@pytest.fixture(scope="module")
def long_hill(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("hill") / "hill.db"
    create_long_hill(path, VERSIONS, PLACES)
    return path


def test_ratings_of_those_present_stay_within_a_part_of_their_intervals(long_hill: Path) -> None:
    """Those who left last count, and no more of them; the others share the last place."""
    with Store.open(long_hill, write=False) as store:
        results, summary = store.seats.load_results(), Summary.of(store)
    rated = PLACES + LEAST_COUNTED
    assert len(summary.ratings.entrants) == rated
    places = [row.place for row in summary.standings]
    assert places == [*range(1, rated + 1), *[rated + 1] * (VERSIONS - rated)]
    assert len(summary.present) == PLACES == sum(not row.has_left for row in summary.standings)
    assert summary.matches == len(results.deal)
    assert all(row.matches >= 20 for row in summary.present)
    fit, ids = BradleyTerry().fit(results), [row.entry.id for row in summary.present]
    index = [fit.entrants.index(id_) for id_ in ids]
    before, now = fit.rating[index], np.array([row.rating.value for row in summary.present])
    half = np.array([(row.rating.high - row.rating.low) / 2 for row in summary.present])
    moved = np.abs((now - now.mean()) - (before - before.mean())) / half
    assert moved.mean() < 0.1
    assert moved.max() < 1


def test_everybody_counts_where_only_who_left_long_ago_connects_the_others(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """All results count where ratings could not be compared without them."""
    monkeypatch.setattr(departed, "LEAST_COUNTED", 1)
    ids = ("a", "b", "bridge", "last 1", "last 2", "last 3")
    pairs = np.array([[0, 2], [2, 1], [0, 3], [0, 4], [0, 5]])
    deals = np.arange(len(pairs))
    results = Results(ids, deals, pairs, np.tile([1, 2], (5, 1)), np.zeros((5, 2)))
    left = {*ids[2:]}
    assert select_counted_results(results, left) is results
    met = Results(ids, deals, pairs, results.places, results.scores)
    met.seats[2] = 0, 1
    counted = select_counted_results(met, left)
    assert counted.entrants == ("a", "b", "last 2", "last 3")
    assert counted.seats.tolist() == [[0, 1], [0, 2], [0, 3]]
    assert counted.deal.tolist() == [2, 3, 4]


def test_a_seat_of_who_counts_no_more_is_empty(monkeypatch: pytest.MonkeyPatch) -> None:
    """The others at a table have met each other where one counts no more."""
    monkeypatch.setattr(departed, "LEAST_COUNTED", 1)
    seats, places = np.array([[0, 1, 2], [0, 1, 3], [0, 1, 4]]), np.tile([1, 2, 3], (3, 1))
    results = Results(("a", "b", "c", "d", "e"), np.arange(3), seats, places, places * 1.0)
    counted = select_counted_results(results, {"c", "d", "e"})
    assert counted.entrants == ("a", "b", "d", "e")
    assert counted.seats.tolist() == [[0, 1, -1], [0, 1, 2], [0, 1, 3]]
    assert counted.places.tolist() == [[1, 2, 0], [1, 2, 3], [1, 2, 3]]


def test_who_enters_meanwhile_is_not_half_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Entrants and results are read from one state of the tournament, even if it changes meanwhile."""
    newcomer, listed = Entry("dan", "d0", "./dan"), StoredEntries.list_all
    with create_tournament(tmp_path / "hill.db", build_deals(1)) as store:
        store.matches.record(build_result(0))
        store.entries.set_state(C, State.ARCHIVED)

        def list_and_enter(entries: StoredEntries) -> tuple[Entry, ...]:
            monkeypatch.undo()
            everybody = listed(entries)
            store.entries.enter(newcomer)
            store.matches.record_deal(
                Deal(1, (newcomer.id, A), 1), [build_result(1, 0, (newcomer.id, A))]
            )
            return everybody

        monkeypatch.setattr(StoredEntries, "list_all", list_and_enter)
        with Store.open(tmp_path / "hill.db", write=False) as reader:
            assert StoredRatings(reader).find_uncounted_entrants() == []
            assert newcomer in reader.entries.list_all()
