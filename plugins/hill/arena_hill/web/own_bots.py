"""Pages for an author about its submissions and bots, with their verdicts; others get 404."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from heapq import nlargest
from itertools import islice
from typing import Self

from attrs import frozen
from starlette.exceptions import HTTPException
from starlette.responses import Response

from arena import Fault
from arena.rules import UnknownNameError
from arena.tournament.match_record import StoredMatch
from arena.tournament.store import EntrantTotals, MatchFilter, Store
from arena.wires import dump
from arena_hill.api_format import SubmissionStatus
from arena_hill.db.accounts import Principal
from arena_hill.db.bots import Bot
from arena_hill.db.quotas import SubmissionQuota
from arena_hill.db.submissions import Submission, SubmissionResults
from arena_hill.hill import Hill
from arena_hill.hill_access import HillAccess
from arena_hill.redaction import redact_paths
from arena_hill.submission_status import SubmissionStage, describe_status, list_stages
from arena_hill.web.page_context import AuthorPage, index_rows
from arena_web.matches.visibility import is_public
from arena_web.page_templates import PageValues
from arena_web.pages.standings_rows import StandingsRow

MAX_VERDICTS = 20
MAX_SUBMISSIONS = 50  # submissions of a bot


@frozen(kw_only=True)
class SubmissionPage(PageValues):
    """The values of the page of a submission, for its author."""

    template = "hill/submission.html"

    submission: Submission
    status: SubmissionStatus
    status_text: tuple[str, str]  #: in a few words, and their meaning
    results: SubmissionResults
    stages: Sequence[SubmissionStage]
    can_open: bool  #: whether its source can be made public


@frozen(kw_only=True)
class SubmissionPart(SubmissionPage):
    """The values of that part of the page which it loads again by itself."""

    template = "hill/progress.html"


@frozen
class VerdictDetails:
    """The details of a verdict, which may reveal hands."""

    text: str
    question: str  #: as on the JSON wire, or empty
    line: str  #: what came as the answer
    seconds: float
    limit: float | None  #: in seconds
    stderr: str  #: the end of it


@frozen
class BotVerdict:
    """A verdict against a bot."""

    match: str  #: its key
    kind: str
    details: VerdictDetails | None  #: None until the deal is over


@frozen(kw_only=True)
class BotPage(PageValues):
    """The values of the page of a bot, for its author."""

    template = "hill/bot.html"

    bot: Bot
    submissions: Sequence[Submission]  #: the newest first
    statuses: Mapping[int, SubmissionStatus]  #: by the ids of the submissions
    rows: Sequence[StandingsRow]  #: of its versions
    times: Mapping[str, EntrantTotals]  #: by the ids of its versions
    verdicts: Sequence[BotVerdict]  #: the newest first
    quota: SubmissionQuota


async def show_submission(context: AuthorPage) -> Response:
    """Show the progress and the report of a submission, or only that part of the page."""
    submission = await context.find_own_submission()
    status = (await context.read_statuses()).compute_for_author(submission)
    results = await context.ask(lambda store: store.submissions.load_results(submission.id))
    kept = await context.ask(lambda store: store.submissions.select_kept(ids=[submission.id]))
    part = context.request.query_params.get("part")
    if part not in (None, "submission"):
        raise HTTPException(404)
    kind = SubmissionPart if part else SubmissionPage
    page = kind(
        submission=submission,
        status=status,
        status_text=describe_status(status),
        results=results,
        stages=list_stages(submission, results, status),
        can_open=bool(kept) and not submission.forgotten,
    )
    return context.render(page)


@frozen
class BotReading:
    """What the page of a bot shows besides the tournament's results, as it was read at once."""

    bot: Bot
    submissions: Sequence[Submission]  #: the newest first
    statuses: Mapping[int, SubmissionStatus]  #: by the ids of the submissions
    quota: SubmissionQuota

    @classmethod
    def of(cls, access: HillAccess, author: Principal, name: str) -> Self:
        """Read what an author is shown of a bot; raise NotOwnedError or StorageError."""
        bot = access.store.act_as(author).find_bot(name)
        submissions = access.store.submissions.select(bot=bot.name, limit=MAX_SUBMISSIONS)
        statuses = access.read_statuses().compute_all(submissions)
        quota = access.measure_usage(author).submissions[bot.name]
        return cls(bot, submissions, statuses, quota)


async def show_bot(context: AuthorPage) -> Response:
    """Show an author one of its bots: submissions, results, verdicts."""
    read = partial(BotReading.of, context.access, context.author, context.bot)
    reading = await context.served.ask(read)
    name = reading.bot.public_name
    view = await context.served.load_view()
    rows = [row for row in index_rows(view).values() if row.name == name]
    read_verdicts = partial(list_verdicts, bot=name, hill=context.access.hill)
    page = BotPage(
        bot=reading.bot,
        submissions=reading.submissions,
        statuses=reading.statuses,
        rows=rows,
        times={row.entry.id: row.totals for row in view.summary.standings} if view else {},
        verdicts=await context.served.tournament.ask(read_verdicts) if rows else [],
        quota=reading.quota,
    )
    return context.render(page)


def list_verdicts(store: Store, *, bot: str, hill: Hill) -> list[BotVerdict]:
    """Return the latest verdicts against a bot, the newest first."""
    matches = {match.key: match for kind in Fault for match in _list_matches(store, bot, kind)}
    newest = [matches[key] for key in nlargest(MAX_VERDICTS, matches)]
    verdicts = (
        verdict for match in newest for verdict in _list_verdicts_in(store, match, bot, hill)
    )
    return [*islice(verdicts, MAX_VERDICTS)]


def _list_matches(store: Store, bot: str, kind: Fault) -> Iterator[StoredMatch]:
    try:
        yield from store.matches.find_matches(
            MatchFilter(bot=bot, verdict=kind, limit=MAX_VERDICTS, newest=True)
        )
    except UnknownNameError:  # it has not come in yet
        return


def _list_verdicts_in(
    store: Store, match: StoredMatch, bot: str, hill: Hill
) -> Iterator[BotVerdict]:
    """Yield the verdicts of a bot in a match, one for each seat that failed."""
    public = is_public(store, match.deal)
    for seat in match.seats:
        verdict = seat.failure
        if seat.name != bot or verdict is None:
            continue
        details = VerdictDetails(
            text=redact_paths(verdict.detail, hill),
            question=dump(verdict.question) if verdict.question else "",
            line=verdict.line,
            seconds=verdict.seconds,
            limit=verdict.limit,
            stderr=redact_paths(seat.stderr or "", hill),
        )
        yield BotVerdict(match.match, verdict.kind, details if public else None)


async def withdraw_bot(context: AuthorPage) -> Response:
    """Withdraw a bot."""
    bot = await context.ask_owner(lambda own: own.withdraw(context.bot))
    return context.redirect(f"bots/{bot.name}")


async def set_submission_visibility(context: AuthorPage) -> Response:
    """Make the source of one submission public or private."""
    submission_id, public = context.number, (await context.read_form()).get("public") == "yes"
    await context.ask_owner(lambda own: own.set_submission_visibility(submission_id, public=public))
    return context.redirect(f"submissions/{submission_id}#source")


async def set_source_visibility(context: AuthorPage) -> Response:
    """Make the source of a bot's version that takes part public or private."""
    public = (await context.read_form()).get("public") == "yes"
    bot = await context.ask_owner(lambda own: own.set_source_visibility(context.bot, public=public))
    return context.redirect(f"bots/{bot.name}#source")
