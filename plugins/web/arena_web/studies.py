"""Walks through what is known of games: pages with bars, in which every bar leads on."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from arena.plugins import Walk, plugins
from arena.rules import UserError
from arena.wires import printable
from arena_web.app import SAID, page


def routes() -> list[BaseRoute]:
    """Return the routes of all walks that plugins bring."""
    walks = {walk.game: walk for walk in plugins().walks}

    def study(request: Request) -> Response:
        """Return the page of a walk, or one that says what is wrong with what was asked."""
        walk = walks.get(request.path_params["game"])
        if walk is None:
            return page("wrong.html", 404, root="../", title="Not found", said=SAID[404])
        return _page(walk, dict(request.query_params))

    return [Route("/study/{game}", study)]


def _page(walk: Walk, query: dict[str, str]) -> Response:
    try:
        study = walk.look(query)
    except UserError as problem:
        begin, said = walk.look({}), printable(str(problem))
        return page("study.html", 400, root="../", walk=walk, study=begin, problem=said)
    return page("study.html", root="../", walk=walk, study=study, problem="")
