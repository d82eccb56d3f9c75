"""Time limits and their defaults, and what a player has left of them, in seconds."""

from __future__ import annotations

from typing import NamedTuple

from attrs import field, frozen, validators

POSITIVE, NOT_NEGATIVE = validators.gt(0.0), validators.ge(0.0)


@frozen
class Limits:
    """What every player of a match is allowed, in seconds.

    `move` is for each answer, `start` more for the first one. With a `bank` all answers
    together may take no longer, and each puts an `increment` into it. `grace` is for ending
    by itself when the match is over.
    """

    move: float = field(default=30.0, validator=POSITIVE)  #: for each answer
    start: float = field(default=10.0, validator=NOT_NEGATIVE)  #: more for the first answer
    bank: float | None = field(default=None, validator=validators.optional(POSITIVE))
    increment: float = field(default=0.0, validator=NOT_NEGATIVE)  #: into the bank, each answer
    grace: float = field(default=1.0, validator=NOT_NEGATIVE)  #: to end when the match is over


class TimeLeft(NamedTuple):
    """What a player has left when it is asked, in seconds."""

    move: float  #: for this answer
    bank: float | None = None  #: for all answers to come, if there is a bank
