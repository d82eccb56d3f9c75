"""The HTTP API of a hill as JSON: submit, follow and withdraw bots, read standings and matches."""

from __future__ import annotations

import json
from functools import partial
from typing import IO, Any

from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import BaseRoute

from arena import UserError
from arena.wires import converter, describe_json_error
from arena_hill.api_format import API_ROOT, ZIP_TYPE, SubmissionStatus
from arena_hill.db.author_actions import Receipt
from arena_hill.db.submissions import Submission
from arena_hill.submission_status import redact_status
from arena_hill.unzip import MAX_UPLOAD_BYTES
from arena_hill.web.api_documents import (
    build_account_document,
    build_empty_standings,
    build_hills_document,
    build_upload_answer,
    read_submission_document,
)
from arena_hill.web.hill_requests import AuthorRequest, HillRequest
from arena_hill.web.hill_routes import build_hill_route
from arena_hill.web.match_lines import stream_lines
from arena_hill.web.served_hill import ServedHill
from arena_hill.web.submission_stream import SubmissionStream
from arena_hill.web.uploads import receive_upload
from arena_web.http.sse import FollowerLimit
from arena_web.matches.keys import parse_key
from arena_web.pages.standings import build_standings_document

UPLOAD_LIMITS = {f"PUT {API_ROOT}/hills/": MAX_UPLOAD_BYTES}
"""The maximum body sizes of uploads, for the security middleware."""

MAX_AUTHOR_STREAMS, MAX_STREAMS_PER_AUTHOR = 100, 10
"""How many streams of submissions there are, in all and for an author: visitors of the pages
have places of their own, and take none of these."""


class Api:
    """The API of a hill."""

    def __init__(self, served: ServedHill, followers: FollowerLimit | None = None) -> None:
        followers = followers or FollowerLimit(MAX_AUTHOR_STREAMS, MAX_STREAMS_PER_AUTHOR)
        self._served = served
        self._stream = SubmissionStream(served, followers)

    @property
    def routes(self) -> list[BaseRoute]:
        """The routes of the API."""
        hill = API_ROOT + "/hills/{hill}"
        bot = hill + "/bots/{bot}"
        submission = API_ROOT + "/submissions/{number}"
        at = partial(build_hill_route, self._served)
        anybody, author = HillRequest.by_anybody, AuthorRequest.by_author
        submitter = AuthorRequest.by_submitter
        return [
            at(f"{API_ROOT}/hills", anybody, list_hills),
            at(bot, submitter, submit_bot, "PUT"),
            at(bot, submitter, withdraw_bot, "DELETE"),
            at(bot, submitter, set_source_visibility, "PATCH"),
            at(f"{hill}/standings", anybody, get_standings),
            at(f"{hill}/matches", anybody, stream_matches),
            at(submission, author, show_submission),
            at(submission, submitter, set_submission_visibility, "PATCH"),
            at(f"{submission}/events", author, self.stream_events),
            at(f"{API_ROOT}/me", author, show_author),
            at(f"{API_ROOT}/me", submitter, set_author_visibility, "PATCH"),
        ]

    def close(self) -> None:
        """End all streams."""
        self._stream.close()

    async def stream_events(self, hill_request: AuthorRequest) -> Response:
        """Stream the states of a submission."""
        submission = await hill_request.find_own_submission()
        return self._stream.answer(hill_request.request, submission)


async def list_hills(hill_request: HillRequest) -> Response:
    """List the hill of this site, with the settings for checking a bot elsewhere."""
    document = build_hills_document(hill_request.access.hill, await hill_request.served.load_view())
    return JSONResponse(converter.unstructure(document))


async def show_author(hill_request: AuthorRequest) -> Response:
    """Return the client's author, by the name of the hill, with the quotas there."""
    author, access = hill_request.author, hill_request.access
    usage = await hill_request.served.ask(partial(access.measure_usage, author))
    document = build_account_document(author, access.hill.name, usage)
    return JSONResponse(converter.unstructure(document), headers={"Cache-Control": "no-store"})


async def set_author_visibility(hill_request: AuthorRequest) -> Response:
    """Show or hide the author's name in the standings."""
    author, public = hill_request.author, _read_public(await _read_body(hill_request.request))
    await hill_request.ask(
        lambda store: store.accounts.set_author_visibility(author, public=public)
    )
    return Response(status_code=204)


async def show_submission(hill_request: AuthorRequest) -> Response:
    """Return a submission as JSON, for its author."""
    submission = await hill_request.find_own_submission()
    document = await hill_request.served.ask(
        partial(read_submission_document, hill_request.access, submission)
    )
    return JSONResponse(converter.unstructure(document), headers={"Cache-Control": "no-store"})


async def set_submission_visibility(hill_request: AuthorRequest) -> Response:
    """Make the source of one submission public or private."""
    submission_id, public = (
        hill_request.number,
        _read_public(await _read_body(hill_request.request)),
    )
    await hill_request.ask_owner(
        lambda own: own.set_submission_visibility(submission_id, public=public)
    )
    return Response(status_code=204)


async def submit_bot(hill_request: AuthorRequest) -> Response:
    """Accept the upload of a bot's archive."""
    request, served = hill_request.request, hill_request.served
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != ZIP_TYPE:
        raise HTTPException(415, f"send the bot with the header Content-Type: {ZIP_TYPE}")
    async with receive_upload(hill_request) as upload:
        receipt = await served.ask(partial(_queue, hill_request, upload.file))
        if receipt.is_new:
            upload.count()
    submission = receipt.submission
    status = await _compute_status_if_possible(served, submission)
    answer = build_upload_answer(submission, status)
    code = 202 if receipt.is_new else 200
    return JSONResponse(converter.unstructure(answer), code, headers={"Location": answer.url})


async def withdraw_bot(hill_request: AuthorRequest) -> Response:
    """Withdraw one of the client's own bots."""
    await hill_request.ask_owner(lambda own: own.withdraw(hill_request.bot))
    return Response(status_code=204)


async def set_source_visibility(hill_request: AuthorRequest) -> Response:
    """Make the source of a bot's version that takes part public or private."""
    public = _read_public(await _read_body(hill_request.request))
    await hill_request.ask_owner(
        lambda own: own.set_source_visibility(hill_request.bot, public=public)
    )
    return Response(status_code=204)


async def _compute_status_if_possible(
    served: ServedHill, submission: Submission
) -> SubmissionStatus:
    """Return the status of a submission that was queued; no failure can change that it was."""
    try:
        reading = await served.ask(served.access.read_statuses)
    except UserError:  # the tournament's database is away, or much is asked
        status = SubmissionStatus(submission.state, submission.why)
        return redact_status(status, served.access.hill)
    return reading.compute_for_author(submission)


def _queue(hill_request: AuthorRequest, file: IO[bytes]) -> Receipt:
    """Queue an upload, in a thread: so only as many are in memory as there are threads."""
    return hill_request.access.intake.submit(hill_request.author, hill_request.bot, file.read())


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
    except (ValueError, RecursionError) as problem:
        reason = describe_json_error(problem)
        raise HTTPException(400, f"the request body is not JSON: {reason}") from None


async def get_standings(hill_request: HillRequest) -> Response:
    """Return the standings as JSON, without rows before the first match."""
    request, served = hill_request.request, hill_request.served
    view, everybody = await served.load_view(), bool(request.query_params.get("all"))
    if view is None:
        document = await served.ask(partial(build_empty_standings, served.access.hill.spec))
    else:
        document = build_standings_document(view, everybody=everybody)
    return JSONResponse(document.json)


async def stream_matches(hill_request: HillRequest) -> Response:
    """Stream matches, one per line, in the order of their keys, after the match `since`.

    They end before the first match that is still to be played. A client that asks again after the
    last match that came misses none.
    """
    request, served = hill_request.request, hill_request.served
    since = request.query_params.get("since")
    after = parse_key(since) if since else None
    if since and after is None:
        raise HTTPException(422, "since: not a match key (such as 12.0)")
    if not await served.ask(served.access.hill.has_tournament):
        return Response(media_type="application/jsonl")
    lines = stream_lines(served.tournament, after)
    return StreamingResponse(lines, media_type="application/jsonl")
