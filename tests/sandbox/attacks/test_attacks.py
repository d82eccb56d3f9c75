"""Strangers' programs that attack: each gets its verdict, and nobody else notices."""

from __future__ import annotations

import pytest

from arena.sandbox import TRUSTED
from arena.sandbox.supervisor_client import SUPERVISOR_CLIENT
from tests.sandbox.attacks.programs import table
from tests.sandbox.attacks.programs.attack import Attack
from tests.sandbox.attacks.programs.innocent import INNOCENTS
from tests.sandbox.attacks.programs.scene import Scene
from tests.sandbox.attacks.programs.suite import ATTACKS
from tests.support.refresh import explain_refresh, is_refreshing


def test_the_book_has_a_row_for_each_attack() -> None:
    """`REFRESH=1 pytest tests/sandbox/attacks` writes the table anew."""
    if is_refreshing():
        table.prepare(ATTACKS)
    assert sorted(table.read()) == sorted(attack.name for attack in ATTACKS), explain_refresh(
        __file__
    )


@pytest.mark.each("attack", "tier")
@pytest.mark.parametrize("attack", ATTACKS, ids=lambda attack: attack.name)
def test_an_attack_gets_its_verdict_and_touches_nobody(
    place: Scene, attack: Attack, tier: str
) -> None:
    """Host, opponent, files, sockets, processes: all is as it was, and nothing is left."""
    result = place.play(attack, tier)
    verdict = result.verdicts[0]
    assert (verdict and verdict.kind) == attack.expected(tier), (verdict, result.errors[0])
    if verdict:
        assert attack.detail in f"{verdict.detail} {verdict.errors}"
    else:
        assert "TRIED" in result.errors[0]
    place.assert_untouched(result)
    table.compare(attack, tier, table.outcome(result))


@pytest.mark.release  # whoever changes an attack or the sandbox runs it, too
@pytest.mark.parametrize(
    "attack", [attack for attack in ATTACKS if attack.control], ids=lambda attack: attack.name
)
def test_without_a_sandbox_an_attack_succeeds(place: Scene, attack: Attack) -> None:
    """So it is the sandbox that is in the way, and what is looked at can be seen."""
    result = place.play(attack, TRUSTED)
    verdict = result.verdicts[0]
    assert (verdict and verdict.kind) == attack.verdict
    if "tries(" in attack.program:
        assert "GOT" in result.errors[0]
        with pytest.raises(AssertionError):
            place.assert_untouched(result)
    else:
        place.assert_untouched(result)
    assert place.left() == {}
    table.compare(attack, TRUSTED, table.outcome(result))


@pytest.mark.each("program", "tier")
@pytest.mark.parametrize("program", INNOCENTS, ids=lambda program: program.name)
def test_an_innocent_program_gets_no_verdict(place: Scene, program: Attack, tier: str) -> None:
    """Whatever children it starts, and whenever it waits for them."""
    result = place.play(program, tier)
    assert result.verdicts[0] is None, result.errors[0]
    assert "TRIED" in result.errors[0]
    place.assert_untouched(result)


SAMPLE = [  # each takes four matches, and all of them from a new launcher are elsewhere
    pytest.param(attack, marks=[pytest.mark.release] * (number % 3 > 0), id=attack.name)
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
