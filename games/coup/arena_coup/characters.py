"""The court: five characters, three cards of each, and what each of them lets a player do.

Rules: Rikki Tahta, Coup (La Mame Games 2012; The Resistance: Coup, Indie Boards and Cards).
"""

from __future__ import annotations

from collections.abc import Iterable

from attrs import frozen

from arena import Seat

Character = str
Cards = tuple[Character, ...]
"""Cards are held in the order of `CHARACTERS`; the court deck alone is in its own."""

DUKE, ASSASSIN, CAPTAIN = "Duke", "Assassin", "Captain"
AMBASSADOR, CONTESSA = "Ambassador", "Contessa"
CHARACTERS: Cards = (DUKE, ASSASSIN, CAPTAIN, AMBASSADOR, CONTESSA)
CARDS_PER_CHARACTER = 3
DECK: Cards = tuple(character for character in CHARACTERS for _ in range(CARDS_PER_CHARACTER))
INFLUENCES = 2
"""Cards that each player holds at first."""

STARTING_COINS = 2
"""What each player has at first."""

FORCED_COUP_COINS = 10
"""Who has as many coins at the start of a turn must launch a coup."""

STOLEN_COINS = 2
EXCHANGE_CARDS = 2


@frozen
class ActionKind:
    """A kind of action: what it costs and brings in coins, who is claimed, who may block it.

    The target of a deed may block it, or everybody where it has none.
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
    """Return an action's deed and its target, if it has one."""
    name, _, target = action.partition(":")
    return ACTION_KINDS[name], int(target) if target else None


def sort_cards(cards: Iterable[Character]) -> Cards:
    """Return these cards in the order in which they are held."""
    return tuple(sorted(cards, key=CHARACTERS.index))
