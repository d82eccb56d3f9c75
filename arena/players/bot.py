"""A bot in the host's process: what an author of Python bots derives from."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING, Any

from arena.rules import Question, Seat

if TYPE_CHECKING:
    from arena.wires import Greeting


class Bot:
    """Who answers for a seat: derive from it and say what to `choose`.

    Parameters (`ordered:start=7` on the command line) are the keyword arguments of its
    constructor; an attrs class lists them by itself.
    """

    seat: Seat  #: where it sits
    seats: int  #: how many play
    variant: Any  #: the game's parameters
    random: Random  #: all its chance, so that a match can be played again

    def check_support(self, variant: Any, seats: int) -> None:
        """Raise UserError where it cannot play this variant, or not with this number of seats.

        Called before a match begins; a bot that plays them all leaves this out.
        """

    def greet(self, greeting: Greeting) -> None:
        """Take note of the game, once, before anything else happens."""
        self.seat, self.seats, self.variant = greeting.seat, greeting.seats, greeting.variant
        self.random = Random(greeting.seed)

    def hear(self, event: Any) -> None:
        """Take note of an event; a bot that need not know leaves this out."""

    def choose(self, question: Question[Any]) -> Any:
        """Return an answer that the question's options allow."""
        raise NotImplementedError
