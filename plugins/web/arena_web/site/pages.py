"""The pages of a site, rendered from the server's templates."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import combinations
from typing import Any
from urllib.parse import urlencode

from starlette.requests import Request
from starlette.responses import StreamingResponse

from arena import End, Fault
from arena_web.app import TEMPLATES
from arena_web.http.security import SECURITY_HEADERS
from arena_web.http.static_files import FILES
from arena_web.pages import bots, comparison, feed, matches, tournaments
from arena_web.pages.bot_matches import RESULTS
from arena_web.site.links import SiteLinks, name_bot_file, name_pair_file
from arena_web.site.match_lists import DEALS_PER_LIST
from arena_web.sources.tournament import TournamentSource

META_POLICY = SECURITY_HEADERS["Content-Security-Policy"].replace("frame-ancestors 'none'; ", "")
"""The content security policy, without directives that only work in a header."""

SiteFile = tuple[str, bytes]
"""A file of the site: its path and its content."""


def build_pages(
    tournament: TournamentSource, lists: Sequence[int], *, transcripts: bool
) -> Iterator[SiteFile]:
    """Return the files of all pages by their paths, without the data."""
    yield from ((f"static/{name}", file.body) for name, file in FILES.items())
    with ThreadPoolExecutor(1) as thread:  # who calls this may have a loop of its own running
        made = _render_pages(tournament, lists, transcripts=transcripts)
        yield from thread.submit(asyncio.run, made).result()


async def _render_pages(
    tournament: TournamentSource, lists: Sequence[int], *, transcripts: bool
) -> list[SiteFile]:
    request = _build_request()
    summary = (await tournament.snapshot.get()).summary
    names = sorted({standing.entry.name for standing in summary.standings})
    ids = [*names, *(standing.entry.id for standing in summary.standings)]
    await tournament.styles.finish()
    settings: dict[str, Any] = {
        "lists": " ".join(map(str, lists)),
        "deals": DEALS_PER_LIST,
        "game": summary.game,
        "bots": ids,
        "results": RESULTS,
        "verdicts": [str(fault) for fault in Fault],
        "ends": [*(str(end) for end in End), "cancelled"],
        "transcripts": transcripts,
    }
    await tournament.highlights.get()
    pages = {
        "index.html": ("standings.html", await tournaments.show_standings(tournament, request)),
        "matrix.html": ("matrix.html", await tournaments.show_matrix(tournament, request)),
        "curves.html": ("curves.html", await tournaments.show_rating_history(tournament, request)),
        "matches.html": ("site_matches.html", settings),
        "match.html": ("site_match.html", settings),
    }
    files = [(path, _render_page(tournament, *page)) for path, page in pages.items()]
    standings = await tournaments.get_standings(tournament, request)
    files += [
        ("standings.json", bytes(standings.body)),
        ("matches.csv", await _build_csv(tournament)),
        ("feed.atom", await feed.build_feed(tournament, SiteLinks("./"))),
    ]
    comparable = comparison.choose_comparable(summary)
    files += [await _render_bot(tournament, bot, comparable) for bot in ids]
    return [*files, *await _render_comparisons(tournament, comparable)]


async def _render_bot(
    tournament: TournamentSource, bot: str, comparable: Sequence[str]
) -> SiteFile:
    found = await bots.show_bot(tournament, _build_request(bot=bot))
    values = {**found, "comparable": comparable}
    return f"bots/{name_bot_file(bot)}", _render_page(tournament, "bot.html", values, "../")


async def _render_comparisons(
    tournament: TournamentSource, comparable: Sequence[str]
) -> list[SiteFile]:
    """Return a page for each two of the best bots, and one for the two that are best of all."""
    files = []
    pairs = [("compare.html", "./", comparable[:2])] if comparable[1:] else []
    for bot, against in combinations(sorted(comparable, key=name_bot_file), 2):
        pairs.append((f"compare/{name_pair_file(bot, against)}", "../", [bot, against]))
    for path, root, (bot, against) in pairs:
        request = _build_request({"bot": bot, "against": against})
        found = await comparison.show_comparison(tournament, request)
        stems = {name: name_bot_file(name).removesuffix(".html") for name in comparable}
        values = {**found, "comparable": comparable, "bots": stems}
        files.append((path, _render_page(tournament, "compare.html", values, root)))
    return files


def _build_request(query: Mapping[str, str] | None = None, **path: str) -> Request:
    """Return a request for a page, as a server has it."""
    asked = urlencode(query or {}).encode()
    scope = {"type": "http", "query_string": asked, "headers": [], "path_params": path}
    return Request(scope)


async def _build_csv(tournament: TournamentSource) -> bytes:
    answer = await matches.download_csv(tournament, _build_request())
    assert isinstance(answer, StreamingResponse)
    return b"".join([str(part).encode() async for part in answer.body_iterator])


def _render_page(
    tournament: TournamentSource, name: str, found: Mapping[str, Any], root: str = "./"
) -> bytes:
    to = SiteLinks(root)
    page = TEMPLATES.get_template(name)
    values = {
        "root": root,
        "home": to(),
        "to": to,
        "source": tournament.name,
        "of_tournament": True,
    }
    about = {"title": tournament.title, "about": tournament.about}
    return page.render(**values, **about, **found, policy=META_POLICY).encode()
