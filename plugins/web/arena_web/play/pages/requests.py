"""What the pages of tables read from requests."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from urllib.parse import parse_qs

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from arena_web.addresses import find_root
from arena_web.page_templates import PageFrame, PageValues, render_page
from arena_web.play.person_names import parse_name
from arena_web.play.setup_requests import get_first
from arena_web.play.table_terms import PERSON

MAX_FORM_FIELDS = 200  # of a form


async def read_form(request: Request, *, keeps_blanks: bool = False) -> dict[str, list[str]]:
    """Return the fields of a form; raise an HTTP error if it is none of ours."""
    text = await read_text(request)
    try:
        return parse_qs(text, keep_blank_values=keeps_blanks, max_num_fields=MAX_FORM_FIELDS)
    except ValueError:  # too many fields
        raise HTTPException(400, "this form does not belong to this page") from None


def find_name(form: Mapping[str, Sequence[str]]) -> str:
    """Return the name that a person has typed in a form; raise BadNameError if it is none."""
    return parse_name(get_first(form, "name").strip() or PERSON)


async def read_text(request: Request) -> str:
    """Return a request's body, of a length that is allowed; raise an HTTP error if not UTF-8."""
    try:
        return (await request.body()).decode()
    except UnicodeDecodeError:
        raise HTTPException(400, "not UTF-8") from None


def render_fresh(request: Request, values: PageValues, status: int = 200) -> Response:
    """Render the answer to a request as a page that is not cached: it may contain a secret."""
    page = render_page(values, PageFrame(root=find_root(request)), status)
    page.headers["Cache-Control"] = "no-store"
    return page
