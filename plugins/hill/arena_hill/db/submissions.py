"""Submissions, their states, and the commands that follow from them."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from enum import StrEnum
from time import time
from types import MappingProxyType
from typing import Any

from attrs import frozen
from sqlalchemy import Connection, Row, Select, insert, select, update

from arena.extend import Entry, HillConfig, converter, dump, format_id
from arena.tournament import State
from arena_hill.db.authors import AuthorDatabase, Identity
from arena_hill.db.quotas import (
    MB,
    SubmissionDeniedError,
    check_quotas,
    find_or_create_bot,
    measure_quota,
    sum_stored_bytes,
)
from arena_hill.db.schema import authors, bots, orders, submissions

SUPERSEDED = "a newer upload arrived before the hill could check this one"
MAX_LOG_LENGTH = 20_000  # characters of a log


class JudgingState(StrEnum):
    """The judging state of a submission."""

    QUEUED = "queued"
    UNPACKING = "unpacking"
    BUILDING = "building"
    CHECKING = "checking"
    ACCEPTED = "accepted"  #: the rest stands in the tournament: in, replaced, withdrawn, waiting
    REJECTED = "rejected"  #: by its own fault
    FAILED = "failed"  #: by the host's, and a newer upload has taken its place
    WITHDRAWN = "withdrawn"  #: before it was in


NO_COPIES: Mapping[str, int] = MappingProxyType({})
JUDGED_STATES = (JudgingState.UNPACKING, JudgingState.BUILDING, JudgingState.CHECKING)
OPEN_STATES = (JudgingState.QUEUED, *JUDGED_STATES)


@frozen
class Submission:
    """One upload with its state and results."""

    id: int
    author: int
    author_name: str
    bot: str  #: its name
    sha256: str  #: of the archive
    size: int  #: bytes
    state: JudgingState
    why: str
    version: str  #: once it is known, else empty
    log: str  #: of its build
    report: Mapping[str, Any] | None  #: of its check, as `arena check --json` prints it
    received: float  #: seconds since 1970
    state_since: float  #: when its state became what it is
    tries: int  #: that came to no result, by the host's fault or because the judge was killed
    public: bool  #: may everybody see the source of the version of its bot that takes part?
    opened: bool  #: may everybody see its source, also while another version takes part?
    hidden: bool  #: its name is not to be shown

    @property
    def entrant(self) -> str:
        """The id of its entrant in the tournament, once its version is known."""
        return format_id(self.bot, self.version)


class SubmissionDatabase(AuthorDatabase):
    """The tables of bots, submissions and commands."""

    def submit(  # all of it is one upload
        self,
        author: Identity,
        bot: str,
        sha256: str,
        size: int,
        config: HillConfig,
        *,
        taken: Collection[str] = (),
        gone: Collection[str] = (),
        copies: Mapping[str, int] = NO_COPIES,
    ) -> tuple[Submission, bool]:
        """Queue an upload; return the submission, and whether it is new (not unchanged).

        It takes the place of one that the host could not check so far, which counts nothing.
        `taken` are names that no bot may have, `gone` the entrants who take part no more, `copies`
        the bytes of the copies of bots that are kept, by what they are called.
        Raises SubmissionDeniedError with what is allowed, and when more is, and TokenRevokedError.
        """
        with self.begin_write_as(author) as connection:
            number = find_or_create_bot(connection, author.id, bot, taken, config)
            good = submissions.c.state.in_([*map(str, OPEN_STATES), str(JudgingState.ACCEPTED)])
            asked = select_submissions().where(bots.c.id == number, good).limit(1)
            if last := connection.execute(asked).one_or_none():
                before = read_row(last)
                if before.sha256 == sha256 and _is_current(before, gone):
                    return before, False
                if before.state is JudgingState.QUEUED and before.tries:
                    set_submission_state(connection, before.id, JudgingState.FAILED, SUPERSEDED)
                elif before.state in OPEN_STATES:
                    raise SubmissionDeniedError(
                        f"{bot}: submission {before.id} is still being checked", 409
                    )
            check_quotas(connection, author.id, number, size, config, copies=copies)
            now = time()
            values = {
                "bot": number, "sha256": sha256, "size": size, "state": str(JudgingState.QUEUED),
                "why": "", "version": "", "log": "", "received": now, "moved": now, "tries": 0,
            }  # fmt: skip
            made = connection.execute(
                insert(submissions).values(values).returning(submissions.c.id)
            )
            return get_submission(connection, made.scalar_one()), True

    def find_submission(self, number: int) -> Submission | None:
        """Return a submission by its number, or None."""
        with self.begin_read() as connection:
            row = connection.execute(
                select_submissions().where(submissions.c.id == number)
            ).one_or_none()
        return read_row(row) if row else None

    def list_submissions(
        self, *, author: int | None = None, bot: str | None = None,
        states: Collection[JudgingState] | None = None, numbers: Collection[int] | None = None,
        limit: int | None = None,
    ) -> list[Submission]:  # fmt: skip
        """Return submissions, the newest first, filtered by author, bot, states or numbers."""
        asked = select_submissions().limit(limit)
        if numbers is not None:
            asked = asked.where(submissions.c.id.in_(numbers))
        if author is not None:
            asked = asked.where(bots.c.author == author)
        if bot is not None:
            asked = asked.where(bots.c.folded == bot.casefold())
        if states is not None:
            asked = asked.where(submissions.c.state.in_([str(state) for state in states]))
        with self.begin_read() as connection:
            return [read_row(row) for row in connection.execute(asked)]

    def list_open(self) -> list[int]:
        """Return the numbers of the submissions in progress, in order."""
        asked = select(submissions.c.id).where(submissions.c.state.in_([*map(str, OPEN_STATES)]))
        with self.begin_read() as connection:
            return [*connection.scalars(asked.order_by(submissions.c.id))]

    def expire(self, before: float, current: Collection[str]) -> None:
        """Delete the data of old submissions that are finished and not in, except their results.

        Its upload can be deleted; its log and its report go. `current` are the ids of the entrants
        that are in, or wait for a place.
        """
        asked = select_submissions().where(
            submissions.c.received < before, ~submissions.c.forgotten
        )
        with self.begin_write() as connection:
            found = [read_row(row) for row in connection.execute(asked)]
            old = [
                submission.id
                for submission in found
                if submission.state not in OPEN_STATES and submission.entrant not in current
            ]
            changed = update(submissions).where(submissions.c.id.in_(old))
            connection.execute(changed.values(forgotten=True, log="", report=None))

    def list_uploads(self) -> set[str]:
        """Return the SHA-256 of all stored uploads."""
        with self.begin_read() as connection:
            asked = select(submissions.c.sha256).where(~submissions.c.forgotten)
            return {*connection.scalars(asked)}

    def measure_usage(
        self, author: int, config: HillConfig, copies: Mapping[str, int] = NO_COPIES
    ) -> Mapping[str, Any]:
        """Return an author's quotas: used, allowed, and for each bot when more is."""
        with self.begin_read() as connection:
            mine = connection.execute(select(bots).where(bots.c.author == author)).all()
            kept = sum_stored_bytes(connection, author, copies)
            each = {row.name: measure_quota(connection, row.id, config) for row in mine}
        return {
            "bots": {"used": len(mine), "allowed": config.bots},
            "uploads_mb": {"used": round(kept / MB, 1), "allowed": config.uploads_mb},
            "submissions": {
                name: {
                    "used": used,
                    "allowed": config.submissions,
                    "more_in": round(wait),
                }
                for name, (used, wait) in each.items()
            },
        }

    def set_state(self, number: int, state: JudgingState, why: str = "", **known: Any) -> bool:
        """Set the state of a submission, with its `log`, `report` or `version` once known.

        Returns whether it was still at work: one that was withdrawn meanwhile stays so.
        """
        if known.get("report") is not None:
            known["report"] = dump(known["report"])
        if "log" in known:
            known["log"] = known["log"][-MAX_LOG_LENGTH:]
        with self.begin_write() as connection:
            return set_submission_state(connection, number, state, why, **known)

    def accept(self, number: int, entry: Entry) -> bool:
        """Accept a submission; return whether it was still in progress."""
        with self.begin_write() as connection:
            if not set_submission_state(
                connection, number, JudgingState.ACCEPTED, version=entry.version
            ):
                return False
            add_command(connection, entry.name, entry)
            return True


def select_submissions() -> Select[Any]:
    """Return the query for submissions with their authors, the newest first."""
    return (
        select(
            submissions,
            bots.c.name.label("name"),
            bots.c.author,
            bots.c.public,
            bots.c.hidden,
            authors.c.name.label("author_name"),
        )
        .join_from(submissions, bots)
        .join(authors)
        .order_by(submissions.c.id.desc())
    )


def get_submission(connection: Connection, number: int) -> Submission:
    """Return an existing submission."""
    return read_row(
        connection.execute(select_submissions().where(submissions.c.id == number)).one()
    )


def read_row(row: Row[Any]) -> Submission:
    """Return the submission of a row that `select_submissions` found."""
    return Submission(
        row.id, row.author, row.author_name, row.name, row.sha256, row.size,
        JudgingState(row.state), row.why,
        row.version, row.log, json.loads(row.report) if row.report else None,
        row.received, row.moved, row.tries, row.public, row.opened, row.hidden,
    )  # fmt: skip


def _is_current(before: Submission, gone: Collection[str]) -> bool:
    """Whether a submission is being processed, or its bot takes part."""
    return before.state in OPEN_STATES or (
        before.state is JudgingState.ACCEPTED and before.entrant not in gone
    )


def set_submission_state(
    connection: Connection, number: int, state: JudgingState, why: str = "", **known: Any
) -> bool:
    """Change the state of a submission in progress; return whether it still was."""
    open_still = submissions.c.state.in_([*map(str, OPEN_STATES)])
    moved = update(submissions).where(submissions.c.id == number, open_still)
    done = connection.execute(moved.values(state=str(state), why=why, moved=time(), **known))
    return bool(done.rowcount)


def add_command(
    connection: Connection, bot: str, entry: Entry | None, *,
    state: State = State.ACTIVE, why: str = "", alias: str = "",
) -> None:  # fmt: skip
    """Add a command: admit an entry, change the state of a bot, or hide its name."""
    packed = dump(converter.unstructure(entry)) if entry else None
    values = {"bot": bot, "entry": packed, "state": str(state), "why": why, "alias": alias}
    connection.execute(insert(orders).values(values))
