"""Agents at real servers: `arena mcp`, and `arena web`, which are killed in the middle of a game."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any

import pytest
from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters

from arena.records import parse_text, verify
from arena_mcp.server import AgentEndpoint
from tests.support.command import Install
from tests.support.lanterns import PAIRS, build_plugin_source
from tests.support.programs import TIMEOUT
from tests.support.web.agents import TABLES, Agent, choose_first
from tests.support.web.browser import Pages
from tests.support.web.event_streams import run
from tests.support.web.seat_pages import check_end, play_on, serve_tables, wait_for_question
from tests.support.web.seat_players import find_match, get_ending

pytestmark = pytest.mark.slow
PID_FILE = "pid"  # of a server that a client has started
ANSWERS = 2  # before a server is killed; a match of Kuhn has so many at most


@asynccontextmanager
async def start_stdio_agent(state: Path, site: Path | None = None) -> AsyncIterator[Agent]:
    """Start `arena mcp` as a client does, with its tables in a folder, and perhaps more plugins."""
    arena = [sys.executable, "-m", "arena", "mcp"]
    line = ["-c", 'echo $$ > "$0"; exec "$@"', f"{state / PID_FILE}", *arena]
    env = {"XDG_STATE_HOME": str(state), "PYTHONPATH": str(site or "")}
    async with Client(StdioServerParameters(command="sh", args=line, env=env)) as client:
        yield Agent(client)


@contextmanager
def serve_web() -> Iterator[tuple[subprocess.Popen[str], str]]:
    """Run `arena web`, and yield its process and the address for agents."""
    line = [sys.executable, "-m", "arena", "web", "--port", "0"]
    with subprocess.Popen(line, stdout=subprocess.PIPE, text=True) as serving:
        try:
            assert serving.stdout
            address = serving.stdout.readline().split()[2]
            yield serving, f"{address}mcp"
        finally:
            serving.kill()


async def begin(agent: Agent, game: str, opponents: list[str], more: dict[str, Any]) -> None:
    """Sit down, and answer some questions."""
    state = await agent.sit(game, *opponents, **more)
    for _ in range(ANSWERS):
        if not state.get("over"):
            state = await agent.answer(state, choose_first(state["question"]))


async def go_on(agent: Agent, before: Agent) -> None:
    """Play on with the seat of an agent before, which is told everything anew."""
    agent.seat, agent.since = before.seat, before.since
    state = await agent.look()
    if agent.told:  # else the match was over before
        assert agent.told[: len(before.told)] == before.told
    over = await agent.play(state)
    assert over["result"].startswith("You ")


def test_an_agent_plays_over_stdin_and_stdout(tmp_path: Path, install: Install) -> None:
    """Whole matches of all games, also in teams, with every call made twice, by one server."""
    site = install("lanterns_of_the_book", build_plugin_source())
    lanterns: tuple[str, list[str], dict[str, Any]] = ("lanterns", ["random"], PAIRS)

    async def test() -> None:
        async with start_stdio_agent(tmp_path, site) as agent:
            for game, opponents, more in (*TABLES, lanterns):
                own = Agent(agent.client)
                over = await own.play(await own.sit(game, *opponents, **more))
                assert [row["verdict"] for row in over["players"] if row["you"]] == [""]
                assert (await own.call("replay", table=own.table))["lines"]

    run(test)


def test_an_agent_over_stdin_plays_on_after_its_server_was_killed(tmp_path: Path) -> None:
    """With the same secret, by the next server that its client starts."""

    async def test() -> None:
        agents = []

        async def play_until_killed() -> None:
            async with start_stdio_agent(tmp_path) as agent:
                agents.append(agent)
                await begin(agent, *TABLES[0])
                os.kill(int((tmp_path / PID_FILE).read_text()), signal.SIGKILL)
                await agent.look()

        ends: list[Any] = [*await asyncio.gather(play_until_killed(), return_exceptions=True)]
        assert isinstance(ends[0], Exception)
        async with start_stdio_agent(tmp_path) as again:
            await go_on(again, *agents)

    run(test)


def test_agents_play_on_at_a_server_that_was_killed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In each game, with the same secrets: what they were told before is told again.

    So does who waited for another agent at that moment, and perhaps has to answer again.
    """
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))

    async def test() -> None:
        agents = []
        with serve_web() as (serving, address):
            async with Client(address) as client:
                for game, opponents, more in TABLES:
                    agents.append(Agent(client))
                    await begin(agents[-1], game, opponents, more)
                pair = await seat_two(client)
            waiting = asyncio.create_task(answer_elsewhere(address, pair[0]))
            async with Client(address) as client:
                assert await Agent(client, pair[1].seat).look()
            serving.kill()
            serving.wait(TIMEOUT)
            ends: list[Any] = [*await asyncio.gather(waiting, return_exceptions=True)]
            assert isinstance(ends[0], Exception)
        with serve_web() as (_, address):
            async with Client(address) as client:
                for agent in agents:
                    await go_on(Agent(client), agent)
                own = [Agent(client) for _ in pair]
                await asyncio.gather(*map(go_on, own, pair))

    run(test)


async def answer_elsewhere(address: str, agent: Agent) -> None:
    """Answer with a client of its own, which waits for the other agent then."""
    async with Client(address) as client:
        own = Agent(client, agent.seat, agent.since)
        await own.answer(await own.look(), "A")


async def seat_two(client: Client) -> tuple[Agent, Agent]:
    """Return two agents at a table of GOPS, whose match has begun."""
    first = Agent(client)
    state = await first.sit("gops", people=["one", "two"], options={"cards": 4})
    second = Agent(client, state["other_seats"]["two"].rpartition("/")[2])
    await second.look()
    return first, second


def test_an_agent_a_person_and_a_bot_play_at_one_table(pages: Pages) -> None:
    """The person comes by the link that the agent was given, and both see the match end."""
    with (
        serve_tables(lambda tables: AgentEndpoint(tables).routes) as at,
        ThreadPoolExecutor(1) as pool,
    ):
        links: list[str] = []

        def call(test: Any) -> None:
            run(lambda: connect(test))

        async def connect(test: Any) -> None:
            async with Client(f"{at.address}mcp") as client:
                await test(Agent(client, seats[0] if seats else ""))

        async def invite(agent: Agent) -> None:
            table = {"options": {"max_turns": 9}, "people": ["agent", "Ann"], "move_seconds": 600}
            state = await agent.sit("bs", "honest", **table)
            links.extend((state["other_seats"]["Ann"], state["table"]))
            seats.append(agent.seat)

        async def play(agent: Agent) -> None:
            over = await agent.play(await agent.look())
            assert {"Agent", "Ann"} < {row["name"] for row in over["players"]}

        seats: list[str] = []
        call(invite)
        page = pages.open(links[0])
        playing = pool.submit(call, play)
        assert wait_for_question(page)  # which is in the match, behind the waiting room
        play_on(page)
        check_end(page)
        playing.result(TIMEOUT)
        table = find_match(at.tables, links[1])
        verify(table.seating.spec.game, parse_text(get_ending(table).transcript))
