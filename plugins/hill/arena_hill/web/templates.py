"""The templates and static files of a hill; its pages extend those of `arena_web`."""

from __future__ import annotations

from pathlib import Path

from jinja2 import ChoiceLoader, PackageLoader
from starlette.responses import HTMLResponse, Response

from arena_web.app import TEMPLATES, read_files

HILL_TEMPLATES = TEMPLATES.overlay(
    loader=ChoiceLoader(
        [loader for loader in (PackageLoader("arena_hill"), TEMPLATES.loader) if loader]
    )
)
FILES = read_files(Path(__file__).parents[1] / "static")
"""The static files of a hill's pages by name, besides those of all pages."""


def render_page(name: str, status: int = 200, /, **values: object) -> Response:
    """Render a template as an HTML response."""
    return HTMLResponse(HILL_TEMPLATES.get_template(name).render(values), status)
