"""Who is here at a table, by the times at which pages are opened and closed."""

from __future__ import annotations

import pytest

from arena_web.play.presence import ABSENT_SECONDS, SLEEP_SECONDS, Presence
from arena_web.play.seat_secrets import Secret

ANN, BOB = Secret("a"), Secret("b")


@pytest.fixture
def presence() -> Presence:
    """Return the presence of two people, of whom one has come; the clock begins at 100."""
    presence = Presence({ANN: "Ann", BOB: "Bob"}, began=100.0)
    presence.arrive(ANN)
    presence.see(ANN, 1, 101.0)
    return presence


def test_each_reader_is_told_of_the_others(presence: Presence) -> None:
    """A person is not told of herself, and who watches is told of all."""
    presence.see(None, 2, 101.0)
    assert presence.build_report(ANN).said == "Bob is not here yet, 2 watching"
    assert presence.build_report(BOB).presence == {"Ann": "is here"}
    report = presence.build_report(None)
    assert report.presence == {"Ann": "is here", "Bob": "is not here yet"}
    assert (report.late, report.away) == (["Bob"], [])


def test_who_plays_alone_is_not_news_to_those_who_watch() -> None:
    """Only the number of spectators is."""
    alone = Presence({ANN: "Ann"}, began=0.0)
    alone.see(None, 1, 0.0)
    report = alone.build_report(None)
    assert (report.presence, report.said) == ({}, "1 watching")


def test_whoever_closes_the_last_page_is_away(presence: Presence) -> None:
    """One of two pages may be closed, and who comes back is here as before."""
    presence.see(ANN, 2, 102.0)
    presence.see(ANN, 1, 103.0)
    assert presence.describe(ANN) == "is here"
    presence.see(ANN, 0, 104.0)
    assert presence.describe(ANN) == "is away"
    assert presence.build_report(None).away == ["Ann"]
    presence.see(ANN, 1, 105.0)
    assert presence.describe(ANN) == "is here"


def test_whoever_is_out_of_the_match_is_not_away(presence: Presence) -> None:
    """The others are told why, whether that person looks on or not."""
    for pages in (1, 0):
        presence.see(ANN, pages, 102.0)
        report = presence.build_report(BOB, {ANN: "has left (a bot plays)"})
        assert report.presence == {"Ann": "has left (a bot plays)"}
        assert report.away == []


def test_the_others_need_not_wait_for_ever(presence: Presence) -> None:
    """A minute after the last page was closed, or after the start for who has never come."""
    presence.see(ANN, 0, 110.0)
    presence.see(ANN, 0, 150.0)  # it is told again, and that changes nothing
    for secret, since in ((ANN, 110.0), (BOB, 100.0)):
        assert not presence.is_absent(secret, since + ABSENT_SECONDS - 1)
        assert presence.is_absent(secret, since + ABSENT_SECONDS)
    presence.see(ANN, 1, 171.0)
    assert not presence.is_absent(ANN, 500.0)


def test_a_table_is_deserted_once_the_last_page_is_closed(presence: Presence) -> None:
    """Who only watches keeps it awake."""
    presence.see(None, 1, 110.0)
    presence.see(ANN, 0, 120.0)
    assert not presence.is_deserted(120.0 + SLEEP_SECONDS)
    presence.see(None, 0, 130.0)
    assert not presence.is_deserted(120.0 + SLEEP_SECONDS)
    assert presence.is_deserted(130.0 + SLEEP_SECONDS)
    presence.see(BOB, 1, 400.0)
    assert not presence.is_deserted(900.0)


def test_one_has_to_look_again_when_somebody_may_be_absent(presence: Presence) -> None:
    """Then when the other may be, and at last when the table may sleep; where it cannot, later."""
    presence.see(BOB, 1, 102.0)
    assert presence.find_next_change(103.0) is None  # all are here
    presence.see(ANN, 0, 110.0)
    presence.see(BOB, 0, 120.0)
    at, moments = 120.0, []
    for _ in range(4):
        seconds = presence.find_next_change(at)
        assert seconds
        at += seconds
        moments.append(at)
    slept = 120.0 + SLEEP_SECONDS
    assert moments == [110 + ABSENT_SECONDS, 120 + ABSENT_SECONDS, slept, slept + SLEEP_SECONDS]
