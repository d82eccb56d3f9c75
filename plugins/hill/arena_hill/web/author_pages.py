"""Pages for an author: its submissions and bots. Anybody else gets 404."""

from __future__ import annotations

from functools import partial

from starlette.exceptions import HTTPException
from starlette.responses import FileResponse, Response, StreamingResponse

from arena.extend import Store
from arena_hill.db.hill_database import HillDatabase
from arena_hill.db.submissions import JudgingState, Submission
from arena_hill.submission_stages import describe_status, list_stages
from arena_hill.submission_status import IN_STATE, SubmissionStatus
from arena_hill.web.bot_verdicts import list_verdicts
from arena_hill.web.match_archive import stream_zip
from arena_hill.web.page_context import NOT_YOURS_MESSAGE, PageContext
from arena_web.app import build_attachment_headers

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


async def download_matches(context: PageContext) -> Response:
    """Return the transcripts of a bot's matches whose deals are over, as a zip file."""
    name = await context.find_own_bot()
    headers = {**build_attachment_headers(f"{name}-matches.zip"), "Cache-Control": "no-store"}
    made = stream_zip(context.service.tournament, (await context.load_aliasing())(name))
    return StreamingResponse(made, media_type="application/zip", headers=headers)


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
