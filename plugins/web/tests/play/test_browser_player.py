"""A person as a player: asked by steps, answering by requests, judged like anybody."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from typing import Any

import pytest

from arena import ZoneKind
from arena.players import NOT_YET
from arena.plugins import get_plugins, load_game
from arena.records import Perspective, Replayer, Spectator, Transcript, parse_lines, verify
from arena.rules import Between, OneOf, Play, Question, SomeOf, Text
from arena.wires import Greeting, TimeLeft, Zone
from arena_bs.show import UNLESS_SURE, UNTIL_OWN_TURN, name_ranks
from arena_web.http.sse import EventBroadcast
from arena_web.play.chairs.browser_player import BrowserPlayer
from arena_web.play.chairs.chair import Chair
from arena_web.play.chairs.question_forms import build_options
from arena_web.play.chairs.sent_answers import AnswerInbox, SentAnswer
from arena_web.play.seat_secrets import Secret
from arena_web.play.table_quota import NoFreeTableError, TableQuota
from arena_web.play.tables import PlayTables
from arena_web.protocol.json_format import to_json
from tests.support.web.event_streams import collect_events, parse_events, run
from tests.support.web.seat_players import (
    build_setup,
    choose_first,
    get_ending,
    list_questions,
    play_alone,
    play_seat,
    seat_all,
    select_events,
)


def test_a_whole_game_is_seen_as_a_replay_of_it_is() -> None:
    """What lies where at a person's seat is what the transcript shows to that seat's eye.

    The log leaves out what stands above the hand as the question, and at the end all hands are shown.
    """

    async def test() -> None:
        for game, bots in (
            ("gops", ["easy"]), ("bs", ["honest", "liar"]), ("hearts", ["low"] * 3),
            ("briscola", ["counter"] * 3), ("coup", ["counter"] * 2), ("kuhn", ["optimal"]),
        ):  # fmt: skip
            limited = {"bs": {"max_turns": 9}, "hearts": {"deals": 1}}.get(game, {})
            table, seen = await play_alone(build_setup(game, *bots, **limited), choose_first)
            recorded = parse_lines(get_ending(table).transcript.splitlines())
            rules = get_plugins().find_game(game)
            verify(rules, recorded)
            seat = seen[0][1]["seat"]
            assert table.seating.spec.names[seat] == "person0"
            live: dict[str, Any] = {}
            titles = {ask["title"] for ask in list_questions(seen)}
            for shown in select_events(seen, "steps"):
                for step in shown:
                    live.update(step.get("z", {}))
                    assert titles.isdisjoint(map(str, step.get("t", ())))
            replayer = Replayer.of(rules, recorded.header, [seat], table.names, page=True)
            again: dict[str, Any] = {**replayer.begin()[0].json.get("z", {})}
            for line in recorded.lines:
                for replayed in replayer.take(line):
                    again.update(replayed.json.get("z", {}))
            assert live == json.loads(json.dumps(again))
            assert (list_marked_turns(recorded) != []) == (game not in {"gops", "kuhn"})
            (end,) = select_events(seen, "end")
            assert [row["you"] for row in end["rows"]].count(True) == 1
            assert end["end"] == "finished"
            hands = [zone for zone in end["hands"].values() if zone["kind"] == "hand"]
            assert len(hands) == {"kuhn": 2, "bs": 3, "hearts": 0}.get(game, len(hands))
            assert all(zone["kind"] in {"hand", "table"} for zone in end["hands"].values())
            assert all(zone["cards"] for zone in end["hands"].values())

    run(test)


def test_a_seat_is_also_told_in_lines_how_things_stand() -> None:
    """Who reads no board finds its hand and the points in them; who watches is sent none."""

    async def test() -> None:
        table, seen = await play_alone(build_setup("gops", "easy", cards=3), choose_first)
        steps = [step for data in select_events(seen, "steps") for step in data]
        stood = [line for step in steps for line in step.get("s", ())]
        assert "Your hand: A 2 3" in stood
        assert not {*stood} & {str(line) for step in steps for line in step.get("t", ())}
        assert b'"s":' not in b"".join(table.attendance.feed.frames)

    run(test)


def list_marked_turns(recorded: Transcript) -> list[int]:
    """Return the seats that were asked while the public board said that it was their turn.

    While it says so nobody else is asked, and so nobody in secret.
    """
    game = get_plugins().find_game(recorded.header.game)
    replayer = Replayer.of(game, recorded.header, [Spectator.PUBLIC], page=True)
    zones: dict[str, Zone | None] = {**replayer.begin()[0].zones}
    turns = []
    for line in recorded.lines:
        for step in replayer.take(line):
            zones.update(step.zones)
        if "question" in line.value:
            marked = [
                zone.of for zone in zones.values() if zone and zone.turn and zone.of is not None
            ]
            assert marked in ([], [line.value["to"]])
            turns += marked
    return turns


def test_what_cannot_be_answered_is_asked_again() -> None:
    """A wrong answer is told why, costs nothing, and the question stays open."""

    async def test() -> None:
        wrong: Iterator[dict[str, Any]] = iter(
            [{"answer": 99}, {"answer": [1]}, {"line": "a fish"}, {"answer": None}]
        )
        tries: list[int] = []

        def choose(ask: dict[str, Any]) -> dict[str, Any] | None:
            tries.append(ask["n"])
            return next(wrong, None) if ask["n"] == 1 else choose_first(ask)

        table = seat_all(PlayTables(), build_setup("gops", "easy", cards=3))
        (chair,) = table.chairs.values()
        stream, seen = chair.feed.follow(), []
        table.arrive(chair.secret)
        async for chunk in stream:
            for _, name, data in parse_events(chunk):
                seen.append((name, data))
                if name == "no":
                    assert chair.send(SentAnswer(data["n"], **next(wrong, {"answer": 1})))
                for ask in list_questions([(name, data)]):
                    if (answer := choose(ask)) is not None:
                        assert chair.send(SentAnswer(ask["n"], **answer))
        whys = [data["why"] for data in select_events(seen, "no")]
        assert len(whys) == 4
        assert all(whys)
        assert tries == [1, 2, 3]
        result = get_ending(table).result
        assert result
        assert result.verdicts == (None, None)

    run(test)


def test_an_answer_to_another_question_is_dropped() -> None:
    """A double click, or a second window, plays no card that was not meant."""

    async def test() -> None:
        table = seat_all(PlayTables(), build_setup("gops", "easy", cards=2))
        (chair,) = table.chairs.values()

        def choose(ask: dict[str, Any]) -> dict[str, Any] | None:
            assert not chair.send(SentAnswer(ask["n"] + 1, 1))
            assert not chair.send(SentAnswer(ask["n"] - 1, 1))
            return choose_first(ask)

        seen = await play_seat(table, chair, choose)
        assert not chair.send(SentAnswer(0, 1))
        assert not select_events(seen, "no")

    run(test)


def test_who_takes_too_long_three_times_in_a_row_loses_the_seat() -> None:
    """Until then an answer counts in their place, which they are told, and which may be verified."""

    async def test() -> None:
        table, seen = await play_alone(build_setup("gops", "easy", clock=0.2), lambda _: None)
        asked = list_questions(seen)
        assert [ask["allowed"] for ask in asked] == [0.2] * 3
        told = [step for data in select_events(seen, "steps") for step in data]
        assert [step["closed_question"] for step in told if "closed_question" in step] == [1, 2]
        words = [word[1] for step in told for word in step.get("t", ()) if word[0] == "lost"]
        late = [re.search(r"answer: \w+ \(time out (\d) of 3", word) for word in words]
        assert [found[1] for found in late if found] == ["1", "2"]
        assert [data["kind"] for data in select_events(seen, "out")] == ["timeout"]
        (end,) = select_events(seen, "end")
        assert end["end"] == "forfeited"
        assert [row["verdict"] for row in end["rows"] if row["you"]] == ["timeout"]
        assert end["outcome"] == "lost"
        assert table.over
        verify(table.seating.spec.game, parse_lines(get_ending(table).transcript.splitlines()))

    run(test)


def test_an_answer_in_time_forgives_those_before() -> None:
    """Only three in a row lose the seat; the default answer counts where the game has one."""

    async def test() -> None:
        with sit_down("kuhn") as (browser, chair):
            bet = load_game("kuhn").vocabulary.classes["Bet"](OneOf((False, True)), default=False)
            for _ in range(3):
                assert browser.ask([], bet, TimeLeft(0.0)) is False
                assert browser.ask([], bet, TimeLeft(0.0)) is False
                assert browser.ask([], bet, TimeLeft(9.0)) is NOT_YET
                assert chair.send(SentAnswer(chair.open_number, True))
                assert browser.answer() is True
            assert browser.ask([], bet, TimeLeft(0.0)) is False
            assert browser.ask([], bet, TimeLeft(0.0)) is False
            assert browser.ask([], bet, TimeLeft(0.0)) is NOT_YET  # and the host finds them late

    run(test)


def test_without_a_clock_nobody_is_late() -> None:
    """No time is told, and the host waits."""

    async def test() -> None:
        _, seen = await play_alone(build_setup("gops", "easy", cards=2), choose_first)
        assert {ask["allowed"] for ask in list_questions(seen)} == {None}

    run(test)


def test_who_leaves_is_played_on() -> None:
    """Leaving is a verdict; where others sit they play on to the end."""

    async def test() -> None:
        table = seat_all(PlayTables(), build_setup("hearts", "low", "low", "low", deals=1))
        (chair,) = table.chairs.values()

        def choose(_: dict[str, Any]) -> None:
            chair.leave()

        seen = await play_seat(table, chair, choose)
        (out,) = select_events(seen, "out")
        assert out["kind"] == "crashed"
        assert len(list_questions(seen)) == 1
        assert select_events(seen, "end")[0]["end"] == "finished"

    run(test)


def test_when_the_server_ends_the_match_is_void() -> None:
    """Nobody is at fault, and the thread of the match ends."""

    async def test() -> None:
        tables = PlayTables()
        table = seat_all(tables, build_setup("gops", "easy"))
        (chair,) = table.chairs.values()
        stream = chair.feed.follow()
        table.arrive(chair.secret)
        async for chunk in stream:
            if list_questions([(name, data) for _, name, data in parse_events(chunk)]):
                break
        tables.close()
        await asyncio.to_thread(tables.join)
        assert table.over
        result = get_ending(table).result
        assert result
        assert result.outcome.end == "void"
        assert not result.outcome.verdicts

    run(test)


def is_selection(ask: dict[str, Any]) -> bool:
    """Whether a question is answered by several cards."""
    return bool(ask["options"]["kind"] == "selection")


def list_labels(ask: dict[str, Any]) -> list[str]:
    """Return what the choices of a question are called."""
    return [choice["label"] for choice in ask["options"].get("choices", ())]


def test_what_the_view_decides_nobody_is_asked() -> None:
    """After the truth there is no lie to be told of, and the view has read what was laid."""

    async def test() -> None:
        def honest(ask: dict[str, Any]) -> dict[str, Any]:
            return {"answer": ask["default"]} if is_selection(ask) else choose_first(ask)

        made = build_setup("bs", "honest", "honest", max_turns=6)
        _, seen = await play_alone(made, honest)
        labels = [list_labels(ask) for ask in list_questions(seen)]
        told = [
            text
            for data in select_events(seen, "steps")
            for step in data
            for text in step.get("t", ())
        ]
        laid = [ask for ask in list_questions(seen) if is_selection(ask)]
        assert len(laid) == 2
        assert any("Nobody calls." in text for text in told)
        boasts = sum("Peanut Butter" in some for some in labels)
        claims = [name_ranks(ask["default"][0][0]) for ask in laid]
        lies = sum(claim not in ask["title"] for claim, ask in zip(claims, laid, strict=True))
        assert boasts == lies

    run(test)


@pytest.mark.parametrize("which", [0, 1])
def test_whoever_passes_ahead_is_seldom_asked_whether_to_call(which: int) -> None:
    """Until the own turn it is once for each, and otherwise only about last cards and proven lies."""

    async def test() -> None:
        def choose(ask: dict[str, Any]) -> dict[str, Any]:
            label = (UNTIL_OWN_TURN, UNLESS_SURE)[which]
            stands = label in ask["standing_answers"]
            return {"standing": label} if stands else choose_first(ask)

        made = build_setup("bs", *["honest"] * 4, max_turns=60)
        table, seen = await play_alone(made, choose)
        asked = list_questions(seen)
        turns = sum(is_selection(ask) for ask in asked)
        calls = sum("BS" in list_labels(ask) for ask in asked)
        assert 0 < calls <= (turns + 1, 3)[which]
        assert turns > 5
        steps = [step for data in select_events(seen, "steps") for step in data]
        (_, *laid) = [step for step in steps if "ask" in step and is_selection(step["ask"])]
        assert all(bool(step["standing"]) == (which == 1) for step in laid)
        verify(table.seating.spec.game, parse_lines(get_ending(table).transcript.splitlines()))

    run(test)


def test_an_answer_that_stands_is_taken_back() -> None:
    """Then the next question is asked; what the game does not offer cannot stand."""

    async def test() -> None:
        with sit_down("bs") as (browser, chair):
            declare = load_game("bs").vocabulary.classes["Declare"]
            question = declare(OneOf(("Pass", "BS")), default="Pass")
            assert browser.ask([], question, TimeLeft(9.0)) is NOT_YET
            assert chair.send(SentAnswer(1, standing="Call until my next turn"))
            assert browser.answer() is NOT_YET
            assert chair.send(SentAnswer(1, standing="Pass until my next turn"))
            assert browser.answer() == "Pass"
            assert browser.ask([], question, TimeLeft(9.0)) == "Pass"
            chair.ask_again()
            assert browser.ask([], question, TimeLeft(9.0)) is NOT_YET
            chair.feed.end()
            seen = [(name, data) for _, name, data in await collect_events(chair.feed.follow())]
            assert len(select_events(seen, "no")) == 1
            assert [ask["n"] for ask in list_questions(seen)] == [
                1,
                3,
            ]  # an answer stood in between

    run(test)


def test_two_persons_have_a_seat_each() -> None:
    """Neither is shown the other's hand."""

    async def test() -> None:
        table = seat_all(PlayTables(), build_setup("bs", persons=2, max_turns=4))
        chairs = table.chairs.values()
        seen = await asyncio.gather(*[play_seat(table, chair, choose_first) for chair in chairs])
        for shown in seen:
            seat = shown[0][1]["seat"]
            zones = [step.get("z", {}) for data in select_events(shown, "steps") for step in data]
            other = [zone[f"hand{1 - seat}"] for zone in zones if zone.get(f"hand{1 - seat}")]
            assert other
            assert not any("cards" in zone for zone in other)
        assert {shown[0][1]["seat"] for shown in seen} == {0, 1}

    run(test)


def test_who_watches_sees_no_hand() -> None:
    """The public feed of a table has what is announced, and the end."""

    async def test() -> None:
        table, _ = await play_alone(
            build_setup("hearts", "low", "low", "low", deals=1), choose_first
        )
        seen = [
            (name, data) for _, name, data in await collect_events(table.attendance.feed.follow())
        ]
        zones = [step.get("z", {}) for data in select_events(seen, "steps") for step in data]
        hands = [
            zone
            for zone in zones
            for key in zone
            if key.startswith("hand") and "cards" in zone[key]
        ]
        assert zones
        assert not hands
        assert len(select_events(seen, "end")) == 1

    run(test)


def test_there_is_room_for_so_many_tables() -> None:
    """One more than fits takes the place of one where nobody is; where somebody is, it waits."""

    async def test() -> None:
        tables = PlayTables(quota=TableQuota(max_tables=2))
        first = tables.open(build_setup("kuhn", "careful"))
        second = tables.open(build_setup("kuhn", "careful"))
        for table in (first, second):
            table.attendance.feeds[table.secrets[0]].followers = 1
        with pytest.raises(NoFreeTableError):
            tables.open(build_setup("kuhn", "careful"))
        (secret,) = second.secrets
        second.attendance.feeds[secret].followers = 0
        third = tables.open(build_setup("kuhn", "careful"))
        assert await tables.find_table(third.key) is third
        assert await tables.find_table(first.key) is first
        other = third.attendance.feeds[third.secrets[0]]
        other.followers = 1
        with pytest.raises(NoFreeTableError):
            await tables.find_by_secret(secret)
        other.followers = 0
        back = await tables.find_table(second.key)
        assert back
        assert back is not second
        assert back.secrets == second.secrets
        tables.close()

    run(test)


def test_a_few_addresses_never_take_all_tables() -> None:
    """Four addresses whose people stay at their tables leave some for the next."""

    async def test() -> None:
        tables = PlayTables()
        for number in range(4):
            with suppress(NoFreeTableError):
                while table := tables.open(build_setup("kuhn", "careful"), f"192.0.2.{number}"):
                    table.attendance.feeds[table.secrets[0]].followers = 1
        assert tables.open(build_setup("kuhn", "careful"), "198.51.100.1")
        tables.close()

    run(test)


def test_many_networks_of_a_site_have_the_tables_of_a_few() -> None:
    """Whoever has a /48 of IPv6 has no more tables open than four visitors."""

    async def test() -> None:
        tables = PlayTables(quota=TableQuota(max_per_address=1))
        for number in range(4):
            table = tables.open(build_setup("kuhn", "careful"), f"2001:db8:0:{number}::1")
            table.attendance.feeds[table.secrets[0]].followers = 1
        with pytest.raises(NoFreeTableError, match="4 tables are open from your address"):
            tables.open(build_setup("kuhn", "careful"), "2001:db8:0:4::1")
        tables.open(build_setup("kuhn", "careful"), "2001:db8:1::1")
        tables.close()

    run(test)


@contextmanager
def sit_down(game: str) -> Iterator[tuple[BrowserPlayer, Chair]]:
    """Yield a person who is held to the clock, at the first seat of a match that is not hosted."""
    rules = load_game(game)
    variant = rules.read_variant({})
    chair = Chair("me", 0, Secret("secret"), EventBroadcast())
    eye = Perspective(rules, variant, ("me", "you"), 0, page=True)
    with closing(AnswerInbox()) as inbox:
        browser = BrowserPlayer(eye, 0, chair, inbox, timed=True)
        play = Play.deal(variant, 2, "1")
        browser.follow(rules, play, 0, play.drain())  # for hints, which nobody asks for here
        browser.greet(Greeting(game, 0, 2, variant, ""))
        yield browser, chair


def test_a_question_is_taken_back() -> None:
    """Somebody was first: it is closed, and the person is told so."""

    async def test() -> None:
        game = load_game("gops")
        with sit_down("gops") as (browser, chair):
            question = game.vocabulary.classes["Bid"](OneOf((1, 2)))
            prize = game.vocabulary.classes["Prize"](1)
            assert browser.ask([prize], question, TimeLeft(9.0)) is NOT_YET
            assert chair.open_number == 1
            assert browser.withdraw() is False
            assert chair.open_number == 0
            assert browser.ask([], question, TimeLeft(9.0)) is NOT_YET
            assert chair.send(SentAnswer(2, 2))
            assert browser.answer() == 2
            chair.feed.end()
            seen = [(name, data) for _, name, data in await collect_events(chair.feed.follow())]
            assert [ask["allowed"] for ask in list_questions(seen)] == [9.0, 9.0]
            assert "Too late" in str(select_events(seen, "steps"))

    run(test)


def test_each_kind_of_options_has_its_form() -> None:
    """One, some, a number and text are told apart; a text's pattern is no secret."""

    game = load_game("bs")
    narrator, hand = (
        game.build_narrator(0, ("a", "b")),
        Zone(kind=ZoneKind.HAND, title="a", cards=("2C",)),
    )

    def serialize(question: Question[Any]) -> Any:
        return to_json(build_options(narrator, question, hand))

    lay = game.vocabulary.classes["ChooseCards"](SomeOf(("AS", "2C"), 1, 2), "A", default=("AS",))
    nickname = game.vocabulary.classes["Nickname"](Text("[a-z]+", "x"), 7)
    assert serialize(lay) == {
        "kind": "selection",
        "choices": [
            {"value": "AS", "label": "A♠", "is_card": True},
            {"value": "2C", "label": "2♣", "is_held": True, "is_card": True},
        ],
        "least": 1,
        "most": 2,
        "submits": ["Lay 1 card as an ace", "Lay 2 cards as aces"],
    }
    hint = "a text that matches [a-z]+"
    assert serialize(nickname) == {"kind": "text", "pattern": "[a-z]+", "hint": hint}
    assert serialize(Question(Between(0, 100, 5))) == {
        "kind": "number",
        "min": 0,
        "max": 100,
        "step": 5,
        "hint": "a whole number from 0 to 100 in steps of 5",
    }
