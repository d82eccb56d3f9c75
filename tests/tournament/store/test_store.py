"""A tournament's database: what is written is there, whatever database it is."""

from __future__ import annotations

from datetime import UTC, datetime, tzinfo
from pathlib import Path
from random import Random
from typing import Self

import numpy as np
import pytest
from attrs import evolve

from arena.rules import End, UnknownNameError, UserError
from arena.tournament import Summary
from arena.tournament.commands import AliasCommand, EntryCommand
from arena.tournament.deals import Deal, PastMatches, PlayedMatch, rotate_seats
from arena.tournament.entries import Entry, State
from arena.tournament.format_protocol import FormatTerms
from arena.tournament.match_record import VerdictRecord
from arena.tournament.store import (
    EntrantTotals,
    Facts,
    LastHillSettings,
    MatchCounts,
    Store,
    seat_reader,
    stored_deals,
    table_rows,
)
from tests.support.tournaments.statement_kills import assert_nothing_is_half
from tests.support.tournaments.stored_matches import (
    ADA,
    BOB,
    CEM,
    SECRET,
    SETTINGS,
    TIMEOUT,
    A,
    B,
    C,
    build_deals,
    build_result,
    build_transcript_lines,
    build_void_result,
    create_tournament,
    list_open_keys,
)

pytestmark = pytest.mark.slow  # databases on a server
pytest_plugins = ["tests.support.tournaments.databases"]
NASTY = "nul \0, half \ud800, other half \udc80, whole \U0001f0cf, ü, \x1b[31m"
Address = str | Path


def test_the_terms_of_formats_are_stored_under_their_old_names(address: Address) -> None:
    """A database of an earlier version of the arena is read, and an earlier one reads this."""
    terms = FormatTerms(
        2, 90, 3, duplicate=True, folder_keepers=frozenset([B, A]), matches_per_version=7
    )
    with create_tournament(address) as store:
        store.facts.set(Facts.terms, terms)
        assert store.facts.get("terms") == {
            "seats_per_match": 2, "matches": 90, "first": 3, "duplicate": True,
            "keepers": [A, B], "each": 7,
        }  # fmt: skip
        assert store.facts.terms == terms


def test_facts_come_back(address: Address) -> None:
    """Facts keep their types when a database is opened again, and may be replaced."""
    create_tournament(address).close()
    with Store.open(address) as store:
        assert (store.settings, store.facts.secret) == (SETTINGS, SECRET)
        assert store.facts.get("nothing") is None
        store.claim()
        store.facts.set(Facts.anchor, NASTY)
        store.facts.set(Facts.hill, LastHillSettings(50, "all"))
    with Store.open(address, write=False) as store:
        assert store.facts.anchor == NASTY
        assert store.facts.hill == LastHillSettings(50, "all")
        assert store.facts.get("hill") == {"size": 50, "sources": "all"}


def test_entrants_stand_in_the_order_of_entry(address: Address) -> None:
    """Entrants are listed in the order of entry, in every version, with their states."""
    newer = Entry("ada", "a1", "./ada two", keeps=True)
    with create_tournament(address, build_deals(4)) as store:
        store.entries.enter(newer)
        store.entries.set_state(A, State.REPLACED, "by a1")
        old = evolve(ADA, state=State.REPLACED, why="by a1")
        assert store.entries.list_all() == (old, BOB, CEM, newer)
        with pytest.raises(UserError, match="ada@a1 has already entered"):
            store.entries.enter(newer)
        with pytest.raises(UnknownNameError, match="unknown entrant 'eve@e0'"):
            store.entries.set_state("eve@e0", State.ASIDE)


def test_somebody_who_cannot_be_stored_is_refused(address: Address) -> None:
    """An entrant whose name cannot be stored is refused, and no part of the tournament is created."""
    for bad in (Entry("ada", "a0", "./\udcff"), Entry("a\0da", "a0", "./ada")):
        with pytest.raises(UserError, match="cannot be stored: it is not UTF-8"):
            Store.create(address, SETTINGS, SECRET, [BOB, bad])
    assert not Store.exists(address)
    create_tournament(address).close()
    assert Store.exists(address)


def test_a_reader_knows_who_entered_since(address: Address) -> None:
    """A reader that stays open during a run finds later entrants."""
    with create_tournament(address) as store, Store.open(address, write=False) as reader:
        assert reader.entries.list_all() == (ADA, BOB, CEM)
        store.entries.enter(Entry("dan", "d0", "./dan"))
        store.deals.plan(build_deals(1, ("dan@d0", A)))
        store.matches.record(build_result(0, 0, ("dan@d0", A)))
        assert [deal.seats for deal, _ in reader.deals.list_todo()] == [("dan@d0", A)]
        assert reader.seats.load_results(["dan@d0", A]).seats.tolist() == [[1, 0]]


def test_a_reader_has_the_standings_of_who_entered_since(address: Address) -> None:
    """A reader that stays open has each entrant, title and alias of the state that it reads."""
    dan = Entry("dan", "d0", "./dan", title="Dan")
    with (
        create_tournament(address, build_deals(1)) as store,
        Store.open(address, write=False, aliased=True) as reader,
    ):
        assert {row.name for row in Summary.of(reader).standings} == {"ada", "bob", "cem"}
        store.entries.enter(dan)
        store.matches.record_deal(Deal(1, (dan.id, A), 1), [build_result(1, 0, (dan.id, A))])
        labels = {row.entry.label: row.matches for row in Summary.of(reader).standings}
        assert labels == {"ada": 1, "bob": 0, "cem": 0, "Dan": 1}
        assert reader.seats.count_totals()[dan.id].matches == 1
        store.entries.carry_out(AliasCommand(1, "dan", "bot_1"))
        assert {row.entry.label for row in Summary.of(reader).standings} == {
            "ada", "bob", "cem", "bot_1",
        }  # fmt: skip


def test_the_past_is_counted_again(address: Address, monkeypatch: pytest.MonkeyPatch) -> None:
    """Counts of stored deals equal those that were kept while planning."""
    monkeypatch.setattr(stored_deals, "PAGE_DEALS", 3)
    planned = [*build_deals(4), Deal(4, (B, C), 1, "final", ("final", 2, 1)), Deal(5, (C, A, B), 3)]
    past = PastMatches()
    for deal in planned:
        past.count_deal(deal)
    with create_tournament(address, planned[:2]) as store:
        store.deals.plan(planned[2:])
        store.deals.plan([])
        assert store.deals.load_past() == past
        store.matches.record(build_result(0, 0, (A, B)))
        assert [match.deal.number for match in store.deals.load_past(results=True).results] == [0]
        assert store.deals.find_deal(4) == planned[4]


def test_a_plan_is_kept_as_a_whole(address: Address) -> None:
    """A plan that contains a stored deal is refused as a whole."""
    with create_tournament(address, build_deals(2)) as store:
        with pytest.raises(UserError):
            store.deals.plan([Deal(2, (A, B), 1), Deal(1, (A, B), 1)])
        assert list_open_keys(store) == [(0, 0), (0, 1), (1, 0), (1, 1)]


def test_a_match_is_stored_once(address: Address) -> None:
    """A second result of a match changes nothing."""
    with create_tournament(address, build_deals(1)) as store:
        assert store.matches.record(build_result(0))
        before = store.matches.find_match(0, 0)
        assert not store.matches.record(build_result(0, rounds=7, verdicts={0: TIMEOUT}))
        assert not store.matches.record(build_void_result(0))
        assert store.matches.find_match(0, 0) == before
        assert store.transcripts.load(0, 0) == build_transcript_lines(0, 0)


def test_a_match_has_all_its_details(address: Address) -> None:
    """A stored match keeps the words of its verdicts, whatever they are, and the programs' output."""
    verdict = TIMEOUT | {"line": NASTY}
    with create_tournament(address, [Deal(0, (A, B), 1, "final")]) as store:
        store.matches.record(
            build_result(0, verdicts={1: verdict}, errors={1: NASTY}, end=End.FORFEITED)
        )
        record = store.matches.find_match(0, 0)
    match, failure = record.pack(), record.seats[1].failure
    when = datetime.fromisoformat(match.pop("when"))
    assert abs((datetime.now(UTC) - when).total_seconds()) < 60
    ada, bob = match.pop("seats")
    assert match == {
        "match": "0.0", "stage": "final", "outcome": "forfeited", "detail": "", "rounds": 13,
        "seconds": 0.25, "transcript": True, "cause": None, "replaced": [],
    }  # fmt: skip
    assert ada == {
        "seat": 0, "name": "ada", "version": "a0", "score": 0.0, "place": 1,
        "sandbox": "namespaces", "earlier_matches": None, "seconds": 0.01, "verdict": None,
        "stderr": None,
    }  # fmt: skip
    assert bob["verdict"] == {**verdict, "question": {"ask": "Bid"}}
    assert failure == VerdictRecord.parse(verdict)
    assert bob["stderr"] == "nul \ufffd, half ?, other half ?, whole \U0001f0cf, ü, \x1b[31m"


def test_a_void_match_is_nobodys_result(address: Address) -> None:
    """A void match is over, with its reason, and formats get it without places."""
    with create_tournament(address, build_deals(1)) as store:
        store.matches.record(build_void_result(0, why=NASTY))
        store.matches.record(build_result(0, 1, (B, A)))
        assert "half ?" in store.matches.find_match(0, 0).detail
        assert store.transcripts.load(0, 0) is None
        assert store.deals.list_results()[0] == PlayedMatch(build_deals(1)[0], 0, None)
        assert store.seats.load_results().seats.tolist() == [[1, 0]]
        assert store.progress.count_matches() == MatchCounts(
            planned=2, stored=2, void=1, cancelled=0
        )
        assert store.seats.count_totals()[A].matches == 1


def test_a_cancelled_match_is_settled_without_a_result(address: Address) -> None:
    """Cancelling keeps finished matches, and a result that comes later is not taken."""
    with create_tournament(address, build_deals(2)) as store:
        store.matches.record(build_result(0))
        store.matches.cancel([(0, 0), (0, 1), (1, 0)], "ada is set aside")
        assert not store.matches.record(build_result(1))
        assert list_open_keys(store) == [(1, 1)]
        assert store.progress.count_matches() == MatchCounts(
            planned=4, stored=1, void=0, cancelled=2
        )
        assert store.progress.count_matches().remaining == 1
        assert store.matches.find_match(0, 1).detail == "ada is set aside"
        places = [
            (result.deal.number, result.rotation, result.places)
            for result in store.deals.list_results()
        ]
        assert places == [(0, 0, (1, 2)), (0, 1, None), (1, 0, None)]
        assert len(store.seats.load_results().deal) == 1


def test_matches_of_what_was_never_planned_are_refused(address: Address) -> None:
    """A match of an unplanned deal or of an unknown entrant is refused, and no part of it is stored."""
    with create_tournament(address, build_deals(1)) as store:
        with pytest.raises(UserError):
            store.matches.record(build_result(7))
        with pytest.raises(UnknownNameError):
            store.matches.record(build_result(0, 0, (A, "eve@e0")))
        assert store.progress.count_matches().stored == 0


def test_what_is_to_be_played_is_what_is_not_settled(
    address: Address, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Matches to play come in the order of keys, also while some are played, and end with the plan."""
    monkeypatch.setattr(stored_deals, "PAGE_DEALS", 3)
    planned = [Deal(number, (A, B, C), 1 + number % 3) for number in range(10)]
    left = [(deal.number, rotation) for deal in planned for rotation in range(deal.rotations)]
    draw = Random(1)
    with create_tournament(address, planned) as store:
        assert list_open_keys(store) == left
        while left:
            key = left.pop(draw.choice((0, draw.randrange(len(left)))))
            store.matches.record(build_result(*key, rotate_seats((A, B, C), key[1])))
            assert list_open_keys(store) == left
        store.deals.plan([Deal(10, (A, B), 2)])
        assert list_open_keys(store) == [(10, 0), (10, 1)]
        store.deals.plan([Deal(11, (A, B), 1)])
        for deal, rotation in store.deals.list_todo():
            assert store.matches.record(build_result(deal.number, rotation))
        assert list_open_keys(store) == []


def test_a_match_that_is_played_again_is_to_be_played(address: Address) -> None:
    """A store that has listed what is to be played lists what it opens again, too."""
    with create_tournament(address, build_deals(2)) as store:
        for deal in range(2):
            for rotation in range(2):
                store.matches.record(build_result(deal, rotation))
        assert list_open_keys(store) == []
        store.matches.reopen([(0, 0)])
        assert list_open_keys(store) == [(0, 0)]


def test_a_deal_counts_how_often_it_was_begun(address: Address) -> None:
    """The number of starts of a deal is counted, so that keepers do not see the same cards again."""
    with create_tournament(address, build_deals(2)) as store:
        assert [store.deals.begin(1), store.deals.begin(1), store.deals.begin(0)] == [0, 1, 0]


def test_results_are_columns(address: Address, monkeypatch: pytest.MonkeyPatch) -> None:
    """Results are in the order of keys, with empty seats at smaller tables."""
    monkeypatch.setattr(seat_reader, "CHUNK_DEALS", 2)
    with create_tournament(address, [*build_deals(3), Deal(3, (C, A, B), 1)]) as store:
        for result in (
            build_result(3, 0, (C, A, B)),
            build_result(2, 1, (B, A)),
            build_void_result(1),
            build_result(0),
        ):
            store.matches.record(result)
        results = store.seats.load_results()
    assert results.entrants == (A, B, C)
    assert results.deal.tolist() == [0, 2, 3]
    assert results.seats.tolist() == [[0, 1, -1], [1, 0, -1], [2, 0, 1]]
    assert results.places.tolist() == [[1, 2, 0], [1, 2, 0], [1, 2, 3]]
    expected = [[0, -1, np.nan], [0, -1, np.nan], [0, -1, -2]]
    np.testing.assert_array_equal(results.scores, expected)
    assert (str(results.seats.dtype), str(results.scores.dtype)) == ("int64", "float64")


def test_results_of_some_are_of_those_among_themselves(address: Address) -> None:
    """A match counts if all its entrants were chosen."""
    seats = [(A, B), (B, C), (C, A), (C, B)]
    with create_tournament(
        address, [Deal(number, two, 1) for number, two in enumerate(seats)]
    ) as store:
        assert store.seats.load_results().seats.shape == (0, 0)
        for number, two in enumerate(seats):
            store.matches.record(build_result(number, 0, two))
        results = store.seats.load_results([C, B])
        assert results.entrants == (B, C)
        assert results.deal.tolist() == [1, 3]
        assert results.seats.tolist() == [[0, 1], [1, 0]]
        assert len(store.seats.load_results([]).deal) == 0


def test_tallies_are_counted_from_the_matches(address: Address) -> None:
    """Totals exist for all entrants in the order of entry, also for those without matches."""
    illegal = TIMEOUT | {"kind": "illegal"}
    with create_tournament(address, build_deals(3)) as store:
        store.matches.record(build_result(0, verdicts={1: TIMEOUT}))
        store.matches.record(build_result(0, 1, (B, A), verdicts={0: TIMEOUT, 1: illegal}))
        store.matches.record(build_result(1, verdicts={1: illegal}, used=(0.04, 0.02)))
        tallies = store.seats.count_totals()
    assert [*tallies] == [A, B, C]
    assert tallies[C] == EntrantTotals(0, {}, 0.0)
    assert (tallies[A].matches, tallies[A].verdicts) == (3, {"illegal": 1})
    assert tallies[B].verdicts == {"illegal": 1, "timeout": 2}
    assert tallies[B].seconds == pytest.approx((0.02 + 0.01 + 0.02) / 3)


def test_a_stamp_differs_when_something_has_changed(
    address: Address, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every change that pages show changes the stamp, even within one tick of the clock."""

    class Stopped(datetime):
        @classmethod
        def now(cls, tz: tzinfo | None = None) -> Self:
            return cls(2026, 1, 31, 23, 59, tzinfo=tz)

    monkeypatch.setattr(table_rows, "datetime", Stopped)
    with create_tournament(address) as store, Store.open(address, write=False) as reader:
        seen = [reader.get_stamp()]
        assert reader.get_stamp() == seen[0]
        for change in (
            lambda: store.deals.plan(build_deals(2, rotations=2)),
            lambda: store.matches.record(build_result(0)),
            lambda: store.matches.record(build_result(1)),
            lambda: store.matches.cancel([(0, 1)], "why"),
            lambda: store.matches.reopen([(0, 0)]),
            lambda: store.entries.set_state(A, State.ASIDE, "why"),
            lambda: store.entries.set_state(A, State.ASIDE, "another reason"),
            lambda: store.entries.carry_out(AliasCommand(1, "a", "bot_1")),
            lambda: store.entries.set_file_titles({"b": "Bob"}),
        ):
            change()
            seen.append(reader.get_stamp())
            assert reader.get_stamp() == seen[-1]
        assert len({*seen}) == len(seen)


def test_nothing_is_written_without_the_claim(address: Address) -> None:
    """Writing without the claim is a mistake in the program."""
    create_tournament(address, build_deals(1)).close()
    with Store.open(address) as store:
        with pytest.raises(AssertionError):
            store.matches.record(build_result(0))
        with pytest.raises(AssertionError):
            store.facts.set(Facts.first_entrants, 1)
        with pytest.raises(AttributeError, match=r"Facts\.set to store 'first'"):
            setattr(store.facts, "first_entrants", 1)  # noqa: B010  # the type checker refuses it, too
    with Store.open(address, write=False) as store, pytest.raises(AssertionError):
        store.claim()


def test_a_kill_at_any_statement_loses_nothing_and_leaves_nothing_half(tmp_path: Path) -> None:
    """Entrants, deals, matches and states are stored whole or not at all."""
    newer = Entry("ada", "a1", "./ada", title="Ada")
    deal = Deal(3, (A, B), 2)

    def open_or_create(path: Path) -> Store:
        return Store.claim_existing(path) or create_tournament(path)

    assert_nothing_is_half(
        tmp_path / "tournament.db",
        open_or_create,
        [
            lambda store: store.facts.set(Facts.level, 0.9),
            lambda store: store.deals.plan(build_deals(3)),
            lambda store: store.deals.begin(0),
            lambda store: store.matches.record(build_result(0)),
            lambda store: store.matches.record(
                build_result(0, 1, verdicts={0: TIMEOUT}, errors={0: "x"})
            ),
            lambda store: store.matches.cancel([(1, 0), (1, 1)], "gone"),
            lambda store: store.matches.record_deal(deal, [build_result(3), build_result(3, 1)]),
            lambda store: store.matches.reopen([(0, 0), (3, 1)]),
            lambda store: store.entries.carry_out(EntryCommand(1, newer)),
            lambda store: store.entries.carry_out(AliasCommand(2, "bob", "bot_1")),
            lambda store: store.entries.enter(Entry("dan", "d0", "./dan", title="Dan")),
            lambda store: store.entries.set_state(C, State.ASIDE, "it failed"),
            lambda store: store.entries.record_check(B),
            lambda store: store.matches.archive([A], [(0, 1), (3, 0)], "long gone"),
        ],
    )
