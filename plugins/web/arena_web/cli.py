"""`arena web` and `arena site`: what was played, for browsers."""

from __future__ import annotations

from pathlib import Path

import click

from arena.cli.lazy import Examples


@click.command(
    cls=Examples,
    short_help="Show tournaments and matches in a browser.",
    examples=("web hill.toml", "web match.jsonl", "web transcripts/ --port 8080"),
)
@click.argument("what", nargs=-1, metavar="[WHAT]...")
@click.option("--port", type=click.IntRange(0, 65535), default=8642, show_default=True,
              help="Where to listen; 0 is any that is free.")  # fmt: skip
def web(what: tuple[str, ...], port: int) -> None:
    """Show each WHAT in a browser: a tournament (its file or database), a transcript, a folder."""
    from arena_web.serving import serve

    serve(what, port)


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
