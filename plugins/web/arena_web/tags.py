"""Whether a page is still the one that a browser has: asked before anything is made of it."""

from __future__ import annotations

from hashlib import sha256

from starlette.requests import Request
from starlette.responses import Response

from arena_web.events import SERVER
from arena_web.served import Hill, Source

FRESH = {"Cache-Control": "no-cache"}  # a browser asks each time
UNTAGGED = {"", "live.html", "watch.html"}  # what is made of more than the store


async def tag_of(source: Source, template: str) -> str:
    """Return the tag of a page as it now is; nothing for one that has none.

    It is weak: a page may show more than what its tag says, if that came while it was made. Then
    the next tag is another one, and the page is made again.
    """
    if not isinstance(source, Hill) or template in UNTAGGED:
        return ""
    if template == "curves.html":  # which may be older than the figures
        seen, _ = await source.curves.get()
    else:
        seen = await source.figures.get()
    return f'W/"{sha256(repr((SERVER, seen.mark)).encode()).hexdigest()[:16]}"'


def unchanged(request: Request, tag: str) -> Response | None:
    """Return the answer to who has the page of this tag; None for anybody else."""
    known = request.headers.get("if-none-match", "").split(",")
    if tag and tag in (one.strip() for one in known):
        return Response(status_code=304, headers={"ETag": tag, **FRESH})
    return None
