"""The pages: their routes, and what each of them asks for."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Hashable, Mapping
from functools import partial
from typing import Any

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import BaseRoute, Route

from arena.plugins import plugins
from arena.tournament import Filter
from arena_web import matches, tournaments
from arena_web.app import page, root_of
from arena_web.events import Stream
from arena_web.explaining import Explaining, walked
from arena_web.feeds import Followers
from arena_web.links import Links
from arena_web.served import Contest, Source
from arena_web.transcript_folder import Shelf
from arena_web.warm import Body, Warm
from arena_web.watching import Live

Values = Mapping[str, Any]
NEWEST = 20  # matches on the page of what is being played
OfContest = Callable[[Contest, Request], Awaitable[Response | Values]]


class Pages:
    """The pages of all that is served."""

    def __init__(self, served: Mapping[str, Source], followers: Followers | None = None) -> None:
        followers = followers or Followers()
        self._served = served
        self._warm = Warm()
        contests = {name: one for name, one in served.items() if isinstance(one, Contest)}
        self._streams = {name: Stream(one, followers) for name, one in contests.items()}
        self._explaining = Explaining()
        self._lives = {name: Live(one.live, followers) for name, one in contests.items()}

    @property
    def routes(self) -> list[BaseRoute]:
        """Return where they are."""
        contests: dict[str, tuple[str, OfContest]] = {
            "matrix": ("matrix.html", tournaments.matrix),
            "curves": ("curves.html", tournaments.curves),
            "live": ("live.html", self._running),
            "live/{key}": ("watch.html", self._watch),
            "bots/{bot:path}": ("bot.html", tournaments.bot),
            "matches.csv": ("", matches.csv),
            "standings.json": ("", tournaments.standings_json),
        }
        both: dict[str, tuple[str, Any]] = {
            "m/{key}": ("match.html", matches.match),
            "m/{key}/steps": ("", matches.steps),
            "m/{key}/notes": ("", self._notes),
            "m/{key}/transcript": ("", matches.transcript),
        }
        made = [
            *(self._route(path, *how, of=Contest) for path, how in contests.items()),
            *(self._route(path, *how, of=(Contest, Shelf)) for path, how in both.items()),
        ]
        return [
            Route("/", self._home),
            Route("/t/{name}/", self._first),
            Route("/t/{name}/matches", self._matches),
            Route("/t/{name}/events", self._events),
            Route("/t/{name}/live/{key}/events", self._announced),
            *made,
        ]

    def close(self) -> None:
        """End all streams."""
        for stream in self._streams.values():
            stream.close()
        for live in self._lives.values():
            live.close()

    def _route(self, path: str, template: str, make: Any, of: Any) -> Route:
        async def answer(request: Request) -> Response:
            source = self._source(request)
            if not isinstance(source, of):
                raise HTTPException(404)
            return await self._kept(request, source, template, make)

        return Route(f"/t/{{name}}/{path}", answer)

    async def _kept(self, request: Request, source: Source, template: str, make: Any) -> Response:
        """Return a page as it was made before, if all that it depends on is the same."""
        if make not in WARM:
            return await _made(request, source, template, make)
        asked = (request.url.path, str(request.query_params))
        key = (*asked, await WARM[make](source, request))
        body = self._warm.get(key)
        if body is None:
            body = Body.of(await _made(request, source, template, make))
            self._warm.put(key, body)
        return body.answer(request)

    def _source(self, request: Request) -> Source:
        source = self._served.get(request.path_params["name"])
        if source is None:
            raise HTTPException(404)
        return source

    async def _home(self, request: Request) -> Response:
        """List what is served; one alone is shown at once."""
        if len(self._served) == 1:
            return RedirectResponse(f"t/{next(iter(self._served))}/", 307)
        kinds = {
            name: "tournament" if isinstance(one, Contest) else "transcripts"
            for name, one in self._served.items()
        }
        return page("home.html", root=root_of(request), kinds=kinds, walks=plugins().walks)

    async def _first(self, request: Request) -> Response:
        source = self._source(request)
        if isinstance(source, Contest):
            return await self._kept(request, source, "standings.html", tournaments.standings)
        return await _made(request, source, "transcripts.html", matches.shelved)

    async def _matches(self, request: Request) -> Response:
        source = self._source(request)
        if isinstance(source, Contest):
            return await self._kept(request, source, "matches.html", matches.listed)
        return await _made(request, source, "transcripts.html", matches.shelved)

    async def _running(self, contest: Contest, _: Request) -> Values:
        """Return the tables that are being played, and what came of the newest matches."""
        tables = await contest.ask(self._lives[contest.name].running)
        newest = await contest.matches(Filter(limit=NEWEST, newest=True))
        return {"tables": tables, "matches": newest, "game": await contest.game()}

    async def _watch(self, contest: Contest, request: Request) -> Response | Values:
        """Return the page of a table that is being played; when it is over, that of its match."""
        key = request.path_params["key"]
        tables = await contest.ask(self._lives[contest.name].running)
        found = next((one for one in tables if one.key == key), None)
        if found is None:
            await contest.match(key)
            return RedirectResponse(f"../m/{key}", 307)
        if not found.open:
            raise HTTPException(403)
        return {"table": found, "game": await contest.game()}

    async def _notes(self, source: Source, request: Request) -> Response:
        """Return what plugins have to say of a match."""
        return await self._explaining.answer(await source.transcript(request.path_params["key"]))

    async def _announced(self, request: Request) -> Response:
        """Stream what is announced at a table that may be watched."""
        contest, key = self._source(request), request.path_params["key"]
        if not isinstance(contest, Contest):
            raise HTTPException(404)
        live = self._lives[contest.name]
        tables = await contest.ask(live.running)
        found = next((one for one in tables if one.key == key and one.open), None)
        return live.stream(request, found) if found else Response(status_code=204)

    async def _events(self, request: Request) -> Response:
        stream = self._streams.get(request.path_params["name"])
        if stream is None:
            raise HTTPException(404)
        return stream.answer(request)


async def _of_figures(contest: Contest, _: Request) -> Hashable:
    return (await contest.figures.get()).mark


async def _of_curves(contest: Contest, _: Request) -> Hashable:
    return (await contest.curves.get())[0].mark


async def _of_steps(source: Source, request: Request) -> Hashable:
    return source.stamp(request.path_params["key"])


async def _of_match(source: Source, request: Request) -> Hashable:
    if isinstance(source, Contest):
        return await _of_figures(source, request)
    return await _of_steps(source, request)


WARM: Mapping[Any, Callable[[Any, Request], Awaitable[Hashable]]] = {
    tournaments.standings: _of_figures,
    tournaments.matrix: _of_figures,
    tournaments.curves: _of_curves,
    tournaments.bot: _of_figures,
    matches.listed: _of_figures,
    matches.match: _of_match,
    matches.steps: _of_steps,
}
"""What is kept, and what it depends on."""


async def _made(request: Request, source: Source, template: str, make: Any) -> Response:
    """Return a page, or the part of it that has changed, where that is asked for."""
    found = await make(source, request)
    if isinstance(found, Response):
        return found
    depth = root_of(request).count("../") - 2
    to = Links("../" * depth or "./")
    part = request.query_params.get("part")
    values = {
        "root": root_of(request),
        "to": to,
        "source": source.name,
        "of_contest": isinstance(source, Contest),
        "takes_part": source.takes_part if isinstance(source, Contest) else "",
        "title": source.title,
        "about": source.about if isinstance(source, Contest) else None,
        "walked": walked(),
    }
    show = partial(page, **values, **found)
    if part is None:
        made = show(template)
    elif part in tournaments.PARTS:
        made = show(f"parts/{part}.html")
    else:
        raise HTTPException(404)
    made.headers["Cache-Control"] = "no-cache"
    return made
