"""The scoreboard knows from the events alone what the position knows."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import Any

import pytest

from arena import Play, Score
from arena_gops import Bids, Gops, Prize, Scoreboard
from arena_gops.rules import TIES

VARIANTS = [Gops(cards, ties) for cards in (1, 6) for ties in TIES]
VARIANTS += [Gops(4, "carry", prizes=(7, 7, 1, 20)), Gops(5, "split", prizes="descending")]


def agree(board: Scoreboard, position: Any) -> None:
    """Compare all that both know, a round having just been played."""
    assert board.hands == position.hands
    assert board.scores == position.scores
    assert board.carried == position.carried
    assert board.face_down == tuple(sorted(position.prizes))
    assert board.over == position.over


def rising(before: Sequence[Score], after: Sequence[Score]) -> list[int]:
    """Return the seats whose points have changed."""
    return [seat for seat, score in enumerate(after) if score != before[seat]]


@pytest.mark.parametrize("variant", VARIANTS, ids=str)
@pytest.mark.parametrize("seats", [2, 3, 4])
def test_it_agrees_with_the_position(variant: Gops, seats: int) -> None:
    """After every round of games of chance it has the position's hands, scores and prizes."""
    for seed in range(20):
        play, random = Play.deal(variant, seats, f"{seed}"), Random(seed)
        board = Scoreboard(variant, seats)
        number = 0
        board.hear(play.drain()[0][1])
        while play.pending:
            position: Any = play.position
            number += 1
            assert (board.round, board.prize) == (number, position.prizes[0])
            assert board.stake == position.prizes[0] + position.carried
            for seat in range(seats):
                play.answer(seat, random.choice(position.hands[seat]))
            bids, *prize = [event for _, event in play.drain()]
            board.hear(bids)
            agree(board, play.position)
            assert [*board.takers] == rising(position.scores, play.scores)
            for event in prize:
                board.hear(event)


def test_a_round_in_small() -> None:
    """A prize goes up, bids come, and the board says who took it and what is left."""
    board = Scoreboard(Gops(3, "carry"), 2)
    assert (board.round, board.face_down, board.over) == (0, (1, 2, 3), False)
    board.hear(Prize(3))
    assert (board.round, board.prize, board.face_down, board.bids) == (1, 3, (1, 2), [])
    board.hear(Bids((2, 2)))
    assert (board.takers, board.scores, board.carried) == ((), (0, 0), 3)
    board.hear(Prize(1))
    assert board.stake == 4
    board.hear(Bids((1, 3)))
    assert (board.takers, board.scores, board.carried) == ((1,), (0, 4), 0)
    assert board.hands == ((3,), (1,))
    assert (board.prizes, board.bids) == ([3, 1], [(2, 2), (1, 3)])


def test_whatever_else_is_told_does_not_matter() -> None:
    """Events of no game leave the board as it was."""
    board, untouched = (Scoreboard(Gops(3), 2) for _ in range(2))
    board.hear("news")
    board.hear(None)
    assert board == untouched
