"""Laws for what games offer to machine learning: all actions, and an observation encoder."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from random import Random
from typing import Any

from arena.plugins import Game
from arena.rules import Question, Seat
from arena.testing.harness.cases import Case, play_case, sample_plays
from arena.testing.harness.codecs import build_greeting
from arena.testing.law import law
from arena.testing.laws.rules import sample_options

MAX_ANSWERS = 200  # of a question, that are looked up
MAX_ACTIONS = 50_000  # of a game, that are examined


@law()
def actions_include_every_answer(game: Game, case: Case) -> None:
    """The list of actions has every possible answer exactly once, and is always the same."""
    if game.actions is None:
        return
    variant = game.read_variant(case.options)
    actions, again = game.actions(variant, case.seats), game.actions(variant, case.seats)
    some = [*sample_options(actions, MAX_ACTIONS)]
    assert some == [*sample_options(again, MAX_ACTIONS)], "the list of actions differs each time"
    known = {repr(action) for action in some}
    assert len(known) == len(some), "an action is listed twice"
    for play in sample_plays(game, case):
        for question in play.pending.values():
            for answer in _sample_answers(question):
                found = repr(answer) in known or answer in actions
                assert found, f"{answer!r} is a possible answer, but not an action"


def _sample_answers(question: Question[Any]) -> Iterable[Any]:
    """Return some possible answers, cards in the order in which they are listed."""
    if isinstance(question.options, Sequence):
        return sample_options(question.options, MAX_ANSWERS)
    return [question.options.draw(Random(number)) for number in range(5)]


@law()
def observations_range_from_0_to_1(game: Game, case: Case) -> None:
    """An observation is a vector of numbers from 0 to 1, of the same length each time.

    An encoder that was read in between gives the same at the end as one that was not.
    """
    if game.encoder is None:
        return
    heard: dict[Seat, list[Any]] = {seat: [] for seat in range(case.seats)}
    for play in play_case(game, case):
        for to, event in play.drain():
            for seat in range(case.seats) if to is None else (to,):
                heard[seat].append(event)
    first = game.encoder(build_greeting(game, case, 0)).observation()
    for seat, events in heard.items():
        asked, unasked = (game.encoder(build_greeting(game, case, seat)) for _ in range(2))
        _check_observation(asked.observation(), len(first))
        for count, event in enumerate(events, 1):
            asked.tell(event)
            unasked.tell(event)
            if count in {1, 2, len(events) // 2, len(events)}:
                _check_observation(asked.observation(), len(first))
        assert [*asked.observation()] == [*unasked.observation()], (
            "reading an observation changes later ones"
        )


def _check_observation(figures: Sequence[float], size: int) -> None:
    assert len(figures) == size, f"{len(figures)} numbers, but {size} in the first observation"
    outside = [figure for figure in figures if not 0 <= figure <= 1]
    assert not outside, f"{outside[0]} is not between 0 and 1"
