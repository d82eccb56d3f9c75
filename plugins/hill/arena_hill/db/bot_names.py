"""The names of new bots: which of them mislead people, and so are refused."""

from __future__ import annotations

import re
from collections.abc import Collection

from arena.host import NAME_PATTERN
from arena.tournament.lookalikes import TakenTexts
from arena_hill.db.bots import BAD_NAME, looks_like_alias
from arena_hill.db.denials import Denial, SubmissionDeniedError
from arena_hill.db.submission_terms import ReservedText
from arena_hill.db.transactions import HillSnapshot


def check_new_name(
    snapshot: HillSnapshot, author: int, name: str, reserved: Collection[ReservedText]
) -> None:
    """Raise SubmissionDeniedError if an author may not give a name to a new bot.

    It may not be a name or title that is reserved, nor that of another author's bot, nor look like
    one. What belongs to a bot of the author is no obstacle.
    """
    if not re.fullmatch(NAME_PATTERN, name):
        raise SubmissionDeniedError(Denial.INVALID, BAD_NAME.format(name))
    query = "SELECT name FROM bots WHERE author = ?"
    own = {*snapshot.connection.read_column(query, (author,))}
    taken = [other.text for other in reserved if other.owner not in own]
    if name.casefold() in {text.casefold() for text in taken} or looks_like_alias(name):
        raise SubmissionDeniedError(
            Denial.CONFLICT, f"{name} is a reserved name: choose another one"
        )
    query = "SELECT name FROM bots WHERE author <> ? AND NOT hidden"
    texts = TakenTexts()
    for text in (*taken, *snapshot.connection.read_column(query, (author,))):
        texts.add(text, text)
    if other := texts.find(name, name):
        raise SubmissionDeniedError(
            Denial.CONFLICT, f"{name} looks like {other!r}: choose another name"
        )
