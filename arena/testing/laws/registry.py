"""All laws by name: the contract checks them, and the fuzzer tries to break them."""

from __future__ import annotations

from arena.plugins import Game, load_game
from arena.rules import UnknownNameError
from arena.testing.harness.cases import Case
from arena.testing.law import Law
from arena.testing.laws import (
    hosted_matches,
    noninterference,
    rules,
    searching,
    secret_answers,
    wires,
)

LAWS: dict[str, Law] = {
    law.name: law
    for module in (rules, wires, hosted_matches, noninterference, secret_answers, searching)
    for law in vars(module).values()
    if isinstance(law, Law)
}
"""Every law by its name."""


def check_law(game: Game | str, law: str, case: Case) -> None:
    """Check a game (or the name of an installed one) against a law; raise AssertionError."""
    if law not in LAWS:
        raise UnknownNameError("law", law, LAWS)
    LAWS[law](load_game(game) if isinstance(game, str) else game, case)
