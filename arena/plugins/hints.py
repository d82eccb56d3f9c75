"""Hints for a player who is asked a question: from a solver, a search, or a bundled bot.

A hint is computed from an information state: what one seat may know, and nothing else. So no hint
can give away what is hidden, however it is computed.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from attrs import field, frozen

from arena.players import Bot
from arena.rules import Question, Seat
from arena.wires import Greeting


@frozen
class InformationState:
    """What a seat knows when it is asked: the same as a bot in that seat was told."""

    greeting: Greeting  #: the seat, the number of players, and the game's parameters
    events: Sequence[Any]  #: that the seat was told in this match, in their order
    question: Question[Any]  #: that is open

    @property
    def seat(self) -> Seat:
        """The seat that is asked."""
        return self.greeting.seat


@frozen
class HintedAnswer:
    """An answer of a hint, which pages show in the words of the game."""

    answer: Any  #: as the question's options read it
    share: float = 1.0  #: how often a good player gives it, from 0 to 1
    text: str = ""  #: what it is worth


@frozen
class Hint:
    """A good answer to an open question, and why it is good."""

    text: str  #: the reason, in a sentence or two
    answers: Sequence[HintedAnswer]  #: one, or several among which a good player draws


def _support_all(variant: Any, seats: int) -> None:
    """Support every variant."""


@frozen
class HintSource:
    """A source of hints for a game: an exact solution, a search, or a bundled bot."""

    game: str  #: its name
    title: str  #: what the hints come from, such as "The exact solution"
    compute_hint: Callable[[InformationState], Hint] = field(
        eq=False
    )  #: raises UserError for a position of which it knows nothing
    check_support: Callable[[Any, int], None] = field(
        eq=False, default=_support_all
    )  #: raises UserError if it never knows anything of a variant with so many players


def build_bot_hints(game: str, name: str, bot: type[Bot]) -> HintSource:
    """Build a source of hints from a bundled bot, which says what it would answer.

    The bot is told all events again for each hint, and asked the open question alone. So it must
    be one that learns of its own answers from the events.
    """
    text = f"This is what the bundled bot {name} would answer, not a proven best answer."
    about = (bot.__doc__ or "").strip().partition("\n")[0].replace("`", "")

    def compute_hint(state: InformationState) -> Hint:
        player = bot()
        player.greet(state.greeting)
        for event in state.events:
            player.hear(event)
        return Hint(f"{text} {about}".strip(), (HintedAnswer(player.choose(state.question)),))

    return HintSource(game, f"The bot {name}", compute_hint, bot().check_support)
