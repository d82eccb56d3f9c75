"""What an author may ask for: how many bots, how often, how much; within a transaction each."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from time import time
from typing import Any

from sqlalchemy import Connection, func, insert, select

from arena.host import NAME
from arena.rules import UserError
from arena.tournament import HillConfig, copy_of
from arena_web.hill.people import NO_NAME
from arena_web.hill.schema import bots, submissions

ALIASES = "bot_[0-9]+"  # what bots are called whose names are hidden
DAY = 86400  # seconds
MB = 1 << 20
UPLOADS_OF_AUTHOR = {"upload": 10}
"""How many uploads, and how many pushes, an author may make in an hour, and at once."""
PART = {"refused": 0.5, "failed": 0.0}
"""How much of a quota a submission uses, if not all of one: what the host has failed is nothing."""


KEPT_DAYS = 30  # that an upload is kept, if it is not in
KEPT = (
    submissions.c.bot, submissions.c.sha256, submissions.c.size, submissions.c.forgotten,
    submissions.c.version,
)  # fmt: skip
"""What has to be known of submissions to say what is kept of them."""


class Denied(UserError):
    """A submission that is not taken; `status` is HTTP's, `wait` the seconds until it may be."""

    def __init__(self, text: str, status: int, wait: float | None = None) -> None:
        super().__init__(text)
        self.status = status
        self.wait = wait


def owned(
    connection: Connection, author: int, bot: str, taken: Collection[str], config: HillConfig
) -> int:
    """Return the number of an author's bot, which may be new; raise Denied.

    `taken` are names that no bot may have.
    """
    if not re.fullmatch(NAME, bot):
        raise Denied(NO_NAME.format(bot), 422)
    row = connection.execute(select(bots).where(bots.c.folded == bot.casefold())).one_or_none()
    if row is not None and row.author != author:
        raise Denied(f"{bot} is another author's bot: choose another name", 409)
    if row is not None:
        return int(row.id)
    if bot.casefold() in {name.casefold() for name in taken} or re.fullmatch(
        ALIASES, bot, re.IGNORECASE
    ):
        raise Denied(f"{bot} is a reserved name: choose another one", 409)
    mine = connection.scalar(select(func.count()).where(bots.c.author == author)) or 0
    if mine >= config.bots:
        raise Denied(
            f"you have {mine} bots, and {config.bots} are allowed on this hill: submit a new"
            " version of one of them",
            429,
        )
    values = {"name": bot, "folded": bot.casefold(), "author": author}
    return int(connection.execute(insert(bots).values(values).returning(bots.c.id)).scalar_one())


def within_quotas(
    connection: Connection,
    author: int,
    bot: int,
    size: int,
    config: HillConfig,
    *,
    copies: Mapping[str, int],
) -> None:
    """See that nothing is asked for too often; raise Denied with when it may be.

    `copies` are the bytes of all copies of bots that are kept, by what they are called. What
    is there of this very bot will be replaced, and is not counted.
    """
    used, wait = today(connection, bot, config)
    if wait:
        raise Denied(
            f"{used:g} of {config.submissions} submissions of this bot in 24 hours are used"
            f" (a refused one counts half): submit again in {_span(wait)}",
            429,
            wait,
        )
    uploads = upload_bytes(_sent(connection, author))
    built = copy_bytes((row for row in _sent(connection, author) if row.bot != bot), copies)
    if uploads + built + size > config.uploads_mb * MB:
        raise Denied(
            f"you may have {config.uploads_mb} MB on this hill's disk: {uploads / MB:.1f} MB are"
            f" taken by uploads, which are kept for {KEPT_DAYS} days, and {built / MB:.1f} MB by"
            " your other bots as they were built; withdraw one of them, or build less",
            413,
        )


def today(connection: Connection, bot: int, config: HillConfig) -> tuple[float, float]:
    """Return what was used of a bot's submissions, and the seconds until there is one again."""
    since = time() - DAY
    asked = select(submissions.c.state, submissions.c.received).where(
        submissions.c.bot == bot, submissions.c.received > since
    )
    rows = connection.execute(asked.order_by(submissions.c.received)).all()
    left = used = sum(PART.get(row.state, 1.0) for row in rows)
    wait = 0.0
    for row in rows:  # the oldest count no more first
        if left + 1 <= config.submissions:
            break
        left -= PART.get(row.state, 1.0)
        wait = row.received - since
    return used, wait


def sent_today(connection: Connection) -> dict[int, int]:
    """Return how many submissions each author has sent in the last 24 hours, if any."""
    asked = select(bots.c.author, func.count().label("sent")).join_from(submissions, bots)
    recent = asked.where(submissions.c.received > time() - DAY).group_by(bots.c.author)
    return {row.author: row.sent for row in connection.execute(recent)}


def kept_of(connection: Connection, author: int, copies: Mapping[str, int]) -> int:
    """Return the bytes that are kept of an author's uploads and of the copies of its bots."""
    sent = _sent(connection, author)
    return upload_bytes(sent) + copy_bytes(sent, copies)


def upload_bytes(sent: Iterable[Any]) -> int:
    """Return the bytes of the uploads that are kept of these submissions, each once."""
    return sum({row.sha256: row.size for row in sent if not row.forgotten}.values())


def copy_bytes(sent: Iterable[Any], copies: Mapping[str, int]) -> int:
    """Return the bytes of the copies that are kept of these submissions, each once."""
    versions = {copy_of(row.version) for row in sent if row.version}
    return sum(copies.get(version, 0) for version in versions)


def _sent(connection: Connection, author: int) -> Sequence[Any]:
    """Return what has to be known of an author's submissions to say what is kept of them."""
    asked = select(*KEPT).join_from(submissions, bots).where(bots.c.author == author)
    return connection.execute(asked).all()


def _span(seconds: float) -> str:
    """Say a span of time for people.

    >>> _span(90), _span(4000)
    ('2 min', '67 min')
    """
    return f"{max(1, round(seconds / 60))} min"
