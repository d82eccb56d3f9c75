"""The base class of Python bots, which run in the host's process."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING, Any

from arena.rules import Question, Seat

if TYPE_CHECKING:
    from arena.wires import Greeting


class Bot:
    """A bot, which answers for a seat: derive from it and implement `choose`.

    Parameters (`ordered:start=7` on the command line) are the keyword arguments of its
    constructor; an attrs class lists them by itself.
    """

    seat: Seat  #: where it sits
    seats: int  #: how many play
    variant: Any  #: the game's parameters
    random: Random  #: all its chance, so that a match can be played again

    def check_support(self, variant: Any, seats: int) -> None:
        """Raise UserError if the bot cannot play this variant with this number of seats.

        Called before a match begins; a bot that plays them all leaves this out.
        """

    def greet(self, greeting: Greeting) -> None:
        """Handle the greeting, which comes once, before anything else."""
        self.seat, self.seats, self.variant = greeting.seat, greeting.seats, greeting.variant
        self.random = Random(greeting.seed)

    def hear(self, event: Any) -> None:
        """Handle an event; override this if the bot needs events."""

    def choose(self, question: Question[Any]) -> Any:
        """Return an answer that the question's options allow."""
        raise NotImplementedError
