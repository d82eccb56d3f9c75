"""`arena mcp`: seats for an agent over stdin and stdout."""

from __future__ import annotations

import click

from arena.cli.support.commands import ExampleCommand, require_tournament_extra


@click.command(
    cls=ExampleCommand,
    short_help="Seat an agent (an MCP client) at tables.",
    examples=("mcp", "mcp --seat ./mybot"),
)
@click.option("--seat", "programs", multiple=True, metavar="PROGRAM",
              help="Program that the agent can play against; repeatable.")  # fmt: skip
@click.option(
    "--keep-games", "days", type=click.IntRange(0, 36_500), default=30, show_default=True,
    metavar="DAYS", help="Days for which games are kept; 0: until the server ends.",
)  # fmt: skip
@require_tournament_extra
def mcp(programs: tuple[str, ...], days: int) -> None:
    """Serve an agent over stdin and stdout: an MCP client starts this command itself.

    The agent plays against the bundled bots and the programs that you allow. Agents that are to
    meet people, or each other, connect to `arena web` instead, at its address with `mcp` behind it.
    """
    import asyncio

    from arena_mcp.server import serve_stdio
    from arena_web.play.store.table_store import TableStore, get_store_path
    from arena_web.play.tables import PlayTables

    tables = PlayTables(programs, TableStore.open(get_store_path("mcp"), days))
    asyncio.run(serve_stdio(tables))
