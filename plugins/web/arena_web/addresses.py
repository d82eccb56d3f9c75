"""The addresses of pages, relative to one of them, and names that need no escaping there."""

from __future__ import annotations

import re
from urllib.parse import quote, urlencode

from attrs import frozen
from starlette.requests import Request

AGENTS_PATH = "/mcp"  # of seats for agents, where a plugin serves them
SOURCES_PATH = "/t/"  # of tournaments and of recorded matches, below which each has its name


@frozen
class Links:
    """The addresses of a source's pages, relative to one of them."""

    base: str  #: the way to its first page, such as `./` or `../`

    def __call__(self, *parts: str, **query: object) -> str:
        """Return the address of a page, without empty query parameters.

        >>> Links("../")("bots", "a/b"), Links("./")("matches", bot="x", end="")
        ('../bots/a%2Fb', './matches?bot=x')
        """
        page = self.base + "/".join([quote(part, safe="@") for part in parts])
        parameters = {name: str(value) for name, value in query.items() if value}
        return f"{page}?{urlencode(parameters)}" if parameters else page

    def verdict(self, key: str, seat: int) -> str:
        """Return the address of the step at which a seat failed in a match.

        >>> Links("../").verdict("12.0", 1)
        '../m/12.0#verdict=1'
        """
        return f"{self('m', key)}#verdict={seat}"


def find_root(request: Request, levels: int = 0) -> str:
    """Return the relative path from a page to the root of the site, such as `../`.

    With `levels` it is the path to the folder above the page that is so many levels below the root.
    """
    raw: bytes = request.scope.get("raw_path") or request.url.path.encode()
    return "../" * (raw.partition(b"?")[0].count(b"/") - 1 - levels) or "./"


def slugify(text: str) -> str:
    """Return a text whose characters need no escaping in addresses and headers.

    >>> slugify('my "hill" 1.0')
    'my-hill-1.0'
    """
    return re.sub(r"[^A-Za-z0-9_.-]+", "-", text)


def build_attachment_headers(name: str) -> dict[str, str]:
    """Return the headers for a download with this file name.

    >>> build_attachment_headers("my hill.csv")
    {'Content-Disposition': 'attachment; filename="my-hill.csv"'}
    """
    return {"Content-Disposition": f'attachment; filename="{slugify(name)}"'}
