"""What programs ask a hill for: send a bot, follow it, withdraw it, read how all stand."""

from __future__ import annotations

import json
import re
from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from math import ceil
from typing import Any

from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Route

from arena.host import NAME
from arena_web.feeds import Followers
from arena_web.guard import Buckets, too_many
from arena_web.hill.office import Office
from arena_web.hill.people import Visitor
from arena_web.hill.quotas import UPLOADS_OF_AUTHOR, Denied
from arena_web.hill.register import BY_AUTHOR
from arena_web.hill.results import matches, standings
from arena_web.hill.submissions import Submission
from arena_web.hill.telling import told, told_hill
from arena_web.hill.uploads import LARGEST
from arena_web.hill.visiting import READS_ALONE, key_of, sender, unknown
from arena_web.hill.watch import Watch

ROOT = "/api/v1"
UPLOADS = {f"PUT {ROOT}/hills/": LARGEST}
"""How long the bodies of uploads may be, for the guard."""

ZIP = "application/zip"
HIGHEST = 2**31  # a number that no database has
SUBMISSION = ROOT + "/submissions/{}"


class Api:
    """The interface of all hills that are served, by their names."""

    def __init__(
        self,
        offices: Mapping[str, Office],
        followers: Followers | None = None,
        limits: Mapping[str, int] | None = None,
    ) -> None:
        followers = followers or Followers()
        self._offices = offices
        self._watches = {name: Watch(one, followers) for name, one in offices.items()}
        self._buckets = Buckets(UPLOADS_OF_AUTHOR if limits is None else limits)

    @property
    def routes(self) -> list[BaseRoute]:
        """Return where it is."""
        hill = ROOT + "/hills/{name}"
        bot = hill + "/bots/{bot}"
        submission = ROOT + "/submissions/{number:int}"
        return [
            Route(f"{ROOT}/hills", self.hills),
            Route(bot, self.send, methods=["PUT"]),
            Route(bot, self.withdraw, methods=["DELETE"]),
            Route(bot, self.publish, methods=["PATCH"]),
            Route(f"{hill}/standings", self._of_hill(standings)),
            Route(f"{hill}/matches", self._of_hill(matches)),
            Route(submission, self.submission),
            Route(f"{submission}/events", self.events),
            Route(f"{ROOT}/me", self.me),
            Route(f"{ROOT}/me", self.show_author, methods=["PATCH"]),
        ]

    def close(self) -> None:
        """End all streams."""
        for watch in self._watches.values():
            watch.close()

    async def hills(self, _: Request) -> Response:
        """List the hills, with what a bot must know to be checked elsewhere."""
        offices = self._offices.values()
        return JSONResponse({"hills": [told_hill(one, await one.see()) for one in offices]})

    async def send(self, request: Request) -> Response:
        """Take a bot's archive."""
        office = self._office(request)
        author = await sender(request, office)
        kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
        if kind != ZIP:
            raise HTTPException(415, f"send the bot with the header Content-Type: {ZIP}")
        refused = too_many("upload", self._buckets.wait(f"{office.name}/{author.id}", "upload"))
        if refused:
            return refused
        accept = partial(office.accept, author.id, request.path_params["bot"], await _body(request))
        try:
            found, new = await office.ask(accept)
        except Denied as problem:
            wait = {"Retry-After": f"{ceil(problem.wait)}"} if problem.wait else None
            raise HTTPException(problem.status, str(problem), wait) from None
        standing = await office.ask(partial(office.standing, found))
        url = SUBMISSION.format(found.id)
        sent = {"submission": found.id, "version": found.version, "url": url, **standing.pack()}
        return JSONResponse(sent, 202 if new else 200, headers={"Location": url})

    async def withdraw(self, request: Request) -> Response:
        """Have a bot of one's own take part no more."""
        office = self._office(request)
        bot = await self._own(request, office)
        await office.ask(partial(office.register.withdraw, bot, BY_AUTHOR))
        return Response(status_code=204)

    async def publish(self, request: Request) -> Response:
        """Let everybody see a bot's source, or nobody any more."""
        office = self._office(request)
        bot = await self._own(request, office)
        public = _public(await _body(request))
        await office.ask(partial(office.register.publish, bot, public=public))
        return Response(status_code=204)

    async def submission(self, request: Request) -> Response:
        """Return all that its author may know of a submission."""
        office, found = await self._submission(request)
        standing = await office.ask(partial(office.standing, found))
        return JSONResponse(told(office, found, standing), headers={"Cache-Control": "no-store"})

    async def events(self, request: Request) -> Response:
        """Stream how far a submission is."""
        office, found = await self._submission(request)
        return self._watches[office.name].answer(request, found.id)

    async def me(self, request: Request) -> Response:
        """Return who one is at each hill that knows the key, and what one may ask for."""
        hills = {}
        for office, author in await self._known(request):
            used = await office.ask(partial(office.used, author.id))
            known = {"author": author.name, "scope": str(author.scope), "public": author.public}
            hills[office.name] = {**known, **used}
        return JSONResponse({"hills": hills}, headers={"Cache-Control": "no-store"})

    async def show_author(self, request: Request) -> Response:
        """Show one's name beside one's bots, or no more, at each hill that knows the key."""
        mine = await self._known(request)
        if not all(author.sends for _, author in mine):
            raise HTTPException(403, READS_ALONE)
        public = _public(await _body(request))
        for office, author in mine:
            await office.ask(partial(office.register.show_author, author.id, public=public))
        return Response(status_code=204)

    def _of_hill(
        self, answer: Callable[[Office, Request], Awaitable[Response]]
    ) -> Callable[[Request], Awaitable[Response]]:
        async def found(request: Request) -> Response:
            return await answer(self._office(request), request)

        return found

    def _office(self, request: Request) -> Office:
        office = self._offices.get(request.path_params["name"])
        if office is None:
            raise HTTPException(
                404, f"there is no such hill (there is: {', '.join(self._offices)})"
            )
        return office

    async def _known(self, request: Request) -> list[tuple[Office, Visitor]]:
        """Return who one is at each hill that knows the key; raise 401 where none does."""
        shown, found = "", []
        for office in self._offices.values():
            key = key_of(request, office)
            shown = shown or key
            if author := await office.who(key):
                found.append((office, author))
        if not found:
            raise unknown(shown)
        return found

    async def _submission(self, request: Request) -> tuple[Office, Submission]:
        """Return a submission of one's own; to others there is none, and so they learn nothing."""
        number = request.path_params["number"]
        for office, author in await self._known(request) if number < HIGHEST else ():
            found = await office.ask(partial(office.register.submission, number))
            if found and found.author == author.id:
                return office, found
        raise HTTPException(404, "you have no such submission")

    async def _own(self, request: Request, office: Office) -> str:
        """Return the name of a bot of one's own; raise 404 where there is none, 403 for others'."""
        author, bot = await sender(request, office), request.path_params["bot"]
        known = re.fullmatch(NAME, bot)
        owner = await office.ask(partial(office.register.owner, bot)) if known else None
        if owner is None:
            raise HTTPException(404, f"there is no bot called {bot}")
        if owner != author.id:
            raise HTTPException(403, f"{bot} is somebody else's bot")
        return str(bot)


def _public(body: bytes) -> bool:
    """Return what is to be shown to everybody, as a body has it; raise 422."""
    match _json(body):
        case {"public": bool(public)}:
            return public
    raise HTTPException(422, 'send {"public": true} or {"public": false}')


async def _body(request: Request) -> bytes:
    try:
        return await request.body()
    except ClientDisconnect:
        raise HTTPException(400, "the body was cut off") from None


def _json(body: bytes) -> Any:
    try:
        return json.loads(body)
    except (ValueError, RecursionError):
        raise HTTPException(400, "this is no JSON") from None
