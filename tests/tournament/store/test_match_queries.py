"""Matches as people look for them."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from pathlib import Path
from random import Random

import pytest

from arena.records import describe_verdict
from arena.rules import End, UnknownNameError, UserError
from arena.tournament.deals import Deal
from arena.tournament.entries import Entry
from arena.tournament.match_record import StoredMatch
from arena.tournament.store import MatchFilter, Store, stored_matches
from tests.support.tournaments.stored_matches import (
    TIMEOUT,
    A,
    B,
    C,
    build_deals,
    build_result,
    build_void_result,
    create_tournament,
)

pytestmark = pytest.mark.slow  # hundreds of matches in a database and on a server
pytest_plugins = ["tests.support.tournaments.databases"]
NEWER = "ada@a1"


@pytest.fixture
def store(address: str | Path) -> Iterator[Store]:
    """Return a tournament in which all kinds of things have happened."""
    draw = Random(7)
    everybody = [A, B, C, NEWER]
    planned = [
        Deal(number, tuple(draw.sample(everybody, 2)), 2, draw.choice(["", "final"]))
        for number in range(15)
    ]
    with create_tournament(address) as store:
        store.entries.enter(Entry("ada", "a1", "./ada"))
        store.deals.plan(planned)
        for deal in planned:
            for rotation in range(2):
                settle_match(store, deal, rotation, draw)
        yield store


def settle_match(store: Store, deal: Deal, rotation: int, draw: Random) -> None:
    key, seats, what = (deal.number, rotation), deal.rotate(rotation), draw.randrange(6)
    verdicts = {
        seat: TIMEOUT | {"kind": kind}
        for seat in range(2)
        if (kind := draw.choice(["", "", "timeout", "illegal"]))
    }
    if what == 0:
        store.matches.cancel([key], "gone")
    elif what == 1:
        store.matches.record(build_void_result(*key, seats))
    elif what > 2:
        end = End.FORFEITED if verdicts else End.FINISHED
        store.matches.record(build_result(*key, seats, verdicts=verdicts, end=end))


def passes_filter(match: StoredMatch, which: MatchFilter) -> bool:
    """Return whether a filter lets a match through, by its record."""
    names = {None, A, B, C, NEWER, "ada", "bob", "cem"} if which.bot is None else {which.bot}
    seated = [seat for seat in match.seats if which.bot is None or names & {seat.name, seat.id}]
    kinds = {seat.verdict for seat in seated}
    return (
        (which.bot is None or bool(seated))
        and (which.verdict is None or which.verdict in kinds)
        and (match.end != "cancelled" if which.end is None else match.end == which.end)
        and which.stage in {None, match.stage}
    )


def test_filters_let_through_what_fits(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """A filter gives all matching matches once and in order, for all combinations and page sizes."""
    every = [
        *store.matches.find_matches(),
        *store.matches.find_matches(MatchFilter(end="cancelled")),
    ]
    every.sort(key=lambda match: [int(part) for part in match.match.split(".")])
    assert {match.end for match in every} == {*End, "cancelled"}
    monkeypatch.setattr(stored_matches, "PAGE_MATCHES", 3)
    combined = product(
        (None, "ada", A, "cem"), (None, "timeout"), (None, "void", "forfeited", "cancelled"),
        (None, "final"), (False, True),
    )  # fmt: skip
    for bot, verdict, end, stage, newest in Random(1).sample([*combined], 16):
        which = MatchFilter(bot, verdict, end, stage, None, newest)
        fitting = [match for match in every if passes_filter(match, which)]
        assert [*store.matches.find_matches(which)] == (fitting[::-1] if newest else fitting), which


def test_a_limit_cuts(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """A limit cuts within a page and at its end."""
    monkeypatch.setattr(stored_matches, "PAGE_MATCHES", 3)
    for bot, limit in ((None, 0), ("ada", 3), (None, 4), ("bob", 1000)):
        every = [*store.matches.find_matches(MatchFilter(bot, newest=True))]
        assert [*store.matches.find_matches(MatchFilter(bot, newest=True, limit=limit))] == every[
            :limit
        ]


def test_who_is_not_known_is_refused(store: Store) -> None:
    """The name of an unknown entrant is refused with a suggestion."""
    with pytest.raises(UnknownNameError, match="unknown entrant 'aada'; did you mean ada"):
        store.matches.find_matches(MatchFilter("aada"))


def test_a_match_that_is_not_over_is_refused(store: Store) -> None:
    """A match that has not been played is refused in a line."""
    store.deals.plan([Deal(15, (A, B), 1)])
    for key in ((15, 0), (99, 0)):
        with pytest.raises(UserError, match=r"match \d+\.0 has not been played"):
            store.matches.find_match(*key)
        assert store.transcripts.load(*key) is None


def test_a_listing_says_what_who_failed_said(address: str | Path) -> None:
    """A listing has the line, the stderr and the times of a failure, but only the name of its question."""
    with create_tournament(address, build_deals(1)) as store:
        store.matches.record(
            build_result(0, verdicts={1: {**TIMEOUT, "line": "10"}}, errors={1: "oh"})
        )
        match = next(store.matches.find_matches()).pack()
    verdict = match["seats"][1]["verdict"]
    assert verdict == {**TIMEOUT, "line": "10", "question": {"ask": "Bid"}}
    assert describe_verdict(verdict) == "too late (asked Bid, 1.500 of 1 seconds)"
    assert [seat["stderr"] for seat in match["seats"]] == [None, "oh"]


def test_matches_may_come_while_others_are_listed(store: Store) -> None:
    """A listing blocks no writer, and goes on after the match that it gave last."""
    found = store.matches.find_matches(MatchFilter(newest=True))
    first = next(found)
    store.deals.plan([Deal(15, (A, B), 1)])
    store.matches.record(build_result(15))
    assert first not in found


def test_a_deal_is_settled_with_its_last_rotation(address: str | Path) -> None:
    """A deal is settled when all rotations are played, void or cancelled; an unplanned one is not."""
    with create_tournament(address, build_deals(2)) as store:
        store.matches.record(build_result(0))
        assert not store.deals.is_deal_over(0)
        store.matches.cancel([(0, 1)], "gone")
        assert [store.deals.is_deal_over(deal) for deal in (0, 1, 2)] == [True, False, False]
