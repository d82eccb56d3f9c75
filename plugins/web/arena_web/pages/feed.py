"""The news of a tournament as an Atom feed (RFC 4287)."""

from __future__ import annotations

from typing import Protocol
from uuid import NAMESPACE_URL, uuid5
from xml.etree import ElementTree as ET

from arena.wires import to_printable
from arena_web.tournaments.news import NewsItem, parse_time
from arena_web.tournaments.snapshots import TournamentSnapshot
from arena_web.tournaments.views import TournamentView

ATOM = "http://www.w3.org/2005/Atom"
MEDIA_TYPE = "application/atom+xml"
EPOCH = "1970-01-01T00:00:00Z"  # of a feed in which nothing happened yet
ET.register_namespace("", ATOM)


class PageLinks(Protocol):
    """The addresses of a tournament's pages."""

    def __call__(self, *parts: str) -> str:
        """Return the address of a page."""


def build_feed(tournament: TournamentView, to: PageLinks) -> bytes:
    """Return the text of a feed with these links."""
    snapshot = tournament.snapshot
    news = [*_list_end(snapshot), *tournament.news.list_news()]
    feed = ET.Element(_name("feed"))
    start = snapshot.span[0] if snapshot.span else ""
    _add(feed, "id", f"urn:uuid:{uuid5(NAMESPACE_URL, f'{tournament.name} {start}')}")
    _add(feed, "title", tournament.title)
    _add(feed, "updated", news[0].when if news else EPOCH)
    _add(feed, "link", rel="self", href=to("feed.atom"))
    _add(feed, "link", rel="alternate", type="text/html", href=to())
    _add(_add(feed, "author"), "name", tournament.title)
    for item in news:
        _add_entry(feed, item, f"{tournament.name} {start}", to)
    text: bytes = ET.tostring(feed, encoding="utf-8", xml_declaration=True)
    return text


def _list_end(snapshot: TournamentSnapshot) -> list[NewsItem]:
    """Return the end of a tournament as news, if it has ended."""
    last = snapshot.span[1] if snapshot.over and snapshot.span else ""
    text = f"Finished after {snapshot.stored:,} matches."
    return [NewsItem("end", "end", text, last)] if parse_time(last) else []


def _add_entry(feed: ET.Element, item: NewsItem, of: str, to: PageLinks) -> None:
    where = to("m", item.match) if item.match else to()
    if item.bot:
        where = to("bots", item.bot)
    text = f"{item.title}: {item.text}" if item.title else item.text
    entry = _add(feed, "entry")
    what = f"{of} {item.kind} {item.bot} {item.key}"
    _add(entry, "id", f"urn:uuid:{uuid5(NAMESPACE_URL, what)}")
    _add(entry, "title", text)
    _add(entry, "updated", item.when)
    _add(entry, "link", rel="alternate", type="text/html", href=where)
    _add(entry, "category", term=item.kind)
    _add(entry, "summary", text)


def _add(parent: ET.Element, name: str, text: str = "", **attributes: str) -> ET.Element:
    """Add an element; its text has no character that XML does not allow."""
    element = ET.SubElement(parent, _name(name), attributes)
    element.text = to_printable(text) or None
    return element


def _name(name: str) -> str:
    return f"{{{ATOM}}}{name}"
