"""The pages of an open hill: its rules and limits, public sources, accounts; pages of an author."""

from __future__ import annotations

import shlex
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Iterator, Mapping
from functools import partial
from heapq import nlargest
from io import RawIOBase
from itertools import islice
from typing import Any
from zipfile import ZIP_DEFLATED, ZipFile

from anyio import to_thread
from attrs import frozen
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import FileResponse, Response, StreamingResponse
from starlette.routing import BaseRoute, Route

from arena import Fault, join_words
from arena.plugins import format_pairs
from arena.records import SUFFIX
from arena.rules import UnknownNameError
from arena.tournament.file import TournamentSpec
from arena.tournament.match_record import MatchRecord
from arena.tournament.models import format_id
from arena.tournament.store import MatchFilter, Store
from arena.wires import dump
from arena_hill.db.database import HillDatabase, NameTakenError, TokenScope, TooManyTokensError
from arena_hill.db.submissions import (
    IN_STATE,
    JudgingState,
    Submission,
    SubmissionStatus,
    describe_status,
    list_stages,
)
from arena_hill.hill_access import HillAccess
from arena_hill.judge import BUILD_RESOURCES, MAX_BUILD_SECONDS
from arena_hill.redaction import redact_paths
from arena_hill.unzip import MAX_MEMBERS, MAX_UNPACKED_BYTES, MAX_UPLOAD_BYTES
from arena_hill.web import oauth
from arena_hill.web.requests import (
    NOT_YOURS_MESSAGE,
    PageContext,
    delete_session_cookie,
    end_session,
    index_rows,
    set_session_cookie,
)
from arena_web.app import build_attachment_headers
from arena_web.pages.standings import StandingsRow, build_times
from arena_web.sources import TournamentSource
from arena_web.visibility import is_public, load_public_transcript

PageFunction = Callable[[PageContext], Awaitable[Response]]
MAX_NEW_BOTS = 10  # submissions that came in
MAX_SCANNED_SUBMISSIONS = 500  # of these, for those whose source is public
MAX_LABEL_LENGTH = 80  # characters

BOT_FILE_TEMPLATE = """name = "my_bot"
command = "python3 bot.py"
protocol = "{wire}"
"""


def build_routes(hills: Mapping[str, HillAccess]) -> list[BaseRoute]:
    """Return the routes of the pages of these hills."""

    def at(path: str, make: PageFunction, method: str = "GET") -> Route:
        async def answer(request: Request) -> Response:
            return await make(await PageContext.of(hills, request))

        return Route(f"/hill/{{hill}}/{path}", answer, methods=[method])

    for access in hills.values():
        access.tournament.hill_path = f"hill/{access.name}/"
    return [
        at("", show_front),
        at("languages", show_languages),
        at("sources", show_sources),
        *oauth.build_routes(hills),
        at("join/{secret}", show_invitation),
        at("join/{secret}", join, "POST"),
        at("leave", sign_out, "POST"),
        at("author", set_author_visibility, "POST"),
        at("tokens", show_tokens),
        at("tokens", create_token, "POST"),
        at("tokens/{number:int}/revoke", revoke_token, "POST"),
        at("submissions/{number:int}", show_submission),
        at("submissions/{number:int}/source", download_source),
        at("submissions/{number:int}/publish", set_submission_visibility, "POST"),
        at("bots/{bot}", show_bot),
        at("bots/{bot}/matches.zip", download_matches),
        at("bots/{bot}/withdraw", withdraw_bot, "POST"),
        at("bots/{bot}/publish", set_source_visibility, "POST"),
    ]


async def show_front(context: PageContext) -> Response:
    """Show the hill's rules, how to submit a bot and, to an author, their own bots."""
    spec = context.access.spec
    view = await context.load_view()
    rows = index_rows(view)
    return context.render(
        "front.html",
        spec=spec,
        rows=[*list_rules(spec)],
        checked=build_check_command(spec),
        example=build_bot_file(spec),
        came=await _list_accepted_bots(context, rows),
        **build_times(view.snapshot if view else None),
        waiting=len(await context.ask(HillDatabase.list_open)),
        largest=MAX_UPLOAD_BYTES,
        unpacked=MAX_UNPACKED_BYTES,
        files=MAX_MEMBERS,
        address=context.address,
        pushed=context.build_git_url(),
        mine=await _collect_own_bots(context, rows) if context.author else None,
        notice=await context.access.ask(context.access.find_notice),
    )


@frozen
class AcceptedBot:
    """A newly accepted submission, as everybody sees it."""

    id: int
    name: str
    state: str
    known: bool  #: has the tournament a page about it?
    readable: bool  #: may everybody see its source?


async def _list_accepted_bots(
    context: PageContext, rows: Mapping[str, StandingsRow]
) -> list[AcceptedBot]:
    """Return the newest accepted submissions."""
    last = await context.ask(
        lambda database: database.list_submissions(
            states=[JudgingState.ACCEPTED], limit=MAX_NEW_BOTS
        )
    )
    stand, shown = await context.compute_statuses(last), await context.load_aliasing()
    return [
        AcceptedBot(
            submission.id,
            shown(submission.bot),
            stand[submission.id].state,
            format_id(shown(submission.bot), submission.version) in rows,
            is_source_public(context, submission, stand[submission.id]),
        )
        for submission in last
    ]


async def _collect_own_bots(
    context: PageContext, rows: Mapping[str, StandingsRow]
) -> dict[str, Any]:
    """Return the values of the front page for an author."""
    author = context.identity.id
    used = await context.access.ask(partial(context.access.measure_usage, author))
    newest = await context.ask(partial(_list_newest, bots=used["submissions"]))
    stand, shown = await context.compute_statuses(newest), await context.load_aliasing()
    return {
        "bots": [
            (submission, stand[submission.id], _find_active_row(shown(submission.bot), rows))
            for submission in newest
        ],
        "used": used,
        "measure": next((row.measure for row in rows.values()), "rating"),
    }


def _list_newest(database: HillDatabase, bots: Iterable[str]) -> list[Submission]:
    """Return the newest submission of each bot."""
    return [
        submission for bot in bots for submission in database.list_submissions(bot=bot, limit=1)
    ]


def _find_active_row(bot: str, rows: Mapping[str, StandingsRow]) -> StandingsRow | None:
    """Return the standings row of the active version of a bot, or None."""
    return next((row for row in rows.values() if row.name == bot and not row.state), None)


def build_bot_file(spec: TournamentSpec) -> str:
    """Return an example bot.toml for this game."""
    return BOT_FILE_TEMPLATE.format(wire=spec.game.protocols[0])


def build_check_command(spec: TournamentSpec) -> str:
    """Return the command that checks a bot as this hill does."""
    usual = spec.game.write_variant(spec.game.read_variant({}))
    chosen = spec.game.write_variant(spec.variant).items()
    unusual = {name: value for name, value in chosen if value != usual[name]}
    options = [f"-o {shlex.quote(pair)}" for pair in format_pairs(unusual)]
    time = spec.file.time
    times = f"--move-time {time.move:g} --start-time {time.start:g}"
    words = ["arena check", spec.game.name, "my_bot", *options]
    return " ".join([*words, f"--players {spec.seats_per_match}", times])


def list_rules(spec: TournamentSpec) -> Iterator[tuple[str, str]]:
    """Yield the terms of a hill as pairs of a heading and a text."""
    options = spec.game.write_variant(spec.variant)
    if options:
        yield "Options", ", ".join(format_pairs(options))
    yield (
        "Table",
        f"{spec.seats_per_match} players"
        + ("; each deal is played once in every rotation of the seats" * spec.duplicate),
    )
    yield "Time", _describe_time(spec)
    yield "Sandbox", _describe_sandbox(spec)
    yield "Build", _describe_build()
    yield "Protocols", _describe_wires(spec)


def _describe_time(spec: TournamentSpec) -> str:
    limits = spec.file.time
    words = f"{limits.move:g} s for each answer, plus {limits.start:g} s for the first one"
    if limits.bank is not None:
        words += f"; {limits.bank:g} s in total per match"
        words += f", plus {limits.increment:g} s per answer" * bool(limits.increment)
    return f"{words}; {limits.grace:g} s to end when the match is over"


def _describe_sandbox(spec: TournamentSpec) -> str:
    given = spec.file.resources
    parts = [
        f"{given.memory_mb} MB of memory" if given.memory_mb is not None else "",
        f"{given.cpu_seconds:g} s of CPU time per match" if given.cpu_seconds is not None else "",
        f"{given.processes} processes",
        f"{given.disk_mb} MB of disk",
    ]
    still = "; bots are paused while it is not their turn" * given.still
    return f"no network, {join_words([part for part in parts if part])}{still}"


def _describe_build() -> str:
    return (
        f"{MAX_BUILD_SECONDS:g} s, {BUILD_RESOURCES.memory_mb} MB of memory and"
        f" {BUILD_RESOURCES.disk_mb} MB of disk; no network"
    )


def _describe_wires(spec: TournamentSpec) -> str:
    return f"{join_words(spec.game.protocols, 'or')}: text lines on standard input and output"


async def show_sources(context: PageContext) -> Response:
    """List the versions of bots whose source is public."""
    sent = await context.ask(
        lambda database: database.list_submissions(
            states=[JudgingState.ACCEPTED], limit=MAX_SCANNED_SUBMISSIONS
        )
    )
    stand = await context.compute_statuses(sent)
    public = [
        (submission, stand[submission.id])
        for submission in sent
        if is_source_public(context, submission, stand[submission.id])
    ]
    return context.render("sources.html", sent=public)


async def show_languages(context: PageContext) -> Response:
    """Show the languages for bots."""
    found = await context.access.ask_in_turn(context.access.find_languages)
    return context.render("languages.html", languages=found)


async def show_invitation(context: PageContext) -> Response:
    """Show an invitation without using it, since mail scanners open links, too."""
    name = await context.ask(
        lambda database: database.find_invited_name(context.request.path_params["secret"])
    )
    return context.render("invitation.html", 200 if name else 410, name=name)


async def join(context: PageContext) -> Response:
    """Accept an invitation."""
    try:
        key = await context.ask(
            lambda database: database.join(context.request.path_params["secret"])
        )
    except NameTakenError as problem:
        return context.render("login_error.html", 409, said=str(problem))
    if key is None:
        return context.render("invitation.html", 410, name=None)
    return set_session_cookie(context.redirect(""), context.access, key)


async def sign_out(context: PageContext) -> Response:
    """End the session of this browser."""
    await end_session(context.request, context.access)
    return delete_session_cookie(context.redirect(""), context.access)


async def set_author_visibility(context: PageContext) -> Response:
    """Show or hide the author's name in the standings."""
    author, form = context.identity, await context.read_form()
    public = form.get("public") == "yes"
    await context.ask(lambda database: database.set_author_visibility(author, public=public))
    return context.redirect("#mine")


async def show_tokens(context: PageContext) -> Response:
    """Show the author's tokens and sessions."""
    return await _render_tokens(context)


async def _render_tokens(context: PageContext, status: int = 200, problem: str = "") -> Response:
    author = context.identity.id
    tokens = await context.ask(partial(HillDatabase.list_tokens, author=author))
    return context.render("tokens.html", status, tokens=tokens, problem=problem)


async def create_token(context: PageContext) -> Response:
    """Create a token and show it once."""
    author, form = context.identity, await context.read_form()
    scope = form.get("scope", "")
    if scope not in (TokenScope.SUBMIT, TokenScope.READ):
        raise HTTPException(422, "permissions: choose `submit` or `read`")
    label = form.get("label", "").strip()[:MAX_LABEL_LENGTH] or "token"
    try:
        token = await context.ask(
            lambda database: database.create_token(author, TokenScope(scope), label)
        )
    except TooManyTokensError as problem:
        return await _render_tokens(context, 422, str(problem))
    pushed = context.build_git_url(f"{author.name}:$ARENA_TOKEN@")
    return context.render(
        "token.html", token=token, scope=scope, address=context.address, pushed=pushed
    )


async def revoke_token(context: PageContext) -> Response:
    """Revoke a token, or a session in another browser."""
    author, number = context.identity, context.number
    if not await context.ask(lambda database: database.revoke_token(author, number)):
        raise HTTPException(404)
    return context.redirect("tokens")


# Pages for an author: its submissions and bots, their verdicts and matches. Others get 404.

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
    path = context.access.uploads.path(submission.sha256)
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
    said = submission.public or context.access.config.sources == "all"
    public = submission.opened or (said and stands.state == IN_STATE)
    return public and submission.state is JudgingState.ACCEPTED and not submission.hidden


async def show_bot(context: PageContext) -> Response:
    """Show an author one of its bots: submissions, results, verdicts."""
    name = await context.find_own_bot()
    sent = await context.ask(
        lambda database: database.list_submissions(bot=name, limit=MAX_SUBMISSIONS)
    )
    shown = (await context.load_aliasing())(name)
    rows = [row for row in index_rows(await context.load_view()).values() if row.name == shown]
    tournament = context.access.tournament
    failing = partial(list_verdicts, bot=shown, spec=context.access.spec)
    used = await context.access.ask(partial(context.access.measure_usage, context.identity.id))
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
    matches = {match.key: match for kind in Fault for match in _list_matches(store, bot, kind)}
    newest = [matches[key] for key in nlargest(MAX_VERDICTS, matches)]
    found = (verdict for match in newest for verdict in _list_verdicts_in(store, match, bot, spec))
    return [*islice(found, MAX_VERDICTS)]


def _list_matches(store: Store, bot: str, kind: Fault) -> Iterator[MatchRecord]:
    try:
        yield from store.find_matches(
            MatchFilter(bot=bot, verdict=kind, limit=MAX_VERDICTS, newest=True)
        )
    except UnknownNameError:  # it has not come in yet
        return


def _list_verdicts_in(
    store: Store, match: MatchRecord, bot: str, spec: TournamentSpec
) -> Iterator[BotVerdict]:
    """Yield the verdicts of a bot in a match, one for each seat that failed."""
    public = is_public(store, match.deal)
    for seat in match.seats:
        verdict = seat.failure
        if seat.name != bot or verdict is None:
            continue
        if not public:
            yield BotVerdict(match.match, verdict.kind, public=False)
            continue
        yield BotVerdict(
            match.match,
            verdict.kind,
            public=True,
            detail=redact_paths(verdict.detail, spec),
            question=dump(verdict.question) if verdict.question else "",
            line=verdict.line,
            seconds=verdict.seconds,
            limit=verdict.limit,
            stderr=redact_paths(seat.stderr or "", spec),
        )


async def download_matches(context: PageContext) -> Response:
    """Return the transcripts of a bot's matches whose deals are over, as a zip file."""
    name = await context.find_own_bot()
    headers = {**build_attachment_headers(f"{name}-matches.zip"), "Cache-Control": "no-store"}
    made = stream_zip(context.access.tournament, (await context.load_aliasing())(name))
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
    known = ((match.match, load_public_transcript(store, *match.key)) for match in found)
    texts = [(name, transcript.text) for name, transcript in known if transcript]
    return texts, found[-1].key if len(found) == CHUNK_MATCHES else None


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
