"""Matches of a browser's seats, played by calls, without a server or a browser."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from arena.host import parse_entrants
from arena.plugins import build_variant, get_plugins
from arena_web.play.chairs.chair import Chair
from arena_web.play.chairs.sent_answers import SentAnswer
from arena_web.play.match.endings import Ending
from arena_web.play.match.table import PlayTable
from arena_web.play.seat_secrets import Secret
from arena_web.play.table_setup import TableSetup
from arena_web.play.table_terms import TableTerms
from arena_web.play.tables import PlayTables
from tests.support.web.event_streams import parse_events

Choose = Callable[[dict[str, Any]], dict[str, Any] | None]


def build_setup(
    game: str, *bots: str, persons: int = 1, clock: float | None = None, **options: Any
) -> TableSetup:
    """Return the setup of a table with a fixed seed."""
    rules = get_plugins().find_game(game)
    names = tuple(f"person{number}" for number in range(persons))
    return TableSetup(
        rules,
        build_variant(rules, options),
        parse_entrants(rules, bots),
        "7",
        terms=TableTerms(persons=names, clock=clock),
    )


def seat_all(tables: PlayTables, setup: TableSetup) -> PlayTable:
    """Open a table, and have all its people come; the match begins."""
    place = tables.open(setup)
    for secret in place.secrets:
        tables.arrive(place, secret)
    return find_match(tables, place.key)


def find_match(tables: PlayTables, key: str) -> PlayTable:
    """Return the table of this key, which is in memory, and where people play already."""
    table = tables.places[key]
    assert isinstance(table, PlayTable)
    return table


async def resume_match(tables: PlayTables, key: str) -> PlayTable:
    """Return the table of this key, perhaps from the store, where people play already."""
    table = await tables.find_table(key)
    assert isinstance(table, PlayTable)
    return table


def get_ending(table: PlayTable) -> Ending:
    """Return how the match of a table came out, which has ended."""
    assert table.ending
    return table.ending


async def find_chair(tables: PlayTables, secret: str) -> tuple[PlayTable, Chair]:
    """Return a person's table, where people play already, and the person's seat."""
    own = Secret(secret)
    table = await tables.find_by_secret(own)
    assert isinstance(table, PlayTable)
    return table, table.chairs[own]


async def play_seat(table: PlayTable, chair: Chair, choose: Choose) -> list[tuple[str, Any]]:
    """Play a seat to the end with the answers that `choose` gives; return all events."""
    seen: list[tuple[str, Any]] = []
    stream = chair.feed.follow()
    table.arrive(chair.secret)
    async for chunk in stream:
        for _, name, data in parse_events(chunk):
            seen.append((name, data))
            if name == "end":
                return seen
            for ask in list_questions([(name, data)]):
                if (answer := choose(ask)) is not None:
                    chair.send(SentAnswer(ask["n"], **answer))
    return seen


def list_questions(seen: list[tuple[str, Any]]) -> list[dict[str, Any]]:
    """Return the questions among these events."""
    return [step["ask"] for name, data in seen if name == "steps" for step in data if "ask" in step]


def choose_first(ask: dict[str, Any]) -> dict[str, Any]:
    """Choose the first answer."""
    options = ask["options"]
    values = [choice["value"] for choice in options.get("choices", ())]
    match options["kind"]:
        case "choice":
            return {"answer": values[0]}
        case "selection":
            return {"answer": values[: options["least"]]}
    return {"line": ""}


def select_events(seen: list[tuple[str, Any]], name: str) -> list[Any]:
    """Return the data of the events with this name."""
    return [data for event, data in seen if event == name]


async def play_alone(
    made: TableSetup, choose: Choose, tables: PlayTables | None = None
) -> tuple[PlayTable, list[tuple[str, Any]]]:
    """Play a match with one person."""
    table = seat_all(tables or PlayTables(), made)
    (chair,) = table.chairs.values()
    return table, await play_seat(table, chair, choose)
