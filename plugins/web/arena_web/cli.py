"""`arena web` and `arena site`: tournaments and matches in a browser."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple, cast

import click

from arena import UserError
from arena.cli.support.commands import (
    ExampleCommand,
    option_option,
    require_tournament_extra,
    seed_option,
    table_option,
    with_option,
)
from arena.cli.support.demo_matches import DEMO_FOLDER, DEMO_SEED, list_demo_games, play_demo_match

if TYPE_CHECKING:
    from starlette.routing import BaseRoute

    from arena_web.http.sse import FollowerLimit
    from arena_web.play.tables import PlayTables
    from arena_web.preparations import Preparations
    from arena_web.site import ReplayChoice
    from arena_web.sources import Source
    from arena_web.tournaments.sources import TournamentSource

PORT = 8642
TUNING_ADVICE = "(to show tuning runs, install arena-tune: pip install 'cardbot-arena[tune]')"

hosts_option = click.option(
    "--host-name", "hosts", multiple=True, metavar="NAME",
    help="Public host name, when running behind a proxy; repeatable.",
)  # fmt: skip
proxies_option = click.option(
    "--proxy", "proxies", multiple=True, metavar="ADDRESS",
    help="Address of a trusted reverse proxy (its X-Forwarded-* headers are used); repeatable.",
)  # fmt: skip
keep_option = click.option(
    "--keep-games", "days", type=click.IntRange(0, 36_500), default=30, show_default=True,
    metavar="DAYS", help="Days for which the games of visitors are kept; 0: until the server ends.",
)  # fmt: skip


@click.command(
    cls=ExampleCommand,
    short_help="Show tournaments and matches in a browser.",
    examples=(
        "web demo --open",
        "web hill.toml",
        "web match.jsonl",
        "web transcripts/ --port 8080",
        "web --play {game} --against {bot} --open",
    ),
)
@click.argument("sources", nargs=-1, metavar="[SOURCE]...")
@click.option("--port", type=click.IntRange(0, 65535), default=PORT, show_default=True,
              help="Port to listen on; 0 picks a free one.")  # fmt: skip
@hosts_option
@proxies_option
@click.option("--open/--no-open", "browse", default=False, show_default=True,
              help="Open the page in a browser or only print its address.")  # fmt: skip
@click.option("--seat", "programs", multiple=True, metavar="PROGRAM",
              help="Program that people can play against; repeatable.")  # fmt: skip
@keep_option
@click.option("--play", metavar="GAME", help="Open a table for this game.")
@click.option("--against", multiple=True, metavar="BOT[,BOT...]",
              help="Opponent at that table; repeatable. Default: choose on the page.")  # fmt: skip
@with_option
@table_option
@option_option
@seed_option
@require_tournament_extra
def web(  # noqa: PLR0917  # by click, by their names
    sources: tuple[str, ...],
    port: int,
    hosts: tuple[str, ...],
    proxies: tuple[str, ...],
    browse: bool,
    programs: tuple[str, ...],
    days: int,
    play: str | None,
    against: tuple[str, ...],
    beside: tuple[str, ...],
    table: int | None,
    options: tuple[str, ...],
    seed: str | None,
) -> None:
    """Show each SOURCE in a browser: a tournament, a tuning run, a transcript or a folder.

    A tournament or a tuning run is named by its file or database, and may be running. The server
    listens on this machine only; put a proxy in front of it for others. A match's hands and
    transcript are shown once every rotation of its deal is over. `demo` is the folder of `arena
    demo`, which is created if it is missing.

    People can play against the bundled bots in the browser, and against programs that you allow. So
    can agents, if `arena-mcp` is installed: the address of the MCP server ends in `mcp`.
    """
    from arena_web.app import build_application
    from arena_web.explorers import ExplorerPages
    from arena_web.http.sse import FollowerLimit
    from arena_web.play.routes import PlayPages
    from arena_web.play.sample_matches import begin_sample_matches
    from arena_web.play.setup_requests import parse_setup
    from arena_web.play.store.table_store import TableStore, get_store_path
    from arena_web.play.tables import PlayTables
    from arena_web.preparations import Preparations
    from arena_web.server import serve
    from arena_web.transcript_folders import TranscriptFolder

    setup = parse_setup(play, against, options, seed, beside=beside, table=table)
    store = TableStore.open(get_store_path(port), days)
    followers, tables, preparations = FollowerLimit(), PlayTables(programs, store), Preparations()
    served = _build_pages(sources, followers, preparations) if sources else ServedSources()
    seats = PlayPages(
        tables,
        followers,
        served.tournaments,
        served.kinds,
        prepares=not (hosts or proxies),
        preparations=preparations,
    )
    root_routes = [] if {*served.kinds.values()} - {TranscriptFolder.kind} else seats.root_routes
    app = build_application(
        [
            *root_routes,
            *served.routes,
            *seats.routes,
            *ExplorerPages(None if hosts or proxies else preparations).routes,
            *_build_agent_routes(tables),
        ],
        hosts=hosts,
        on_shutdown=[*served.closers, tables.close, preparations.close],
        throttle=store.log,
    )
    find_path = partial(seats.find_path, play, setup)
    serve(
        app,
        port,
        browse=browse,
        proxies=proxies,
        find_path=find_path,
        on_start=begin_sample_matches,
        join=tables.join,
    )


def _build_agent_routes(tables: PlayTables) -> Sequence[BaseRoute]:
    """Return the routes of seats for agents, where the plugin for them is installed."""
    if not find_spec("arena_mcp"):
        return ()
    from arena_mcp.server import AgentEndpoint

    return AgentEndpoint(tables).routes


class ServedSources(NamedTuple):
    """The sources that a command line names, as the server needs them."""

    routes: Sequence[BaseRoute] = ()  #: of their pages
    closers: Sequence[Callable[[], None]] = ()  #: end their streams
    tournaments: Sequence[TournamentSource] = ()
    kinds: Mapping[str, str] = MappingProxyType({})  #: of all sources, by their names in addresses


def _build_pages(
    sources: tuple[str, ...], followers: FollowerLimit, preparations: Preparations
) -> ServedSources:
    """Open sources and build their pages."""
    from arena_web.routes import SourcePages
    from arena_web.tournaments.sources import TournamentSource

    own_sources, databases = _open_sources(sources)
    pages = SourcePages(own_sources, followers, preparations)
    tournaments = [
        source for source in own_sources.values() if isinstance(source, TournamentSource)
    ]
    kinds = {name: source.kind for name, source in own_sources.items()}
    routes = pages.routes
    if databases:
        from arena_web.tuning_runs import build_tuning_routes, open_tuning_runs

        runs = open_tuning_runs(databases, own_sources)
        routes = [*build_tuning_routes(runs, kinds), *routes]
        kinds |= dict.fromkeys(runs, "tuning run")
    return ServedSources(routes, [pages.close], tournaments, kinds)


def _open_sources(sources: tuple[str, ...]) -> tuple[dict[str, Source], list[Path]]:
    """Open sources but for tuning runs, and return the databases of these, too."""
    from arena_web.sources import open_sources

    if str(DEMO_FOLDER) in sources and not DEMO_FOLDER.exists():
        click.echo(f"{DEMO_FOLDER}: playing an example match of each game ...")
        for game in list_demo_games():
            deque(play_demo_match(game, DEMO_SEED, DEMO_FOLDER), 0)
    if find_spec("arena_tune"):
        from arena_web.tuning_runs import split_sources

        databases, others = split_sources(sources)
        return open_sources(others), databases
    try:
        return open_sources(sources), []
    except UserError as problem:
        raise UserError(f"{problem}\n{TUNING_ADVICE}") from None


class ReplayChoiceType(click.ParamType[Any]):
    """Which matches have a replay: `best`, `all`, `none` or a number of the newest."""

    name = "best|all|none|N"

    def convert(self, value: Any, param: Any, ctx: Any) -> ReplayChoice:
        """Return the choice; `none` is 0."""
        if value in ("best", "all"):
            return cast("ReplayChoice", value)
        if value == "none":
            return 0
        if str(value).isascii() and str(value).isdecimal():
            return int(value)
        return self.fail(f"{value!r} is not `best`, `all`, `none` or a number", param, ctx)


@click.command(
    cls=ExampleCommand,
    short_help="Write a tournament and its matches as a static site.",
    examples=("site hill.toml public/", "site hill.db public/ --replays all --jobs 4"),
)
@click.argument("source")
@click.argument("out", type=click.Path(path_type=Path))
@click.option("--replays", type=ReplayChoiceType(), default="best", show_default=True,
              help="Matches with a replay: `best` (the latest of each bot, and records), `all`,"
              " `none`, or the N newest.")  # fmt: skip
@click.option("--transcripts", is_flag=True, help="Also write the transcripts of these matches.")
@click.option("--jobs", type=click.IntRange(1, 256), default=1, show_default=True,
              help="Number of parallel processes.")  # fmt: skip
@require_tournament_extra
def site(source: str, out: Path, replays: ReplayChoice, transcripts: bool, jobs: int) -> None:
    """Write the tournament SOURCE (file or database) to the folder OUT as a static site.

    Serve it from any static host, or open it with a double click. Run the command again to update
    the site; finished parts are not written again. It contains a match's hands once every rotation
    of its deal is over.
    """
    from arena_web.site import write_site

    with show_progress() as progress:
        count = write_site(
            source, out, replays=replays, transcripts=transcripts, jobs=jobs, progress=progress
        )
    click.echo(f"{out / 'index.html'} is the start page; {count} matches have a replay")


@contextmanager
def show_progress() -> Iterator[Callable[[int, int], None]]:
    """Show a progress bar; yield its callback, which takes the replays written and planned."""
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeRemainingColumn,
    )

    columns = (TextColumn("replays"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    console = Console(stderr=True)
    hidden = not console.is_terminal  # it would say an empty line
    with Progress(*columns, console=console, transient=True, disable=hidden) as bar:
        task = bar.add_task("replays", total=None)
        yield lambda done, planned: bar.update(task, completed=done, total=planned)
