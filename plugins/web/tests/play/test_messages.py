"""Messages to the pages of a match are the same text for scripts, and read back for agents."""

from __future__ import annotations

import json

from attrs import evolve

from arena_web.messages import MatchEnd, PlayerResult, PresenceReport, SeatLost, TableEnd

ROWS = [
    PlayerResult(1, "Ann", 7, "7 points", "", you=True),
    PlayerResult(2, "Bob", None, "", "timeout", you=False),
]
END = MatchEnd("finished", "You won.", won=True, rows=ROWS)
LOST = SeatLost("timeout", "You left the table.", "A bot plays on for you.", {"table": None})


def test_the_end_of_a_match_has_its_rows() -> None:
    """Spectators of a tournament read nothing of hints and of what follows."""
    assert json.dumps(END.json) == (
        '{"end": "finished", "said": "You won.", "won": true, "rows": ['
        '{"place": 1, "name": "Ann", "score": 7, "count": "7 points", "verdict": "", "you": true}, '
        '{"place": 2, "name": "Bob", "score": null, "count": "", "verdict": "timeout",'
        ' "you": false}]}'
    )


def test_the_end_at_a_table_says_what_follows() -> None:
    """Who watches there has no record."""
    rows = [evolve(row, hints=2, total="9 points") for row in ROWS[:1]]
    table = TableEnd(more=True, next="Next deal", hands={}, record="", over="over 2 deals")
    end = evolve(END, rows=rows, table=table)
    assert json.dumps(end.json) == (
        '{"end": "finished", "said": "You won.", "won": true, "rows": ['
        '{"place": 1, "name": "Ann", "score": 7, "count": "7 points", "verdict": "", "you": true,'
        ' "hints": 2, "total": "9 points"}], "more": true, "next": "Next deal", "record": "",'
        ' "over": "over 2 deals", "hands": {}}'
    )
    watched = evolve(end, table=evolve(table, record=None))
    assert "record" not in watched.json


def test_what_is_read_back_is_what_was_told() -> None:
    """An agent reads the end and the loss of its seat from the JSON of its feed."""
    assert MatchEnd.read(json.loads(json.dumps(END.json))) == END
    assert SeatLost.read(json.loads(json.dumps(LOST.json))) == LOST
    assert [*LOST.json] == ["kind", "why", "then", "zones"]


def test_a_report_names_who_need_not_be_waited_for() -> None:
    """With each name comes what the page offers."""
    report = PresenceReport("Bob is away", {"Bob": "is away"}, [], ["Bob"])
    assert json.dumps(evolve(report, absent=[("Bob", "Let a bot play for Bob")]).json) == (
        '{"said": "Bob is away", "presence": {"Bob": "is away"}, "late": [], "away": ["Bob"],'
        ' "absent": [["Bob", "Let a bot play for Bob"]]}'
    )
