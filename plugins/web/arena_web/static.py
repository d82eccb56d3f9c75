"""The files that pages load: read once, known by their names, and never looked for on a disk."""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path

from attrs import frozen
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

FOLDER = Path(__file__).parent / "static"
TYPES = {".css": "text/css", ".js": "text/javascript", ".svg": "image/svg+xml"}
CACHED = "max-age=60"  # long enough for a click through the pages


@frozen
class File:
    """A file of ours."""

    body: bytes
    kind: str
    tag: str


def _read(path: Path) -> File:
    body = path.read_bytes()
    return File(body, TYPES[path.suffix], f'"{sha256(body).hexdigest()[:16]}"')


FILES = {path.name: _read(path) for path in sorted(FOLDER.iterdir()) if path.suffix in TYPES}
"""All of them by name."""


async def _static(request: Request) -> Response:
    file = FILES.get(request.path_params["name"])
    if file is None:
        raise HTTPException(404)
    headers = {"ETag": file.tag, "Cache-Control": CACHED}
    if request.headers.get("if-none-match") == file.tag:
        return Response(status_code=304, headers=headers)
    return Response(file.body, media_type=file.kind, headers=headers)


ROUTE = Route("/static/{name}", _static)
"""Where they are."""
