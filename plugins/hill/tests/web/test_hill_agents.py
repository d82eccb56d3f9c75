"""Agents on a hill: MCP clients with the tokens of authors, over real HTTP."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any

import httpx2
import pytest
from attrs import define
from mcp.client.client import Client

from arena.records import parse_text, verify
from arena_hill.db.accounts import TokenScope
from arena_hill.hill_access import HillAccess
from arena_hill.web import agents
from arena_hill.web.application import build_hill_application
from arena_mcp import server
from arena_mcp.tools import NO_SEAT
from arena_web.play.seat_secrets import Secret
from arena_web.play.store.table_store import TableStore
from arena_web.play.table_quota import MAX_OPEN_TABLES_PER_ADDRESS, TableQuota
from arena_web.play.tables import PlayTables
from tests.support.hill.hill_access import (
    build_author_headers,
    create_key,
    enter_bots,
    find_author,
    open_hill_access,
)
from tests.support.programs import TIMEOUT
from tests.support.web.agents import (
    Agent,
    choose_first,
    connect_with_token,
    serve_application,
    wait_until_followed,
)
from tests.support.web.event_streams import run
from tests.support.web.seat_players import find_chair, find_match, get_ending

pytestmark = pytest.mark.slow

LIST = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
ACCEPT = {"Accept": "application/json, text/event-stream"}


@define
class Site:
    """A hill that is served, with its tables, and the token of ada."""

    hill: HillAccess
    tables: PlayTables
    address: str
    ada: str

    def connect(self, token: str = "", **how: Any) -> AbstractAsyncContextManager[Client]:
        """Connect a client of the official SDK, by default with the token of ada."""
        return connect_with_token(self.address, token or self.ada, **how)

    async def post(self, token: str = "", source: str = "127.0.0.1") -> httpx2.Response:
        """Send a request by hand, from an address of this machine, perhaps with a token."""
        transport = httpx2.AsyncHTTPTransport(verify=False, local_address=source)
        headers = ACCEPT | (build_author_headers(token) if token else {})
        async with httpx2.AsyncClient(transport=transport, timeout=TIMEOUT) as http:
            return await http.post(f"{self.address}mcp", json=LIST, headers=headers)


def run_on_hill(
    folder: Path,
    test: Callable[[Site], Awaitable[None]],
    each: int = MAX_OPEN_TABLES_PER_ADDRESS,
) -> None:
    """Run a test on a hill with all its pages; tables of an earlier one in this folder are kept."""

    async def serve() -> None:
        hill = open_hill_access(folder)
        enter_bots(hill)
        tables = PlayTables(
            store=TableStore.open(folder / "tables.db", 1), quota=TableQuota(max_per_address=each)
        )
        app = build_hill_application(hill, (), tables)
        async with serve_application(app) as address:
            await test(Site(hill, tables, address, create_key(hill)))
        await asyncio.to_thread(tables.join)
        tables.store.close()

    run(serve)


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_an_author_plays_with_a_token(tmp_path: Path, mode: str) -> None:
    """An author plays whole matches, with every call made twice, and a token that can only read is enough."""

    async def test(site: Site) -> None:
        token = create_key(site.hill, scope=TokenScope.READ)
        async with site.connect(token, mode=mode) as client:
            for game, opponent in (("kuhn", "optimal"), ("gops", "easy")):
                agent = Agent(client)
                over = await agent.play(await agent.sit(game, opponent))
                assert [row["verdict"] for row in over["players"]] == ["", ""]
                table = find_match(site.tables, agent.table)
                assert table.address == "author 1 of gops"
                verify(table.seating.spec.game, parse_text(get_ending(table).transcript))
                assert (await agent.call("replay", table=agent.table))["lines"]

    run_on_hill(tmp_path, test)


def test_a_stranger_can_do_nothing(tmp_path: Path) -> None:
    """Without a token, with a wrong one and with that of a banned author the answer is 401 in one line."""

    async def test(site: Site) -> None:
        eve = create_key(site.hill, "eve")
        site.hill.store.host_actions.ban("eve", "a test")
        for token in ("", "x", "arena_" + "x" * 43, site.ada.swapcase(), eve):
            answer = await site.post(token)
            assert answer.status_code == 401, token
            assert answer.headers["www-authenticate"].startswith("Bearer")
            assert answer.headers["content-type"] == "application/problem+json"
            assert answer.json()["title"].startswith(
                "this token is unknown" if token else "you are not signed in"
            )
            with pytest.raises(Exception, match="unhandled errors"):
                async with site.connect(token or "none"):
                    pass
        assert not site.tables.places
        assert (await site.post(site.ada)).status_code == 200

    run_on_hill(tmp_path, test)


def test_a_revoked_token_ends_in_the_middle_of_a_match(tmp_path: Path) -> None:
    """The next call with a revoked token is refused, and the match goes on with another token of the author."""

    async def test(site: Site) -> None:
        async with site.connect() as client:
            agent = Agent(client)
            state = await agent.sit("gops", "easy")
            revoke_tokens(site.hill)
            with pytest.raises(Exception, match="error response"):
                await agent.answer(state, choose_first(state["question"]))
        _, chair = await find_chair(site.tables, agent.seat)
        assert chair.open_number == state["question"]["n"]
        async with site.connect(create_key(site.hill)) as client:
            again = Agent(client, agent.seat)
            await again.play(await again.look())

    run_on_hill(tmp_path, test)


def revoke_tokens(hill: HillAccess) -> None:
    """Revoke all tokens of the first author, but for sessions."""
    author = find_author(hill.store)
    for token in hill.store.accounts.list_tokens(author.id):
        if token.scope is not TokenScope.SESSION:
            hill.store.accounts.revoke_token(author, token.id)


def test_a_seat_answers_to_no_other_author(tmp_path: Path) -> None:
    """Whoever knows its secret: at the table, when it sleeps, and when the match is over.

    A link that its author has given away is good for whoever has it.
    """

    async def test(site: Site) -> None:
        async with site.connect() as ada, site.connect(create_key(site.hill, "bob")) as bob:
            agent = Agent(ada)
            state = await agent.sit("gops", people=["ada", "bob"], options={"cards": 4})
            friend = Agent(bob, state["other_seats"]["bob"])
            assert (await friend.look())["told"]
            thief = {"seat": agent.seat}
            table = find_match(site.tables, agent.table)
            await refuse(Agent(bob), thief)
            assert not table.attendance.presence.is_here(Secret(agent.seat))
            await asyncio.gather(agent.play(await agent.look()), friend.play(await friend.look(0)))
            await refuse(Agent(bob), thief)
            site.tables.places.clear()
            await refuse(Agent(bob), thief)
            assert (await agent.look())["over"]
            own = Agent(ada)
            state = await own.sit("gops", "easy")
            site.tables._put_to_sleep(find_match(site.tables, own.table))
            await refuse(Agent(bob), {"seat": own.seat})
            assert (await own.look())["question"]["n"] == state["question"]["n"]

    run_on_hill(tmp_path, test)


async def refuse(agent: Agent, thief: dict[str, Any]) -> None:
    """Try each tool with the seat of somebody else."""
    assert NO_SEAT in await agent.fail("look", **thief)
    assert NO_SEAT in await agent.fail("answer", n=1, answer=1, **thief)
    assert NO_SEAT in await agent.fail("leave", **thief)


def test_tables_count_by_author(tmp_path: Path) -> None:
    """An author has as many open tables as an address may have, from whatever addresses they are opened."""

    async def test(site: Site) -> None:
        bob = create_key(site.hill, "bob")
        async with AsyncExitStack() as stack:
            for source in ("127.0.0.1", "127.0.0.2"):
                client = await stack.enter_async_context(site.connect(source=source))
                agent = Agent(client)
                state = await agent.sit("gops", people=["ada", "b"])
                await stack.enter_async_context(hold(site, agent))
                assert state["other_seats"]
            table = {"game": "gops", "opponents": ["easy"]}
            said = await agent.fail("sit", **table)
            assert "2 tables are open by you; close one first" in said
            other = await stack.enter_async_context(site.connect(bob))
            assert (await Agent(other).call("sit", **table))["question"]

    run_on_hill(tmp_path, test, each=2)


@asynccontextmanager
async def hold(site: Site, agent: Agent) -> AsyncIterator[None]:
    """Have a call of an agent wait for company."""
    feed = site.tables.places[agent.table].attendance.feeds[Secret(agent.seat)]
    waiting = asyncio.create_task(agent.call("look", seat=agent.seat, wait=45))
    await wait_until_followed(feed)
    yield
    waiting.cancel()
    await asyncio.gather(waiting, return_exceptions=True)


def test_an_author_whose_calls_all_wait_holds_up_nobody(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An author may make so many calls at once, while others and the health check are answered."""
    monkeypatch.setattr(server, "MAX_OPEN_TABLES_PER_ADDRESS", 1)

    async def test(site: Site) -> None:
        bob = create_key(site.hill, "bob")
        async with site.connect() as client:
            agent = Agent(client)
            await agent.sit("gops", people=["ada", "b"])
            async with hold(site, agent):
                busy = await site.post(site.ada)
                assert (busy.status_code, busy.headers["retry-after"]) == (503, "5")
                assert busy.json()["title"] == "too many calls at once: wait until one is over"
                assert (await site.post(bob)).status_code == 200
                async with httpx2.AsyncClient(verify=False, timeout=TIMEOUT) as http:
                    assert "problems" in (await http.get(f"{site.address}healthz")).json()

    run_on_hill(tmp_path, test)


def test_calls_count_by_author(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An author makes only so many calls in a minute, from whatever addresses, and the calls of others do not count."""
    monkeypatch.setattr(agents, "RATE_LIMITS", {agents.KIND: 2})

    async def test(site: Site) -> None:
        addresses = [f"127.0.0.{number}" for number in range(2, 5)]
        answers = [await site.post(site.ada, address) for address in addresses]
        assert [answer.status_code for answer in answers] == [200, 200, 429]
        assert answers[-1].json()["title"].startswith("too many requests: try again in")
        assert int(answers[-1].headers["retry-after"]) > 0
        assert (await site.post(create_key(site.hill, "bob"), addresses[-1])).status_code == 200

    run_on_hill(tmp_path, test)


def test_seats_of_authors_survive_a_restart(tmp_path: Path) -> None:
    """After a restart the same token and secret continue at their seat, and no other author's do."""
    before: list[Agent] = []

    async def begin(site: Site) -> None:
        async with site.connect() as client:
            before.append(Agent(client))
            state = await before[0].sit("gops", "easy")
            await before[0].answer(state, choose_first(state["question"]))

    async def go_on(site: Site) -> None:
        async with site.connect(create_key(site.hill, "bob")) as client:
            await refuse(Agent(client), {"seat": before[0].seat})
        async with site.connect() as client:
            again = Agent(client, before[0].seat)
            state = await again.look()
            assert again.told[: len(before[0].told)] == before[0].told
            await again.play(state)

    run_on_hill(tmp_path, begin)
    run_on_hill(tmp_path, go_on)
