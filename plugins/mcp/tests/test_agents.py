"""Agents at tables, over HTTP: whole matches, broken calls, company, and what they may not do."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import httpx2
import pytest
from mcp.client.client import Client

from arena.plugins import get_plugins
from arena.records import MatchStep, parse_text, verify
from arena.wires import Mark, MarkedLine
from arena_mcp import tools
from arena_mcp.seat_state import list_lines
from arena_web.play.match.table import PlayTable
from arena_web.play.seat_secrets import Secret
from arena_web.play.tables import PlayTables
from tests.support.lanterns import PAIRS, install_lanterns
from tests.support.web.agents import (
    TABLES,
    Agent,
    choose_first,
    serve_agents,
    wait_until_followed,
)
from tests.support.web.event_streams import run
from tests.support.web.seat_players import find_chair, find_match, get_ending

pytestmark = pytest.mark.slow


def run_with_agent(
    test: Callable[[PlayTables, str, Agent], Awaitable[None]],
    tables: Callable[[], PlayTables] = PlayTables,
    mode: str = "auto",
) -> None:
    """Run a test with the tables of a server, its address, and an agent there."""

    async def serve() -> None:
        at = tables()
        async with serve_agents(at) as address, Client(f"{address}mcp", mode=mode) as client:
            await test(at, address, Agent(client))

    run(serve)


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_agents_play_whole_matches_of_all_games(
    mode: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By both protocols of the SDK, with every call made twice, also in teams; rules are kept."""
    install_lanterns(tmp_path, monkeypatch)
    lanterns: tuple[str, list[str], dict[str, Any]] = ("lanterns", ["random"], PAIRS)

    async def test(tables: PlayTables, _: str, agent: Agent) -> None:
        for game, opponents, more in (*TABLES, lanterns):
            agent = Agent(agent.client)
            state = await agent.sit(game, *opponents, **more)
            over = await agent.play(state)
            assert [player["verdict"] for player in over["players"] if player["you"]] == [""]
            assert agent.told
            table = find_match(tables, state["table"])
            verify(table.seating.spec.game, parse_text(get_ending(table).transcript))
            replay = await agent.call("replay", table=state["watch"], most=3)
            assert len(replay["lines"]) == min(3, replay["total"])

    run_with_agent(test, mode=mode)


def test_tools_say_what_can_be_played() -> None:
    """The games, with seats, options and bots, and the rules of each."""

    async def test(_: PlayTables, __: str, agent: Agent) -> None:
        listed = await agent.call("games")
        assert {game["game"] for game in listed["result"]} == {*get_plugins().games}
        (gops,) = [game for game in listed["result"] if game["game"] == "gops"]
        assert gops["options"]["cards"] == 13
        assert "program sleeper" in gops["bots"]
        rules = await agent.call("rules", game="gops")
        assert rules["result"] == get_plugins().find_game("gops").presentation.rules

    run_with_agent(test, lambda: PlayTables(["sleeper"]))


def test_an_agent_is_told_in_a_line_what_it_may_not_do() -> None:
    """Only bundled bots and allowed programs play; nothing it sends reaches a command line."""

    async def test(tables: PlayTables, _: str, agent: Agent) -> None:
        table: dict[str, Any] = {"game": "gops", "opponents": ["easy"]}
        refusals: list[tuple[dict[str, Any], str]] = [
            ({"game": "chess"}, "unknown game 'chess'"),
            ({"opponents": ["./mybot"]}, "unknown bot './mybot'"),
            ({"opponents": ["program ./mybot"]}, "unknown bot 'program ./mybot'"),
            ({"opponents": "easy"}, "opponents: Input should be a valid list"),
            ({"options": {"cards": -1}}, "cards"),
            ({"people": ["a b c \u202e"]}, "a name shows letters"),
            ({"people": ["one", "two"], "seed": "1"}, "a seed would tell you the others' cards"),
            ({"seed": "\N{SNOWMAN}"}, "a seed has 1 to 100"),
            ({"move_seconds": 0.5}, "move_seconds must be from 1 to 3600"),
        ]
        for wrong, why in refusals:
            assert why in await agent.fail("sit", **{**table, **wrong})
        assert "no such seat" in await agent.fail("look", seat="nobody's")
        assert "unknown game" in await agent.fail("rules", game="chess")
        assert "not over yet" in await agent.fail("replay", table="none")
        assert not tables.places

    run_with_agent(test)


def test_an_answer_may_be_a_value_a_label_or_a_typed_line() -> None:
    """What is refused says why, costs nothing, and the question stays open."""

    async def test(_: PlayTables, __: str, agent: Agent) -> None:
        state = await agent.sit("gops", "easy", options={"cards": 4}, seed="1")
        assert state["question"]["labels"] == ["A", "2", "3", "4"]
        wrong = {"seat": agent.seat, "n": 1, "since": agent.since}
        for answer in (9, "nine", [1], [[[1]]], True, None):
            if answer == [[[1]]]:
                assert "not an answer" in await agent.fail("answer", answer=answer, **wrong)
                continue
            refused = await agent.call("answer", answer=answer, **wrong)
            assert refused["refused"]
            assert refused["question"]["n"] == 1
        assert "not an answer" in await agent.fail("answer", answer={"card": 1}, **wrong)
        for answer in (4, "a", " 2 ", "3"):
            state = await agent.answer(state, answer)
        assert state["over"]["players"]

    run_with_agent(test)


def test_an_answer_may_stand() -> None:
    """Who passes ahead in BS is seldom asked whether to call, and makes as many fewer calls."""

    async def test(_: PlayTables, __: str, agent: Agent) -> None:
        state = await agent.sit("bs", *["honest"] * 4, options={"max_turns": 30})
        calls = 0
        while not state.get("over"):
            question = state["question"]
            standing = question.get("standing_answers")
            calls += bool(standing)
            state = await agent.answer(state, standing[-1] if standing else choose_first(question))
        assert 0 < calls < 10

    run_with_agent(test)


def test_a_client_that_breaks_off_loses_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its seat is told the same again, waits less from then on, and belongs to any other client."""
    monkeypatch.setattr(tools, "BROKEN_WAIT_SECONDS", 0.0)

    async def test(tables: PlayTables, address: str, agent: Agent) -> None:
        state = await agent.sit("gops", options={"cards": 4}, people=["agent", "friend"])
        assert state["waiting"]
        assert state["note"] == "The match begins when Friend is here."
        friend = Agent(agent.client, state["other_seats"]["friend"])
        await friend.look()
        state = await agent.look()
        assert state["question"]["seconds_left"] > 0
        table, chair = await find_chair(tables, agent.seat)
        call = {"seat": agent.seat, "n": 1, "answer": 1, "since": agent.since, "wait": 45.0}
        async with Client(f"{address}mcp") as breaking:
            calling = asyncio.create_task(breaking.call_tool("answer", call))
            while chair.open_number:
                await chair.feed.wait(len(chair.feed.messages))
            await wait_until_followed(chair.feed)
            calling.cancel()
            await asyncio.gather(calling, return_exceptions=True)
        await wait_until_left(chair.feed)
        async with Client(f"{address}mcp") as client:
            other = Agent(client, agent.seat, agent.since)
            state = await other.look()
            assert state["waiting"]  # at once: the test would last 45 seconds
            again = await other.call("answer", **call)
            assert again["note"].startswith("Question 1 is not open")
            states = await asyncio.gather(
                other.play(await other.look(0)), friend.play(await friend.look(0))
            )
        assert [len(over["players"]) for over in states] == [2, 2]
        verify(table.seating.spec.game, parse_text(get_ending(table).transcript))

    run_with_agent(test)


async def wait_until_left(feed: Any) -> None:
    """Wait until nobody waits for a feed any more."""
    gone, tell = asyncio.Event(), feed.on_followers

    def see() -> None:
        tell()
        if not feed.followers:
            gone.set()

    feed.on_followers = see
    see()
    await gone.wait()


def test_a_stopped_server_says_so_to_who_waits() -> None:
    """In one line, and at once; the seat is kept."""

    async def test(tables: PlayTables, _: str, agent: Agent) -> None:
        state = await agent.sit("gops", people=["agent", "friend"])
        await Agent(agent.client, state["other_seats"]["friend"]).look()
        state = await agent.look()
        table, chair = await find_chair(tables, agent.seat)
        call = {"seat": agent.seat, "n": 1, "answer": 1, "since": agent.since, "wait": 45.0}
        waiting = asyncio.create_task(agent.fail("answer", **call))
        while chair.open_number:
            await chair.feed.wait(len(chair.feed.messages))
        await wait_until_followed(chair.feed)
        tables.close()
        assert "the server stops" in await waiting
        await asyncio.to_thread(table.join, 60)
        assert tables.store.tables.find_by_secret(Secret(agent.seat))

    run_with_agent(test)


def test_a_match_that_is_only_in_the_store_can_be_looked_at() -> None:
    """Who looks after a restart is told how it came out."""

    async def test(tables: PlayTables, _: str, agent: Agent) -> None:
        state = await agent.sit("kuhn", "optimal", options={})
        over = await agent.play(state)
        tables.places.clear()
        assert (await agent.look())["over"] == {
            "result": over["result"], "table": state["table"],
        }  # fmt: skip

    run_with_agent(test)


def test_who_leaves_has_lost() -> None:
    """A bot goes on in the seat, and to leave again later changes nothing."""

    async def test(tables: PlayTables, _: str, agent: Agent) -> None:
        state = await agent.sit("hearts", "low", "low", "low", options={"deals": 1})
        assert await agent.call("leave", seat=agent.seat) == {"result": "You left the table."}
        over = (await agent.look())["over"] or await agent.play(state)
        assert over["players"][-1]["verdict"] == "left"
        assert isinstance(await tables.find_table(state["table"]), PlayTable)
        assert await agent.call("leave", seat=agent.seat) == {"result": "The match is over."}

    run_with_agent(test)


def test_what_a_player_has_typed_reaches_no_agent() -> None:
    """A nickname may be an order to a language model; how things stand is told."""
    nickname = MarkedLine("Ann plays as Always_Pass.", Mark.FREE_TEXT)
    step = MatchStep(("Ann lays 2 cards.", nickname), state=("Pile 2.",))
    assert [*list_lines(step)] == ["Ann lays 2 cards.", "Pile 2."]


@pytest.mark.parametrize(
    ("headers", "status"),
    [({"Host": "evil.example"}, 421), ({"Origin": "http://evil.example"}, 403)],
)
def test_a_foreign_page_reaches_no_tool(headers: dict[str, str], status: int) -> None:
    """Neither by another name of the server, nor from another site."""

    async def test(_: PlayTables, address: str, __: Agent) -> None:
        async with httpx2.AsyncClient() as browser:
            call = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
            accept = {"Accept": "application/json, text/event-stream"}
            answer = await browser.post(f"{address}mcp", json=call, headers={**accept, **headers})
        assert answer.status_code == status

    run_with_agent(test)
