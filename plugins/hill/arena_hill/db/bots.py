"""The bots of a hill: their rows, their names, and the aliases of hidden ones."""

from __future__ import annotations

import re

from attrs import field, frozen

from arena.tournament.lookalikes import list_skeletons
from arena_hill.db.rows import list_columns

BAD_NAME = "{!r} cannot be a name: use 1 to 32 letters, digits and underscores"


@frozen
class Bot:
    """A bot as it is stored."""

    id: int
    name: str
    author: int
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


SELECT_BOTS = f"SELECT {list_columns(Bot)} FROM bots"


def looks_like_alias(text: str) -> bool:
    """Whether a name or title may be taken for the alias of a bot whose name is hidden.

    >>> looks_like_alias("Bot 17"), looks_like_alias("bot_l7"), looks_like_alias("bot_x")
    (True, True, False)
    """
    digits = "".join(list_skeletons("0123456789"))  # what they look like: a zero like an O
    return any(re.fullmatch(f"bot[{digits}]+", skeleton) for skeleton in list_skeletons(text))
