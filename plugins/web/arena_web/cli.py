"""`arena web` and `arena site`: what was played, for browsers."""

from __future__ import annotations

from pathlib import Path

import click

from arena.cli.common import with_numbers
from arena.cli.lazy import Examples


@click.command(
    cls=Examples,
    short_help="Show tournaments and matches in a browser.",
    examples=("web hill.toml", "web match.jsonl", "web transcripts/ --port 8080"),
)
@click.argument("what", nargs=-1, metavar="[WHAT]...")
@click.option("--port", type=click.IntRange(0, 65535), default=8642, show_default=True,
              help="Where to listen; 0 is any that is free.")  # fmt: skip
@click.option("--host-name", "hosts", multiple=True, metavar="NAME",
              help="A name by which it may be called, behind a proxy; repeatable.")  # fmt: skip
@click.option("--open", "browse", is_flag=True, help="Show it in the browser at once.")
@with_numbers
def web(what: tuple[str, ...], port: int, hosts: tuple[str, ...], browse: bool) -> None:
    """Show each WHAT in a browser: a tournament (its file or database), a transcript, a folder.

    A tournament may be running. The server listens on this machine alone; a proxy may show it to
    others. Hands and transcripts of a match are shown when every rotation of its deal is over.
    """
    from arena_web.app import application
    from arena_web.pages import Pages
    from arena_web.served import opened
    from arena_web.serving import serve

    pages = Pages(opened(what))
    app = application(pages.routes, hosts=hosts, closing=[pages.close])
    serve(app, port, browse=browse)


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
