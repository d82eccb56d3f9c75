"""The first page of a server: what it serves."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from attrs import frozen
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from arena import Explorer
from arena.plugins import get_plugins
from arena_web.addresses import find_root
from arena_web.page_templates import PageFrame, PageValues, render_page


@frozen(kw_only=True)
class HomePage(PageValues):
    """The values of the first page."""

    template = "home.html"

    kinds: Mapping[str, str]  #: of the sources, by name
    explorers: Sequence[Explorer]


def show_home(kinds: Mapping[str, str], request: Request) -> Response:
    """List the sources, given their kinds by name; redirect to a single one."""
    if len(kinds) == 1:
        return RedirectResponse(f"t/{next(iter(kinds))}/", 307)
    page = HomePage(kinds=kinds, explorers=get_plugins().explorers)
    return render_page(page, PageFrame(root=find_root(request)))
