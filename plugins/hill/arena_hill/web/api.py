"""The HTTP API of a hill: submit, follow and withdraw bots, read the standings."""

from __future__ import annotations

import json
import re
from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from typing import IO, Any

from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Route

from arena.host import NAME_PATTERN
from arena_hill.auth.identity import (
    READ_ONLY_MESSAGE,
    build_unauthorized_error,
    identify_submitter,
    read_token,
)
from arena_hill.db.authors import Identity
from arena_hill.db.submissions import Submission
from arena_hill.db.uploads import MAX_UPLOAD_BYTES
from arena_hill.service import HillService
from arena_hill.web.serializers import serialize_hill, serialize_submission
from arena_hill.web.standings_api import get_standings, stream_matches
from arena_hill.web.submission_events import SubmissionStream
from arena_hill.web.upload_requests import receive_upload
from arena_web.http.sse import FollowerLimit

ROOT = "/api/v1"
UPLOAD_LIMITS = {f"PUT {ROOT}/hills/": MAX_UPLOAD_BYTES}
"""The maximum body sizes of uploads, for the security middleware."""

ZIP_TYPE = "application/zip"
MAX_AUTHOR_STREAMS, MAX_STREAMS_PER_AUTHOR = 100, 10
"""How many streams of submissions there are, in all and for an author: visitors of the pages
have places of their own, and take none of these."""

MAX_NUMBER = 2**31  # a number that no database has
SUBMISSION_PATH = ROOT + "/submissions/{}"


class Api:
    """The API of all hills that are served, by their names."""

    def __init__(
        self,
        services: Mapping[str, HillService],
        followers: FollowerLimit | None = None,
    ) -> None:
        followers = followers or FollowerLimit(MAX_AUTHOR_STREAMS, MAX_STREAMS_PER_AUTHOR)
        self._services = services
        self._watches = {
            name: SubmissionStream(service, followers) for name, service in services.items()
        }

    @property
    def routes(self) -> list[BaseRoute]:
        """The routes of the API."""
        hill = ROOT + "/hills/{name}"
        bot = hill + "/bots/{bot}"
        submission = ROOT + "/submissions/{number:int}"
        return [
            Route(f"{ROOT}/hills", self.list_hills),
            Route(bot, self.submit, methods=["PUT"]),
            Route(bot, self.withdraw, methods=["DELETE"]),
            Route(bot, self.set_source_visibility, methods=["PATCH"]),
            Route(f"{hill}/standings", self._for_hill(get_standings)),
            Route(f"{hill}/matches", self._for_hill(stream_matches)),
            Route(submission, self.show_submission),
            Route(submission, self.set_submission_visibility, methods=["PATCH"]),
            Route(f"{submission}/events", self.stream_events),
            Route(f"{ROOT}/me", self.show_identities),
            Route(f"{ROOT}/me", self.set_author_visibility, methods=["PATCH"]),
        ]

    def close(self) -> None:
        """End all streams."""
        for watch in self._watches.values():
            watch.close()

    async def list_hills(self, _: Request) -> Response:
        """List the hills, with the settings for checking a bot elsewhere."""
        services = self._services.values()
        return JSONResponse(
            {
                "hills": [
                    serialize_hill(service, await service.get_snapshot()) for service in services
                ]
            }
        )

    async def submit(self, request: Request) -> Response:
        """Accept the upload of a bot's archive."""
        service = self._find_service(request)
        author = await identify_submitter(request, service)
        kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
        if kind != ZIP_TYPE:
            raise HTTPException(415, f"send the bot with the header Content-Type: {ZIP_TYPE}")
        async with receive_upload(request, service, author) as upload:
            accept = partial(_submit, service, author, request.path_params["bot"], upload.file)
            found, new = await service.ask(accept)
            upload.count()
        standing = await service.ask(partial(service.compute_status, found))
        url = SUBMISSION_PATH.format(found.id)
        sent = {"submission": found.id, "version": found.version, "url": url, **standing.to_json()}
        return JSONResponse(sent, 202 if new else 200, headers={"Location": url})

    async def withdraw(self, request: Request) -> Response:
        """Withdraw one of the client's own bots."""
        service = self._find_service(request)
        author, bot = await self._find_own_bot(request, service)
        await service.ask(partial(service.database.withdraw_own, author, bot))
        return Response(status_code=204)

    async def set_source_visibility(self, request: Request) -> Response:
        """Make the source of a bot's version that takes part public or private."""
        service = self._find_service(request)
        author, bot = await self._find_own_bot(request, service)
        public = _read_public(await _read_body(request))
        change = partial(service.database.set_source_visibility, author, bot, public=public)
        await service.ask(change)
        return Response(status_code=204)

    async def show_submission(self, request: Request) -> Response:
        """Return a submission as JSON, for its author."""
        service, found = await self._find_submission(request)
        standing = await service.ask(partial(service.compute_status, found))
        return JSONResponse(
            serialize_submission(service, found, standing), headers={"Cache-Control": "no-store"}
        )

    async def set_submission_visibility(self, request: Request) -> Response:
        """Make the source of one submission public or private."""
        service, found = await self._find_submission(request)
        author = await identify_submitter(request, service)
        public = _read_public(await _read_body(request))
        change = service.database.set_submission_visibility
        await service.ask(partial(change, author, found.id, public=public))
        return Response(status_code=204)

    async def stream_events(self, request: Request) -> Response:
        """Stream the states of a submission."""
        service, found = await self._find_submission(request)
        return self._watches[service.name].answer(request, found)

    async def show_identities(self, request: Request) -> Response:
        """Return the client's author and quotas at each hill that knows its token, as JSON."""
        hills = {}
        for service, author in await self._identify_everywhere(request):
            used = await service.ask(partial(service.measure_usage, author.id))
            known = {"author": author.name, "scope": str(author.scope), "public": author.public}
            hills[service.name] = {**known, **used}
        return JSONResponse({"hills": hills}, headers={"Cache-Control": "no-store"})

    async def set_author_visibility(self, request: Request) -> Response:
        """Show or hide the author's name at each hill that knows the token."""
        mine = await self._identify_everywhere(request)
        if not all(author.can_submit for _, author in mine):
            raise HTTPException(403, READ_ONLY_MESSAGE)
        public = _read_public(await _read_body(request))
        for service, author in mine:
            change = partial(service.database.set_author_visibility, author, public=public)
            await service.ask(change)
        return Response(status_code=204)

    def _for_hill(
        self, answer: Callable[[HillService, Request], Awaitable[Response]]
    ) -> Callable[[Request], Awaitable[Response]]:
        async def respond(request: Request) -> Response:
            return await answer(self._find_service(request), request)

        return respond

    def _find_service(self, request: Request) -> HillService:
        service = self._services.get(request.path_params["name"])
        if service is None:
            raise HTTPException(
                404, f"there is no such hill (available: {', '.join(self._services)})"
            )
        return service

    async def _identify_everywhere(self, request: Request) -> list[tuple[HillService, Identity]]:
        """Return the client's identity at each hill that knows its token; raise 401 if none."""
        shown, found = "", []
        for service in self._services.values():
            key = read_token(request, service)
            shown = shown or key
            if author := await service.identify(key):
                found.append((service, author))
        if not found:
            raise build_unauthorized_error(shown)
        return found

    async def _find_submission(self, request: Request) -> tuple[HillService, Submission]:
        """Return one of the client's own submissions; raise 404 for any other."""
        number = request.path_params["number"]
        for service, author in (
            await self._identify_everywhere(request) if number < MAX_NUMBER else ()
        ):
            found = await service.ask(partial(service.database.find_submission, number))
            if found and found.author == author.id:
                return service, found
        raise HTTPException(404, "you have no such submission")

    async def _find_own_bot(self, request: Request, service: HillService) -> tuple[Identity, str]:
        """Return the client and its own bot; raise 404 for unknown bots, 403 for others'."""
        author, bot = await identify_submitter(request, service), request.path_params["bot"]
        known = re.fullmatch(NAME_PATTERN, bot)
        owner = await service.ask(partial(service.database.find_owner, bot)) if known else None
        if owner is None:
            raise HTTPException(404, f"there is no bot called {bot}")
        if owner != author.id:
            raise HTTPException(403, f"{bot} belongs to another author")
        return author, str(bot)


def _submit(
    service: HillService, author: Identity, bot: str, file: IO[bytes]
) -> tuple[Submission, bool]:
    """Queue an upload, in a thread: so only as many are in memory as there are threads."""
    return service.submit(author, bot, file.read())


def _read_public(body: bytes) -> bool:
    """Return the value of `public` in a request's JSON body; raise 422."""
    match _parse_json(body):
        case {"public": bool(public)}:
            return public
    raise HTTPException(422, 'send {"public": true} or {"public": false}')


async def _read_body(request: Request) -> bytes:
    try:
        return await request.body()
    except ClientDisconnect:
        raise HTTPException(400, "the request body is incomplete") from None


def _parse_json(body: bytes) -> Any:
    try:
        return json.loads(body)
    except (ValueError, RecursionError):
        raise HTTPException(400, "the request body is not JSON") from None
