"""How the views tell of a game of BS: who does what, and how many cards lie where."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from arena import Question, join_words
from arena_bs.messages import Called, Played, Player
from arena_bs.typed_answers import AnswerReader

YOU = "you"


class Narrator(AnswerReader):
    """What the views share: it takes note of what happens, and finds the words."""

    def __init__(self) -> None:
        self.pile = 0  # cards, with those just laid
        self.callers: tuple[Player, ...] = ()

    def tell(self, event: Any) -> Iterable[str]:
        """Take note of an event, and return its lines."""
        match event:
            case Played(count=count):
                self.pile += count
            case Called(players):
                self.callers = players
        return [*self.lines(event)]  # at once, as things stand now

    def lines(self, event: Any) -> Iterable[str]:
        """Return the lines of an event."""
        raise NotImplementedError

    def ask(self, question: Question[Any]) -> Iterable[str]:
        """Say nothing: who watches is not asked."""
        return ()

    def name(self, player: Player) -> str:
        """Return the name of a player."""
        raise NotImplementedError

    def subject(self, *players: Player) -> str:
        """Begin a sentence with these players."""
        names = [self.name(player) for player in players]
        if names[0] == YOU:
            names[0] = YOU.capitalize()
        return join_words(names)

    def clause(self, verb: str, *players: Player) -> str:
        """Begin a sentence: these players do something."""
        several = len(players) > 1 or self.name(players[0]) == YOU
        return f"{self.subject(*players)} {verb}{'' if several else 's'}"

    def describe_counts(self, players: Sequence[tuple[Player, int]]) -> str:
        """Describe the number of cards of each player, and of the pile."""
        counts = ", ".join(f"{self.name(player)} {count}" for player, count in players)
        return f"{counts}; pile {self.pile}" if self.pile else counts

    def take_pile(self, player: Player) -> str:
        """Let a player take the pile."""
        taken, self.pile = self.pile, 0
        return f"{self.clause('take', player)} the pile of {taken}"
