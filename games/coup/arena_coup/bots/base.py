"""The base class of the bundled bots, which remembers the table and keeps its best cards."""

from __future__ import annotations

from typing import Any

from arena import Bot, Greeting, Question, Seat
from arena_coup.bots.memory import Memory
from arena_coup.characters import (
    AMBASSADOR,
    ASSASSIN,
    CAPTAIN,
    CONTESSA,
    DUKE,
    Cards,
    Character,
    sort_cards,
)
from arena_coup.messages import (
    ALLOW,
    CHALLENGE,
    Block,
    Challenge,
    ChooseAction,
    KeepCards,
    ShowCard,
)

KEEPING_ORDER = (DUKE, CONTESSA, CAPTAIN, ASSASSIN, AMBASSADOR)
"""The characters in the order of preference, best first."""


class CoupBot(Bot):
    """Base class: subclasses override `act`, `doubts` (a claim) and `blocks`.

    All three methods read the table from `memory`. The defaults challenge impossible claims, and
    block with characters that the bot holds.
    """

    memory: Memory

    def greet(self, greeting: Greeting) -> None:
        """Start with an empty memory."""
        super().greet(greeting)
        self.memory = Memory(self.seat, self.seats)

    def hear(self, event: Any) -> None:
        """Record an event in the memory."""
        self.memory.hear(event)

    def choose(self, question: Question[Any]) -> Any:
        """Return an action, a word, or a card."""
        match question:
            case ChooseAction(options):
                return self.act(options)
            case Challenge(_, claimant, character):
                return CHALLENGE if self.doubts(claimant, character) else ALLOW
            case Block(options):
                return self.blocks(options[1:]) or ALLOW
            case ShowCard(options, character) if character in options:
                return character
            case KeepCards(options):
                return self.keep(options.cards, options.least)
        held: Any = question.options
        return max(held, key=KEEPING_ORDER.index)

    def act(self, actions: tuple[str, ...]) -> str:
        """Choose one of the actions."""
        raise NotImplementedError

    def doubts(self, claimant: Seat, character: Character) -> bool:
        """Return whether to challenge the claim."""
        return not self.memory.count_unseen(character)

    def blocks(self, characters: Cards) -> Character | None:
        """Return the character to block with, if any."""
        held = [character for character in characters if character in self.memory.hand]
        return held[0] if held else None

    def keep(self, cards: Cards, count: int) -> Cards:
        """Return the cards to keep, of different characters if possible."""
        best = sorted(set(cards), key=KEEPING_ORDER.index)
        more = sorted(cards, key=KEEPING_ORDER.index)
        return sort_cards((best if len(best) >= count else more)[:count])

    @property
    def strongest(self) -> Seat:
        """The opponent with the most influence, then the most coins."""
        memory = self.memory
        return max(memory.others, key=lambda seat: (memory.influence[seat], memory.coins[seat]))

    @property
    def richest(self) -> Seat:
        """The opponent with the most coins."""
        return max(self.memory.others, key=lambda seat: self.memory.coins[seat])
