"""The pages of explorers, by which plugins let people walk through the positions of a game."""

from __future__ import annotations

from attrs import frozen
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from arena import Explorer, ExplorerPage, UserError
from arena.wires import to_printable
from arena_web.addresses import find_root
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
        at_host = is_for_local_name(request.headers)
        page = _build_page(explorer, dict(request.query_params), at_host=at_host)
        frame = PageFrame(root=find_root(request))
        return render_page("explorer.html", page, frame, 400 if page.problem else 200)

    return [Route("/study/{game}", show_position)]


def _build_page(explorer: Explorer, query: dict[str, str], *, at_host: bool) -> PositionPage:
    """Return the values of the page of a position, or of the start with an error message."""
    try:
        return PositionPage(explorer=explorer, study=explorer.find_page(query), at_host=at_host)
    except UserError as problem:
        return PositionPage(
            explorer=explorer,
            study=explorer.find_page({}),
            problem=to_printable(problem.message),
            command=problem.command,
            at_host=at_host,
        )
