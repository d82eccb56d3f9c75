"""Who watches a match: transcripts, live displays and logs are observers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from attrs import frozen

from arena.game import Game
from arena.outcome import Outcome, Verdict
from arena.play import Variant
from arena.table import Question, Seat


@frozen
class Setting:
    """A match that is about to begin: all that it takes to play it again."""

    key: str
    game: Game
    variant: Variant
    seed: str  # of the deal
    names: tuple[str, ...]  # in seat order
    bots: tuple[str, ...]  # what each is, as a command line would name it


@frozen
class Answered:
    """An answer that went into the play."""

    seat: Seat
    question: Question[Any]
    answer: Any
    seconds: float  # by the seat's clock
    latency: float  # seconds that the host took to find the answer, which the seat does not pay
    autopilot: bool  # did the autopilot give it?


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

    def failed(self, seat: Seat, verdict: Verdict) -> None:
        """See that a seat has earned a verdict; the autopilot plays it on."""

    def ended(self, outcome: Outcome) -> None:
        """See how the match came out, when all programs have ended."""
