"""The base of the text views of BS: sentences, and the number of cards in the pile."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from arena import Question, join_words
from arena_bs.messages import Called, Played, Player
from arena_bs.typed_answers import AnswerReader

YOU = "you"


class BsTextView(AnswerReader):
    """Base class of the views: counts the cards of the pile, and builds sentences."""

    def __init__(self) -> None:
        self.pile = 0  # the number of cards, including the last play
        self.callers: tuple[Player, ...] = ()

    def tell(self, event: Any) -> Iterable[str]:
        """Update the view after an event, and return its lines."""
        match event:
            case Played(count=count):
                self.pile += count
            case Called(players):
                self.callers = players
        return [*self.lines(event)]  # as a list now, before the state changes

    def lines(self, event: Any) -> Iterable[str]:
        """Return the lines of an event."""
        raise NotImplementedError

    def ask(self, question: Question[Any]) -> Iterable[str]:
        """Return no lines: a spectator is not asked."""
        return ()

    def name(self, player: Player) -> str:
        """Return the name of a player."""
        raise NotImplementedError

    def subject(self, *players: Player) -> str:
        """Return the players as the subject of a sentence."""
        names = [self.name(player) for player in players]
        if names[0] == YOU:
            names[0] = YOU.capitalize()
        return join_words(names)

    def clause(self, verb: str, *players: Player) -> str:
        """Return the subject and verb of a sentence about these players."""
        several = len(players) > 1 or self.name(players[0]) == YOU
        return f"{self.subject(*players)} {verb}{'' if several else 's'}"

    def describe_counts(self, players: Sequence[tuple[Player, int]]) -> str:
        """Describe the number of cards of each player, and of the pile."""
        counts = ", ".join(f"{self.name(player)} {count}" for player, count in players)
        return f"{counts}; pile {self.pile}" if self.pile else counts

    def take_pile(self, player: Player) -> str:
        """Clear the pile, and describe its taking by a player."""
        taken, self.pile = self.pile, 0
        return f"{self.clause('take', player)} the pile of {taken}"
