"""The court: five characters with three cards each, and the actions that each allows.

Rules: Rikki Tahta, Coup (La Mame Games 2012; The Resistance: Coup, Indie Boards and Cards).
"""

from __future__ import annotations

from collections.abc import Iterable

from attrs import frozen

from arena import Seat

Character = str
Cards = tuple[Character, ...]
"""Hands are sorted in the order of `CHARACTERS`; the court deck has an order of its own."""

DUKE, ASSASSIN, CAPTAIN = "Duke", "Assassin", "Captain"
AMBASSADOR, CONTESSA = "Ambassador", "Contessa"
CHARACTERS: Cards = (DUKE, ASSASSIN, CAPTAIN, AMBASSADOR, CONTESSA)
CARDS_PER_CHARACTER = 3
DECK: Cards = tuple(character for character in CHARACTERS for _ in range(CARDS_PER_CHARACTER))
INFLUENCES = 2
"""The number of cards in each hand at the start."""

STARTING_COINS = 2
"""The coins of each player at the start."""

FORCED_COUP_COINS = 10
"""A player with at least this many coins at the start of a turn must launch a coup."""

STOLEN_COINS = 2
EXCHANGE_CARDS = 2


@frozen
class ActionKind:
    """A kind of action: its cost and gain in coins, the character claimed, and its blockers.

    The target of an action may block it, or everybody if it has no target.
    """

    name: str
    cost: int = 0
    gain: int = 0
    claims: Character | None = None
    blockers: Cards = ()
    targeted: bool = False


INCOME = ActionKind("income", gain=1)
FOREIGN_AID = ActionKind("foreign-aid", gain=2, blockers=(DUKE,))
TAX = ActionKind("tax", gain=3, claims=DUKE)
EXCHANGE = ActionKind("exchange", claims=AMBASSADOR)
STEAL = ActionKind("steal", claims=CAPTAIN, blockers=(CAPTAIN, AMBASSADOR), targeted=True)
ASSASSINATE = ActionKind("assassinate", 3, claims=ASSASSIN, blockers=(CONTESSA,), targeted=True)
COUP = ActionKind("coup", 7, targeted=True)

ACTION_KINDS = {
    deed.name: deed for deed in (INCOME, FOREIGN_AID, TAX, EXCHANGE, STEAL, ASSASSINATE, COUP)
}


def format_action(deed: ActionKind, target: Seat | None = None) -> str:
    """Write an action as players answer it: `tax`, or `steal:2`."""
    return deed.name if target is None else f"{deed.name}:{target}"


def parse_action(action: str) -> tuple[ActionKind, Seat | None]:
    """Return the kind of an action, and its target or None."""
    name, _, target = action.partition(":")
    return ACTION_KINDS[name], int(target) if target else None


def sort_cards(cards: Iterable[Character]) -> Cards:
    """Return these cards in the order of a hand."""
    return tuple(sorted(cards, key=CHARACTERS.index))
