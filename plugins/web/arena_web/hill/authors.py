"""Pages of an author's own: what became of what was sent, and how a bot fares. Others get 404."""

from __future__ import annotations

from functools import partial

from starlette.exceptions import HTTPException
from starlette.responses import FileResponse, Response, StreamingResponse

from arena.tournament import Store
from arena_web.app import attached
from arena_web.hill.failures import failures
from arena_web.hill.matches import zipped
from arena_web.hill.progress import said_of, stages_of
from arena_web.hill.register import BY_AUTHOR, Register
from arena_web.hill.submissions import Step, Submission
from arena_web.hill.visits import NOT_YOURS, Visit

SHOWN = 50  # submissions of a bot


async def submission(visit: Visit) -> Response:
    """Show how far a submission is, and what was found; its part alone where that is asked for."""
    one = await visit.mine()
    stands = (await visit.standings([one]))[one.id]
    part = visit.request.query_params.get("part")
    if part not in (None, "submission"):
        raise HTTPException(404)
    return visit.page(
        "progress.html" if part else "submission.html",
        one=one,
        stands=stands,
        stages=stages_of(one, over=stands.over),
        said=said_of(stands),
        shown=(await visit.shown_as())(one.bot),
    )


async def source(visit: Visit) -> Response:
    """Return a submission as it was sent: to its author, and to all where its source is public."""
    one = await visit.ask(partial(Register.submission, number=visit.number))
    if one is None or not (_is_mine(visit, one) or is_public(visit, one)):
        raise HTTPException(404, NOT_YOURS)
    path = visit.office.uploads.path(one.sha256)
    if not path.is_file():
        raise HTTPException(404, "this upload is not kept any more")
    name = f"{one.bot}-{one.version or one.id}.zip"
    return FileResponse(
        path, media_type="application/zip", filename=name, headers={"Cache-Control": "no-store"}
    )


def _is_mine(visit: Visit, one: Submission) -> bool:
    return visit.author is not None and visit.author.id == one.author


def is_public(visit: Visit, one: Submission) -> bool:
    """May everybody see it? Only what came in, and nothing whose name is not to be shown."""
    said = one.public or visit.office.config.sources == "all"
    return said and one.state is Step.FIT and not one.hidden


async def bot(visit: Visit) -> Response:
    """Show an author its bot: what was sent, what went wrong, how long it took."""
    name = await visit.my_bot()
    sent = await visit.ask(lambda one: one.submissions(bot=name, limit=SHOWN))
    shown = (await visit.shown_as())(name)
    rows = [row for row in (await visit.rows()).values() if row.name == shown]
    contest = visit.office.contest
    failing = partial(failures, bot=shown, spec=visit.office.spec)
    used = await visit.office.ask(partial(visit.office.used, visit.me.id))
    return visit.page(
        "bot.html",
        bot=name,
        shown=shown,
        sent=sent,
        standings=await visit.standings(sent),
        rows=rows,
        times=await contest.ask(Store.tallies) if rows else {},
        failed=await contest.ask(failing) if rows else [],
        used=used["submissions"][name],
    )


async def matches(visit: Visit) -> Response:
    """Return all matches of a bot whose deals are over, as transcripts in one zip file."""
    name = await visit.my_bot()
    headers = {**attached(f"{name}-matches.zip"), "Cache-Control": "no-store"}
    made = zipped(visit.office.contest, (await visit.shown_as())(name))
    return StreamingResponse(made, media_type="application/zip", headers=headers)


async def withdraw(visit: Visit) -> Response:
    """Have a bot take part no more."""
    name = await visit.my_bot()
    await visit.ask(lambda one: one.withdraw(name, BY_AUTHOR))
    return visit.back(f"bots/{name}")


async def publish(visit: Visit) -> Response:
    """Show a bot's source to everybody, or to nobody else any more."""
    name, form = await visit.my_bot(), await visit.form()
    await visit.ask(lambda one: one.publish(name, public=form.get("public") == "yes"))
    return visit.back(f"bots/{name}#source")
