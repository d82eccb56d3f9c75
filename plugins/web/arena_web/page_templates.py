"""The templates of pages, and what they call texts."""

from __future__ import annotations

from jinja2 import Environment, PackageLoader, StrictUndefined, select_autoescape
from starlette.responses import HTMLResponse, Response

from arena.rules import format_choices
from arena.tournament.entries import get_name
from arena_web.texts import (
    clean_text,
    find_count,
    format_duration,
    format_game,
    format_rules,
    format_time,
    present_name,
)

TEMPLATES = Environment(
    loader=PackageLoader("arena_web"),
    autoescape=select_autoescape(default=True),
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
)
"""The templates, which escape all values."""

TEMPLATES.globals["on_static_site"] = False  # where a static site does not say so
TEMPLATES.filters["bot_name"] = get_name
TEMPLATES.filters["player_name"] = present_name
TEMPLATES.filters["choices"] = format_choices
TEMPLATES.filters["duration"] = format_duration
TEMPLATES.filters["game_title"] = format_game
TEMPLATES.filters["clean"] = clean_text
TEMPLATES.filters["rules"] = format_rules
TEMPLATES.filters["count"] = find_count
TEMPLATES.filters["when"] = format_time


def render_page(name: str, status: int = 200, /, **values: object) -> Response:
    """Render a template as a page."""
    return HTMLResponse(TEMPLATES.get_template(name).render(values), status)
