"""What holds for what games offer to machines that learn: all actions, and an encoding."""

from __future__ import annotations

from itertools import islice
from typing import Any

from arena.game import Game
from arena.table import Seat
from arena.testing.cases import Case, closely, walk
from arena.testing.wires import greeting

LISTED = 200  # answers of a question that are looked for


def actions_hold_all_answers(game: Game, case: Case) -> None:
    """Whatever may be answered is in the list of actions, once, which is the same each time."""
    if game.actions is None:
        return
    variant = game.read_variant(case.options)
    actions = [*game.actions(variant, case.seats)]
    known = {repr(action): action for action in actions}
    assert len(known) == len(actions), "an action is listed twice"
    assert actions == [*game.actions(variant, case.seats)], "the list is another one each time"
    for play in closely(game, case):
        for question in play.pending.values():
            options: Any = question.options
            for answer in islice(options, LISTED):
                assert repr(answer) in known, f"{answer!r} may be answered, and is no action"


def encodings_are_figures(game: Game, case: Case) -> None:
    """What a seat was told is encoded as figures from 0 to 1, always as many."""
    if game.encode is None:
        return
    heard: dict[Seat, list[Any]] = {
        seat: [greeting(game, case, seat)] for seat in range(case.seats)
    }
    size = len(game.encode(heard[0]))
    for play in walk(game, case):
        for to, event in play.drain():
            for seat in range(case.seats) if to is None else (to,):
                heard[seat].append(event)
    for events in heard.values():
        for count in {1, 2, 3, len(events) // 2, len(events)}:
            figures = game.encode(events[:count])
            assert len(figures) == size, f"{len(figures)} figures, and at first {size}"
            outside = [figure for figure in figures if not 0 <= figure <= 1]
            assert not outside, f"{outside[0]} is not from 0 to 1"
