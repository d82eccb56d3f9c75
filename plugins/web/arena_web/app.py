"""The application: what is served, put together of the routes of each part."""

from __future__ import annotations

from pathlib import Path

from jinja2 import Environment, PackageLoader, StrictUndefined, select_autoescape
from starlette.applications import Starlette
from starlette.responses import HTMLResponse, Response
from starlette.routing import BaseRoute, Mount
from starlette.staticfiles import StaticFiles

STATIC = Path(__file__).parent / "static"
PAGES = Environment(
    loader=PackageLoader("arena_web"),
    autoescape=select_autoescape(default=True),
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
)
"""The templates; what comes from strangers is text in them, always."""


def page(name: str, status: int = 200, **values: object) -> Response:
    """Return a page made of a template."""
    return HTMLResponse(PAGES.get_template(name).render(values), status)


def application(routes: list[BaseRoute]) -> Starlette:
    """Return the application with these routes, and the files that pages load."""
    return Starlette(routes=[*routes, Mount("/static", StaticFiles(directory=STATIC))])
