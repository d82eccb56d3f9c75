"""The documents of a hill's API, made from what the hill knows; `api_format` has their keys."""

from __future__ import annotations

from datetime import UTC, datetime

from arena.tournament.file.spec import TournamentSpec
from arena.tournament.ratings.rating_input import Results
from arena.tournament.results.stored_ratings import choose_model
from arena.tournament.store import StoredSettings
from arena.wires import converter
from arena_hill.api_format import (
    API_ROOT,
    AccountDocument,
    AuthorDocument,
    HillDocument,
    HillsDocument,
    QuotaDocument,
    SubmissionDocument,
    SubmissionQuotaDocument,
    SubmissionStatus,
    UploadAnswer,
)
from arena_hill.db.accounts import Principal
from arena_hill.db.quotas import AuthorUsage, Quota
from arena_hill.db.submissions import Submission
from arena_hill.hill import Hill
from arena_hill.hill_access import HillAccess
from arena_web.pages.standings import StandingsDocument
from arena_web.pages.tournament_heading import TournamentHeading, get_match_times
from arena_web.tournaments.views import TournamentView

SUBMISSION_PATH = API_ROOT + "/submissions/{}"


def _build_hill_document(hill: Hill, view: TournamentView | None) -> HillDocument:
    """Return a hill's public settings."""
    spec, config = hill.spec, hill.config
    times = get_match_times(view.snapshot if view else None)
    return HillDocument(
        name=hill.name,
        title=config.title,
        description=config.description,
        link=config.link,
        game=spec.game.name,
        options=spec.game.write_variant(spec.variant),
        table=spec.seats_per_match,
        time=spec.file.time,
        size=config.size,
        contact=config.contact,
        started=times.started,
        last_match=times.last_match,
    )


def build_hills_document(hill: Hill, view: TournamentView | None) -> HillsDocument:
    """Return the public settings of a site's only hill."""
    return HillsDocument([converter.unstructure(_build_hill_document(hill, view))])


def read_submission_document(access: HillAccess, submission: Submission) -> SubmissionDocument:
    """Return a submission with its status and its results, for its author."""
    status = access.read_statuses().compute_for_author(submission)
    results = access.store.submissions.load_results(submission.id)
    return SubmissionDocument(
        state=status.state,
        why=status.why,
        position=status.position,
        over=status.over,
        submission=submission.id,
        hill=access.hill.name,
        bot=submission.bot.name,
        sha256=submission.sha256,
        bytes=submission.size,
        version=submission.version,
        received=_format_time(submission.received),
        moved=_format_time(submission.state_since),
        report=results.report,
        log=results.log,
    )


def build_empty_standings(spec: TournamentSpec) -> StandingsDocument:
    """Return the standings of a hill before its first start, with the keys of any standings."""
    settings = StoredSettings.of(spec)
    ratings = choose_model(settings).fit(Results.empty(spec.seats_per_match), spec.file.level)
    heading = TournamentHeading(
        game=spec.game.name,
        stored=0,
        planned=0,
        counted=0,
        measure=ratings.measure,
        has_opponents=not settings.is_cooperative,
        over=False,
        started=None,
        last_match=None,
    )
    return StandingsDocument(heading, ratings.level, left=0, standings=())


def build_account_document(author: Principal, hill: str, usage: AuthorUsage) -> AccountDocument:
    """Return an author with the usage of its quotas at a hill."""
    document = AuthorDocument(
        bots=_build_quota(usage.bots),
        uploads_mb=_build_quota(usage.uploads_mb),
        submissions={
            bot: SubmissionQuotaDocument(quota.used, quota.allowed, quota.more_in)
            for bot, quota in usage.submissions.items()
        },
        author=author.name,
        scope=author.scope,
        public=author.public,
    )
    return AccountDocument({hill: document})


def _build_quota(quota: Quota) -> QuotaDocument:
    return QuotaDocument(quota.used, quota.allowed)


def build_upload_answer(submission: Submission, status: SubmissionStatus) -> UploadAnswer:
    """Return the answer to an upload that was taken."""
    return UploadAnswer(
        state=status.state,
        why=status.why,
        position=status.position,
        over=status.over,
        submission=submission.id,
        version=submission.version,
        url=SUBMISSION_PATH.format(submission.id),
    )


def _format_time(seconds: float) -> str:
    """Format a time by ISO 8601.

    >>> _format_time(0)
    '1970-01-01T00:00:00+00:00'
    """
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="seconds")
