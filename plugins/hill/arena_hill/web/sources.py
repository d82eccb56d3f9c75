"""The sources of bots that everybody may read: which they are, their list and their archives."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

from attrs import frozen
from starlette.exceptions import HTTPException
from starlette.responses import Response

from arena_hill.api_format import ZIP_TYPE, SubmissionStatus
from arena_hill.db.submissions import Submission
from arena_hill.web.hill_requests import NOT_YOURS_MESSAGE
from arena_hill.web.page_context import PageContext
from arena_web.page_templates import PageValues

DELETED_MESSAGE = "this upload has been deleted"


@frozen(kw_only=True)
class SourcesPage(PageValues):
    """The values of the page of all public sources."""

    template = "hill/sources.html"

    submissions: Sequence[Submission]
    statuses: Mapping[int, SubmissionStatus]  #: by the ids of the submissions


async def show_sources(context: PageContext) -> Response:
    """List the versions of bots whose source is public."""
    reading = await context.read_statuses()
    submissions = await context.served.ask(
        partial(context.access.list_public_sources, reading.active)
    )
    statuses = reading.compute_all(submissions)
    return context.render(SourcesPage(submissions=submissions, statuses=statuses))


async def download_source(context: PageContext) -> Response:
    """Return the upload of a submission, to its author, or to all if its source is public."""
    submission_id = context.number
    submission = await context.ask(lambda store: store.submissions.find(submission_id))
    if submission is None:
        raise HTTPException(404, NOT_YOURS_MESSAGE)
    if not _is_mine(context, submission):
        active = (await context.read_statuses()).active
        find = partial(context.access.list_public_sources, active, [submission_id])
        if not await context.served.ask(find):
            raise HTTPException(404, NOT_YOURS_MESSAGE)
    if submission.forgotten:
        raise HTTPException(404, DELETED_MESSAGE)
    try:  # it may be deleted at any time
        path = context.access.intake.uploads.path(submission.sha256)
        data = await context.served.ask(path.read_bytes)
    except FileNotFoundError:
        raise HTTPException(404, DELETED_MESSAGE) from None
    name = f"{submission.bot.name}-{submission.version or submission.id}.zip"
    headers = {"Content-Disposition": f'attachment; filename="{name}"', "Cache-Control": "no-store"}
    return Response(data, media_type=ZIP_TYPE, headers=headers)


def _is_mine(context: PageContext, submission: Submission) -> bool:
    return context.author is not None and context.author.id == submission.bot.author_id
