"""The pages of explorers, by which plugins let people walk through the positions of a game."""

from __future__ import annotations

from attrs import frozen
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from arena import Explorer, ExplorerPage, UserError
from arena.wires import to_printable
from arena_web.http.refusals import NotFoundError
from arena_web.http.security import is_for_local_name
from arena_web.page_templates import PageFrame, PageValues, render_page
from arena_web.texts import find_explorer


@frozen(kw_only=True)
class PositionPage(PageValues):
    """The values of the page of a position."""

    explorer: Explorer
    study: ExplorerPage
    problem: str = ""  #: why it is the start, and not the position that was asked for
    command: str = ""  #: which solves that position
    at_host: bool  #: whether a command is of use: who has the machine looks at the page


def build_routes() -> list[BaseRoute]:
    """Return the routes of all explorers of plugins."""

    def show_position(request: Request) -> Response:
        """Return the page of a position, or of the start with an error message."""
        explorer = find_explorer(request.path_params["game"])
        if explorer is None:
            raise NotFoundError
        query, at_host = dict(request.query_params), is_for_local_name(request.headers)
        return _render(explorer, query, at_host=at_host)

    return [Route("/study/{game}", show_position)]


def _render(explorer: Explorer, query: dict[str, str], *, at_host: bool) -> Response:
    try:
        page = PositionPage(explorer=explorer, study=explorer.find_page(query), at_host=at_host)
    except UserError as problem:
        start = PositionPage(
            explorer=explorer,
            study=explorer.find_page({}),
            problem=to_printable(problem.message),
            command=problem.command,
            at_host=at_host,
        )
        return render_page("explorer.html", start, PageFrame(root="../"), 400)
    return render_page("explorer.html", page, PageFrame(root="../"))
