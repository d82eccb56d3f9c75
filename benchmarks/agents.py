"""What seats of agents cost: whole matches by the official SDK's client over Streamable HTTP.

python -m benchmarks.agents prints, for each game, the calls of a match, the wall and the processor
time of a call (client and server run in this process), and the characters of an answer. Every
answer and every look is called twice, as clients do that repeat what broke off.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from time import perf_counter, process_time
from typing import Any

from attrs import define
from mcp import Client

from arena_web.play.tables import PlayTables
from tests.support.web.agents import TABLES, Agent, serve_agents


@define
class CountingAgent(Agent):
    """An agent that measures its calls."""

    calls: int = 0
    seconds: float = 0.0
    work: float = 0.0  # seconds of the processor
    characters: int = 0

    async def call(self, tool: str, **arguments: Any) -> dict[str, Any]:
        """Call a tool, and add what that took."""
        begin, worked = perf_counter(), process_time()
        result = await super().call(tool, **arguments)
        self.calls += 1
        self.seconds += perf_counter() - begin
        self.work += process_time() - worked
        self.characters += len(str(result))
        return result


async def play(client: Client, game: str, opponents: Any, more: Mapping[str, Any]) -> CountingAgent:
    """Play a match to its end; return the agent."""
    agent = CountingAgent(client)
    over = await agent.play(await agent.sit(game, *opponents, **more))
    assert [player["verdict"] for player in over["players"] if player["you"]] == [""]
    return agent


async def measure() -> None:
    """Print a line for each game."""
    print("game       calls  ms a call  of the processor  characters an answer")
    async with serve_agents(PlayTables()) as site, Client(f"{site}mcp") as client:
        for game, opponents, more in TABLES:
            agent = await play(client, game, opponents, more)
            calls = agent.calls
            wall, processor = (1000 * spent / calls for spent in (agent.seconds, agent.work))
            size = agent.characters / calls
            print(f"{game:9}  {calls:5}  {wall:9.1f}  {processor:16.1f}  {size:20.0f}")


if __name__ == "__main__":
    asyncio.run(measure())
