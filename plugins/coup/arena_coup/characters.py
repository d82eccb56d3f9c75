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
OF_EACH = 3
DECK: Cards = tuple(character for character in CHARACTERS for _ in range(OF_EACH))
INFLUENCES = 2
"""Cards that each player holds at first."""

COINS = 2
"""What each player has at first."""

RICH = 10
"""Who has as many coins at the start of a turn must launch a coup."""

STOLEN = 2
DRAWN = 2


@frozen
class Deed:
    """A kind of action: what it costs and brings in coins, who is claimed, who may block it.

    The target of a deed may block it, or everybody where it has none.
    """

    name: str
    cost: int = 0
    gain: int = 0
    claims: Character | None = None
    blockers: Cards = ()
    targeted: bool = False


INCOME = Deed("income", gain=1)
FOREIGN_AID = Deed("foreign-aid", gain=2, blockers=(DUKE,))
TAX = Deed("tax", gain=3, claims=DUKE)
EXCHANGE = Deed("exchange", claims=AMBASSADOR)
STEAL = Deed("steal", claims=CAPTAIN, blockers=(CAPTAIN, AMBASSADOR), targeted=True)
ASSASSINATE = Deed("assassinate", 3, claims=ASSASSIN, blockers=(CONTESSA,), targeted=True)
COUP = Deed("coup", 7, targeted=True)

DEEDS = {deed.name: deed for deed in (INCOME, FOREIGN_AID, TAX, EXCHANGE, STEAL, ASSASSINATE, COUP)}


def written(deed: Deed, target: Seat | None = None) -> str:
    """Write an action as players answer it: `tax`, or `steal:2`."""
    return deed.name if target is None else f"{deed.name}:{target}"


def parsed(action: str) -> tuple[Deed, Seat | None]:
    """Return an action's deed and its target, if it has one."""
    name, _, target = action.partition(":")
    return DEEDS[name], int(target) if target else None


def in_order(cards: Iterable[Character]) -> Cards:
    """Return these cards in the order in which they are held."""
    return tuple(sorted(cards, key=CHARACTERS.index))
