"""The front page of a hill: its rules and limits, who came in, and the author's own bots."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import partial

from attrs import frozen
from starlette.responses import Response

from arena.tournament.entries import format_id
from arena_hill.api_format import AuthorUsage, SubmissionQuota, SubmissionStatus
from arena_hill.db.store import HillStore
from arena_hill.db.submissions import Submission
from arena_hill.submission_states import SubmissionState
from arena_hill.unzip import MAX_MEMBERS, MAX_UNPACKED_BYTES, MAX_UPLOAD_BYTES
from arena_hill.web.hill_rules import build_bot_file, build_check_command, list_rules
from arena_hill.web.page_context import PageContext, index_rows
from arena_web.pages.standings_rows import StandingsRow
from arena_web.pages.tournament_heading import build_times

MAX_NEW_BOTS = 10  # submissions that came in


async def show_front(context: PageContext) -> Response:
    """Show the hill's rules, how to submit a bot and, to an author, their own bots."""
    spec = context.access.spec
    view = await context.served.load_view()
    rows = index_rows(view)
    return context.render(
        "front.html",
        spec=spec,
        rows=[*list_rules(spec)],
        check_command=build_check_command(spec),
        example=build_bot_file(spec),
        new_bots=await _list_accepted_bots(context, rows),
        **build_times(view.snapshot if view else None),
        waiting=await context.ask(lambda store: store.queue.count_open()),
        largest=MAX_UPLOAD_BYTES,
        unpacked=MAX_UNPACKED_BYTES,
        files=MAX_MEMBERS,
        address=context.address,
        push_url=context.build_git_url(),
        mine=await _collect_own_bots(context, rows) if context.author else None,
        notice=await context.served.ask(context.access.find_notice),
    )


@frozen
class AcceptedBot:
    """A newly accepted submission, as everybody sees it."""

    id: int
    name: str
    state: str
    has_page: bool  #: whether the tournament has a page about it
    readable: bool  #: whether everybody may see its source


async def _list_accepted_bots(
    context: PageContext, rows: Mapping[str, StandingsRow]
) -> list[AcceptedBot]:
    """Return the newest accepted submissions."""
    submissions = await context.ask(
        lambda store: store.submissions.select(
            states=[SubmissionState.ACCEPTED], limit=MAX_NEW_BOTS
        )
    )
    statuses = await context.compute_statuses(submissions)
    find_public = context.access.list_public_sources
    public = await context.served.ask(partial(find_public, [*statuses]))
    return [
        AcceptedBot(
            submission.id,
            submission.bot.public_name,
            statuses[submission.id].state,
            format_id(submission.bot.public_name, submission.version) in rows,
            submission in public,
        )
        for submission in submissions
    ]


@frozen
class OwnBot:
    """A bot of the author who looks at the page."""

    submission: Submission  #: its newest one
    status: SubmissionStatus  #: of that submission
    row: StandingsRow | None  #: of its version that takes part
    quota: SubmissionQuota


@frozen
class OwnBots:
    """The bots of the author who looks at the page."""

    bots: Sequence[OwnBot]
    usage: AuthorUsage
    measure: str  #: what the standings are ordered by


async def _collect_own_bots(context: PageContext, rows: Mapping[str, StandingsRow]) -> OwnBots:
    """Return the bots of the author, with their places in the standings."""
    author = context.identity
    usage = await context.served.ask(partial(context.access.measure_usage, author))
    newest = await context.ask(partial(_list_newest, bots=usage.submissions))
    statuses = await context.compute_statuses(newest)
    bots = [
        OwnBot(
            submission,
            statuses[submission.id],
            _find_active_row(submission.bot.public_name, rows),
            usage.submissions[submission.bot.name],
        )
        for submission in newest
    ]
    return OwnBots(bots, usage, next((row.measure for row in rows.values()), "rating"))


def _list_newest(store: HillStore, bots: Iterable[str]) -> list[Submission]:
    """Return the newest submission of each bot."""
    return [submission for bot in bots for submission in store.submissions.select(bot=bot, limit=1)]


def _find_active_row(bot: str, rows: Mapping[str, StandingsRow]) -> StandingsRow | None:
    """Return the standings row of the active version of a bot, or None."""
    return next((row for row in rows.values() if row.name == bot and not row.state), None)


async def show_languages(context: PageContext) -> Response:
    """Show the languages for bots."""
    languages = await context.served.ask_in_turn(context.access.find_languages)
    return context.render("languages.html", languages=languages)
