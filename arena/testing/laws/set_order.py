"""What holds whatever the order of sets: Python's hashes differ between interpreters."""

from __future__ import annotations

from arena.plugins import Game
from arena.testing.harness.cases import Case
from arena.testing.harness.hash_seeds import keep_interpreters, record_messages
from arena.testing.law import law


@law(around=keep_interpreters)
def the_order_of_sets_does_not_matter(game: Game, case: Case) -> None:
    """Other interpreters, whose hashes differ, tell and ask the same."""
    here = record_messages(game, case)
    with keep_interpreters(game) as others:
        for other in others:
            other.send_case(case)
        for there in [other.read_messages() for other in others]:
            assert here == there, (
                "another interpreter sends different messages; do the rules depend on the order of"
                " a set, or on a hash?"
            )
