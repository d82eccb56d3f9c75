"""The bots of a hill: whose they are, which names may be taken, the aliases of hidden ones."""

from __future__ import annotations

import re
from collections.abc import Collection

from attrs import frozen

from arena import UserError
from arena.host import NAME_PATTERN
from arena.tournament.file.contents import HillConfig
from arena.tournament.lookalikes import TakenTexts, list_skeletons
from arena.tournament.store.connection import Connection
from arena_hill.db.denials import Denial, SubmissionDeniedError
from arena_hill.db.rows import list_columns

BAD_NAME = "{!r} cannot be a name: use 1 to 32 letters, digits and underscores"


@frozen
class Bot:
    """A bot as it is stored."""

    id: int
    name: str
    author: int

    @property
    def alias(self) -> str:
        """The public name of the bot where its name is hidden.

        >>> Bot(17, "rude", 1).alias
        'bot_17'
        """
        return f"bot_{self.id}"


SELECT_BOTS = f"SELECT {list_columns(Bot)} FROM bots"


def find_or_create_bot(
    connection: Connection, author: int, name: str, reserved: Collection[str], config: HillConfig
) -> Bot:
    """Return an author's bot, which may be new; raise SubmissionDeniedError.

    `reserved` are names and titles that no bot may have, nor look like.
    """
    if not re.fullmatch(NAME_PATTERN, name):
        raise SubmissionDeniedError(Denial.INVALID, BAD_NAME.format(name))
    if bot := find_named_bot(connection, name):
        if bot.author != author:
            raise SubmissionDeniedError(
                Denial.CONFLICT, f"{name} belongs to another author: choose another name"
            )
        return bot
    folded = name.casefold()
    if folded in {text.casefold() for text in reserved} or looks_like_alias(name):
        raise SubmissionDeniedError(
            Denial.CONFLICT, f"{name} is a reserved name: choose another one"
        )
    if other := _find_like_name(connection, author, name, reserved):
        raise SubmissionDeniedError(
            Denial.CONFLICT, f"{name} looks like {other!r}: choose another name"
        )
    mine = connection.read_value("SELECT COUNT(*) FROM bots WHERE author = ?", (author,))
    if mine >= config.bots:
        raise SubmissionDeniedError(
            Denial.LIMIT,
            f"you have {mine} bots, and {config.bots} are allowed on this hill: submit a new"
            " version of one of them",
        )
    insert = "INSERT INTO bots (name, folded, author) VALUES (?, ?, ?) RETURNING id"
    (number,) = connection.read_column(insert, (name, folded, author))
    return Bot(number, name, author)


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


def find_named_bot(connection: Connection, name: str) -> Bot | None:
    """Return the bot of this name, whatever its case, or None."""
    if not re.fullmatch(NAME_PATTERN, name):  # PostgreSQL takes no NUL
        return None
    row = connection.read_row(f"{SELECT_BOTS} WHERE folded = ?", (name.casefold(),))
    return None if row is None else Bot(*row)


def find_bot(connection: Connection, name: str) -> Bot:
    """Return the bot of this name, or of the alias that is shown; raise UserError if none."""
    folded = name.casefold()
    for row in connection.read_rows(f"{SELECT_BOTS} WHERE folded = ? OR hidden", (folded,)):
        bot = Bot(*row)
        if folded in {bot.name.casefold(), bot.alias}:
            return bot
    raise UserError(f"there is no bot called {name}")
