"""BS keeps the contract of every game, and says which moves come to light later."""

from __future__ import annotations

from pathlib import Path

from arena.cards import Cards
from arena.rules import GivenAnswer
from arena.testing import Contract, SecretAlternatives
from arena_bs import GAME, Bs, BsPosition
from arena_bs.rules import BS, PASS, Player

PLAYERS = tuple(Player(seat, f"bot_{seat}", seat) for seat in range(3))
HANDS = (("AS", "AH", "KC", "QC"), ("2S", "3S"), ("4S", "5S"))
START = BsPosition(Bs(), PLAYERS, HANDS, 0)
CALLED = 5  # answers, after which the next may turn the pile over


def laid(cards: Cards, *calls: int) -> tuple[GivenAnswer, ...]:
    """Return the answers of two turns: these cards uncalled, then a true one that these call."""
    first = ((0, cards), *((seat, PASS) for seat in range(3)))
    words = tuple((seat, BS if seat in calls else PASS) for seat in range(3))
    return (*first, (1, ("2S",)), *words)


def secret(cards: Cards, other: Cards, *calls: int, until: int | None) -> SecretAlternatives:
    """Return two ways to play face down; who did not play cannot tell them apart."""
    blind = tuple(seat for seat in (1, 2) if until or seat not in calls)
    return SecretAlternatives(START, laid(cards, *calls), laid(other, *calls), blind, until)


class TestBs(Contract):
    """Games are cut short: most of what is drawn is a lie, which may go on for ever."""

    game = GAME
    golden = Path(__file__).parent / "golden"
    fixed_options = {"max_turns": 12}
    max_examples = 4
    secrets = (
        secret(("AS", "AH"), ("QC", "KC"), until=None),  # nobody ever calls
        secret(("KC", "AS"), ("QC", "AH"), 2, until=CALLED),  # seat 2 will take the pile
        secret(("AS", "AH"), ("QC", "KC"), 2, until=None),  # and seat 1 never sees it
    )
