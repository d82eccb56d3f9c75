"""Pages for an author: its submissions and bots, their verdicts and matches. Others get 404."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator, Mapping
from functools import partial
from heapq import nlargest
from io import RawIOBase
from itertools import islice
from typing import Any
from zipfile import ZIP_DEFLATED, ZipFile

from anyio import to_thread
from attrs import frozen
from starlette.exceptions import HTTPException
from starlette.responses import FileResponse, Response, StreamingResponse

from arena import Fault
from arena.records import SUFFIX
from arena.rules import UnknownNameError
from arena.tournament.file import TournamentSpec
from arena.tournament.store import MatchFilter, Store
from arena.wires import dump
from arena_hill.db.database import HillDatabase
from arena_hill.db.submissions import JudgingState, Submission
from arena_hill.problems import redact_paths
from arena_hill.submission_status import IN_STATE, SubmissionStatus, describe_status, list_stages
from arena_hill.web.page_context import NOT_YOURS_MESSAGE, PageContext
from arena_web.app import build_attachment_headers
from arena_web.sources import TournamentSource, split_key
from arena_web.visibility import is_public, load_public_transcript

MAX_VERDICTS = 20

CHUNK_MATCHES = 50  # matches
Key = tuple[int, int]

MAX_SUBMISSIONS = 50  # submissions of a bot


async def show_submission(context: PageContext) -> Response:
    """Show the progress and the report of a submission, or only that part of the page."""
    submission = await context.find_own_submission()
    stands = (await context.compute_statuses([submission]))[submission.id]
    part = context.request.query_params.get("part")
    if part not in (None, "submission"):
        raise HTTPException(404)
    return context.render(
        "progress.html" if part else "submission.html",
        submission=submission,
        stands=stands,
        stages=list_stages(submission, over=stands.over),
        said=describe_status(stands),
        shown=(await context.load_aliasing())(submission.bot),
        can_open=submission.state is JudgingState.ACCEPTED,
    )


async def download_source(context: PageContext) -> Response:
    """Return the upload of a submission, to its author, or to all if its source is public."""
    submission = await context.ask(partial(HillDatabase.find_submission, number=context.number))
    if submission is None:
        raise HTTPException(404, NOT_YOURS_MESSAGE)
    if not _is_mine(context, submission):
        stands = (await context.compute_statuses([submission]))[submission.id]
        if not is_source_public(context, submission, stands):
            raise HTTPException(404, NOT_YOURS_MESSAGE)
    path = context.service.uploads.path(submission.sha256)
    if not path.is_file():
        raise HTTPException(404, "this upload has been deleted")
    name = f"{submission.bot}-{submission.version or submission.id}.zip"
    return FileResponse(
        path, media_type="application/zip", filename=name, headers={"Cache-Control": "no-store"}
    )


def _is_mine(context: PageContext, submission: Submission) -> bool:
    return context.author is not None and context.author.id == submission.author


def is_source_public(
    context: PageContext, submission: Submission, stands: SubmissionStatus
) -> bool:
    """Whether a submission's source is public: only of accepted bots without hidden names.

    A version that does not take part is public by a choice of its own alone.
    """
    said = submission.public or context.service.config.sources == "all"
    public = submission.opened or (said and stands.state == IN_STATE)
    return public and submission.state is JudgingState.ACCEPTED and not submission.hidden


async def show_bot(context: PageContext) -> Response:
    """Show an author one of its bots: submissions, results, verdicts."""
    name = await context.find_own_bot()
    sent = await context.ask(
        lambda database: database.list_submissions(bot=name, limit=MAX_SUBMISSIONS)
    )
    shown = (await context.load_aliasing())(name)
    rows = [row for row in (await context.load_standings()).values() if row.name == shown]
    tournament = context.service.tournament
    failing = partial(list_verdicts, bot=shown, spec=context.service.spec)
    used = await context.service.ask(partial(context.service.measure_usage, context.identity.id))
    return context.render(
        "bot.html",
        bot=name,
        shown=shown,
        sent=sent,
        standings=await context.compute_statuses(sent),
        rows=rows,
        times=await tournament.ask(Store.count_totals) if rows else {},
        failed=await tournament.ask(failing) if rows else [],
        used=used["submissions"][name],
    )


@frozen
class BotVerdict:
    """A verdict; its quotes may reveal hands, so they are empty until the deal is over."""

    match: str  #: its key
    kind: str
    public: bool  #: is the deal over?
    detail: str = ""
    question: str = ""  #: as on the JSON wire
    line: str = ""  #: what came
    seconds: float = 0.0
    limit: float | None = None
    stderr: str = ""  #: the end of it


def list_verdicts(store: Store, *, bot: str, spec: TournamentSpec) -> list[BotVerdict]:
    """Return the latest verdicts against a bot, the newest first."""
    keys = {
        split_key(match["match"]) for kind in Fault for match in _list_matches(store, bot, kind)
    }
    newest = nlargest(MAX_VERDICTS, keys)
    found = (verdict for key in newest for verdict in _list_verdicts_in(store, key, bot, spec))
    return [*islice(found, MAX_VERDICTS)]


def _list_matches(store: Store, bot: str, kind: Fault) -> Iterator[Mapping[str, Any]]:
    try:
        yield from store.find_matches(
            MatchFilter(bot=bot, verdict=kind, limit=MAX_VERDICTS, newest=True)
        )
    except UnknownNameError:  # it has not come in yet
        return


def _list_verdicts_in(
    store: Store, key: tuple[int, int], bot: str, spec: TournamentSpec
) -> Iterator[BotVerdict]:
    """Yield the verdicts of a bot in a match, one for each seat that failed."""
    whole, public = store.find_match(*key), is_public(store, key[0])
    for seat in whole["seats"]:
        verdict = seat["verdict"]
        if seat["name"] != bot or verdict is None:
            continue
        if not public:
            yield BotVerdict(whole["match"], verdict["kind"], public=False)
            continue
        yield BotVerdict(
            whole["match"],
            verdict["kind"],
            public=True,
            detail=redact_paths(verdict["detail"], spec),
            question=dump(verdict["question"]) if verdict["question"] else "",
            line=verdict["line"],
            seconds=verdict["seconds"],
            limit=verdict["limit"],
            stderr=redact_paths(seat["stderr"] or "", spec),
        )


async def download_matches(context: PageContext) -> Response:
    """Return the transcripts of a bot's matches whose deals are over, as a zip file."""
    name = await context.find_own_bot()
    headers = {**build_attachment_headers(f"{name}-matches.zip"), "Cache-Control": "no-store"}
    made = stream_zip(context.service.tournament, (await context.load_aliasing())(name))
    return StreamingResponse(made, media_type="application/zip", headers=headers)


class ZipSink(RawIOBase):
    """A sink without seek, so that `zipfile` streams; it keeps bytes until they are taken."""

    def __init__(self) -> None:
        self._parts: list[bytes] = []

    def writable(self) -> bool:
        """Return True: the sink can be written to."""
        return True

    def write(self, data: Any) -> int:
        """Append bytes."""
        self._parts.append(bytes(data))
        return len(data)

    def take(self) -> bytes:
        """Return the bytes that were written since the last call."""
        parts, self._parts = self._parts, []
        return b"".join(parts)


async def stream_zip(tournament: TournamentSource, bot: str) -> AsyncIterator[bytes]:
    """Yield a zip file of a bot's public transcripts."""
    sink, after = ZipSink(), None
    with ZipFile(sink, "w", ZIP_DEFLATED) as file:
        while True:
            texts, after = await tournament.ask_in_turn(partial(_read_chunk, bot=bot, after=after))
            for key, text in texts:
                await to_thread.run_sync(file.writestr, f"{bot}/{key}{SUFFIX}", text)
            yield sink.take()
            if after is None:
                break
    yield sink.take()


def _read_chunk(
    store: Store, *, bot: str, after: Key | None
) -> tuple[list[tuple[str, str]], Key | None]:
    """Return the next transcripts with their keys, and the match to continue after."""
    try:
        found = [*store.find_matches(MatchFilter(bot=bot, limit=CHUNK_MATCHES, after=after))]
    except UnknownNameError:  # it has not come in yet
        return [], None
    keys = [(match["match"], split_key(match["match"])) for match in found]
    known = ((name, load_public_transcript(store, *key)) for name, key in keys)
    texts = [(name, transcript.text) for name, transcript in known if transcript]
    return texts, keys[-1][1] if len(found) == CHUNK_MATCHES else None


async def withdraw_bot(context: PageContext) -> Response:
    """Withdraw a bot."""
    name = await context.find_own_bot()
    await context.ask(lambda database: database.withdraw_own(context.identity, name))
    return context.redirect(f"bots/{name}")


async def set_submission_visibility(context: PageContext) -> Response:
    """Make the source of one submission public or private."""
    submission, form = await context.find_own_submission(), await context.read_form()
    author, public = context.identity, form.get("public") == "yes"
    await context.ask(
        lambda database: database.set_submission_visibility(author, submission.id, public=public)
    )
    return context.redirect(f"submissions/{submission.id}#source")


async def set_source_visibility(context: PageContext) -> Response:
    """Make the source of a bot's version that takes part public or private."""
    name, form = await context.find_own_bot(), await context.read_form()
    author, public = context.identity, form.get("public") == "yes"
    await context.ask(lambda database: database.set_source_visibility(author, name, public=public))
    return context.redirect(f"bots/{name}#source")
