"""Hills and submissions as JSON, for programs."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from arena.extend import converter
from arena_hill.db.submissions import Submission
from arena_hill.service import HillService
from arena_hill.submission_status import SubmissionStatus
from arena_web.pages.standings import build_times
from arena_web.sources import TournamentSnapshot


def serialize_hill(service: HillService, seen: TournamentSnapshot | None) -> dict[str, Any]:
    """Return a hill's public settings as JSON."""
    spec = service.spec
    return {
        "name": service.name,
        "title": service.config.title,
        "description": service.config.description,
        "link": service.config.link,
        "game": spec.game.name,
        "options": spec.game.write_variant(spec.variant),
        "table": spec.seats_per_match,
        "time": converter.unstructure(spec.file.time),
        "size": service.config.size,
        "contact": service.config.contact,
        **build_times(seen),
    }


def serialize_submission(
    service: HillService, submission: Submission, standing: SubmissionStatus
) -> dict[str, Any]:
    """Return a submission with its status as JSON, for its author."""
    return {
        "submission": submission.id,
        "hill": service.name,
        "bot": submission.bot,
        "sha256": submission.sha256,
        "bytes": submission.size,
        "version": submission.version,
        "received": _format_time(submission.received),
        "moved": _format_time(submission.state_since),
        **standing.to_json(),
        "report": submission.report,
        "log": submission.log,
    }


def _format_time(seconds: float) -> str:
    """Format a time by ISO 8601.

    >>> _format_time(0)
    '1970-01-01T00:00:00+00:00'
    """
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="seconds")
