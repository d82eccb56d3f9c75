"""The templates of pages, the values that they are given, and what they call texts."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, ClassVar

from attrs import fields, frozen
from jinja2 import Environment, PackageLoader, StrictUndefined, select_autoescape
from starlette.responses import HTMLResponse, Response

from arena.rules import format_choices, format_seconds
from arena.tournament.entries import get_name
from arena.tournament.file.contents import HillConfig
from arena_web.addresses import Links
from arena_web.protocol.json_format import to_json
from arena_web.static_files import list_imports
from arena_web.texts import (
    clean_text,
    find_count,
    find_explorer,
    format_game,
    format_minus,
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


def _dump(value: object, **options: Any) -> str:
    return json.dumps(to_json(value), **options)


TEMPLATES.policies["json.dumps_function"] = _dump  # for the filter `tojson`
TEMPLATES.globals["on_static_site"] = False  # where a static site does not say so
TEMPLATES.filters["bot_name"] = get_name
TEMPLATES.filters["player_name"] = present_name
TEMPLATES.filters["minus"] = format_minus
TEMPLATES.filters["choices"] = format_choices
TEMPLATES.filters["duration"] = format_seconds
TEMPLATES.filters["game_title"] = format_game
TEMPLATES.filters["clean"] = clean_text
TEMPLATES.filters["rules"] = format_rules
TEMPLATES.filters["count"] = find_count
TEMPLATES.filters["explorer"] = find_explorer
TEMPLATES.filters["when"] = format_time
TEMPLATES.filters["imports"] = list_imports


@frozen(kw_only=True)
class TemplateValues:
    """The values of a template: the fields, by their names there."""

    def to_template(self) -> Mapping[str, object]:
        """Return the values by their names in the template."""
        return {field.name: getattr(self, field.name) for field in fields(type(self))}


@frozen(kw_only=True)
class PageValues(TemplateValues):
    """A page: its own values, and the template that shows them."""

    template: ClassVar[str]


@frozen(kw_only=True)
class PageFrame(TemplateValues):
    """What the templates around a page are given, besides its own values."""

    root: str  #: the way to the root of all pages, such as `../`


@frozen(kw_only=True)
class SourceFrame(PageFrame):
    """What the templates around a page of a source are given, by a server or in a site of files."""

    to: Links  #: the addresses of the source's pages
    source: str  #: its name
    title: str
    about: HillConfig | None  #: what its host says of it
    of_tournament: bool
    hill_path: str | None = None  #: from the root to where bots are submitted


def render_text(page: PageValues, frame: PageFrame, *, part: str = "") -> str:
    """Return the text of a page, or of a part that it loads again, a template in `parts/`."""
    template = TEMPLATES.get_template(f"parts/{part}.html" if part else page.template)
    return template.render(frame.to_template(), **page.to_template())


def render_page(
    page: PageValues, frame: PageFrame, status: int = 200, *, part: str = ""
) -> Response:
    """Return a page, or a part of it, as a response."""
    return HTMLResponse(render_text(page, frame, part=part), status)
