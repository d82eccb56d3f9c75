"""Who is here at a table, by the times at which pages are opened and closed."""

from __future__ import annotations

import pytest

from arena_web.play.presence import ABSENT_SECONDS, SLEEP_SECONDS, Presence


@pytest.fixture
def presence() -> Presence:
    """Return the presence of two people, of whom one has come; the clock begins at 100."""
    presence = Presence({"a": "Ann", "b": "Bob"}, began=100.0)
    presence.arrive("a")
    presence.see("a", 1, 101.0)
    return presence


def test_each_reader_is_told_of_the_others(presence: Presence) -> None:
    """A person is not told of herself, and who watches is told of all."""
    presence.see(None, 2, 101.0)
    assert presence.build_report("a").said == "Bob is not here yet, 2 watching"
    assert presence.build_report("b").presence == {"Ann": "is here"}
    report = presence.build_report(None)
    assert report.presence == {"Ann": "is here", "Bob": "is not here yet"}
    assert (report.late, report.away) == (["Bob"], [])


def test_who_plays_alone_is_not_news_to_those_who_watch() -> None:
    """Only the number of spectators is."""
    alone = Presence({"a": "Ann"}, began=0.0)
    alone.see(None, 1, 0.0)
    report = alone.build_report(None)
    assert (report.presence, report.said) == ({}, "1 watching")


def test_whoever_closes_the_last_page_is_away(presence: Presence) -> None:
    """One of two pages may be closed, and who comes back is here as before."""
    presence.see("a", 2, 102.0)
    presence.see("a", 1, 103.0)
    assert presence.describe("a") == "is here"
    presence.see("a", 0, 104.0)
    assert presence.describe("a") == "is away"
    assert presence.build_report(None).away == ["Ann"]
    presence.see("a", 1, 105.0)
    assert presence.describe("a") == "is here"


def test_whoever_is_out_of_the_match_is_not_away(presence: Presence) -> None:
    """The others are told why, whether that person looks on or not."""
    for pages in (1, 0):
        presence.see("a", pages, 102.0)
        report = presence.build_report("b", {"a": "has left (a bot plays)"})
        assert report.presence == {"Ann": "has left (a bot plays)"}
        assert report.away == []


def test_the_others_need_not_wait_for_ever(presence: Presence) -> None:
    """A minute after the last page was closed, or after the start for who has never come."""
    presence.see("a", 0, 110.0)
    presence.see("a", 0, 150.0)  # it is told again, and that changes nothing
    for person, since in (("a", 110.0), ("b", 100.0)):
        assert not presence.is_absent(person, since + ABSENT_SECONDS - 1)
        assert presence.is_absent(person, since + ABSENT_SECONDS)
    presence.see("a", 1, 171.0)
    assert not presence.is_absent("a", 500.0)


def test_a_table_is_deserted_once_the_last_page_is_closed(presence: Presence) -> None:
    """Who only watches keeps it awake."""
    presence.see(None, 1, 110.0)
    presence.see("a", 0, 120.0)
    assert not presence.is_deserted(120.0 + SLEEP_SECONDS)
    presence.see(None, 0, 130.0)
    assert not presence.is_deserted(120.0 + SLEEP_SECONDS)
    assert presence.is_deserted(130.0 + SLEEP_SECONDS)
    presence.see("b", 1, 400.0)
    assert not presence.is_deserted(900.0)


def test_one_has_to_look_again_when_somebody_may_be_absent(presence: Presence) -> None:
    """Then when the other may be, and at last when the table may sleep; where it cannot, later."""
    presence.see("b", 1, 102.0)
    assert presence.find_next_change(103.0) is None  # all are here
    presence.see("a", 0, 110.0)
    presence.see("b", 0, 120.0)
    at, moments = 120.0, []
    for _ in range(4):
        seconds = presence.find_next_change(at)
        assert seconds
        at += seconds
        moments.append(at)
    slept = 120.0 + SLEEP_SECONDS
    assert moments == [110 + ABSENT_SECONDS, 120 + ABSENT_SECONDS, slept, slept + SLEEP_SECONDS]
