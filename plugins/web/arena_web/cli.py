"""`arena web` and `arena site`: what was played, for browsers."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from starlette.routing import BaseRoute

    from arena_web.feeds import Followers

from arena.cli.common import option_option, seed_option, with_numbers
from arena.cli.lazy import Examples
from arena_web.options import PORT, hosts_option, proxies_option


class Replays(click.ParamType[Any]):
    """How many replays are wanted: a number, `all` or `none`."""

    name = "N|all|none"

    def convert(self, value: Any, param: Any, ctx: Any) -> int | None:
        """Return the number, or None for all."""
        if value in ("all", None):
            return None
        if value == "none":
            return 0
        if str(value).isascii() and str(value).isdecimal():
            return int(value)
        return self.fail(f"{value!r} is no number, and neither `all` nor `none`", param, ctx)


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
@click.option("--port", type=click.IntRange(0, 65535), default=PORT, show_default=True,
              help="Where to listen; 0 is any that is free.")  # fmt: skip
@hosts_option
@proxies_option
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
    proxies: tuple[str, ...],
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
    from arena_web import studies
    from arena_web.app import application
    from arena_web.feeds import Followers
    from arena_web.orders import asked_for
    from arena_web.playing import Tables
    from arena_web.seats import Seats
    from arena_web.serving import serve

    order = asked_for(play, against, options, seed)
    followers, tables = Followers(), Tables(programs)
    seats = Seats(tables, followers)
    routes, closing = _shown(what, followers) if what else (seats.alone, [])
    app = application(
        [*routes, *seats.routes, *studies.routes()],
        hosts=hosts,
        closing=[*closing, tables.close],
    )
    way = partial(seats.way, play, order)
    serve(app, port, browse=browse, proxies=proxies, way=way, ended=tables.join)


def _shown(
    what: tuple[str, ...], followers: Followers
) -> tuple[list[BaseRoute], list[Callable[[], None]]]:
    """Return the routes to what is served, and what ends their streams; slow to import."""
    from arena_web.pages import Pages
    from arena_web.served import opened

    pages = Pages(opened(what), followers)
    return pages.routes, [pages.close]


@click.command(
    cls=Examples,
    short_help="Write a tournament and its matches as a site of files.",
    examples=("site hill.toml public/", "site hill.db public/ --replays all --jobs 4"),
)
@click.argument("what")
@click.argument("out", type=click.Path(path_type=Path))
@click.option("--replays", type=Replays(), default="10000", show_default=True,
              help="Of that many, the newest, and all with verdicts; `all`; `none`.")  # fmt: skip
@click.option("--transcripts", is_flag=True, help="Write the transcripts of these matches, too.")
@click.option("--jobs", type=click.IntRange(1, 256), default=1, show_default=True,
              help="Processes that work at once.")  # fmt: skip
@with_numbers
def site(what: str, out: Path, replays: int | None, transcripts: bool, jobs: int) -> None:
    """Write the tournament WHAT (its file or database) to the folder OUT, as pages of files.

    Any static host can show them, or a double click. Written again, it is brought up to date: what
    is settled is not written again. Hands of a match are in it when every rotation of its deal is
    over.
    """
    from arena_web.site import write_site
    from arena_web.site.screen import showing

    with showing() as progress:
        count = write_site(
            what, out, replays=replays, transcripts=transcripts, jobs=jobs, progress=progress
        )
    click.echo(f"{out / 'index.html'} is the first page; {count} matches have a replay")
