"""The sources of bots that everybody may read: which they are, their list and their archives."""

from __future__ import annotations

from functools import partial

from starlette.exceptions import HTTPException
from starlette.responses import FileResponse, Response

from arena.tournament import State
from arena_hill.api_format import SubmissionStatus
from arena_hill.db.submissions import Submission
from arena_hill.hill_access import HillAccess
from arena_hill.submission_states import SubmissionState
from arena_hill.web.hill_requests import NOT_YOURS_MESSAGE
from arena_hill.web.page_context import PageContext


async def show_sources(context: PageContext) -> Response:
    """List the versions of bots whose source is public."""
    submissions = await context.served.ask(partial(_select_readable, context.access))
    statuses = await context.compute_statuses(submissions)
    public = [
        (submission, statuses[submission.id])
        for submission in submissions
        if is_source_public(context, submission, statuses[submission.id])
    ]
    return context.render("sources.html", submissions=public)


def _select_readable(access: HillAccess) -> list[Submission]:
    """Return the submissions whose source may be public, as far as the hill's database knows."""
    active = {entry.version for entry in access.list_entries() if entry.state is State.ACTIVE}
    return access.store.submissions.select_readable(
        active, everybody=access.config.sources == "all"
    )


async def download_source(context: PageContext) -> Response:
    """Return the upload of a submission, to its author, or to all if its source is public."""
    number = context.number
    submission = await context.ask(lambda store: store.submissions.find(number))
    if submission is None:
        raise HTTPException(404, NOT_YOURS_MESSAGE)
    if not _is_mine(context, submission):
        status = await context.served.ask(partial(context.access.compute_status, submission))
        if not is_source_public(context, submission, status):
            raise HTTPException(404, NOT_YOURS_MESSAGE)
    path = context.access.uploads.path(submission.sha256)
    if not path.is_file():
        raise HTTPException(404, "this upload has been deleted")
    name = f"{submission.bot.name}-{submission.version or submission.id}.zip"
    return FileResponse(
        path, media_type="application/zip", filename=name, headers={"Cache-Control": "no-store"}
    )


def _is_mine(context: PageContext, submission: Submission) -> bool:
    return context.author is not None and context.author.id == submission.bot.author


def is_source_public(
    context: PageContext, submission: Submission, status: SubmissionStatus
) -> bool:
    """Whether a submission's source is public: only of accepted bots without hidden names.

    A version that does not take part is public by a choice of its own alone.
    """
    readable = submission.bot.public or context.access.config.sources == "all"
    public = submission.public or (readable and status.state is SubmissionState.IN)
    return public and submission.state is SubmissionState.ACCEPTED and not submission.bot.hidden
