"""The first page of a server: what it serves."""

from __future__ import annotations

from collections.abc import Mapping

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from arena.plugins import get_plugins
from arena_web.addresses import find_root
from arena_web.page_templates import render_page


def show_home(kinds: Mapping[str, str], request: Request) -> Response:
    """List the sources, given their kinds by name; redirect to a single one."""
    if len(kinds) == 1:
        return RedirectResponse(f"t/{next(iter(kinds))}/", 307)
    explorers = get_plugins().explorers
    return render_page("home.html", root=find_root(request), kinds=kinds, explorers=explorers)
