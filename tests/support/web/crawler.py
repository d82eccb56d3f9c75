"""A crawler that takes every address of a site, and looks for what should not be there."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing
from html import unescape
from html.parser import HTMLParser
from http.client import HTTPConnection
from urllib.parse import parse_qsl, unquote, urldefrag, urljoin, urlsplit

from attrs import define, field

LINKS = {"href", "src", "action", "data-live", "data-events", "data-steps", "data-notes"}
TIMEOUT = 120  # seconds
MOST_ALIKE = 5  # addresses that differ in values of their query alone, such as two bots compared


class Links(HTMLParser):
    """Collects the addresses of a page."""

    def __init__(self) -> None:
        super().__init__()
        self.found: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        named = dict(attrs)
        self.found |= {value for name, value in attrs if name in LINKS and value}
        steps, eyes = named.get("data-steps"), named.get("data-eyes")
        if steps and eyes:
            self.found |= {f"{steps}?eye={eye['key']}" for eye in json.loads(eyes)}


@define
class Crawler:
    """Takes every address of a site, and a few of each kind of query."""

    base: str
    headers: Mapping[str, str] = field(factory=dict)  # as whom it comes
    leaves: tuple[str, ...] = ()  # what it does not take, by how it begins
    many: bool = False  # does it come from many addresses, so that it is never too quick?
    taken: dict[str, bytes] = field(factory=dict)  # by path, with its headers
    _left: list[str] = field(factory=lambda: ["/"])
    _alike: Counter[tuple[str, ...]] = field(factory=Counter)

    def crawl(self, *more: str) -> None:
        """Take all that can be reached, and these."""
        for path in more:
            self._take(path)
        while self._left:
            path = self._left.pop()
            if path not in self.taken and not path.startswith(self.leaves):
                where = urlsplit(path)
                kind = (where.path, *(name for name, _ in parse_qsl(where.query)))
                self._alike[kind] += 1
                if self._alike[kind] <= MOST_ALIKE:
                    self._take(path)

    def _take(self, path: str) -> None:
        where = urlsplit(self.base)
        source = (f"127.0.9.{1 + len(self.taken) // 50 % 200}", 0) if self.many else None
        connection = HTTPConnection(
            where.hostname or "", where.port, timeout=TIMEOUT, source_address=source
        )
        with closing(connection):
            connection.request("GET", path, headers=dict(self.headers))
            answer = connection.getresponse()
            assert not list_repetitions(answer.getheaders()), path
            headers = str(answer.getheaders()).encode()
            if "event-stream" in answer.getheader("content-type", ""):
                body = b"".join(answer.readline() for _ in range(8))
            else:
                body = answer.read()
            self.taken[path] = headers + body
            goes_on = answer.getheader("location", "")
            links = {goes_on} if goes_on else set()
            if "html" in answer.getheader("content-type", ""):
                parser = Links()
                parser.feed(body.decode())
                links |= parser.found
        for link in sorted(links):
            address = urldefrag(urljoin(urljoin(self.base, path), link)).url
            if address.startswith(self.base):
                self._left.append("/" + address.removeprefix(self.base))

    def find(self, canaries: dict[str, str]) -> Iterator[tuple[str, str]]:
        """Return where which canary sits."""
        for path, body in self.taken.items():
            text = body.decode(errors="replace")
            plain = strip_separators(text)
            for name, canary in canaries.items():
                if (
                    canary in text
                    or canary in unquote(unescape(text))
                    or strip_separators(canary) in plain
                ):
                    yield name, path


def list_repetitions(headers: Iterable[tuple[str, str]]) -> list[tuple[str, str]]:
    """Return the headers that come twice, with "", and the words that one of them lists twice."""
    counts = Counter(
        (name.lower(), word)
        for name, value in headers
        if name.lower() != "set-cookie"
        for word in ("", *value.lower().split(", "))
    )
    return [word for word, number in counts.items() if number > 1]


def strip_separators(text: str) -> str:
    """Return a text without what stands between cards when they are listed."""
    return re.sub(r"[\s\[\]\"',\\]|&#3[49];", "", text)
