"""What an author may ask for: how many bots, how often, how much; within a transaction each."""

from __future__ import annotations

import re
from collections.abc import Collection
from time import time

from sqlalchemy import Connection, func, insert, select

from arena.host import NAME
from arena.rules import UserError
from arena.tournament import HillConfig
from arena_web.hill.people import NO_NAME
from arena_web.hill.schema import bots, submissions

ALIASES = "bot_[0-9]+"  # what bots are called whose names are hidden
DAY = 86400  # seconds
MB = 1 << 20
PART = {"refused": 0.5, "failed": 0.0}
"""How much of a quota a submission uses, if not all of one: what the host has failed is nothing."""


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
        raise Denied(f"{bot} is somebody else's bot: choose another name", 409)
    if row is not None:
        return int(row.id)
    if bot.casefold() in {name.casefold() for name in taken} or re.fullmatch(
        ALIASES, bot, re.IGNORECASE
    ):
        raise Denied(f"{bot} is a name of the house: choose another", 409)
    mine = connection.scalar(select(func.count()).where(bots.c.author == author)) or 0
    if mine >= config.bots:
        raise Denied(f"you have {mine} bots, and may have {config.bots} on this hill", 429)
    values = {"name": bot, "folded": bot.casefold(), "author": author}
    return int(connection.execute(insert(bots).values(values).returning(bots.c.id)).scalar_one())


def within_quotas(
    connection: Connection, author: int, bot: int, size: int, config: HillConfig
) -> None:
    """See that nothing is asked for too often; raise Denied with when it may be."""
    used, wait = today(connection, bot, config)
    if wait:
        raise Denied(
            f"{config.submissions} submissions of a bot in 24 hours, of which {used:g} are used"
            f" (a refused one counts half): again in {_span(wait)}",
            429,
            wait,
        )
    kept = kept_of(connection, author)
    if kept + size > config.uploads_mb * MB:
        raise Denied(
            f"{config.uploads_mb} MB of uploads are kept for you, and {kept / MB:.0f} are used", 413
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


def sent_today(connection: Connection, author: int) -> int:
    """Return how many submissions an author has sent in the last 24 hours."""
    asked = select(func.count()).select_from(submissions).join(bots)
    mine = asked.where(bots.c.author == author, submissions.c.received > time() - DAY)
    return connection.scalar(mine) or 0


def kept_of(connection: Connection, author: int) -> int:
    """Return the bytes that are kept of an author's uploads, each once."""
    mine = select(submissions.c.sha256, submissions.c.size).join_from(submissions, bots)
    each = mine.where(bots.c.author == author, ~submissions.c.forgotten).distinct().subquery()
    return connection.scalar(select(func.coalesce(func.sum(each.c.size), 0))) or 0


def _span(seconds: float) -> str:
    """Say a span of time for people.

    >>> _span(90), _span(4000)
    ('2 min', '67 min')
    """
    return f"{max(1, round(seconds / 60))} min"
