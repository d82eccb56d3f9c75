"""Static files, which are read once and served by name.

Scripts and styles are served without comments, a third of the size of a script for whoever opens a
page for the first time. Lines that are comments stay empty, so that a browser counts lines as the
files do.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from hashlib import sha256
from pathlib import Path

from attrs import frozen
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from arena_web.http.refusals import NotFoundError

STATIC_FOLDER = Path(__file__).with_name("static")
TYPES = {".css": "text/css", ".js": "text/javascript", ".svg": "image/svg+xml"}
COMMENT_LINES = re.compile(rb"^ *(?://[^\n]*|/\*\*.*?\*/)$", re.MULTILINE | re.DOTALL)
COMMENT_ENDS = re.compile(rb"(?<=[;,:{}()\[\]]) +// [^\n\"'`]*$", re.MULTILINE)  # no part of a text
STYLE_COMMENTS = re.compile(rb" */\*.*?\*/", re.DOTALL)
IMPORT = re.compile(rb'^import .* from "\./([^"]+)";$', re.MULTILINE)
STATIC_CACHE_CONTROL = "max-age=60"  # long enough for a click through the pages


@frozen
class StaticFile:
    """A static file."""

    body: bytes
    kind: str
    tag: str


def read_files(folder: Path) -> dict[str, StaticFile]:
    """Read the static files of a folder; return them by name."""
    return {
        path.name: _read_file(path) for path in sorted(folder.iterdir()) if path.suffix in TYPES
    }


def _read_file(path: Path) -> StaticFile:
    body = path.read_bytes()
    if path.suffix == ".js":
        body = COMMENT_ENDS.sub(b"", _empty(COMMENT_LINES, body))
    elif path.suffix == ".css":
        body = _empty(STYLE_COMMENTS, body)
    return StaticFile(body, TYPES[path.suffix], f'"{sha256(body).hexdigest()[:16]}"')


def _empty(comments: re.Pattern[bytes], text: bytes) -> bytes:
    """Return a text without these comments, in as many lines."""
    return comments.sub(lambda comment: b"\n" * comment[0].count(b"\n"), text)


FILES = read_files(STATIC_FOLDER)
"""The static files of all pages by name."""


@cache
def list_imports(name: str) -> tuple[str, ...]:
    """Return the scripts that a script imports, or one of these does, each behind those it imports.

    A page that names them has a browser ask for all at once, and not for each when it is read of.
    """
    imports = dict.fromkeys(found.decode() for found in IMPORT.findall(FILES[name].body))
    return tuple(
        dict.fromkeys(part for module in imports for part in (*list_imports(module), module))
    )


def build_static_route(files: Mapping[str, StaticFile]) -> Route:
    """Return the route that serves these files by name, below `/static/`."""

    async def serve_file(request: Request) -> Response:
        file = files.get(request.path_params["name"])
        if file is None:
            raise NotFoundError
        headers = {"ETag": file.tag, "Cache-Control": STATIC_CACHE_CONTROL}
        if request.headers.get("if-none-match") == file.tag:
            return Response(status_code=304, headers=headers)
        return Response(file.body, media_type=file.kind, headers=headers)

    return Route("/static/{name}", serve_file)
