"""The terms of a hill on which nothing was entered and nothing is kept, for tests of its database."""

from __future__ import annotations

from collections.abc import Collection

from arena.tournament.file.contents import HillConfig
from arena_hill.db.author_actions import SubmissionTerms
from arena_hill.db.taken_names import NOTHING_RESERVED, ReservedTexts


def build_terms(
    config: HillConfig | None = None,
    *,
    reserved: ReservedTexts = NOTHING_RESERVED,
    inactive: Collection[str] = (),
) -> SubmissionTerms:
    """Return the terms of a hill with these settings, or with the usual ones."""
    return SubmissionTerms(config or HillConfig(), reserved, inactive, copies={})
