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
from arena_web.page_templates import PageFrame, PageValues, render_page
from arena_web.texts import find_explorer


@frozen(kw_only=True)
class PositionPage(PageValues):
    """The values of the page of a position."""

    explorer: Explorer
    study: ExplorerPage
    problem: str = ""  #: why it is the start, and not the position that was asked for


def build_routes() -> list[BaseRoute]:
    """Return the routes of all explorers of plugins."""

    def show_position(request: Request) -> Response:
        """Return the page of a position, or of the start with an error message."""
        explorer = find_explorer(request.path_params["game"])
        if explorer is None:
            raise NotFoundError
        page = _build_page(explorer, dict(request.query_params))
        frame = PageFrame(root=find_root(request))
        return render_page("explorer.html", page, frame, 400 if page.problem else 200)

    return [Route("/study/{game}", show_position)]


def _build_page(explorer: Explorer, query: dict[str, str]) -> PositionPage:
    """Return the values of the page of a position, or of the start with an error message."""
    try:
        return PositionPage(explorer=explorer, study=explorer.find_page(query))
    except UserError as problem:
        return PositionPage(
            explorer=explorer,
            study=explorer.find_page({}),
            problem=to_printable(problem.message),
        )
