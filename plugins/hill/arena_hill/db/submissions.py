"""Submissions: their states and rows, the commands that follow, quotas, what their authors see."""

from __future__ import annotations

import json
import re
from bisect import bisect_left
from collections.abc import Collection, Container, Iterable, Mapping, Sequence
from enum import StrEnum
from time import time
from typing import Any

from attrs import asdict, frozen

from arena import UserError
from arena.host import NAME_PATTERN
from arena.tournament import State
from arena.tournament.bot_copies import get_copy_name
from arena.tournament.file import HillConfig
from arena.tournament.lookalikes import TakenTexts, list_skeletons
from arena.tournament.models import Entry, format_id
from arena.tournament.store.connection import Connection, format_marks
from arena.wires import converter, dump

SUPERSEDED = "a newer upload arrived before the hill could check this one"

BAD_NAME = "{!r} cannot be a name: use 1 to 32 letters, digits and underscores"
DAY_SECONDS = 86400  # seconds
MB = 1 << 20
QUOTA_SHARES = {"rejected": 0.5, "failed": 0.0}
"""The part of a quota that a submission uses, if not 1; host failures use nothing."""

RETENTION_DAYS = 30  # that an upload is kept, if it is not in
SELECT_SUBMISSIONS = """
SELECT submissions.id, bots.author, authors.name, bots.name, sha256, size, state, why, version, log,
    report, received, moved, tries, bots.public, opened, hidden
FROM submissions JOIN bots ON bots.id = submissions.bot JOIN authors ON authors.id = bots.author
"""
"""The query for submissions as `read_row` reads them."""

SELECT_UPLOADS = """
SELECT bots.name, submissions.bot, sha256, size, forgotten, version
FROM submissions JOIN bots ON bots.id = submissions.bot
"""
"""The query for submissions as `StoredUpload` has them."""
"""The columns of submissions from which stored bytes are computed."""


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


class SubmissionDeniedError(UserError):
    """A denied submission, with the HTTP status and the seconds to wait."""

    def __init__(self, text: str, status: int, retry_after: float | None = None) -> None:
        super().__init__(text)
        self.status = status
        self.wait = retry_after


@frozen
class StoredUpload:
    """What a submission takes of the disk."""

    name: str  #: of its bot
    bot: int
    sha256: str
    size: int  #: bytes
    forgotten: bool  #: whether the upload is deleted
    version: str  #: once it is known, else empty


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
    connection: Connection, number: int, state: JudgingState, why: str = "", **known: Any
) -> bool:
    """Change the state of a submission in progress; return whether it still was.

    What becomes `known` with it is set, too, by the names of the columns.
    """
    columns = "".join(f", {name} = ?" for name in known)
    update = (
        f"UPDATE submissions SET state = ?, why = ?, moved = ?{columns}"
        f" WHERE id = ? AND state IN ({format_marks(OPEN_STATES)})"
    )
    values = (str(state), why, time(), *known.values(), number, *map(str, OPEN_STATES))
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


def check_quotas(
    connection: Connection,
    author: int,
    bot: int,
    size: int,
    config: HillConfig,
    *,
    copies: Mapping[str, int],
) -> None:
    """Raise SubmissionDeniedError, with the waiting time, if a quota is used up.

    `copies` are the bytes of all copies of bots that are kept, by what they are called. What
    is there of this very bot will be replaced, and is not counted.
    """
    used, wait = measure_quota(connection, bot, config)
    if wait:
        raise SubmissionDeniedError(
            f"{used:g} of {config.submissions} submissions of this bot in 24 hours are used"
            f" (a rejected one counts half): submit again in {_format_minutes(wait)}",
            429,
            wait,
        )
    sent = _list_uploads(connection, author)
    uploads = sum_upload_bytes(sent)
    built = sum_copy_bytes([upload for upload in sent if upload.bot != bot], copies)
    if uploads + built + size > config.uploads_mb * MB:
        raise SubmissionDeniedError(
            f"this would exceed your {config.uploads_mb} MB on this hill's disk: your uploads take"
            f" {uploads / MB:.1f} MB (they are kept for {RETENTION_DAYS} days), your other bots"
            f" {built / MB:.1f} MB; withdraw one of them, or build less",
            413,
        )


def measure_quota(connection: Connection, bot: int, config: HillConfig) -> tuple[float, float]:
    """Return the used part of a bot's daily quota, and the seconds until it may submit again."""
    since = time() - DAY_SECONDS
    query = (
        "SELECT state, received FROM submissions WHERE bot = ? AND received > ? ORDER BY received"
    )
    rows = connection.read_rows(query, (bot, since))
    left = used = sum(QUOTA_SHARES.get(state, 1.0) for state, _ in rows)
    wait = 0.0
    for state, received in rows:  # the oldest count no more first
        if left + 1 <= config.submissions:
            break
        left -= QUOTA_SHARES.get(state, 1.0)
        wait = received - since
    return used, wait


def count_today_by_author(connection: Connection) -> dict[int, int]:
    """Return the number of submissions in the last 24 hours by author, without zeros."""
    query = (
        "SELECT author, COUNT(*) FROM submissions JOIN bots ON bots.id = submissions.bot"
        " WHERE received > ? GROUP BY author"
    )
    return dict(connection.read_rows(query, (time() - DAY_SECONDS,)))


def sum_stored_bytes(connection: Connection, author: int, copies: Mapping[str, int]) -> int:
    """Return the stored bytes of an author's uploads and of the copies of its bots."""
    sent = _list_uploads(connection, author)
    return sum_upload_bytes(sent) + sum_copy_bytes(sent, copies)


def sum_upload_bytes(sent: Iterable[StoredUpload]) -> int:
    """Return the stored bytes of the uploads of these submissions, counting each once."""
    return sum({upload.sha256: upload.size for upload in sent if not upload.forgotten}.values())


def sum_copy_bytes(sent: Iterable[StoredUpload], copies: Mapping[str, int]) -> int:
    """Return the stored bytes of the copies of these submissions, counting each once."""
    versions = {get_copy_name(upload.version) for upload in sent if upload.version}
    return sum(copies.get(version, 0) for version in versions)


def _list_uploads(connection: Connection, author: int) -> list[StoredUpload]:
    rows = connection.read_rows(f"{SELECT_UPLOADS} WHERE author = ?", (author,))
    return [StoredUpload(*row) for row in rows]


def _format_minutes(seconds: float) -> str:
    """Format a duration for people.

    >>> _format_minutes(90), _format_minutes(4000)
    ('2 min', '67 min')
    """
    return f"{max(1, round(seconds / 60))} min"


# The status of a submission as its author sees it: in words, and as a row of stages.
#
# Until a bot is accepted its state is in the hill's database, afterwards in the tournament's.
# No state is kept twice.

IN_STATE = "in"
STUCK_SECONDS = 15 * 60  # seconds in which something should have moved
DELAY_MESSAGE = (
    "there has been no progress for {:.0f} minutes; this is the hill's fault, not your bot's"
)


@frozen
class SubmissionStatus:
    """The status of a submission."""

    state: str  #: a `JudgingState`, or from when it was accepted: `in`, or a tournament's `State`
    why: str = ""
    position: int | None = None  #: how many are before it, while it is on its way
    over: bool = False  #: will nothing more come of it, or is it in?

    def to_json(self) -> dict[str, Any]:
        """Return the status as JSON."""
        return asdict(self)


def compute_status(
    submission: Submission,
    entries: Mapping[str, Entry],
    waiting: Sequence[int],
    ordered: Container[str],
    held: str = "",
) -> SubmissionStatus:
    """Return the status of a submission.

    `entries` are the tournament's, by their ids, `waiting` the numbers of the submissions that
    are on their way, in order, `ordered` the ids of who is to be let in, `held` why nobody's turn
    comes now.
    """
    state, why = submission.state, submission.why
    if state is JudgingState.ACCEPTED:
        entry = entries.get(submission.entrant)
        if entry is None or entry.id in ordered:
            return SubmissionStatus(state, why or _describe_delay(submission))
        named = IN_STATE if entry.state is State.ACTIVE else str(entry.state)
        return SubmissionStatus(named, entry.why, over=True)
    if state in OPEN_STATES:
        position = bisect_left(waiting, submission.id)
        waits = held if state is JudgingState.QUEUED else ""
        return SubmissionStatus(
            state, waits or why or ("" if position else _describe_delay(submission)), position
        )
    return SubmissionStatus(state, why, over=True)


def _describe_delay(submission: Submission) -> str:
    """Describe the delay if there has been no progress for too long; else return ""."""
    seconds = time() - submission.state_since
    return DELAY_MESSAGE.format(seconds / 60) if seconds > STUCK_SECONDS else ""


STATE_TEXTS: Mapping[str, tuple[str, str]] = {
    JudgingState.QUEUED: ("Waiting", ""),
    JudgingState.UNPACKING: ("Being unpacked", ""),
    JudgingState.BUILDING: (
        "Being built",
        "The build command of bot.toml runs in the sandbox.",
    ),
    JudgingState.CHECKING: (
        "Being checked",
        "It plays bundled bots and faces difficult situations, as in arena check.",
    ),
    JudgingState.ACCEPTED: ("Accepted", "It takes part from the next deal on."),
    IN_STATE: ("In", "It takes part in every new deal."),
    JudgingState.REJECTED: ("Rejected", ""),
    JudgingState.FAILED: (
        "Check failed",
        "The hill had a problem. This is not your bot's fault and does not count as a submission.",
    ),
    State.REPLACED: ("Replaced", "A newer version took its place; its results stay."),
    State.WITHDRAWN: ("Withdrawn", "It no longer plays; its results stay."),
    State.ARCHIVED: ("Archived", "It left long ago; the host has moved its matches to a file."),
    State.ASIDE: ("Set aside", "It failed repeatedly and no longer plays."),
    State.UNFIT: ("Unfit", "It was accepted, but did not start when it was its turn to play."),
    State.WAITING: (
        "Waiting for a place",
        "It was rated lowest on a full hill, and comes back when there is room. Its results stay.",
    ),
}
"""The title and the explanation of each state."""


def describe_status(stands: SubmissionStatus) -> tuple[str, str]:
    """Return a status as text: a few words, and their meaning."""
    words, more = STATE_TEXTS[stands.state]
    if stands.state == JudgingState.QUEUED:
        before = stands.position or 0
        more = f"{before} ahead of it." if before else "It is next."
    return words, more


STAGES = ("received", "unpacked", "built", "checked", "entered")
STAGE_INDEXES: Mapping[str, int] = {
    JudgingState.QUEUED: 1,
    JudgingState.UNPACKING: 1,
    JudgingState.BUILDING: 2,
    JudgingState.CHECKING: 3,
    JudgingState.ACCEPTED: 4,
}
"""The index of the stage in progress, by state."""


@frozen
class SubmissionStage:
    """A stage on the way into a tournament."""

    name: str
    mark: str  #: `done`, `now`, `wrong`, or `open`


def list_stages(submission: Submission, *, over: bool) -> list[SubmissionStage]:
    """Return the stages of a submission; `over` says that it is final."""
    reached, mark = _find_stage(submission), "now"
    if over:
        mark = "done" if submission.state is JudgingState.ACCEPTED else "wrong"
    return [
        SubmissionStage(name, mark if at == reached else "done" if at < reached else "open")
        for at, name in enumerate(STAGES)
    ]


def _find_stage(submission: Submission) -> int:
    """Return the stage of a submission, or the one at which it was rejected."""
    if submission.state in STAGE_INDEXES:
        return STAGE_INDEXES[submission.state]
    if submission.report is not None:
        return (
            STAGE_INDEXES[JudgingState.ACCEPTED]
            if submission.report["passed"]
            else STAGE_INDEXES[JudgingState.CHECKING]
        )
    return (
        STAGE_INDEXES[JudgingState.BUILDING]
        if submission.version
        else STAGE_INDEXES[JudgingState.UNPACKING]
    )
