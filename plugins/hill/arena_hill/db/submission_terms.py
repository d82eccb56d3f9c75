"""The terms on which a hill takes a submission."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from attrs import frozen

from arena.tournament.file.contents import HillConfig


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
class SubmissionTerms:
    """What decides beside the hill's database whether a submission is taken."""

    config: HillConfig  #: with the quotas
    reserved: ReservedTexts
    inactive: Collection[str]  #: the ids of the entrants that take part no more
    copies: Mapping[str, int]  #: the bytes of all copies of bots that are kept, by their names
