"""Pages of explorers: positions with bars that link to the next positions."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from arena import Explorer, UserError
from arena.extend import get_plugins, to_printable
from arena_web.app import STATUS_MESSAGES, render_page


def build_routes() -> list[BaseRoute]:
    """Return the routes of all explorers of plugins."""
    walks = {walk.game: walk for walk in get_plugins().explorers}

    def study(request: Request) -> Response:
        """Return the page of a position, or of the start with an error message."""
        walk = walks.get(request.path_params["game"])
        if walk is None:
            return render_page(
                "error.html", 404, root="../", title="Not found", said=STATUS_MESSAGES[404]
            )
        return _render(walk, dict(request.query_params))

    return [Route("/study/{game}", study)]


def _render(walk: Explorer, query: dict[str, str]) -> Response:
    try:
        study = walk.find_page(query)
    except UserError as problem:
        begin, said = walk.find_page({}), to_printable(str(problem))
        return render_page("explorer.html", 400, root="../", walk=walk, study=begin, problem=said)
    return render_page("explorer.html", root="../", walk=walk, study=study, problem="")
