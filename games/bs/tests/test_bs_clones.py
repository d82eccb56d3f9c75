"""A play of BS is a value: it can be copied wherever it stands."""

from __future__ import annotations

from random import Random

from hypothesis import given
from hypothesis import strategies as st

from arena import Play
from arena_bs import Bs

SEEDS = st.integers(0, 2**32).map(str)
VARIANTS = st.builds(Bs, order=st.sampled_from(["arrival", "fair"]), max_turns=st.integers(1, 60))


def answer(play: Play, random: Random) -> None:
    """Let one of those who are asked say anything."""
    seat = random.choice(list(play.pending))
    play.answer(seat, play.pending[seat].options.draw(random))


@given(VARIANTS, st.integers(2, 8), SEEDS, st.integers(0, 200))
def test_a_clone_goes_on_alike(variant: Bs, seats: int, seed: str, answers: int) -> None:
    """Wherever a play is cloned, both go on alike, and neither disturbs the other."""
    play, random = Play.deal(variant, seats, seed), Random(seed)
    for _ in range(answers):
        if play.pending:
            answer(play, random)
    twin = play.clone()
    key = play.key
    state = random.getstate()
    ends = []
    for game in (twin, play):
        random.setstate(state)
        while game.pending:
            answer(game, random)
        ends.append((game.key, game.drain()))
        assert game is play or play.key == key
    assert ends[0] == ends[1]
