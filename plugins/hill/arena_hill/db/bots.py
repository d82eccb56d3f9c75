"""The table `bots`: the bots of a hill, their names, and the aliases of hidden ones."""

from __future__ import annotations

import re
from itertools import starmap

from attrs import field, frozen

from arena import UserError
from arena.host import NAME_PATTERN
from arena.tournament.lookalikes import list_skeletons
from arena_hill.db.rows import list_columns
from arena_hill.db.transactions import HillSnapshot, HillTransaction

BAD_NAME_MESSAGE = "{!r} cannot be a name: use 1 to 32 letters, digits and underscores"


@frozen
class Bot:
    """A bot as it is stored."""

    id: int
    name: str
    author_id: int
    hidden: bool = field(converter=bool)  #: whether its name is hidden
    #: whether everybody may see the source of the version that takes part
    public: bool = field(converter=bool)

    @property
    def alias(self) -> str:
        """The public name of the bot where its name is hidden.

        >>> Bot(17, "rude", 1, hidden=True, public=False).alias
        'bot_17'
        """
        return f"bot_{self.id}"

    @property
    def public_name(self) -> str:
        """The name that everybody may see."""
        return self.alias if self.hidden else self.name


SELECT_BOTS = f"SELECT {list_columns(Bot, author_id='author')} FROM bots"


def find_bot(snapshot: HillSnapshot, name: str) -> Bot | None:
    """Return the bot of this name, whatever its case, or None."""
    if not re.fullmatch(NAME_PATTERN, name):  # PostgreSQL takes no NUL
        return None
    query = f"{SELECT_BOTS} WHERE folded_name = ?"
    row = snapshot.connection.read_row(query, (name.casefold(),))
    return None if row is None else Bot(*row)


def require_bot(snapshot: HillSnapshot, name: str) -> Bot:
    """Return the bot of this name, or of the alias that is shown; raise UserError if none."""
    folded = name.casefold()
    query = f"{SELECT_BOTS} WHERE folded_name = ? OR hidden"
    for row in snapshot.connection.read_rows(query, (folded,)):
        bot = Bot(*row)
        if folded in {bot.name.casefold(), bot.alias}:
            return bot
    raise UserError(f"there is no bot called {name}")


def list_bots_of_author(snapshot: HillSnapshot, author_id: int) -> list[Bot]:
    """Return the bots of an author, the oldest first."""
    query = f"{SELECT_BOTS} WHERE author = ? ORDER BY id"
    return [*starmap(Bot, snapshot.connection.read_rows(query, (author_id,)))]


def add_bot(transaction: HillTransaction, name: str, author_id: int) -> Bot:
    """Add a bot of an author, and return it."""
    insert = "INSERT INTO bots (name, folded_name, author) VALUES (?, ?, ?) RETURNING id"
    (bot_id,) = transaction.connection.read_column(insert, (name, name.casefold(), author_id))
    return Bot(bot_id, name, author_id, hidden=False, public=False)


def looks_like_alias(text: str) -> bool:
    """Whether a name or title may be taken for the alias of a bot whose name is hidden.

    >>> looks_like_alias("Bot 17"), looks_like_alias("bot_l7"), looks_like_alias("bot_x")
    (True, True, False)
    """
    digits = "".join(list_skeletons("0123456789"))  # what they look like: a zero like an O
    return any(re.fullmatch(f"bot[{digits}]+", skeleton) for skeleton in list_skeletons(text))
