"""The names of bots: whose they are, which may be taken, and the aliases of hidden ones."""

from __future__ import annotations

import re
from collections.abc import Collection

from arena import UserError
from arena.host import NAME_PATTERN
from arena.tournament.file.contents import HillConfig
from arena.tournament.lookalikes import TakenTexts, list_skeletons
from arena.tournament.store.connection import Connection
from arena_hill.db.denials import Denial, SubmissionDeniedError

BAD_NAME = "{!r} cannot be a name: use 1 to 32 letters, digits and underscores"


def find_or_create_bot(
    connection: Connection, author: int, bot: str, reserved: Collection[str], config: HillConfig
) -> int:
    """Return the number of an author's bot, which may be new; raise SubmissionDeniedError.

    `reserved` are names and titles that no bot may have, nor look like.
    """
    if not re.fullmatch(NAME_PATTERN, bot):
        raise SubmissionDeniedError(Denial.INVALID, BAD_NAME.format(bot))
    folded = bot.casefold()
    row = connection.read_row("SELECT id, author FROM bots WHERE folded = ?", (folded,))
    if row is not None:
        number, owner = row
        if owner != author:
            raise SubmissionDeniedError(
                Denial.CONFLICT, f"{bot} belongs to another author: choose another name"
            )
        return int(number)
    if folded in {name.casefold() for name in reserved} or looks_like_alias(bot):
        raise SubmissionDeniedError(
            Denial.CONFLICT, f"{bot} is a reserved name: choose another one"
        )
    if other := _find_like_name(connection, author, bot, reserved):
        raise SubmissionDeniedError(
            Denial.CONFLICT, f"{bot} looks like {other!r}: choose another name"
        )
    mine = connection.read_value("SELECT COUNT(*) FROM bots WHERE author = ?", (author,))
    if mine >= config.bots:
        raise SubmissionDeniedError(
            Denial.LIMIT,
            f"you have {mine} bots, and {config.bots} are allowed on this hill: submit a new"
            " version of one of them",
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


def _find_like_name(
    connection: Connection, author: int, bot: str, reserved: Collection[str]
) -> str:
    """Return the taken text, or name of another author's bot, that a name looks like, or ""."""
    query = "SELECT name FROM bots WHERE author <> ? AND NOT hidden"
    texts = TakenTexts()
    for text in (*reserved, *connection.read_column(query, (author,))):
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


def format_alias(number: int) -> str:
    """Return the public name of a bot whose name is hidden.

    >>> format_alias(17)
    'bot_17'
    """
    return f"bot_{number}"
