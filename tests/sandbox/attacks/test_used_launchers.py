"""Attacks by a bot whose launcher has played before: it gets no further, and leaves no more."""

from __future__ import annotations

import pytest

from arena.sandbox.supervisor_client import SUPERVISOR_CLIENT
from tests.sandbox.attacks.programs.attack import Attack
from tests.sandbox.attacks.programs.scene import Scene
from tests.sandbox.attacks.programs.suite import ATTACKS

SAMPLE = [  # each takes four matches, and all of them from a new launcher are elsewhere
    pytest.param(attack, marks=[pytest.mark.release] * (number % 4 > 1), id=attack.name)
    for number, attack in enumerate(ATTACKS[::8])
]


@pytest.mark.each("attack", "tier")
@pytest.mark.parametrize("attack", SAMPLE)
def test_an_attack_from_a_used_launcher_fails_too(place: Scene, attack: Attack, tier: str) -> None:
    """The verdict is the same, and the next program of that bot is not harmed."""
    SUPERVISOR_CLIENT.end_idle()
    for _ in range(2):
        assert place.play_innocent(attack, tier).verdicts == (None, None)
    assert len(SUPERVISOR_CLIENT._idle._waiting) == 2
    result = place.play(attack, tier)
    verdict = result.verdicts[0]
    assert (verdict and verdict.kind) == attack.expected(tier), (verdict, result.errors[0])
    place.assert_unnoticed(result)
    assert place.play_innocent(attack, tier).verdicts == (None, None)
    place.assert_gone()
