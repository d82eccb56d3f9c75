"""The pages of explorers, by which plugins let people walk through the positions of a game."""

from __future__ import annotations

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from arena import Explorer, UserError
from arena.plugins import get_plugins
from arena.wires import to_printable
from arena_web.page_templates import render_page


def build_routes() -> list[BaseRoute]:
    """Return the routes of all explorers of plugins."""
    explorers = {explorer.game: explorer for explorer in get_plugins().explorers}

    def show_position(request: Request) -> Response:
        """Return the page of a position, or of the start with an error message."""
        explorer = explorers.get(request.path_params["game"])
        if explorer is None:
            raise HTTPException(404)
        return _render(explorer, dict(request.query_params))

    return [Route("/study/{game}", show_position)]


def _render(explorer: Explorer, query: dict[str, str]) -> Response:
    try:
        page = explorer.find_page(query)
    except UserError as problem:
        start, reason = explorer.find_page({}), to_printable(problem.message)
        return render_page(
            "explorer.html", 400, root="../", explorer=explorer, study=start, problem=reason,
            command=problem.command,
        )  # fmt: skip
    return render_page("explorer.html", root="../", explorer=explorer, study=page, problem="")


def list_explorable_games() -> frozenset[str]:
    """Return the games that have an explorer."""
    return frozenset(explorer.game for explorer in get_plugins().explorers)
