"""Observers of matches, such as transcripts, live displays and logs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from attrs import frozen

from arena.plugins.game import Game
from arena.rules import Outcome, Question, Seat, Variant, Verdict


@frozen
class MatchSpec:
    """A match that is about to begin, with everything needed to play it again."""

    key: str  #: the name of the match; the bots' own seeds come from it
    game: Game  #: what is played
    variant: Variant  #: with these parameters
    seed: str  #: of the deal
    names: tuple[str, ...]  #: in seat order
    bots: tuple[str, ...]  #: what each is, as a command line would name it


@frozen
class AcceptedAnswer:
    """An answer that the rules accepted."""

    seat: Seat  #: whose it is
    question: Question[Any]  #: what was asked
    answer: Any  #: as the question's options have read it
    seconds: float  #: by the seat's clock
    latency: float  #: seconds that the host took to find the answer, which the seat does not pay
    fallback: bool  #: did the fallback bot give it?


class Observer:
    """Base class: override the methods for the events that you need.

    A match calls these in the order of what happens; answers to one ask are reported when
    all are in, in seat order unless the rules asked for the order of arrival.
    """

    def on_event(self, seat: Seat | None, event: Any) -> None:
        """Handle an event that one seat, or all seats (None), were told."""

    def on_questions(self, questions: Mapping[Seat, Question[Any]]) -> None:
        """Handle the questions of an ask."""

    def on_answer(self, answer: AcceptedAnswer) -> None:
        """Handle an accepted answer."""

    def on_withdrawal(self, questions: Mapping[Seat, Question[Any]]) -> None:
        """Handle questions that are withdrawn, because the first answer has ended the ask."""

    def on_verdict(self, seat: Seat, verdict: Verdict) -> None:
        """Handle the verdict of a seat, for which the fallback bot plays on."""

    def on_outcome(self, outcome: Outcome) -> None:
        """Handle the outcome of the match, after all programs have ended."""


def observes_turns(observer: Observer) -> bool:
    """Return whether it observes more than verdicts and the end; unseen events are not built."""
    own, usual = type(observer), Observer
    return not (
        getattr(own, "on_event", None) is usual.on_event
        and getattr(own, "on_questions", None) is usual.on_questions
        and getattr(own, "on_answer", None) is usual.on_answer
        and getattr(own, "on_withdrawal", None) is usual.on_withdrawal
    )
