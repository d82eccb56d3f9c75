"""All laws by name: what the contract holds every game to, and what the fuzzer tries to break."""

from __future__ import annotations

from arena.plugins import Game, load_game
from arena.rules import Unknown
from arena.testing import (
    boards,
    hash_seeds,
    hosted,
    learning,
    rolls,
    rules,
    secrecy,
    sending,
    wires,
)
from arena.testing.cases import Case
from arena.testing.law import Law

LAWS: dict[str, Law] = {
    law.name: law
    for module in (rules, hash_seeds, wires, sending, hosted, secrecy, rolls, boards, learning)
    for law in vars(module).values()
    if isinstance(law, Law)
}
"""Every law by its name."""


def hold(game: Game | str, law: str, case: Case) -> None:
    """Hold a game, or the installed one of this name, to a law; raise AssertionError."""
    if law not in LAWS:
        raise Unknown("law", law, LAWS)
    LAWS[law](load_game(game) if isinstance(game, str) else game, case)
