"""Messages to pages: all that is sent is listed, and agents read back what scripts read."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Iterable, Iterator
from typing import Any, get_args

from attrs import evolve, fields_dict

from arena_web.http.sse import EventBroadcast
from arena_web.play.chairs.sent_answers import SentAnswer
from arena_web.play.tables import PlayTables
from arena_web.protocol import messages
from arena_web.protocol.json_format import to_json
from arena_web.protocol.messages import (
    AnswerOptions,
    Introduction,
    MatchEnd,
    PlayerResult,
    PresenceReport,
    QuestionForm,
    Refusal,
    RematchNews,
    SeatLost,
    SeatOutcome,
    SeatStep,
    Steps,
    TableEnd,
)
from tests.support.web.event_streams import run
from tests.support.web.seat_players import (
    build_setup,
    choose_first,
    play_seat,
    seat_all,
)

ROWS = [
    PlayerResult(1, "Ann", 7, "7 points", "", 0, you=True),
    PlayerResult(2, "Bob", None, "", "timeout", 1, you=False),
]
END = MatchEnd("finished", "You won.", SeatOutcome.WON, rows=ROWS)
LOST = SeatLost("timeout", "You left the table.", "A bot plays on for you.", {"table": None})


def test_the_end_of_a_match_has_its_rows() -> None:
    """Spectators of a tournament read nothing of hints and of what follows."""
    assert json.dumps(to_json(END)) == (
        '{"end": "finished", "said": "You won.", "outcome": "won", "rows": ['
        '{"place": 1, "name": "Ann", "score": 7, "count": "7 points", "verdict": "", "seat": 0, "you": true}, '
        '{"place": 2, "name": "Bob", "score": null, "count": "", "verdict": "timeout",'
        ' "seat": 1, "you": false}]}'
    )


def test_the_end_at_a_table_says_what_follows() -> None:
    """Who watches there has no record."""
    rows = [evolve(row, hints=2, total="9 points") for row in ROWS[:1]]
    table = TableEnd(
        more=True, next_label="Next deal", hands={}, record="", counted_over="over 2 deals"
    )
    end = evolve(END, rows=rows, table=table)
    assert json.dumps(to_json(end)) == (
        '{"end": "finished", "said": "You won.", "outcome": "won", "rows": ['
        '{"place": 1, "name": "Ann", "score": 7, "count": "7 points", "verdict": "", "seat": 0, "you": true,'
        ' "hints": 2, "total": "9 points"}], "more": true, "next_label": "Next deal", "record": "",'
        ' "counted_over": "over 2 deals", "hands": {}}'
    )
    watched = evolve(end, table=evolve(table, record=None))
    assert "record" not in to_json(watched)


def test_the_loss_of_a_seat_is_sent_with_all_its_fields() -> None:
    """Who has lost it reads why, and sees the board of spectators."""
    assert [*to_json(LOST)] == ["kind", "why", "then", "zones"]


def test_a_report_names_who_need_not_be_waited_for() -> None:
    """With each name comes what the page offers."""
    report = PresenceReport("Bob is away", {"Bob": "is away"}, [], ["Bob"])
    assert json.dumps(to_json(evolve(report, absent=[("Bob", "Let a bot play for Bob")]))) == (
        '{"said": "Bob is away", "presence": {"Bob": "is away"}, "late": [], "away": ["Bob"],'
        ' "absent": [["Bob", "Let a bot play for Bob"]]}'
    )


def test_every_event_has_a_place_in_the_list_of_streams() -> None:
    """The head of the module names each event that a class of it has, and no other."""
    listed = {*re.findall(r"`(\w+)`", str(messages.__doc__).split("\n\n")[1])}
    events = {getattr(value, "event", None) for value in vars(messages).values()}
    elsewhere = {"state", "SubmissionStatus"}  # of the open hill
    assert listed - elsewhere == {event for event in events if isinstance(event, str)}


MESSAGES = (Introduction, Steps, Refusal, PresenceReport, RematchNews, SeatLost, MatchEnd)
OPTION_KEYS = {key for kind in get_args(AnswerOptions) for key in fields_dict(kind)}
STEP_KEYS = {"l", "t", "z", "s", "bad", "turn"}  # of what a `MatchStep` shows


def list_unlisted_keys(name: str, data: Any) -> Iterator[str]:
    """Yield the keys of a message that no class has as a field."""
    (message,) = (one for one in MESSAGES if one.event == name)
    if message is Steps:
        for step in data:
            ask = step.get("ask", {})
            yield from step.keys() - STEP_KEYS - fields_dict(SeatStep).keys()
            yield from ask.keys() - fields_dict(QuestionForm).keys()
            yield from ask.get("options", {}).keys() - OPTION_KEYS
        return
    added = fields_dict(TableEnd).keys() if message is MatchEnd else set()
    yield from data.keys() - fields_dict(message).keys() - added
    for row in data.get("rows", ()):
        yield from row.keys() - fields_dict(PlayerResult).keys()


def list_sent(feeds: Iterable[EventBroadcast]) -> Iterator[tuple[str, Any]]:
    """Yield the messages that were sent to pages: those of frames, and the latest states."""
    for feed in feeds:
        for message in feed.messages:
            yield message.event, to_json(message)
        for chunk in feed._states.values():
            lines = dict(line.split(": ", 1) for line in chunk.decode().splitlines() if line)
            yield lines["event"], json.loads(lines["data"])


def test_what_is_sent_to_pages_is_listed() -> None:
    """Matches with wrong, standing and no answers, and with a friend who leaves before a rematch."""

    async def test() -> None:
        def choose(ask: dict[str, Any]) -> dict[str, Any]:
            standing = ask["standing_answers"][:1]
            return {"standing": standing[0]} if standing else choose_first(ask)

        tables = PlayTables()
        for game, bots, options in (
            ("bs", ["honest", "honest"], {"max_turns": 20}),
            ("coup", ["honest"], {}),
            ("gops", ["easy"], {"cards": 4, "clock": 0.1}),
        ):
            table = seat_all(tables, build_setup(game, *bots, **options))
            (chair,) = table.chairs.values()
            late = "clock" in options
            await play_seat(table, chair, (lambda _: None) if late else choose)
            sent.extend(list_sent(table.attendance.feeds.values()))
        table = seat_all(tables, build_setup("gops", persons=2, cards=3))
        ann, bob = table.chairs.values()

        def answer_wrong_and_alone(ask: dict[str, Any]) -> dict[str, Any]:
            ann.send(SentAnswer(ask["n"], 99))
            table.leave(bob)
            return choose_first(ask)

        await play_seat(table, ann, answer_wrong_and_alone)
        rematch = tables.reopen(table)
        room = await tables.find_table(rematch.key)
        assert room
        tables.arrive(room, rematch.secrets[ann.secret])
        table._look_around()
        await asyncio.sleep(0)  # what is sent is kept in the loop's next round
        sent.extend(list_sent(table.attendance.feeds.values()))
        tables.close()

    sent: list[tuple[str, Any]] = []
    run(test)
    assert [*{key for name, data in sent for key in list_unlisted_keys(name, data)}] == []
    assert {name for name, _ in sent} == {message.event for message in MESSAGES}
