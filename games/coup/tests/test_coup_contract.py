"""Coup holds to what every game holds to, and keeps its own secrets."""

from __future__ import annotations

from pathlib import Path

from arena.testing import Contract, SecretAlternatives
from arena_coup import GAME, Coup, CoupPosition
from arena_coup.rules import AMBASSADOR, ASSASSIN, CAPTAIN, CONTESSA, DUKE

START = CoupPosition(
    Coup(),
    hands=((DUKE, AMBASSADOR), (ASSASSIN, CONTESSA), (DUKE, CAPTAIN)),
    revealed=((), (), ()),
    coins=(2, 7, 2),
    deck=(CAPTAIN, CONTESSA, DUKE, ASSASSIN, ASSASSIN, AMBASSADOR, AMBASSADOR, CAPTAIN, CONTESSA),
)
EXCHANGED = [(0, "exchange"), (1, "allow"), (2, "allow")]
HONEST, FRESH = (0, (DUKE, AMBASSADOR)), (0, (DUKE, CONTESSA))
PEACE = [(1, "coup:2"), (2, DUKE), (2, "income"), (0, "tax"), (1, "allow"), (2, "allow")]
WAR = (1, "coup:0")


class TestCoup(Contract):
    """The contract of every game."""

    game = GAME
    max_examples = 4
    golden = Path(__file__).parent / "golden"
    secrets = (
        # Which cards come out of an exchange, as long as none of them is turned up.
        SecretAlternatives(
            START, [*EXCHANGED, HONEST, *PEACE], [*EXCHANGED, FRESH, *PEACE], (1, 2)
        ),
        # It comes to light with the card that is lost.
        SecretAlternatives(
            START,
            [*EXCHANGED, HONEST, WAR, (0, AMBASSADOR)],
            [*EXCHANGED, FRESH, WAR, (0, CONTESSA)],
            (1, 2),
            until=5,
        ),
    )
