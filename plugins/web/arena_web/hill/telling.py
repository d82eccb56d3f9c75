"""What programs are told of a hill and of a submission, as JSON."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from arena.wires import converter
from arena_web.hill.office import Office
from arena_web.hill.standing import Standing
from arena_web.hill.submissions import Submission
from arena_web.served import Seen
from arena_web.tournaments import times_of


def told_hill(office: Office, seen: Seen | None) -> dict[str, Any]:
    """Return what is played at a hill, and by which terms, which is for everybody."""
    spec = office.spec
    return {
        "name": office.name,
        "title": office.config.title,
        "description": office.config.description,
        "link": office.config.link,
        "game": spec.game.name,
        "options": spec.game.write_variant(spec.variant),
        "table": spec.seats_per_match,
        "time": converter.unstructure(spec.file.time),
        "size": office.config.size,
        "contact": office.config.contact,
        **times_of(seen),
    }


def told(office: Office, submission: Submission, standing: Standing) -> dict[str, Any]:
    """Return what an author is told of a submission."""
    return {
        "submission": submission.id,
        "hill": office.name,
        "bot": submission.bot,
        "sha256": submission.sha256,
        "bytes": submission.size,
        "version": submission.version,
        "received": _when(submission.received),
        "moved": _when(submission.moved),
        **standing.pack(),
        "report": submission.report,
        "log": submission.log,
    }


def _when(seconds: float) -> str:
    """Return a moment as ISO 8601 has it.

    >>> _when(0)
    '1970-01-01T00:00:00+00:00'
    """
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="seconds")
