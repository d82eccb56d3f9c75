"""Hosts that are ordinary users, where the tests run as root: sandboxes hold there, too."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from typing import Any

import pytest

from arena.sandbox import LANDLOCK, NAMESPACES
from arena.sandbox.bubblewrap import MAX_PENDING_SIGNALS
from tests.sandbox.attacks.programs.accounts import (
    ACCOUNTS,
    CONTAINER,
    PATH,
    SUBORDINATE,
    AttackHost,
    MissingAccountError,
)
from tests.sandbox.attacks.programs.attack import TIERS, Attack
from tests.sandbox.attacks.programs.idioms import IDIOMS, find_expected
from tests.sandbox.attacks.programs.suite import PROGRAMS
from tests.support.requirements import require

MATCHES = 6  # of innocents
BY_USER = [program for program in PROGRAMS.values() if program.by_user]


@pytest.fixture(scope="module", params=ACCOUNTS)
def attack_host(request: pytest.FixtureRequest) -> Iterator[AttackHost]:
    """Return a process of each account that there is."""
    require("bwrap", "newuidmap")
    try:
        host = AttackHost(request.param)
    except MissingAccountError as problem:
        pytest.skip(str(problem))
    yield host
    host.close()


@pytest.fixture(scope="module")
def examined(attack_host: AttackHost) -> dict[str, Any]:
    """Return what an attacker got hold of in each tier, or why the tier does not hold."""
    return attack_host.ask(what="examine")


def test_a_tier_holds_for_an_ordinary_user(
    attack_host: AttackHost, examined: dict[str, Any]
) -> None:
    """Where a tier does not hold, that is known: user namespaces are refused in containers."""
    tiers = [tier for tier, found in examined.items() if found == []]
    if attack_host.account == CONTAINER:
        assert "user namespaces" in examined[NAMESPACES]
        assert tiers == [LANDLOCK]
    else:
        assert tiers == [*TIERS], examined


@pytest.mark.each("program", "attack_host", "tier")
@pytest.mark.parametrize("program", BY_USER, ids=lambda program: program.name)
@pytest.mark.parametrize("tier", TIERS)
def test_an_attack_fails_for_an_ordinary_user(
    attack_host: AttackHost, examined: dict[str, Any], program: Attack, tier: str
) -> None:
    """It gets the verdict that it should, and nobody else notices; an innocent gets none."""
    if isinstance(examined[tier], str):  # as tested above
        assert (attack_host.account, tier) == (CONTAINER, NAMESPACES)
        return
    answer = attack_host.ask(what="play", attack=program.name, tier=tier)
    assert "problem" not in answer, answer["problem"]
    expected = program.expected(tier, attack_host.account)
    assert answer["kind"] == (expected and expected.value), answer
    assert (program.detail in answer["detail"]) if expected else ("TRIED" in answer["said"]), answer
    assert not answer["touched"], answer["touched"]


@pytest.mark.parametrize("tier", TIERS)
def test_no_bot_leaves_setuid_programs_of_an_ordinary_user(
    attack_host: AttackHost, examined: dict[str, Any], tier: str
) -> None:
    """Neither its build nor its match has one that another user could start."""
    if isinstance(examined[tier], str):  # as tested above
        assert (attack_host.account, tier) == (CONTAINER, NAMESPACES)
        return
    assert attack_host.ask(what="setuid", tier=tier) == {"build": [], "match": []}


@pytest.mark.parametrize("tier", TIERS)
def test_a_spoilt_folder_is_its_bots_own_fault(
    attack_host: AttackHost, examined: dict[str, Any], tier: str
) -> None:
    """No match of an ordinary user is void either, and nobody else has a verdict."""
    if isinstance(examined[tier], str):  # as tested above
        assert (attack_host.account, tier) == (CONTAINER, NAMESPACES)
        return
    assert attack_host.ask(what="spoil", tier=tier) == {"wrong": []}


@pytest.mark.parametrize("tier", TIERS)
def test_innocents_of_an_ordinary_user_get_no_verdict(
    attack_host: AttackHost, examined: dict[str, Any], tier: str
) -> None:
    """Programs in seven languages start children all the time, and none is refused one."""
    if isinstance(examined[tier], str):  # as tested above
        assert (attack_host.account, tier) == (CONTAINER, NAMESPACES)
        return
    answer = attack_host.ask(what="innocents", tier=tier, matches=MATCHES, concurrent=2)
    assert "problem" not in answer, answer["problem"]
    assert (answer["matches"], answer["wrong"]) == (MATCHES, {})
    if answer["missing"]:
        pytest.skip(f"all but these were played: {', '.join(answer['missing'])}")


@pytest.mark.each("language", "attack_host", "tier")
@pytest.mark.parametrize("language", ["python", "bash", "perl", "ruby", "node", "c"])
@pytest.mark.parametrize("tier", TIERS)
def test_what_people_use_works_for_an_ordinary_user(
    attack_host: AttackHost, examined: dict[str, Any], language: str, tier: str
) -> None:
    """But for what the page on security says."""
    if isinstance(examined[tier], str):  # as tested above
        assert (attack_host.account, tier) == (CONTAINER, NAMESPACES)
        return
    (needs,) = [idiom.needs for idiom in IDIOMS if idiom.language == language]
    if not shutil.which(needs, path=PATH):
        pytest.skip(f"{needs} is not on this machine, where every user may run it")
    failed = attack_host.ask(what="idioms", language=language, tier=tier)
    refused = attack_host.account == CONTAINER
    known = find_expected(tier, mounts=not refused, shared_user=attack_host.account != SUBORDINATE)
    expected = {name for name in known if name.startswith(f"{language}:")}
    assert failed.keys() == expected, failed


@pytest.mark.parametrize("tier", TIERS)
def test_an_ordinary_user_plays_a_bot_with_private_files(
    attack_host: AttackHost, examined: dict[str, Any], tier: str
) -> None:
    """Its program runs as a user of its own, who reads a copy."""
    if isinstance(examined[tier], str):  # as tested above
        assert (attack_host.account, tier) == (CONTAINER, NAMESPACES)
        return
    assert attack_host.ask(what="private", tier=tier) == {"wrong": []}


@pytest.mark.parametrize("tier", TIERS)
def test_programs_of_an_ordinary_user_have_signals_of_their_own(
    attack_host: AttackHost, examined: dict[str, Any], tier: str
) -> None:
    """None uses up those of another, unless they share a user that the kernel counts as one."""
    if isinstance(examined[tier], str):  # as tested above
        assert (attack_host.account, tier) == (CONTAINER, NAMESPACES)
        return
    second = 0 if attack_host.account == CONTAINER else MAX_PENDING_SIGNALS
    queued = attack_host.ask(what="signals", tier=tier)["queued"]
    assert queued == [MAX_PENDING_SIGNALS, second]
