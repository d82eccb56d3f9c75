"""Submissions: their states and rows, names of bots, and the commands to the coordinator."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Mapping, Sequence
from enum import StrEnum
from time import time
from typing import Any

from attrs import frozen

from arena import UserError
from arena.host import NAME_PATTERN
from arena.tournament import State
from arena.tournament.file import HillConfig
from arena.tournament.lookalikes import TakenTexts, list_skeletons
from arena.tournament.models import Entry, format_id
from arena.tournament.store.connection import Connection, format_marks
from arena.wires import converter, dump

SUPERSEDED = "a newer upload arrived before the hill could check this one"

BAD_NAME = "{!r} cannot be a name: use 1 to 32 letters, digits and underscores"
SELECT_SUBMISSIONS = """
SELECT submissions.id, bots.author, authors.name, bots.name, sha256, size, state, why, version, log,
    report, received, moved, tries, bots.public, opened, hidden
FROM submissions JOIN bots ON bots.id = submissions.bot JOIN authors ON authors.id = bots.author
"""
"""The query for submissions as `read_row` reads them."""

NEWEST_FIRST = " ORDER BY submissions.id DESC"


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


@frozen
class Findings:
    """What an attempt has found out about a submission; None: nothing new."""

    version: str | None = None
    log: str | None = None  #: of its build
    report: Mapping[str, Any] | None = None  #: of its check, as `arena check --json` prints it


NOTHING_NEW = Findings()


class SubmissionDeniedError(UserError):
    """A denied submission, with the HTTP status and the seconds to wait."""

    def __init__(self, text: str, status: int, retry_after: float | None = None) -> None:
        super().__init__(text)
        self.status = status
        self.wait = retry_after


def get_submission(connection: Connection, number: int) -> Submission:
    """Return an existing submission."""
    query = f"{SELECT_SUBMISSIONS} WHERE submissions.id = ?"
    (row,) = connection.read_rows(query, (number,))
    return read_row(row)


def read_row(row: Sequence[Any]) -> Submission:
    """Return the submission of a row that `SELECT_SUBMISSIONS` selects."""
    (
        number, author, author_name, bot, sha256, size, state, why, version, log, report,
        received, moved, tries, public, opened, hidden,
    ) = row  # fmt: skip
    return Submission(
        number, author, author_name, bot, sha256, size, JudgingState(state), why, version, log,
        json.loads(report) if report else None, received, moved, tries,
        bool(public), bool(opened), bool(hidden),
    )  # fmt: skip


def set_submission_state(
    connection: Connection,
    number: int,
    state: JudgingState,
    why: str = "",
    findings: Findings = NOTHING_NEW,
    *,
    more_tries: int = 0,
) -> bool:
    """Change the state of a submission in progress; return whether it still was."""
    update = (
        "UPDATE submissions SET state = ?, why = ?, moved = ?, version = COALESCE(?, version),"
        " log = COALESCE(?, log), report = COALESCE(?, report), tries = tries + ?"
        f" WHERE id = ? AND state IN ({format_marks(OPEN_STATES)})"
    )
    report = None if findings.report is None else dump(findings.report)
    new = (findings.version, findings.log, report, more_tries)
    values = (str(state), why, time(), *new, number, *map(str, OPEN_STATES))
    return bool(connection.execute(update, values).rowcount)


def add_command(
    connection: Connection, bot: str, entry: Entry | None, *,
    state: State = State.ACTIVE, why: str = "", alias: str = "",
) -> None:  # fmt: skip
    """Add a command: admit an entry, change the state of a bot, or hide its name."""
    packed = dump(converter.unstructure(entry)) if entry else None
    insert = "INSERT INTO orders (bot, entry, state, why, alias) VALUES (?, ?, ?, ?, ?)"
    connection.execute(insert, (bot, packed, str(state), why, alias))


def find_or_create_bot(
    connection: Connection, author: int, bot: str, taken: Collection[str], config: HillConfig
) -> int:
    """Return the number of an author's bot, which may be new; raise SubmissionDeniedError.

    `taken` are names and titles that no bot may have, nor look like.
    """
    if not re.fullmatch(NAME_PATTERN, bot):
        raise SubmissionDeniedError(BAD_NAME.format(bot), 422)
    folded = bot.casefold()
    row = connection.read_row("SELECT id, author FROM bots WHERE folded = ?", (folded,))
    if row is not None:
        number, owner = row
        if owner != author:
            raise SubmissionDeniedError(
                f"{bot} belongs to another author: choose another name", 409
            )
        return int(number)
    if folded in {name.casefold() for name in taken} or looks_like_alias(bot):
        raise SubmissionDeniedError(f"{bot} is a reserved name: choose another one", 409)
    if other := _find_like_name(connection, author, bot, taken):
        raise SubmissionDeniedError(f"{bot} looks like {other!r}: choose another name", 409)
    mine = connection.read_value("SELECT COUNT(*) FROM bots WHERE author = ?", (author,))
    if mine >= config.bots:
        raise SubmissionDeniedError(
            f"you have {mine} bots, and {config.bots} are allowed on this hill: submit a new"
            " version of one of them",
            429,
        )
    insert = "INSERT INTO bots (name, folded, author) VALUES (?, ?, ?) RETURNING id"
    (number,) = connection.read_column(insert, (bot, folded, author))
    return int(number)


def looks_like_alias(text: str) -> bool:
    """Whether a name or title may be taken for the alias of a bot whose name is hidden.

    >>> looks_like_alias("Bot 17"), looks_like_alias("bot_l7"), looks_like_alias("bot_x")
    (True, True, False)
    """
    digits = "".join(list_skeletons("0123456789"))  # what they look like: a zero like an O
    return any(re.fullmatch(f"bot[{digits}]+", skeleton) for skeleton in list_skeletons(text))


def _find_like_name(connection: Connection, author: int, bot: str, taken: Collection[str]) -> str:
    """Return what is taken, or the name of another author's bot, that a name looks like, or ""."""
    query = "SELECT name FROM bots WHERE author <> ? AND NOT hidden"
    texts = TakenTexts()
    for text in (*taken, *connection.read_column(query, (author,))):
        texts.add(text, text)
    return texts.find(bot, bot)


def find_bot(connection: Connection, bot: str) -> tuple[int, str]:
    """Return the number and the name of the bot of this name, or of the alias that is shown.

    Raises:
        UserError: if there is none.
    """
    query = "SELECT id, name, folded FROM bots WHERE folded = ? OR hidden"
    for number, name, folded in connection.read_rows(query, (bot.casefold(),)):
        if bot.casefold() in {folded, format_alias(number)}:
            return number, name
    raise UserError(f"there is no bot called {bot}")


def withdraw_bot(connection: Connection, number: int, name: str, why: str) -> None:
    """Withdraw a bot with all of its submissions in progress or in the tournament."""
    states = [*map(str, OPEN_STATES), str(JudgingState.ACCEPTED)]
    update = (
        "UPDATE submissions SET state = ?, why = ?, moved = ?"
        f" WHERE bot = ? AND state IN ({format_marks(states)})"
    )
    connection.execute(update, (str(JudgingState.WITHDRAWN), why, time(), number, *states))
    add_command(connection, name, None, state=State.WITHDRAWN, why=why)


def format_alias(number: int) -> str:
    """Return the public name of a bot whose name is hidden.

    >>> format_alias(17)
    'bot_17'
    """
    return f"bot_{number}"
