"""Sentences about a turn, which the text views share."""

from __future__ import annotations

from collections.abc import Sequence

from attrs import frozen

from arena import Seat
from arena_coup.characters import parse_action

NOUNS = {
    "foreign-aid": "foreign aid",
    "assassinate": "assassination",
}
ACTION_TEXTS = {
    "income": "take{s} 1 coin.",
    "foreign-aid": "ask{s} for foreign aid, 2 coins.",
    "tax": "claim{s} the Duke: tax, 3 coins.",
    "exchange": "claim{s} the Ambassador: exchange with the court.",
    "steal": "claim{s} the Captain: steal from {whom}.",
    "assassinate": "pay{s} 3 coins and claim{s} the Assassin: assassinate {whom}.",
    "coup": "pay{s} 7 coins: coup against {whom}.",
}


@frozen
class Phrases:
    """Builds phrases from the players' names in seat order; one name may be `you`."""

    names: Sequence[str]
    you: Seat | None = None

    def name(self, seat: Seat) -> str:
        """Return the name of a seat, or `you`."""
        return "you" if seat == self.you else self.names[seat]

    def subject(self, seat: Seat) -> str:
        """Return a seat as the subject of a sentence."""
        return "You" if seat == self.you else self.names[seat]

    def clause(self, verb: str, seat: Seat) -> str:
        """Return the subject and verb of a sentence about a seat."""
        return f"{self.subject(seat)} {verb}{self._suffix(seat)}"

    def draw_verb(self, seat: Seat) -> str:
        """Return the verb for drawing, with the ending for this seat."""
        return f"draw{self._suffix(seat)}"

    def copula(self, seat: Seat) -> str:
        """Return the subject and `is` or `are` of a sentence about a seat."""
        return "You are" if seat == self.you else f"{self.names[seat]} is"

    def possessive(self, seat: Seat) -> str:
        """Return the possessive of a seat's name."""
        return "your" if seat == self.you else f"{self.names[seat]}'s"

    def describe_action(self, seat: Seat, action: str) -> str:
        """Describe the action that a seat takes."""
        deed, target = parse_action(action)
        whom = "" if target is None else self.name(target)
        said = ACTION_TEXTS[deed.name].format(s=self._suffix(seat), whom=whom)
        return f"{self.subject(seat)} {said}"

    def noun(self, action: str) -> str:
        """Return the noun for an action."""
        name = parse_action(action)[0].name
        return NOUNS.get(name, name)

    def _suffix(self, seat: Seat) -> str:
        return "" if seat == self.you else "s"
