"""All laws by name: what the contract holds every game to, and what the fuzzer tries to break."""

from __future__ import annotations

from collections.abc import Callable

from arena.errors import Unknown
from arena.game import Game
from arena.plugins import load_game
from arena.testing import hosted, learning, rules, secrecy, wires
from arena.testing.cases import Case

Law = Callable[[Game, Case], None]
"""Raises AssertionError where a case shows that the law does not hold."""

LAWS: dict[str, Law] = {
    law.__name__: law
    for law in (
        rules.it_ends,
        rules.chance_comes_from_the_table,
        rules.everything_is_awaited,
        rules.scores_are_complete,
        rules.nothing_but_seed_and_answers_counts,
        rules.illegal_answers_are_refused,
        rules.defaults_and_draws_are_legal,
        rules.options_contain_what_they_list,
        rules.clones_go_on_alike,
        rules.positions_are_frozen,
        rules.answers_are_data,
        rules.variants_are_data,
        wires.messages_survive_their_lines,
        wires.answers_survive_their_lines,
        wires.garbage_is_malformed_or_illegal,
        wires.lines_come_in_any_pieces,
        wires.people_are_told_in_words,
        hosted.outcomes_are_complete,
        hosted.a_match_survives_its_players,
        hosted.transcripts_hold,
        hosted.other_transcripts_are_refused,
        secrecy.the_deal_tells_nothing,
        secrecy.no_seat_can_tell_another_position,
        secrecy.no_seat_can_tell_in_a_round,
        secrecy.sealed_answers_are_sealed,
        learning.actions_hold_all_answers,
        learning.encodings_are_figures,
    )
}
"""Every law by its name."""


def hold(game: Game | str, law: str, case: Case) -> None:
    """Hold a game, or the installed one of this name, to a law; raise AssertionError."""
    if law not in LAWS:
        raise Unknown("law", law, LAWS)
    LAWS[law](load_game(game) if isinstance(game, str) else game, case)
