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
class AcceptedAnswer:
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

    def on_event(self, seat: Seat | None, event: Any) -> None:
        """See what one seat, or all of them (None), were told."""

    def on_questions(self, questions: Mapping[Seat, Question[Any]]) -> None:
        """See what is asked at once."""

    def on_answer(self, answer: AcceptedAnswer) -> None:
        """See an answer that was taken."""

    def on_withdrawal(self, questions: Mapping[Seat, Question[Any]]) -> None:
        """See whose questions were taken back, since the first answer had ended the ask."""

    def on_verdict(self, seat: Seat, verdict: Verdict) -> None:
        """See that a seat has earned a verdict; the fallback bot plays it on."""

    def on_outcome(self, outcome: Outcome) -> None:
        """See how the match came out, when all programs have ended."""


def observes_turns(observer: Observer) -> bool:
    """Return whether it looks at more than verdicts and the end; what nobody sees is not made."""
    own, usual = type(observer), Observer
    return not (
        getattr(own, "on_event", None) is usual.on_event
        and getattr(own, "on_questions", None) is usual.on_questions
        and getattr(own, "on_answer", None) is usual.on_answer
        and getattr(own, "on_withdrawal", None) is usual.on_withdrawal
    )
