"""The front page of a hill: its rules and limits, who came in, and the author's own bots."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from functools import partial
from typing import Self

from attrs import frozen
from starlette.responses import Response

from arena.tournament.entries import format_id
from arena.tournament.file.spec import TournamentSpec
from arena_hill.api_format import SubmissionStatus
from arena_hill.db.accounts import Principal
from arena_hill.db.quotas import AuthorUsage, SubmissionQuota
from arena_hill.db.submissions import Submission
from arena_hill.hill_access import HillAccess
from arena_hill.installed_languages import InstalledLanguage, find_bot_languages
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


@frozen
class OwnReading:
    """What an author's own part of the front page depends on."""

    newest: Sequence[Submission]  #: of each bot
    usage: AuthorUsage


@frozen
class FrontReading:
    """What the front page depends on besides the tournament's standings, as it was read at once."""

    accepted: Sequence[Submission]  #: and not withdrawn since, the newest first
    public: Collection[int]  #: the ids of those whose source everybody may read
    own: OwnReading | None  #: None for somebody who is not signed in
    statuses: StatusReading
    notice: str  #: why nothing can be submitted now, or empty

    @classmethod
    def of(cls, access: HillAccess, author: Principal | None) -> Self:
        """Read what an author is shown, or somebody who is not signed in; raise StorageError."""
        submissions = access.store.submissions
        accepted = submissions.select_kept(limit=MAX_NEW_BOTS)
        own = None
        if author is not None:
            own = OwnReading(submissions.list_newest(author.id), access.measure_usage(author))
        statuses = access.read_statuses()
        ids = [submission.id for submission in accepted]
        public = access.list_public_sources(statuses.active, ids)
        public_ids = {submission.id for submission in public}
        return cls(accepted, public_ids, own, statuses, access.intake.find_notice())

    def describe_accepted(self, rows: Mapping[str, StandingsRow]) -> list[AcceptedBot]:
        """Return the accepted submissions as everybody sees them, by the rows of the standings."""
        statuses = self.statuses.compute_all(self.accepted)
        return [
            AcceptedBot(
                submission.id,
                submission.bot.public_name,
                statuses[submission.id].state,
                format_id(submission.bot.public_name, submission.version) in rows,
                submission.id in self.public,
            )
            for submission in self.accepted
        ]

    def describe_own(self, rows: Mapping[str, StandingsRow]) -> OwnBots | None:
        """Return the author's bots, with their rows of the standings; None without an author."""
        if self.own is None:
            return None
        usage, statuses = self.own.usage, self.statuses.compute_all(self.own.newest)
        bots = [
            OwnBot(
                submission,
                statuses[submission.id],
                _find_active_row(submission.bot.public_name, rows),
                usage.submissions[submission.bot.name],
            )
            for submission in self.own.newest
        ]
        return OwnBots(bots, usage, next((row.measure for row in rows.values()), "rating"))


async def show_front(context: PageContext) -> Response:
    """Show the hill's rules, how to submit a bot and, to an author, their own bots."""
    spec = context.access.hill.spec
    view = await context.served.load_view()
    rows, times = index_rows(view), get_match_times(view.snapshot if view else None)
    reading = await context.served.ask(partial(FrontReading.of, context.access, context.author))
    page = FrontPage(
        spec=spec,
        rules=[*list_rules(spec)],
        check_command=build_check_command(spec),
        example=build_bot_file(spec),
        address=context.address,
        push_url=context.build_git_url(),
        new_bots=reading.describe_accepted(rows),
        mine=reading.describe_own(rows),
        waiting=len(reading.statuses.positions),
        notice=reading.notice,
        times=times,
    )
    return context.render(page)


def _find_active_row(bot: str, rows: Mapping[str, StandingsRow]) -> StandingsRow | None:
    """Return the standings row of the active version of a bot, or None."""
    return next((row for row in rows.values() if row.name == bot and not row.state), None)


async def show_languages(context: PageContext) -> Response:
    """Show the languages for bots."""
    languages = await context.served.ask_in_turn(partial(find_bot_languages, context.access.hill))
    return context.render(LanguagesPage(languages=languages))
