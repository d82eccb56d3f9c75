"""Tables that were closed are played on, by calls, without a server or a browser."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest
from attrs import asdict, evolve

from arena import UserError
from arena.records import parse_text, verify
from arena_web.play import presence
from arena_web.play.chairs.chair import Chair
from arena_web.play.chairs.sent_answers import SentAnswer
from arena_web.play.match.phases import TablePhase
from arena_web.play.match.table import PlayTable
from arena_web.play.table_setup import TableSetup
from arena_web.play.tables import PlayTables
from tests.support.programs import TIMEOUT
from tests.support.web.event_streams import Event, parse_events, run
from tests.support.web.seat_players import (
    build_setup,
    choose_first,
    find_chair,
    find_match,
    get_ending,
    list_questions,
    play_seat,
    resume_match,
    seat_all,
    select_events,
)

Choose = Callable[[dict[str, Any]], dict[str, Any] | None]


class EnoughError(Exception):
    """A seat has been asked what a test wanted."""


def answer_until(number: int) -> Choose:
    """Return what answers all questions before this one, and stops there."""

    def choose(ask: dict[str, Any]) -> dict[str, Any] | None:
        if ask["n"] >= number:
            raise EnoughError
        return choose_first(ask)

    return choose


async def play_some(table: PlayTable, number: int) -> None:
    """Have a person answer until the question of this number is open."""
    (chair,) = table.chairs.values()
    with pytest.raises(EnoughError):
        await play_seat(table, chair, answer_until(number))


async def close(tables: PlayTables) -> PlayTables:
    """Close all tables; return those of the next server, with the same store."""
    tables.close()
    await asyncio.to_thread(tables.join)
    return PlayTables(store=tables.store)


async def resume(tables: PlayTables, secret: str) -> tuple[PlayTable, Chair, Chair]:
    """Return a table of two that is played up to where it was, this seat of it, and the second."""
    table, chair = await find_chair(tables, secret)
    await table.attendance.up_to_date.wait()
    (_, other) = table.chairs.values()
    return table, chair, other


GAMES = [
    pytest.param(build_setup("gops", "match", cards=6), id="gops"),
    pytest.param(build_setup("bs", "counter", "liar", max_turns=20), id="bs"),
    pytest.param(build_setup("hearts", "low", "counter", "low", deals=1), id="hearts"),
    pytest.param(build_setup("briscola", "counter"), id="briscola"),
    pytest.param(build_setup("coup", "counter", "counter"), id="coup"),
]


@pytest.mark.parametrize("setup", GAMES)
def test_a_seat_is_asked_again_what_was_open(setup: TableSetup) -> None:
    """It has seen the same, and the match that follows obeys the rules."""

    async def test() -> None:
        tables = PlayTables()
        table = seat_all(tables, setup)
        (chair,) = table.chairs.values()
        await play_some(table, 4)
        shown = b"".join(chair.feed.frames)
        tables = await close(tables)
        again, same = await find_chair(tables, chair.secret)
        assert again.seating.spec.key == table.seating.spec.key
        seen = await play_seat(again, same, choose_first)
        told = list_told(parse_events(shown))
        assert list_told([(0, *event) for event in seen])[: len(told)] == told
        assert list_questions(seen)[0]["n"] >= 4
        assert select_events(seen, "end")[0]["end"] == "finished"
        verify(again.seating.spec.game, parse_text(get_ending(again).transcript))
        assert tables.store.tables.read_transcript(again.key) == get_ending(again).transcript

    run(test)


def list_known(chair: Chair) -> dict[str, Any]:
    """Return what hints for the open question of a seat are computed from."""
    assert chair.question
    return asdict(chair.question.state.juncture, recurse=False)


def test_a_question_has_the_same_number_after_a_restart() -> None:
    """Answers that were forced, and those that stood, count in both lives; hints know the same."""

    async def test() -> None:
        def pass_ahead(ask: dict[str, Any]) -> dict[str, Any] | None:
            if len(numbers) == 8:
                raise EnoughError
            numbers.append(ask["n"])
            return (
                {"standing": ask["standing_answers"][0]}
                if ask["standing_answers"]
                else choose_first(ask)
            )

        numbers: list[int] = []
        tables = PlayTables()
        table = seat_all(tables, build_setup("bs", "liar", "counter", max_turns=60))
        (chair,) = table.chairs.values()
        with pytest.raises(EnoughError):
            await play_seat(table, chair, pass_ahead)
        number, known = chair.open_number, list_known(chair)
        assert number > len(numbers) + 1
        tables = await close(tables)
        again, same = await find_chair(tables, chair.secret)
        assert again.seating.spec.key == table.seating.spec.key
        while not same.open_number:
            await same.feed.wait(len(same.feed.frames))
        assert same.open_number == number
        assert list_known(same) == known
        await close(tables)

    run(test)


def test_a_deserted_table_sleeps_until_somebody_comes_back(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """It takes neither a thread nor descriptors, and its person is still asked."""

    async def test() -> None:
        tables = PlayTables()
        table = seat_all(tables, build_setup("gops", "match", cards=6))
        (chair,) = table.chairs.values()
        await play_some(table, 4)
        assert chair.question
        inbox = chair.question.inbox
        monkeypatch.setattr(presence, "PRESENCE_SECONDS", 0.0)
        monkeypatch.setattr(presence, "SLEEP_SECONDS", 0.0)
        with chair.feed.count_follower():
            assert table.chairs
        async for _ in chair.feed.follow(len(chair.feed.frames)):
            pass  # it ends when the table sleeps
        await asyncio.to_thread(table.join, TIMEOUT)
        assert table.over
        assert table.key not in tables.places
        assert all(end.fileno() == -1 for end in (inbox._reading, inbox._writing))
        assert tables.list_asking([chair.secret]) == {table.key}
        monkeypatch.undo()
        seen = await play_seat(*await find_chair(tables, chair.secret), choose_first)
        assert list_questions(seen)[0]["n"] >= 4
        assert select_events(seen, "end")[0]["end"] == "finished"
        assert tables.list_asking([chair.secret]) == set()

    run(test)


@pytest.mark.parametrize("why", ["", "clock", "answered", "not kept"])
def test_a_table_sleeps_where_that_costs_nobody_anything(why: str) -> None:
    """A clock runs on, and no answer is asked for again or lost."""

    async def test() -> None:
        tables = PlayTables()
        clock = 60.0 if why == "clock" else None
        table = seat_all(tables, build_setup("gops", persons=2, cards=6, clock=clock))
        if why == "not kept":
            tables.store.connection.execute("PRAGMA query_only = ON")
        ann, bob = table.chairs.values()

        playing = [asyncio.ensure_future(play_seat(table, ann, answer_until(2)))]
        with pytest.raises(EnoughError):
            await play_seat(table, bob, answer_until(2))
        await asyncio.gather(*playing, return_exceptions=True)
        if why == "answered":
            ann.send(SentAnswer(2, 2))
            async for chunk in ann.feed.follow(len(ann.feed.frames)):
                if b"closed_question" in chunk:
                    break
        assert table._can_sleep() is (not why)
        await close(tables)

    run(test)


def list_told(events: list[Event]) -> list[Any]:
    """Return the lines of text in events."""
    steps = [step for _, name, data in events if name == "steps" for step in data]
    return [line for step in steps for line in step.get("t", ())]


def test_an_answer_for_which_the_others_were_waited_is_asked_for_again() -> None:
    """Nobody else has seen it; the match begins again without waiting for all links."""

    async def test() -> None:
        tables = PlayTables()
        table = seat_all(tables, build_setup("gops", persons=2, cards=4))
        ann, bob = table.chairs.values()

        def answer_once_more(ask: dict[str, Any]) -> dict[str, Any] | None:
            if ask["n"] == 2:
                ann.send(SentAnswer(2, **choose_first(ask)))
                raise EnoughError
            return choose_first(ask)

        playing = (
            play_seat(table, ann, answer_once_more), play_seat(table, bob, answer_until(2)),
        )  # fmt: skip
        await asyncio.gather(*playing, return_exceptions=True)
        tables = await close(tables)
        again, chair, other = await resume(tables, ann.secret)
        assert other.secret == bob.secret
        seen = await asyncio.gather(
            play_seat(again, chair, choose_first), play_seat(again, other, choose_first)
        )
        for events in seen:
            assert len(list_questions(events)) == 3
        verify(again.seating.spec.game, parse_text(get_ending(again).transcript))

    run(test)


def test_cards_that_were_dealt_are_the_same_before_the_first_answer() -> None:
    """Whoever has seen a hand gets no better one by waiting until the table sleeps."""

    async def test() -> None:
        tables = PlayTables()
        table = seat_all(tables, build_setup("gops", persons=2, cards=4))
        tables = await close(tables)
        again = await resume_match(tables, table.key)
        assert again.seating.spec == table.seating.spec
        assert again.attendance.up_to_date.is_set()
        await close(tables)

    run(test)


def test_a_rematch_after_a_restart_is_another_deal() -> None:
    """Nobody knows its cards from the match before."""

    async def test() -> None:
        tables = PlayTables()
        table = seat_all(tables, evolve(build_setup("gops", "easy", cards=3), seed=None))
        await play_some(table, 2)
        tables = await close(tables)
        again, chair = await find_chair(tables, table.secrets[0])
        await play_seat(again, chair, choose_first)
        following = find_match(tables, tables.reopen(again).key)
        assert following.seating.spec.seed != again.seating.spec.seed == table.seating.spec.seed
        await close(tables)

    run(test)


def test_two_requests_at_once_bring_back_one_table() -> None:
    """The store is read in a thread, and whoever asks meanwhile waits for the same."""

    async def test() -> None:
        tables = PlayTables()
        table = tables.open(build_setup("gops", "easy", cards=3))
        again = PlayTables(store=tables.store)
        (secret,) = table.secrets
        finding = again.find_table(table.key), again.find_by_secret(secret), again.get_place(secret)
        assert {*await asyncio.gather(*finding)} == {*again.places.values()}
        assert len(again.places) == 1
        again.close()
        tables.close()

    run(test)


def test_who_has_left_stays_replaced() -> None:
    """The page says so again."""

    async def test() -> None:
        tables = PlayTables()
        table = seat_all(tables, build_setup("hearts", "low", "low", persons=2, deals=1))
        ann, bob = table.chairs.values()

        def leave(ask: dict[str, Any]) -> dict[str, Any] | None:
            if ask["n"] > 1:
                bob.leave()
                return None
            return choose_first(ask)

        gone = asyncio.ensure_future(play_seat(table, bob, leave))
        with pytest.raises(EnoughError):
            await play_seat(table, ann, answer_until(5))
        gone.cancel()
        tables = await close(tables)
        again, chair, other = await resume(tables, ann.secret)
        assert b"You left the table." in b"".join(other.feed.frames)
        assert not other.open_number
        seen = await play_seat(again, chair, choose_first)
        (end,) = select_events(seen, "end")
        assert (end["end"], end["rows"][-1]["verdict"]) == ("finished", "left")
        verify(again.seating.spec.game, parse_text(get_ending(again).transcript))

    run(test)


def test_an_answer_that_stands_is_kept() -> None:
    """The page shows it again, and whoever passes unless last cards are laid is seldom asked."""
    label = "Pass unless my cards prove a lie or someone would win"

    async def test() -> None:
        def pass_ahead(ask: dict[str, Any]) -> dict[str, Any] | None:
            if ask["n"] > 1 and ask["options"]["kind"] == "selection":
                raise EnoughError
            return {"standing": label} if label in ask["standing_answers"] else choose_first(ask)

        tables = PlayTables()
        table = seat_all(tables, build_setup("bs", *["honest"] * 4, max_turns=60))
        (chair,) = table.chairs.values()
        with pytest.raises(EnoughError):
            await play_seat(table, chair, pass_ahead)
        tables = await close(tables)
        again, same = await find_chair(tables, chair.secret)
        seen = await play_seat(again, same, choose_first)
        steps = [step for data in select_events(seen, "steps") for step in data]
        assert steps[0] == {"standing": label}
        asked = [ask["options"].get("labels", ()) for ask in list_questions(seen)]
        assert sum("BS" in labels for labels in asked) <= 3
        assert len(asked) > 5

    run(test)


def test_a_match_whose_rules_have_changed_is_void() -> None:
    """What was answered is not allowed now; nobody is at fault."""

    async def test() -> None:
        tables = PlayTables()
        table = seat_all(tables, build_setup("gops", "easy", cards=6))
        (chair,) = table.chairs.values()
        await play_some(table, 3)
        tables = await close(tables)
        for ask in (0, 1):
            line = '{"from":0,"answer":99,"seconds":0,"latency":0,"fallback":false}\n'
            change = "UPDATE asks SET lines = ? WHERE number = ?"
            tables.store.connection.execute(change, (line, ask))
        seen = await play_seat(*await find_chair(tables, chair.secret), choose_first)
        assert select_events(seen, "end")[0]["end"] == "void"
        stored = tables.store.tables.find(table.key)
        assert stored
        assert stored.result
        assert stored.result.places is None

    run(test)


def test_the_end_is_told_though_the_store_cannot_be_read() -> None:
    """A page learns how the match came out, without the results so far."""

    async def test() -> None:
        tables = PlayTables()
        table = seat_all(tables, build_setup("kuhn", "random"))
        (chair,) = table.chairs.values()
        tables.store.connection.execute("DROP TABLE browsers")
        with pytest.raises(UserError):
            tables.store.browsers.find_ticket(chair.secret)
        (end,) = select_events(await play_seat(table, chair, choose_first), "end")
        assert end["end"] == "finished"
        assert not end.get("record")
        await asyncio.to_thread(table.join, TIMEOUT)
        assert table.phase is TablePhase.OVER

    run(test)


def get_phase(table: PlayTable) -> TablePhase:
    """Return the phase of a table, which a type checker takes for the one that it was before."""
    return table.phase


def test_a_table_that_is_closed_before_its_match_is_over_at_once() -> None:
    """No thread ends it later, and its match can begin elsewhere."""

    async def test() -> None:
        tables = PlayTables()
        table = tables.open(build_setup("kuhn", "random"))
        assert isinstance(table, PlayTable)
        assert get_phase(table) is TablePhase.WAITING
        again = await close(tables)
        assert get_phase(table) is TablePhase.OVER
        seen = await play_seat(*await find_chair(again, table.secrets[0]), choose_first)
        assert select_events(seen, "end")[0]["end"] == "finished"

    run(test)


def test_a_match_that_is_closed_has_no_result() -> None:
    """It is closing until its thread has seen that, and can be played on."""

    async def test() -> None:
        tables = PlayTables()
        table = seat_all(tables, build_setup("gops", "match", cards=6))
        await play_some(table, 2)
        assert get_phase(table) is TablePhase.PLAYING
        tables.close()
        assert get_phase(table) in {TablePhase.CLOSING, TablePhase.OVER}
        await asyncio.to_thread(table.join, TIMEOUT)
        assert get_phase(table) is TablePhase.OVER
        stored = tables.store.tables.find(table.key)
        assert stored
        assert stored.result is None

    run(test)
