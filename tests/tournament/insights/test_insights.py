"""Playing styles: what is observed, and how it is counted."""

from __future__ import annotations

import gc
import json
import zlib
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from arena.plugins import Insights, Observation, Plugins, Statistic, get_plugins
from arena.tournament.deals import Deal
from arena.tournament.insights.insights import (
    InsightsCounter,
    add_deal,
    count_observations,
    pause_garbage_collection,
)
from arena.tournament.insights.playing_styles import PlayingStyles, StylePoint, build_style
from arena.tournament.insights.tally_store import Tallies, TallyStore
from arena.tournament.ratings import DealSums, estimate_share
from arena.tournament.store import Facts, Store, StoredSettings
from tests.support.command import Cli
from tests.support.tournaments.statement_kills import assert_nothing_is_half
from tests.support.tournaments.stored_matches import ADA, BOB, A, B, build_result
from tests.support.transcripts import MATCHES, load_recorded_match

pytestmark = pytest.mark.slow  # runs, and their workers
Lines = list[dict[str, Any]]
SETTINGS = StoredSettings("gops")


def load_transcript(match: str) -> bytes:
    return zlib.compress("\n".join([*load_recorded_match(match)[1], ""]).encode())


@pytest.fixture
def store(tmp_path: Path) -> Store:
    """Return a tournament of two with three deals in two rotations, none of them played."""
    made = Store.create(tmp_path / "t.db", SETTINGS, "s", [ADA, BOB])
    made.deals.plan([Deal(number, (A, B), 2) for number in range(3)])
    return made


def build_tally(parts: Sequence[Insights], entrants: Sequence[int], *deals: Lines) -> Tallies:
    """Return the tallies of deals of one match each."""
    tallies = Tallies()
    for lines in deals:
        add_deal(tallies, [count_observations(parts, entrants, lines)])
    return tallies


def play_match(store: Store, deal: int, rotation: int) -> None:
    seats = (A, B) if rotation == 0 else (B, A)
    store.matches.record(build_result(deal, rotation, seats, transcript=load_transcript("gops")))


def count_matches(store: Store) -> dict[str, int]:
    """Return the number of matches in which each entrant was observed, after counting."""
    return {style.name: style.matches for style in PlayingStyles.of(store)}


@pytest.mark.parametrize("match", MATCHES)
def test_every_recorded_match_can_be_observed(match: str) -> None:
    """Each observation of any recorded match belongs to a statistic that its game declares."""
    game, lines = load_recorded_match(match)
    parts = get_plugins().list_insights(game.name)
    numbers = [seat + 1 for seat in range(len(json.loads(lines[0])["seats"]))]
    tallies = build_tally(parts, numbers, [*map(json.loads, lines)])
    declared: dict[str, Statistic] = {
        statistic.key: statistic for part in parts for statistic in part.statistics
    }
    assert len(declared) == sum(len(part.statistics) for part in parts)
    for _, key, x, y in tallies:
        assert (bool(x != ""), bool(y != "")) == (bool(declared[key].across), declared[key].is_map)
    for number in numbers:
        for entry in build_style(tallies, number, parts):
            if entry.statistic.unit == "%" or entry.statistic.is_map:
                assert all(0 <= point.value <= 1 for point in entry.points)


def test_a_deal_counts_when_all_its_rotations_are_over(store: Store) -> None:
    """A deal is observed once, and not before all its rotations are over."""
    play_match(store, 1, 0)
    assert count_matches(store) == {}
    play_match(store, 1, 1)
    assert count_matches(store) == {"ada": 2, "bob": 2}
    play_match(store, 0, 0)
    play_match(store, 0, 1)
    assert count_matches(store) == count_matches(store) == {"ada": 4, "bob": 4}


def test_counts_are_kept_and_another_tournament_s_are_forgotten(store: Store) -> None:
    """The file beside the database is read by the next process, unless it is not of this one."""
    play_match(store, 0, 0)
    play_match(store, 0, 1)
    first = PlayingStyles.of(store)
    counter = InsightsCounter.of(store)
    with counter.tallies:
        assert counter.count_next(store) == 0
    store.facts.set(Facts.secret, store.facts.secret[::-1] + "2")
    counter = InsightsCounter.of(store)
    with counter.tallies:
        assert counter.count_next(store) == 1
    assert PlayingStyles.of(store) == first


def test_a_deal_is_never_counted_by_two_processes(store: Store) -> None:
    """A second process finds a deal counted, and adds nothing."""
    play_match(store, 0, 0)
    play_match(store, 0, 1)
    counter, other_counter = InsightsCounter.of(store), InsightsCounter.of(store)
    with counter.tallies, other_counter.tallies:
        assert counter.tallies.add([0], {1: 2}, {(1, "won", "", ""): DealSums.of(3, 2.0)})
        assert not other_counter.tallies.add([0], {1: 2}, {(1, "won", "", ""): DealSums.of(3, 2.0)})
        assert other_counter.tallies.load() == {(1, "won", "", ""): DealSums.of(3, 2.0)}


def test_a_folder_that_cannot_hold_the_file_costs_no_figures(store: Store) -> None:
    """Counts are kept in memory where the file cannot be written."""
    play_match(store, 0, 0)
    play_match(store, 0, 1)
    assert store.address.path
    store.address.path.with_name("t.db-insights").mkdir()
    assert count_matches(store) == {"ada": 2, "bob": 2}


def test_a_part_that_fails_is_named_once_and_costs_no_other_figures(
    store: Store, caplog: pytest.LogCaptureFixture
) -> None:
    """Matches that a plugin's insights cannot read count for the other ones."""

    def fail(_: Sequence[Mapping[str, Any]]) -> list[Observation]:
        raise LookupError("no round 3")

    for rotation in range(2):
        play_match(store, 0, rotation)
    counter = InsightsCounter.of(store)
    *_, general = counter.parts
    counter = InsightsCounter([Insights([], fail, "gops"), general], counter.tallies)
    counter.count_all(store)
    assert {key for _, key, *_ in counter.tallies.load()} >= {"length", "answers"}
    (record,) = caplog.records
    assert record.getMessage().startswith("the insights of gops cannot read match 0.0")
    assert "no round 3" in record.getMessage()


def test_the_command_shows_styles(store: Store, quick: Cli) -> None:
    """The command prints a table, all plots of one entrant, or JSON; a data frame has the same figures."""
    play_match(store, 0, 0)
    play_match(store, 0, 1)
    assert store.address.path
    path = str(store.address.path)
    assert "Prizes won" in quick("insights", path).stdout
    assert "Bids for each prize (%, by prize)" in quick("insights", path, "--bot", "ada").stdout
    assert "unknown entrant 'eve'" in quick("insights", path, "--bot", "eve").stderr
    packed = [json.loads(line) for line in quick("insights", path, "--json").stdout.splitlines()]
    assert [style["name"] for style in packed] == ["ada", "bob"]
    frame = PlayingStyles.of(store).to_pandas()
    won = frame[(frame.name == "ada") & (frame.statistic == "won")].iloc[0]
    figures = {entry["key"]: entry for entry in packed[0]["statistics"]}
    assert figures["won"]["count"] == won["count"]
    assert figures["won"]["value"] == pytest.approx(won["value"])


def test_every_game_has_the_general_statistics() -> None:
    """A game whose plugin observes nothing has length, answers and times."""
    (general,) = Plugins([]).list_insights("unknown")
    assert {statistic.key for statistic in general.statistics} >= {"length", "answers", "seconds"}


def test_a_match_has_known_general_figures() -> None:
    """The answers of the fallback bot do not count for length, choices, answers and times."""

    def ask(seat: int, kind: str, choices: int, seconds: float, *, fallback: bool = False) -> Lines:
        question = {"ask": kind, "options": {"one_of": [*range(choices)]}}
        answer = {"answer": 0, "seconds": seconds, "fallback": fallback}
        return [{"to": seat, "question": question}, {"from": seat, **answer}]

    lines: Lines = [
        {"seats": [{}, {}]},
        *ask(0, "ChooseAction", 2, 0.1), *ask(1, "ChooseAction", 3, 0.5),
        *ask(0, "ChooseAction", 4, 0.3), *ask(1, "ChooseAction", 3, 9.0, fallback=True),
        *ask(0, "KeepCards", 9, 0.8),
        {"outcome": {"rounds": 7}},
    ]  # fmt: skip
    parts = Plugins([]).list_insights("unknown")
    tallies = build_tally(parts, (1, 2), lines)
    values: dict[Any, Any] = {
        (number, entry.statistic.key, point.x): (pytest.approx(point.value), point.count)
        for number in (1, 2)
        for entry in build_style(tallies, number, parts)
        for point in entry.points
    }
    assert values == {
        (1, "length", ""): (7, 1), (2, "length", ""): (7, 1),
        (1, "answers", ""): (3, 1), (2, "answers", ""): (1, 1),
        (1, "seconds", ""): (0.4, 3), (2, "seconds", ""): (0.5, 1),
        (1, "options", "ChooseAction"): (3, 2), (1, "options", "KeepCards"): (9, 1), (2, "options", "ChooseAction"): (3, 2),
        (1, "kinds", "ChooseAction"): (2, 1), (1, "kinds", "KeepCards"): (1, 1), (2, "kinds", "ChooseAction"): (1, 1),
        (1, "times", "ChooseAction"): (0.2, 2), (1, "times", "KeepCards"): (0.8, 1), (2, "times", "ChooseAction"): (0.5, 1),
    }  # fmt: skip


def test_a_heat_map_shares_out_each_column() -> None:
    """A cell of a heat map is a share of the bids for one prize, not of all bids."""
    bids = Statistic("bids", "Bids for each prize", across="prize", up="bid")
    cells = [Observation(0, "bids", 1, prize, bid) for prize, bid in [(1, 3), (1, 4), (2, 3)]]
    parts = [Insights([bids], lambda lines: cells[: len(lines)])]
    tallies = build_tally(parts, (5,), [{}] * 3, [{}] * 3, [{}])
    (entry,) = build_style(tallies, 5, parts)
    assert [(point.x, point.y, point.value, point.count) for point in entry.points] == [
        (1, 3, 0.6, 3), (1, 4, 0.4, 2), (2, 3, 1.0, 2),
    ]  # fmt: skip


def test_an_interval_is_by_deal() -> None:
    """Matches of one deal are one observation of luck; a share has the interval of all shares."""
    won = Statistic("won", "Prizes won", "%")
    parts = [Insights([won], lambda lines: [Observation(0, "won", 1, many=2) for _ in lines])]
    (entry,) = build_style(build_tally(parts, (5,), [{}], [{}] * 3, [{}] * 3), 5, parts)
    matches = [count_observations(parts, (5,), [{}]) for _ in range(7)]
    together, apart = Tallies(), Tallies()
    add_deal(together, matches)
    for match in matches:
        add_deal(apart, [match])
    (one,), (seven,) = (build_style(some, 5, parts)[0].points for some in (together, apart))
    assert entry.points[0].value == one.value == seven.value == 0.5
    expected = estimate_share(np.full(7, 0.5))
    assert seven.interval == pytest.approx((expected.low, expected.high))
    low, lower, lowest = (point.interval or (0.0, 1.0) for point in (seven, entry.points[0], one))
    assert lowest < lower < low


def test_what_was_alike_in_all_deals_has_no_interval() -> None:
    """The mean of deals that are all alike has no interval, but a share has one."""
    statistics = [
        Statistic("coups", "Coups in a match", "coups", least=0), Statistic("won", "Won", "%")
    ]  # fmt: skip
    parts = [Insights(statistics, lambda _: [Observation(0, "coups", 0), Observation(0, "won", 0)])]
    coups, won = build_style(build_tally(parts, (5,), [{}], [{}], [{}]), 5, parts)
    assert coups.points[0].describe("coups") == "0 coups"
    assert coups.points[0].pack() == {"value": 0, "low": 0, "high": None, "count": 3}
    assert won.points[0].describe("%").startswith("0 % (0 to ")


def test_a_figure_has_as_many_digits_as_its_interval_bears() -> None:
    """Ends of an interval never read alike, and a wide one has no decimals."""
    figures = {
        (5.93, 0.464, 11.4): "6 cards (0 to 11)", (-0.444, -1.54, 0.65): "-0.4 cards (-1.5 to 0.7)",
        (1.234, 1.213, 1.256): "1.23 cards (1.21 to 1.26)",
        (1234.5, 1200.0, 1269.0): "1,234 cards (1,200 to 1,269)",
    }  # fmt: skip
    for (value, *ends), text in figures.items():
        assert StylePoint(value, 9, (ends[0], ends[1])).describe("cards") == text
    assert StylePoint(0.0, 9).describe("cards") == "0 cards"


def test_reading_matches_leaves_the_garbage_collector_as_it_was() -> None:
    """The garbage collector rests while transcripts are read, and goes on after errors."""
    assert gc.isenabled()
    with suppress(ValueError), pause_garbage_collection():
        assert not gc.isenabled()
        raise ValueError("broken")
    assert gc.isenabled()
    gc.disable()
    try:
        with pause_garbage_collection():
            pass
        assert not gc.isenabled()
    finally:
        gc.enable()


def test_a_kill_at_any_statement_counts_each_deal_once(tmp_path: Path) -> None:
    """Counts, marks and the frontier are written together, or not at all."""
    counts: Tallies = {
        (1, "won", "", ""): DealSums.of(3, 2.0), (2, "won", 1, ""): DealSums.of(1, 1.0),
    }  # fmt: skip
    assert_nothing_is_half(
        tmp_path / "counts",
        lambda path: TallyStore.open(path, "mark"),
        [
            lambda store: store.add([0, 2], {1: 2, 2: 1}, counts),
            lambda store: store.add([1, 3], {1: 1}, counts),
            lambda _: TallyStore.open(tmp_path / "counts", "another").close(),
        ],
    )


def test_a_file_of_counts_that_had_no_revision_is_counted_anew(tmp_path: Path) -> None:
    """A file that counted by matches is counted again by deals, which intervals need."""
    with TallyStore.open(tmp_path / "counts", "mark") as store:
        assert store.add([0], {1: 2}, {})
        with store.begin_write() as connection:
            connection.execute("DROP TABLE alembic_version")
    with TallyStore.open(tmp_path / "counts", "mark") as store:
        assert (store.address.path, store.frontier) == (tmp_path / "counts", 0)
