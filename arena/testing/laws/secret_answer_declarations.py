"""A law for `Game.secret_answers`: what it declares as public leaves something secret.

The law that watches secret answers exchanges an answer for another one with the same public part.
If there never is one, it would watch nothing, and nobody would notice.
"""

from __future__ import annotations

from collections import Counter
from itertools import combinations
from random import Random
from typing import Any

from attrs import evolve

from arena.plugins import Game
from arena.rules import Question, describe_error, is_same
from arena.testing.harness.cases import MOVE_RANGE, Case, choose_legal_answer, play_case
from arena.testing.harness.hypothesis_strategies import cases_by_seats
from arena.testing.law import law

DEALS = 6  # of each number of seats
MAX_DRAWS = 8  # of answers to a question
MIN_QUESTIONS = 10  # with several answers, before two of them have to look the same to the others


@law(cases=cases_by_seats)
def secret_answers_have_alternatives(game: Game, case: Case) -> None:
    """What all may know of a secret answer at once leaves more than one answer possible."""
    asked, open_questions = Counter[type](), set[type]()
    random = case.random("alternatives")
    for number in range(DEALS if game.secret_answers else 0):
        for play in play_case(game, evolve(case, seed=f"{case.seed}{number}")):
            for question in play.pending.values():
                kind = type(question)
                if kind in game.secret_answers and kind not in open_questions:
                    parts = _list_public_parts(game, question, random)
                    asked[kind] += len(parts) > 1
                    if any(is_same(*pair) for pair in combinations(parts, 2)):
                        open_questions.add(kind)
    for kind, count in asked.items():
        assert count < MIN_QUESTIONS or kind in open_questions, (
            f"secret_answers[{kind.__name__}] gives no two answers the same public part, so nothing"
            " is secret; return only what everybody may know at once, such as None"
        )


def _list_public_parts(game: Game, question: Question[Any], random: Random) -> list[object]:
    """Return the public parts of some different answers."""
    answers: list[Any] = []
    for _ in range(MAX_DRAWS):
        answer = choose_legal_answer(question, random.randrange(MOVE_RANGE))
        if not any(is_same(answer, other) for other in answers):
            answers.append(answer)
    public_part = game.secret_answers[type(question)]
    try:
        return [public_part(answer) for answer in answers]
    except Exception as problem:
        raise AssertionError(
            f"secret_answers[{type(question).__name__}] raises {describe_error(problem)}"
        ) from problem
