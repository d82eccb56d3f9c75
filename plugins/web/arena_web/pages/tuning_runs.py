"""The pages of tuning runs, and the list in which they stand beside other sources."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from markupsafe import Markup
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import BaseRoute, Route

from arena.extend import get_plugins
from arena_web.app import find_root, render_page
from arena_web.sources.tuning_run import TuningRunSource


def build_tuning_routes(
    runs: Mapping[str, TuningRunSource], others: Mapping[str, str]
) -> list[BaseRoute]:
    """Return the routes of runs, and of the list; `others` are the kinds of sources by name.

    They come before the routes of other sources, which have addresses of the same form.
    """
    kinds = {**others, **dict.fromkeys(runs, "tuning run")}
    pages = [Route(f"/t/{name}/", partial(_show_run, run)) for name, run in runs.items()]
    return [Route("/", partial(_show_list, kinds)), *pages] if runs else []


async def _show_list(kinds: Mapping[str, str], request: Request) -> Response:
    """List the sources; redirect to a single one."""
    if len(kinds) == 1:
        return RedirectResponse(f"t/{next(iter(kinds))}/", 307)
    return render_page(
        "home.html", root=find_root(request), kinds=kinds, walks=get_plugins().explorers
    )


async def _show_run(run: TuningRunSource, request: Request) -> Response:
    """Show a run as far as it has come."""
    body = Markup(await run.body.get())  # noqa: S704  # rendered with all values escaped
    response = render_page("tuning_run.html", root=find_root(request), title=run.name, body=body)
    response.headers["Cache-Control"] = "no-cache"
    return response
