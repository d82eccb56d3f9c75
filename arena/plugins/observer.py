"""Who watches a match: transcripts, live displays and logs are observers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from attrs import frozen

from arena.plugins.game import Game
from arena.rules import Outcome, Question, Seat, Variant, Verdict


@frozen
class MatchSpec:
    """A match that is about to begin: all that it takes to play it again."""

    key: str  #: the name of the match; the bots' own seeds come from it
    game: Game  #: what is played
    variant: Variant  #: with these parameters
    seed: str  #: of the deal
    names: tuple[str, ...]  #: in seat order
    bots: tuple[str, ...]  #: what each is, as a command line would name it


@frozen
class Answered:
    """An answer that went into the play."""

    seat: Seat  #: whose it is
    question: Question[Any]  #: what was asked
    answer: Any  #: as the question's options have read it
    seconds: float  #: by the seat's clock
    latency: float  #: seconds that the host took to find the answer, which the seat does not pay
    fallback: bool  #: did the fallback bot give it?


class Observer:
    """Derive from it, and say what is to be done when something happens.

    A match calls these in the order of what happens; answers to one ask are reported when
    all are in, in seat order unless the rules asked for the order of arrival.
    """

    def told(self, seat: Seat | None, event: Any) -> None:
        """See what one seat, or all of them (None), were told."""

    def asked(self, questions: Mapping[Seat, Question[Any]]) -> None:
        """See what is asked at once."""

    def answered(self, answer: Answered) -> None:
        """See an answer that was taken."""

    def withdrawn(self, questions: Mapping[Seat, Question[Any]]) -> None:
        """See whose questions were taken back, since the first answer had ended the ask."""

    def failed(self, seat: Seat, verdict: Verdict) -> None:
        """See that a seat has earned a verdict; the fallback bot plays it on."""

    def ended(self, outcome: Outcome) -> None:
        """See how the match came out, when all programs have ended."""


def sees_turns(observer: Observer) -> bool:
    """Return whether it looks at more than verdicts and the end; what nobody sees is not made."""
    own, usual = type(observer), Observer
    return not (
        getattr(own, "told", None) is usual.told
        and getattr(own, "asked", None) is usual.asked
        and getattr(own, "answered", None) is usual.answered
        and getattr(own, "withdrawn", None) is usual.withdrawn
    )
