"""What holds for what games offer to machines that learn: all actions, and an encoding."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from random import Random
from typing import Any

from arena.plugins import Game
from arena.rules import Question, Seat
from arena.testing.cases import Case, closely, walk
from arena.testing.law import law
from arena.testing.rules import listed
from arena.testing.wires import greeting

LISTED = 200  # answers of a question that are looked for
MOST = 50_000  # actions that are looked at


@law()
def actions_hold_all_answers(game: Game, case: Case) -> None:
    """Whatever may be answered is in the list of actions, once, which is the same each time."""
    if game.actions is None:
        return
    variant = game.read_variant(case.options)
    actions, again = game.actions(variant, case.seats), game.actions(variant, case.seats)
    some = [*listed(actions, MOST)]
    assert some == [*listed(again, MOST)], "the list is another one each time"
    known = {repr(action) for action in some}
    assert len(known) == len(some), "an action is listed twice"
    for play in closely(game, case):
        for question in play.pending.values():
            for answer in _answers(question):
                found = repr(answer) in known or answer in actions
                assert found, f"{answer!r} may be answered, and is no action"


def _answers(question: Question[Any]) -> Iterable[Any]:
    """Return some of what may be answered, cards in the order in which they are listed."""
    if isinstance(question.options, Sequence):
        return listed(question.options, LISTED)
    return [question.options.draw(Random(number)) for number in range(5)]


@law()
def encodings_are_figures(game: Game, case: Case) -> None:
    """What a seat was told is encoded as figures from 0 to 1, always as many.

    An encoder that was asked on the way gives what a new one gives that is asked at the end.
    """
    if game.encoder is None:
        return
    heard: dict[Seat, list[Any]] = {seat: [] for seat in range(case.seats)}
    for play in walk(game, case):
        for to, event in play.drain():
            for seat in range(case.seats) if to is None else (to,):
                heard[seat].append(event)
    first = game.encoder(greeting(game, case, 0)).figures()
    for seat, events in heard.items():
        asked, unasked = (game.encoder(greeting(game, case, seat)) for _ in range(2))
        _are_figures(asked.figures(), len(first))
        for count, event in enumerate(events, 1):
            asked.tell(event)
            unasked.tell(event)
            if count in {1, 2, len(events) // 2, len(events)}:
                _are_figures(asked.figures(), len(first))
        assert [*asked.figures()] == [*unasked.figures()], "to be asked for figures changes them"


def _are_figures(figures: Sequence[float], size: int) -> None:
    assert len(figures) == size, f"{len(figures)} figures, and at first {size}"
    outside = [figure for figure in figures if not 0 <= figure <= 1]
    assert not outside, f"{outside[0]} is not from 0 to 1"
