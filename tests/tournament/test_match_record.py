"""A match that is over has one form, from its worker to all who show it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from attrs import evolve

from arena.rules import End
from arena.tournament.commands import AliasCommand
from arena.tournament.match_record import (
    CANCELLED,
    RecordedEnd,
    ReplacedResult,
    ReplacedSeat,
    SeatRecord,
    StoredMatch,
    VerdictRecord,
    VoidCause,
    parse_end,
)
from arena.tournament.store import Store
from tests.support.texts import list_texts
from tests.support.tournaments.stored_matches import (
    build_deals,
    build_void_result,
    create_tournament,
)

ADA, BOB = SeatRecord("ada", "a0", 1, 5.0, 0.1234567), SeatRecord("bob", "b0", 2, 2.5)
LOST = ReplacedResult(
    End.VOID, VoidCause.WORKER, "its worker died twice, with ada and bob at the table", 0, 1.5,
    "2026-01-31T23:59:59.999Z",
    (ReplacedSeat("ada", "a0"), ReplacedSeat("bob", "b0", verdict="crashed")),
)  # fmt: skip
MATCH = StoredMatch(
    17, 1, End.FINISHED, 3, (ADA, BOB), 0.1234567, stage="", when="2026-01-31T23:59:59.999Z",
    has_transcript=False,
)  # fmt: skip


def test_names_that_are_hidden_are_nowhere_in_a_match(tmp_path: Path) -> None:
    """Its seats, its detail and the results that it replaces hold the alias instead."""
    lost = build_void_result(0, why=LOST.detail, cause=VoidCause.WORKER)
    path = tmp_path / "hill.db"
    with create_tournament(path, build_deals(1)) as store:
        for _ in range(2):
            store.matches.record(lost)
            store.matches.reopen([(0, 0)])
        store.matches.record(lost)
        store.matches.cancel([(0, 1)], "ada@a0 no longer takes part")
        store.entries.carry_out(AliasCommand(1, "ada", "bot_7"))
        plain = store.matches.find_match(0, 0)
    with Store.open(path, write=False, aliased=True) as store:
        hidden, cancelled = store.matches.load_matches([(0, 0), (0, 1)])
    assert hidden.entrants == ("bot_7@a0", "bob@b0")
    assert [text for text in list_texts(hidden) if "ada" in text] == []
    detail = "its worker died twice, with bot_7 and bob at the table"
    assert [hidden.detail, *(result.detail for result in hidden.replaced)] == [detail] * 3
    assert cancelled.detail == "bot_7@a0 no longer takes part"
    assert plain.detail == LOST.detail == plain.replaced[0].detail
    assert plain.entrants == ("ada@a0", "bob@b0")


def test_a_replaced_result_is_read_as_it_was_written() -> None:
    """A result that was replaced has one form in Python, and one as JSON."""
    packed = LOST.pack()
    assert ReplacedResult.parse(json.loads(json.dumps(packed))) == LOST
    assert json.dumps(packed) == (
        '{"outcome": "void", "cause": "worker",'
        ' "detail": "its worker died twice, with ada and bob at the table", "rounds": 0,'
        ' "seconds": 1.5, "when": "2026-01-31T23:59:59.999Z", "seats": [{"seat": 0, "name": "ada",'
        ' "version": "a0", "score": null, "place": null, "verdict": null}, {"seat": 1,'
        ' "name": "bob", "version": "b0", "score": null, "place": null, "verdict": "crashed"}]}'
    )
    assert evolve(MATCH, replaced=(LOST,)).pack()["replaced"] == [packed]


@pytest.mark.parametrize("end", [*End, CANCELLED])
def test_the_end_of_a_match_is_read_as_it_was_written(end: RecordedEnd) -> None:
    """Each end is its own text."""
    assert parse_end(str(end)) == end
    with pytest.raises(ValueError, match="'lost' is not a valid End"):
        parse_end("lost")


def test_places_follow_from_scores_where_only_these_are_known() -> None:
    """Partners share a place; a match without any is void, and one with some of them is refused."""
    seats = [SeatRecord(name, "1", score=float(ord(name)), team=ord(name) % 2) for name in "abcd"]
    drawn = evolve(MATCH, seats=tuple(seats))
    assert drawn.sides == ((0, 2), (1, 3))
    assert evolve(MATCH, seats=tuple(evolve(seat, team=None) for seat in seats)).rank() == (
        4,
        3,
        2,
        1,
    )
    assert MATCH.rank() == [1, 2]
    nobody = tuple(evolve(seat, place=None, score=None) for seat in MATCH.seats)
    assert evolve(MATCH, seats=nobody).rank() is None
    assert evolve(MATCH, seats=()).rank() is None
    with pytest.raises(ValueError, match="for some of its seats only"):
        evolve(MATCH, seats=(ADA, nobody[1])).rank()


def test_a_verdict_is_read_as_it_was_written() -> None:
    """A verdict keeps the seat of a side that has several; one of an older database may lack facts."""
    verdict = VerdictRecord("illegal", {"ask": "Bid"}, "99", None, 0.5, "not in the hand", 3)
    assert VerdictRecord.parse(verdict.pack()) == verdict
    assert "seat" not in evolve(verdict, seat=None).pack()
    assert VerdictRecord.parse({"kind": "timeout"}).pack() == {
        "kind": "timeout", "question": None, "line": "", "limit": None, "seconds": 0.0,
        "detail": "",
    }  # fmt: skip


def test_a_match_says_in_json_what_is_known_of_it() -> None:
    """A worker reports verdicts in full; the store adds what it knows and shortens them."""
    asked = {"ask": "Bid", "options": {"one_of": [1, 2]}}
    late = VerdictRecord("timeout", asked, "", 1.0, 1.5, "late")
    failed = evolve(BOB, failure=late, stderr="oh")
    match = evolve(MATCH, seats=(ADA, failed))
    stored, reported = match.pack(), match.pack_report()
    assert [*stored] == [
        "match", "stage", "detail", "seconds", "when", "transcript", "cause", "replaced",
        "outcome", "rounds", "seats",
    ]  # fmt: skip
    assert [*reported] == ["match", "seconds", "outcome", "rounds", "seats"]
    assert (stored["match"], stored["seconds"], stored["seats"][0]["score"]) == (
        "17.1",
        0.123457,
        5,
    )
    assert stored["seats"][1]["verdict"] == {**late.pack(), "question": {"ask": "Bid"}}
    assert reported["seats"][1]["verdict"] == late.pack()
