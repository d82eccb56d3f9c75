"""Quotas of an author: bots, submissions of a bot in a day, and room on the hill's disk."""

from __future__ import annotations

from collections.abc import Mapping
from math import ceil

from attrs import frozen

from arena.tournament.file.contents import HillConfig
from arena_hill.db.bots import Bot
from arena_hill.db.stored_uploads import list_uploads, sum_copy_bytes, sum_upload_bytes
from arena_hill.db.transactions import HillSnapshot
from arena_hill.denials import Denial, SubmissionDeniedError, format_wait
from arena_hill.submission_states import SubmissionState
from arena_hill.units import DAY_SECONDS, MB

RETENTION_DAYS = 30  # that an upload is kept, if it is not in
QUOTA_SHARES = {SubmissionState.REJECTED: 0.5, SubmissionState.FAILED: 0.0}
"""The part of a quota that a submission uses, if not 1; host failures use nothing."""


@frozen
class Quota:
    """What is used of something, and what is allowed."""

    used: float
    allowed: int


@frozen
class SubmissionQuota(Quota):
    """What is used of the submissions of a bot in 24 hours."""

    more_in: int  #: the seconds until it may submit again; 0: now


@frozen
class AuthorUsage:
    """What an author has used of what the hill allows."""

    bots: Quota
    uploads_mb: Quota  #: also of the copies of its bots
    submissions: Mapping[str, SubmissionQuota]  #: by the names of its bots


@frozen
class Quotas:
    """What an author has used of what the hill allows, within a transaction."""

    snapshot: HillSnapshot
    author_id: int
    config: HillConfig
    copies: Mapping[str, int]  #: the bytes of all copies of bots that are kept, by their names

    def check(self, bot: Bot | None, sha256: str, size: int) -> None:
        """Raise SubmissionDeniedError, with the waiting time, if an upload exceeds a quota.

        `bot` is None for a new one.
        """
        if bot is None:
            self._check_bots()
        else:
            self._check_submissions(bot)
        self._check_room(bot, sha256, size)

    def _check_bots(self) -> None:
        """Raise SubmissionDeniedError if the author may have no more bots."""
        query = "SELECT COUNT(*) FROM bots WHERE author = ?"
        count = self.snapshot.connection.read_value(query, (self.author_id,))
        if count >= self.config.bots:
            raise SubmissionDeniedError(
                Denial.LIMIT,
                f"you have {count} bots, and {self.config.bots} are allowed on this hill: submit a"
                " new version of one of them",
            )

    def _check_submissions(self, bot: Bot) -> None:
        """Raise SubmissionDeniedError if a bot may not be submitted again yet."""
        quota = self._count_submissions(bot.id)
        if quota.more_in:
            raise SubmissionDeniedError(
                Denial.LIMIT,
                f"{quota.used:g} of {quota.allowed} submissions of this bot in 24 hours are used"
                f" (a rejected one counts half): submit again in"
                f" {format_wait(quota.more_in)}",
                quota.more_in,
            )

    def _check_room(self, bot: Bot | None, sha256: str, size: int) -> None:
        """Raise SubmissionDeniedError if an upload exceeds the author's room on the disk.

        An archive that the author has stored already takes no more room. The copies of the bot's
        earlier versions are not counted, since that of the new version takes their place.
        """
        stored = list_uploads(self.snapshot, self.author_id)
        uploads = sum_upload_bytes(stored)
        others = [upload for upload in stored if bot is None or upload.bot != bot.id]
        built = sum_copy_bytes(others, self.copies)
        is_stored = any(upload.sha256 == sha256 and not upload.forgotten for upload in stored)
        if uploads + built + (0 if is_stored else size) > self.config.uploads_mb * MB:
            raise SubmissionDeniedError(
                Denial.TOO_LARGE,
                f"this would exceed your {self.config.uploads_mb} MB on this hill's disk: your"
                f" uploads take {uploads / MB:.1f} MB (they are kept for {RETENTION_DAYS} days),"
                f" your other bots {built / MB:.1f} MB; withdraw one of them, or build less",
            )

    def _count_submissions(self, bot: int) -> SubmissionQuota:
        """Return what is used of a bot's submissions in 24 hours."""
        since = self.snapshot.now - DAY_SECONDS
        query = (
            "SELECT state, received FROM submissions WHERE bot = ? AND received > ?"
            " ORDER BY received"
        )
        rows = self.snapshot.connection.read_rows(query, (bot, since))
        counted = used = sum(QUOTA_SHARES.get(SubmissionState(state), 1.0) for state, _ in rows)
        wait = 0.0
        for state, received in rows:  # the oldest count no more first
            if counted + 1 <= self.config.submissions:
                break
            counted -= QUOTA_SHARES.get(SubmissionState(state), 1.0)
            wait = received - since
        return SubmissionQuota(used, self.config.submissions, ceil(wait))

    def measure_usage(self) -> AuthorUsage:
        """Return the usage of each quota by the author."""
        query = "SELECT id, name FROM bots WHERE author = ?"
        bots = self.snapshot.connection.read_rows(query, (self.author_id,))
        uploads = list_uploads(self.snapshot, self.author_id)
        stored = sum_upload_bytes(uploads) + sum_copy_bytes(uploads, self.copies)
        return AuthorUsage(
            Quota(len(bots), self.config.bots),
            Quota(round(stored / MB, 1), self.config.uploads_mb),
            {name: self._count_submissions(bot_id) for bot_id, name in bots},
        )
