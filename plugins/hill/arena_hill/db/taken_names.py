"""The names and titles that are taken at a hill: who gives one to a bot would mislead people."""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import Self

from attrs import frozen

from arena.host import NAME_PATTERN
from arena.tournament.lookalikes import TakenTexts
from arena_hill.db.bots import BAD_NAME_MESSAGE, looks_like_alias
from arena_hill.db.commands import list_entries_of_others
from arena_hill.db.transactions import HillSnapshot
from arena_hill.denials import Denial, SubmissionDeniedError


@frozen
class ReservedText:
    """A name or a title that only the author of its owner may give to another bot."""

    owner: str  #: the name of the bot that has it
    text: str


@frozen
class ReservedTexts:
    """The names and titles at a hill, when its coordinator had carried out some commands."""

    texts: Collection[ReservedText] = ()
    last_command: int = 0  #: the number of the last one that it had carried out


NOTHING_RESERVED = ReservedTexts()


@frozen
class TakenNames:
    """What an author may not call a bot, since it belongs to another author, or to the host.

    What belongs to a bot of the author is no obstacle.
    """

    reserved: Collection[str]  #: without case; these are no names even where they look different
    texts: TakenTexts

    @classmethod
    def read(cls, snapshot: HillSnapshot, author_id: int, reserved: ReservedTexts) -> Self:
        """Read what is taken for an author: at the hill, and by bots that are not there yet."""
        query = "SELECT name FROM bots WHERE author = ?"
        own_bots = {*snapshot.connection.read_column(query, (author_id,))}
        entered = [other.text for other in reserved.texts if other.owner not in own_bots]
        query = "SELECT name FROM bots WHERE author <> ? AND NOT hidden"
        submitted = snapshot.connection.read_column(query, (author_id,))
        texts = TakenTexts()
        entries = list_entries_of_others(snapshot, author_id, reserved.last_command)
        accepted = [entry.title for entry in entries if entry.title]  # that are yet to come in
        for text in (*entered, *submitted, *accepted):
            texts.add(text, text)
        return cls({text.casefold() for text in entered}, texts)

    def check_name(self, name: str) -> None:
        """Raise SubmissionDeniedError if the author may not give a name to a new bot."""
        if not re.fullmatch(NAME_PATTERN, name):
            raise SubmissionDeniedError(Denial.INVALID, BAD_NAME_MESSAGE.format(name))
        if name.casefold() in self.reserved or looks_like_alias(name):
            raise SubmissionDeniedError(
                Denial.CONFLICT, f"{name} is a reserved name: choose another one"
            )
        if other := self.texts.find(name, ""):
            raise SubmissionDeniedError(
                Denial.CONFLICT, f"{name} looks like {other!r}: choose another name"
            )

    def find_title_problem(self, title: str) -> str:
        """Return why the author may not give a title to a bot, or "" if that is allowed."""
        if title and looks_like_alias(title):
            return f"title: {title!r} looks like the alias of a hidden bot; choose another title"
        if title and (other := self.texts.find(title, "")):
            return f"title: {title!r} looks like {other!r}, another bot; choose another title"
        return ""
