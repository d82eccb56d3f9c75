"""Tuning runs: sources that are read from their databases, without any bot's code; their pages.

They are served where `arena-tune` is installed, without which nothing imports this module.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import partial
from pathlib import Path

from attrs import define, field, frozen
from markupsafe import Markup
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from arena_tune.report import render_report_body
from arena_tune.summary import TuningSummary, find_tuning_databases, read_tuning_summary
from arena_web.addresses import find_root
from arena_web.http.refreshed_values import RefreshedValue
from arena_web.http.worker_threads import WorkerThreads
from arena_web.page_templates import PageFrame, PageValues, render_page
from arena_web.pages.home import show_home
from arena_web.sources import choose_name

Stamp = tuple[tuple[int, int], ...]
WRITTEN_SUFFIXES = ("", "-wal")  # of the files that change when matches are stored


@define(eq=False)
class TuningRunSource:
    """A tuning run, whose page is rendered again when its database has changed."""

    name: str
    database: Path
    body: RefreshedValue[str] = field(init=False)
    _threads: WorkerThreads = field(init=False, factory=WorkerThreads)
    _last: tuple[Stamp, str] | None = field(init=False, default=None)

    def __attrs_post_init__(self) -> None:
        self.body = RefreshedValue(partial(self._threads.ask, self.render))

    def summarize(self) -> TuningSummary:
        """Summarize the run without the folders of its bots; raise UserError."""
        return read_tuning_summary(self.database, public=True)

    def render(self) -> str:
        """Render the body of the page, if the database has changed since the last time."""
        stamp = self._read_stamp()
        if self._last is None or self._last[0] != stamp:
            self._last = stamp, render_report_body(self.summarize())
        return self._last[1]

    def _read_stamp(self) -> Stamp:
        """Return times and sizes of the files of the database."""
        files = (Path(f"{self.database}{suffix}") for suffix in WRITTEN_SUFFIXES)
        states = (file.stat() for file in files if file.exists())
        return tuple((state.st_mtime_ns, state.st_size) for state in states)


@frozen(kw_only=True)
class TuningRunPage(PageValues):
    """The values of the page of a tuning run."""

    template = "tuning_run.html"

    title: str
    body: Markup


def split_sources(arguments: Iterable[str]) -> tuple[list[Path], list[str]]:
    """Return the databases of tuning runs that the arguments name, and the other arguments."""
    databases: list[Path] = []
    others = []
    for argument in arguments:
        own = [] if "://" in argument else find_tuning_databases(Path(argument))
        databases += own
        if not own:
            others.append(argument)
    return databases, others


def open_tuning_runs(databases: Iterable[Path], names: Iterable[str]) -> dict[str, TuningRunSource]:
    """Open runs and return them by name; raise UserError where one cannot be read."""
    sources: dict[str, TuningRunSource] = {}
    for database in databases:
        name = choose_name(database.stem, {*names, *sources})
        sources[name] = TuningRunSource(name, database)
        sources[name].summarize()  # to report a mistake at the start
    return sources


def build_tuning_routes(
    runs: Mapping[str, TuningRunSource], others: Mapping[str, str]
) -> list[BaseRoute]:
    """Return the routes of runs, and of the list; `others` are the kinds of sources by name.

    They come before the routes of other sources, which have addresses of the same form.
    """
    kinds = {**others, **dict.fromkeys(runs, "tuning run")}
    pages = [Route(f"/t/{name}/", partial(_show_run, run)) for name, run in runs.items()]
    return [Route("/", partial(show_home, kinds)), *pages] if runs else []


async def _show_run(run: TuningRunSource, request: Request) -> Response:
    """Show a run as far as it has come."""
    body = Markup(await run.body.get())  # noqa: S704  # rendered with all values escaped
    page = TuningRunPage(title=run.name, body=body)
    response = render_page(page, PageFrame(root=find_root(request)))
    response.headers["Cache-Control"] = "no-cache"
    return response
