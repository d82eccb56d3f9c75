"""The pages of a site, made of the templates of the server."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from starlette.requests import Request
from starlette.responses import StreamingResponse

from arena.rules import End, Fault
from arena_web import matches, tournaments
from arena_web.app import PAGES
from arena_web.guard import POLICY
from arena_web.served import Contest
from arena_web.site.links import SiteLinks, bot_file
from arena_web.site.lists import DEALS
from arena_web.static import FILES

META = POLICY["Content-Security-Policy"].replace("frame-ancestors 'none'; ", "")
"""The policy; what only a header can say is left out."""

Made = tuple[str, bytes]
"""A file of the site: its path, and what is in it."""


def pages(contest: Contest, lists: Sequence[int], *, transcripts: bool) -> Iterator[Made]:
    """Return the files of all pages but the data, by their paths."""
    yield from ((f"static/{name}", file.body) for name, file in FILES.items())
    with ThreadPoolExecutor(1) as thread:  # who calls this may have a loop of its own running
        made = _made(contest, lists, transcripts=transcripts)
        yield from thread.submit(asyncio.run, made).result()


async def _made(contest: Contest, lists: Sequence[int], *, transcripts: bool) -> list[Made]:
    figures = (await contest.figures.get()).figures
    names = sorted({one.entry.name for one in figures.found})
    bots = [*names, *(one.entry.id for one in figures.found)]
    here: dict[str, Any] = {
        "lists": " ".join(map(str, lists)),
        "deals": DEALS,
        "game": figures.game,
        "bots": bots,
        "verdicts": [str(one) for one in Fault],
        "ends": [*(str(one) for one in End), "cancelled"],
        "asked": {"bot": "", "against": "", "verdict": "", "end": ""},
        "transcripts": transcripts,
    }
    asked = _asked()
    first = await tournaments.standings(contest, asked)
    made = [
        ("index.html", _page(contest, "standings.html", first)),
        ("matrix.html", _page(contest, "matrix.html", await tournaments.matrix(contest, asked))),
        ("curves.html", _page(contest, "curves.html", await tournaments.curves(contest, asked))),
        ("matches.html", _page(contest, "site_matches.html", here)),
        ("match.html", _page(contest, "site_match.html", here)),
        ("standings.json", bytes((await tournaments.standings_json(contest, asked)).body)),
        ("matches.csv", await _csv(contest)),
    ]
    for bot in bots:
        found = await tournaments.bot(contest, _asked(bot=bot))
        made.append((f"bots/{bot_file(bot)}", _page(contest, "bot.html", found, "../")))
    return made


def _asked(**path: str) -> Request:
    """Return a request for a page, as a server has it."""
    scope = {"type": "http", "query_string": b"", "headers": [], "path_params": path}
    return Request(scope)


async def _csv(contest: Contest) -> bytes:
    answer = await matches.csv(contest, _asked())
    assert isinstance(answer, StreamingResponse)
    return b"".join([str(part).encode() async for part in answer.body_iterator])


def _page(contest: Contest, name: str, found: Mapping[str, Any], root: str = "./") -> bytes:
    to = SiteLinks(root)
    page = PAGES.get_template(name)
    values = {"root": root, "home": to(), "to": to, "source": contest.name, "of_contest": True}
    about = {"title": contest.title, "about": contest.about}
    return page.render(**values, **about, **found, policy=META).encode()
