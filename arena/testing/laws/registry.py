"""All laws by name: the contract checks them, and the fuzzer tries to break them."""

from __future__ import annotations

from arena.plugins import Game, load_game
from arena.rules import UnknownNameError
from arena.testing.harness.cases import Case
from arena.testing.law import Law
from arena.testing.laws import hosted_matches, noninterference, rules, secret_answers, wires
from arena.testing.laws import noninterference as private_event_symmetry
from arena.testing.laws import noninterference as resampling
from arena.testing.laws import noninterference as secret_draws
from arena.testing.laws import rules as set_order
from arena.testing.laws import secret_answers as secret_answer_declarations
from arena.testing.laws import wires as boards
from arena.testing.laws import wires as learning
from arena.testing.laws import wires as protocol_coverage

LAWS: dict[str, Law] = {
    law.name: law
    for module in (
        rules,
        set_order,
        wires,
        protocol_coverage,
        hosted_matches,
        noninterference,
        secret_draws,
        secret_answers,
        secret_answer_declarations,
        resampling,
        private_event_symmetry,
        boards,
        learning,
    )
    for law in vars(module).values()
    if isinstance(law, Law)
}
"""Every law by its name."""


def check_law(game: Game | str, law: str, case: Case) -> None:
    """Check a game (or the name of an installed one) against a law; raise AssertionError."""
    if law not in LAWS:
        raise UnknownNameError("law", law, LAWS)
    LAWS[law](load_game(game) if isinstance(game, str) else game, case)
