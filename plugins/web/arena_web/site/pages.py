"""The pages of a static site, made by the functions of the server."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import combinations
from typing import Any, TypeVar

from attrs import evolve, frozen
from starlette.responses import JSONResponse

from arena.tournament import Summary
from arena.tournament.deals import Key
from arena_web.http.security import RESPONSE_HEADERS
from arena_web.matches.keys import split_key
from arena_web.page_templates import PageValues, SourceFrame, render_text
from arena_web.pages import bots, comparison, head_to_head, rating_history, standings
from arena_web.pages.bot_choices import list_selectable
from arena_web.pages.feed import build_feed
from arena_web.pages.match_csv import iterate_csv
from arena_web.pages.matches import ENDS, RESULTS, VERDICTS
from arena_web.pages.page_query import PageQuery
from arena_web.site.files import SiteFile
from arena_web.site.links import SiteLinks, name_bot_file, name_pair_file
from arena_web.site.lists import DEALS_PER_LIST
from arena_web.site.scripts import bundle_script
from arena_web.static_files import FILES
from arena_web.tournaments.sources import TournamentSource
from arena_web.tournaments.views import TournamentView, ViewParts

T = TypeVar("T")

SCRIPTS = ("page.js", "sort.js", "compare.js", "list.js", "site_match.js")
"""The scripts that pages of a site name."""

META_POLICY = RESPONSE_HEADERS["Content-Security-Policy"].replace("frame-ancestors 'none'; ", "")
"""The content security policy, without directives that only work in a header."""


@frozen(kw_only=True)
class SiteFrame(SourceFrame):
    """What the templates around a page of a site of files are given."""

    home: str  #: the address of the first page of all
    policy: str = META_POLICY
    on_static_site: bool = True


@frozen(kw_only=True)
class SiteMatchesPage(PageValues):
    """The values of the pages of matches, which are filled in by a script."""

    template = "site_matches.html"

    lists: str  #: the numbers of the lists of matches
    deals: int  #: in a list
    game: str
    bots: Sequence[str]  #: by which matches can be filtered
    labels: Mapping[str, str]  #: the labels of these bots, by name
    titles: Mapping[str, str]  #: of the bots that have one, by name
    results: Sequence[str] = RESULTS  #: the results by which matches can be filtered
    verdicts: Sequence[str] = VERDICTS  #: the verdicts by which matches can be filtered
    ends: Sequence[str] = ENDS  #: the ends by which matches can be filtered
    transcripts: bool  #: whether they are written, too


@frozen(kw_only=True)
class SiteMatchPage(SiteMatchesPage):
    """The values of the page of one match, which is filled in by a script, too."""

    template = "site_match.html"


def build_pages(
    tournament: TournamentSource, lists: Sequence[int], *, transcripts: bool
) -> Iterator[SiteFile]:
    """Return the files of all pages by their paths, without the data."""
    yield from _build_static_files()
    yield from _run(_render_pages(tournament, lists, transcripts=transcripts))


def _build_static_files() -> Iterator[SiteFile]:
    for name, file in FILES.items():
        if not name.endswith(".js"):
            yield f"static/{name}", file.body
    yield from ((f"static/{name}", bundle_script(name)) for name in SCRIPTS)


def _run(task: Coroutine[Any, Any, T]) -> T:
    """Return the result of a coroutine; who calls this may have a loop of its own running."""
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(asyncio.run, task).result()


def load_records(tournament: TournamentSource) -> set[Key]:
    """Return the matches that the start page names, such as the longest one."""
    news = _run(tournament.load_view(ViewParts(news=True))).news
    return {split_key(record.match) for record in news.records}


async def _render_pages(
    source: TournamentSource, lists: Sequence[int], *, transcripts: bool
) -> list[SiteFile]:
    await source.styles.finish()
    tournament = await source.load_view(ViewParts(history=True, news=True))
    summary = tournament.summary
    pages = {
        **await _build_results(tournament),
        **_build_match_pages(summary, lists, transcripts=transcripts),
    }
    files = [(path, _render_page(tournament, page)) for path, page in pages.items()]
    table = JSONResponse(standings.build_standings_document(tournament).json)
    lines = [part async for part in iterate_csv(tournament)]
    files += [
        ("standings.json", bytes(table.body)),
        ("matches.csv", "".join(lines).encode()),
        ("feed.atom", build_feed(tournament, SiteLinks("./"))),
    ]
    comparable = comparison.choose_comparable(summary)
    names = sorted({standing.entry.name for standing in summary.standings})
    ids = [*names, *(standing.entry.id for standing in summary.standings)]
    files += [await _render_bot(tournament, bot, comparable) for bot in ids]
    return [*files, *await _render_comparisons(tournament, comparable)]


async def _build_results(tournament: TournamentView) -> dict[str, PageValues]:
    """Return the pages of all standings, by path."""
    query, count = PageQuery(), standings.count_pages(tournament.summary)
    return {
        **{
            SiteLinks("")(page=page if page > 1 else None): await standings.show_standings(
                tournament, PageQuery(parameters={"page": str(page)})
            )
            for page in range(1, count + 1)
        },
        "matrix.html": await head_to_head.show_head_to_head(tournament, query),
        "curves.html": await rating_history.show_rating_history(tournament, query),
        "left.html": await standings.show_departed(tournament, query),
    }


def _build_match_pages(
    summary: Summary, lists: Sequence[int], *, transcripts: bool
) -> dict[str, PageValues]:
    """Return the pages that a script fills with matches, by path."""
    selectable = list_selectable(summary)
    matches, match = (
        page(
            lists=" ".join(map(str, lists)),
            deals=DEALS_PER_LIST,
            game=summary.game,
            bots=[*selectable],
            labels=selectable,
            titles={row.name: row.entry.title for row in summary.standings if row.entry.title},
            transcripts=transcripts,
        )
        for page in (SiteMatchesPage, SiteMatchPage)
    )
    return {"matches.html": matches, "match.html": match}


async def _render_bot(tournament: TournamentView, bot: str, comparable: Sequence[str]) -> SiteFile:
    page = await bots.show_bot(tournament, PageQuery({"bot": bot}))
    page = evolve(page, comparable=comparable)
    return f"bots/{name_bot_file(bot)}", _render_page(tournament, page, "../")


async def _render_comparisons(
    tournament: TournamentView, comparable: Sequence[str]
) -> list[SiteFile]:
    """Return a page for each two of the best bots, and one for the two that are best of all."""
    files = []
    pairs = [("compare.html", "./", comparable[:2])] if comparable[1:] else []
    for bot, against in combinations(sorted(comparable, key=name_bot_file), 2):
        pairs.append((f"compare/{name_pair_file(bot, against)}", "../", [bot, against]))
    for path, root, (bot, against) in pairs:
        query = PageQuery(parameters={"bot": bot, "against": against})
        page = await comparison.show_comparison(tournament, query)
        stems = {name: name_bot_file(name).removesuffix(".html") for name in comparable}
        page = evolve(page, links=stems)
        files.append((path, _render_page(tournament, page, root)))
    return files


def _render_page(tournament: TournamentView, page: PageValues, root: str = "./") -> bytes:
    to = SiteLinks(root)
    frame = SiteFrame(
        root=root,
        home=to(),
        to=to,
        source=tournament.name,
        title=tournament.title,
        about=tournament.about,
        of_tournament=True,
    )
    return render_text(page, frame).encode()
