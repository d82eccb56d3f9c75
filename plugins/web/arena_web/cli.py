"""`arena web` and `arena site`: what was played, for browsers."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from starlette.routing import BaseRoute

from arena.cli.common import option_option, seed_option, with_numbers
from arena.cli.lazy import Examples


@click.command(
    cls=Examples,
    short_help="Show tournaments and matches in a browser.",
    examples=(
        "web hill.toml",
        "web match.jsonl",
        "web transcripts/ --port 8080",
        "web --play {game} --against {bot} --open",
    ),
)
@click.argument("what", nargs=-1, metavar="[WHAT]...")
@click.option("--port", type=click.IntRange(0, 65535), default=8642, show_default=True,
              help="Where to listen; 0 is any that is free.")  # fmt: skip
@click.option("--host-name", "hosts", multiple=True, metavar="NAME",
              help="A name by which it may be called, behind a proxy; repeatable.")  # fmt: skip
@click.option("--open", "browse", is_flag=True, help="Show it in the browser at once.")
@click.option("--seat", "programs", multiple=True, metavar="PROGRAM",
              help="A program that may be played against; may be repeated.")  # fmt: skip
@click.option("--play", metavar="GAME", help="Set a table of this game at once.")
@click.option("--against", multiple=True, metavar="BOT[,BOT...]",
              help="Whom to play against there; may be repeated. Else it is asked.")  # fmt: skip
@option_option
@seed_option
@with_numbers
def web(  # noqa: PLR0917  # by click, by their names
    what: tuple[str, ...],
    port: int,
    hosts: tuple[str, ...],
    browse: bool,
    programs: tuple[str, ...],
    play: str | None,
    against: tuple[str, ...],
    options: tuple[str, ...],
    seed: str | None,
) -> None:
    """Show each WHAT in a browser: a tournament (its file or database), a transcript, a folder.

    A tournament may be running. The server listens on this machine alone; a proxy may show it to
    others. Hands and transcripts of a match are shown when every rotation of its deal is over.

    In the browser people play against bundled bots, and against a program only where you say so.
    """
    from arena_web.app import application
    from arena_web.orders import asked_for
    from arena_web.playing import Tables
    from arena_web.seats import Seats
    from arena_web.serving import serve

    order = asked_for(play, against, options, seed)
    tables = Tables(programs)
    seats = Seats(tables)
    routes, closing = _shown(what) if what else (seats.alone, [])
    app = application([*routes, *seats.routes], hosts=hosts, closing=[*closing, tables.close])
    try:
        serve(app, port, browse=browse, way=lambda: seats.way(play, order))
    finally:
        tables.join()


def _shown(what: tuple[str, ...]) -> tuple[list[BaseRoute], list[Callable[[], None]]]:
    """Return the routes to what is served, and what ends their streams; slow to import."""
    from arena_web.pages import Pages
    from arena_web.served import opened

    pages = Pages(opened(what))
    return pages.routes, [pages.close]


@click.command(
    cls=Examples,
    short_help="Write tournaments and matches as a site of files.",
    examples=("site hill.toml public/",),
)
@click.argument("what", metavar="WHAT")
@click.argument("out", type=click.Path(path_type=Path))
def site(what: str, out: Path) -> None:
    """Write WHAT to the folder OUT as pages that any static host can show, or a double click."""
    from arena.rules import UserError

    raise UserError("a site is not written yet")
