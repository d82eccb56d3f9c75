"""The front page of a hill: its rules and limits, who came in, and the author's own bots."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

from attrs import frozen
from starlette.responses import Response

from arena.tournament.entries import format_id
from arena.tournament.file.spec import TournamentSpec
from arena_hill.api_format import AuthorUsage, SubmissionQuota, SubmissionStatus
from arena_hill.db.submissions import Submission
from arena_hill.installed_languages import InstalledLanguage, find_bot_languages
from arena_hill.submission_states import SubmissionState
from arena_hill.submission_status import StatusReading
from arena_hill.units import MB
from arena_hill.unzip import MAX_MEMBERS, MAX_UNPACKED_BYTES, MAX_UPLOAD_BYTES
from arena_hill.web.hill_rules import build_bot_file, build_check_command, list_rules
from arena_hill.web.page_context import PageContext, index_rows
from arena_web.page_templates import PageValues
from arena_web.pages.standings_rows import StandingsRow
from arena_web.pages.tournament_heading import MatchTimes, get_match_times

MAX_NEW_BOTS = 10  # submissions that came in


@frozen
class AcceptedBot:
    """A newly accepted submission, as everybody sees it."""

    id: int
    name: str
    state: str
    has_page: bool  #: whether the tournament has a page about it
    readable: bool  #: whether everybody may see its source


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


@frozen(kw_only=True)
class FrontPage(PageValues):
    """The values of the front page."""

    template = "hill/front.html"

    spec: TournamentSpec
    rules: Sequence[tuple[str, str]]  #: pairs of a heading and a text
    check_command: str
    example: str  #: of a bot.toml
    address: str  #: of this page
    push_url: str  #: to which a bot is pushed
    new_bots: Sequence[AcceptedBot]  #: the newest first
    mine: OwnBots | None  #: None for somebody who is not signed in
    waiting: int  #: submissions in progress
    notice: str  #: why nothing can be submitted now, or empty
    times: MatchTimes
    max_upload_bytes: int = MAX_UPLOAD_BYTES
    max_upload_mb: int = MAX_UPLOAD_BYTES // MB
    max_unpacked_mb: int = MAX_UNPACKED_BYTES // MB
    max_files: int = MAX_MEMBERS


@frozen(kw_only=True)
class LanguagesPage(PageValues):
    """The values of the page of the languages for bots."""

    template = "hill/languages.html"

    languages: Sequence[InstalledLanguage]


async def show_front(context: PageContext) -> Response:
    """Show the hill's rules, how to submit a bot and, to an author, their own bots."""
    spec = context.access.spec
    view = await context.served.load_view()
    rows, times = index_rows(view), get_match_times(view.snapshot if view else None)
    accepted = await context.ask(
        lambda store: store.submissions.select(
            states=[SubmissionState.ACCEPTED], limit=MAX_NEW_BOTS
        )
    )
    own = await _list_own(context)
    reading = await context.read_statuses()
    page = FrontPage(
        spec=spec,
        rules=[*list_rules(spec)],
        check_command=build_check_command(spec),
        example=build_bot_file(spec),
        address=context.address,
        push_url=context.build_git_url(),
        new_bots=await _describe_accepted(context, accepted, reading, rows),
        mine=await _describe_own_bots(context, own, reading, rows) if context.author else None,
        waiting=len(reading.positions),
        notice=await context.served.ask(context.access.intake.find_notice),
        times=times,
    )
    return context.render(page)


async def _describe_accepted(
    context: PageContext,
    submissions: Sequence[Submission],
    reading: StatusReading,
    rows: Mapping[str, StandingsRow],
) -> list[AcceptedBot]:
    """Return accepted submissions as everybody sees them."""
    statuses = reading.compute_all(submissions)
    find_public = partial(context.access.list_public_sources, reading.active, [*statuses])
    public = await context.served.ask(find_public)
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


async def _list_own(context: PageContext) -> list[Submission]:
    """Return the newest submission of each bot of the author, if there is one."""
    author = context.author
    if author is None:
        return []
    return await context.ask(lambda store: store.submissions.list_newest(author.id))


async def _describe_own_bots(
    context: PageContext,
    newest: Sequence[Submission],
    reading: StatusReading,
    rows: Mapping[str, StandingsRow],
) -> OwnBots:
    """Return the bots of the author by their newest submissions, with their places."""
    usage = await context.served.ask(partial(context.access.measure_usage, context.identity))
    statuses = reading.compute_all(newest)
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


def _find_active_row(bot: str, rows: Mapping[str, StandingsRow]) -> StandingsRow | None:
    """Return the standings row of the active version of a bot, or None."""
    return next((row for row in rows.values() if row.name == bot and not row.state), None)


async def show_languages(context: PageContext) -> Response:
    """Show the languages for bots."""
    languages = await context.served.ask_in_turn(partial(find_bot_languages, context.access.hill))
    return context.render(LanguagesPage(languages=languages))
