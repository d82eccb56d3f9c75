"""Hosts that are ordinary users, where the tests run as root: sandboxes hold there, too."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from functools import cache
from typing import Any

import pytest
from attrs import frozen

from arena.sandbox import LANDLOCK, NAMESPACES
from arena.sandbox.bubblewrap import MAX_PENDING_SIGNALS
from tests.sandbox.attacks.programs.accounts import (
    ACCOUNTS,
    CONTAINER,
    ORDINARY,
    PATH,
    SUBORDINATE,
    AttackHost,
    MissingAccountError,
)
from tests.sandbox.attacks.programs.attack import TIERS, Attack
from tests.sandbox.attacks.programs.idioms import IDIOMS, find_expected
from tests.sandbox.attacks.programs.suite import PROGRAMS
from tests.support.requirements import require

MATCHES = [0, 1, 3, pytest.param(2, marks=pytest.mark.release)]
"""In these each innocent plays once; root plays the third of them, which takes longest."""
BY_USER = [  # root plays each of them; these are enough to try each account in each tier
    pytest.param(program, marks=[pytest.mark.release] * (number % 3 != 1), id=program.name)
    for number, program in enumerate(program for program in PROGRAMS.values() if program.by_user)
]
FEW = [(SUBORDINATE, NAMESPACES), (ORDINARY, LANDLOCK), (CONTAINER, LANDLOCK)]
"""Places by which each account and each tier are tried."""

FURTHER = [(SUBORDINATE, LANDLOCK), (ORDINARY, NAMESPACES)]
PLACES = [*FEW, *FURTHER]


@frozen
class Place:
    """A process of an account, and the tier in which it hosts."""

    host: AttackHost
    tier: str

    def ask(self, **question: Any) -> dict[str, Any]:
        """Have a function called over there, which hosts in this tier."""
        answer = self.host.ask(tier=self.tier, **question)
        assert "problem" not in answer, answer["problem"]
        return answer


@pytest.fixture(scope="module")
def hosts() -> Iterator[Callable[[str], AttackHost]]:
    """Return what returns a process of an account; skip, with the reason, one that is not there."""
    require("bwrap", "newuidmap")
    with ExitStack() as stack:

        @cache
        def start(account: str) -> AttackHost:
            try:
                host = AttackHost(account)
            except MissingAccountError as problem:
                pytest.skip(str(problem))
            stack.callback(host.close)
            return host

        yield start


@pytest.fixture(params=PLACES, ids="-".join)
def at(request: pytest.FixtureRequest, hosts: Callable[[str], AttackHost]) -> Place:
    """Return each account in each tier that holds for it."""
    account, tier = request.param
    return Place(hosts(account), tier)


at_few = pytest.mark.parametrize(
    "at",
    [*FEW, *(pytest.param(place, marks=pytest.mark.release) for place in FURTHER)],
    indirect=True,
    ids="-".join,
)


@pytest.mark.parametrize("account", ACCOUNTS)
def test_a_tier_holds_for_an_ordinary_user(
    hosts: Callable[[str], AttackHost], account: str
) -> None:
    """Where a tier does not hold, that is known: user namespaces are refused in containers."""
    examined = hosts(account).ask(what="examine")
    tiers = [tier for tier, found in examined.items() if found == []]
    if account == CONTAINER:
        assert "user namespaces" in examined[NAMESPACES]
        assert tiers == [LANDLOCK]
    else:
        assert tiers == [*TIERS], examined


@pytest.mark.each("program", "at")
@pytest.mark.parametrize("program", BY_USER)
def test_an_attack_fails_for_an_ordinary_user(at: Place, program: Attack) -> None:
    """It gets the verdict that it should, and nobody else notices; an innocent gets none."""
    answer = at.ask(what="play", attack=program.name)
    expected = program.expected(at.tier, at.host.account)
    assert answer["kind"] == (expected and expected.value), answer
    assert (program.detail in answer["detail"]) if expected else ("TRIED" in answer["said"]), answer
    assert not answer["touched"], answer["touched"]


@at_few
def test_no_bot_leaves_setuid_programs_of_an_ordinary_user(at: Place) -> None:
    """Neither its build nor its match has one that another user could start."""
    assert at.ask(what="setuid") == {"build": [], "match": []}


@pytest.mark.parametrize(
    "at",
    [
        pytest.param(place, marks=[pytest.mark.release] * (place != (CONTAINER, LANDLOCK)))
        for place in PLACES
    ],
    indirect=True,
    ids="-".join,
)  # root plays them in namespaces
def test_a_spoilt_folder_is_its_bots_own_fault(at: Place) -> None:
    """No match of an ordinary user is void either, and nobody else has a verdict."""
    assert at.ask(what="spoil") == {"wrong": []}


@at_few
@pytest.mark.each("match", "at")
@pytest.mark.parametrize("match", MATCHES)
def test_innocents_of_an_ordinary_user_get_no_verdict(at: Place, match: int) -> None:
    """Programs in seven languages start children all the time, and none is refused one."""
    answer = at.ask(what="innocents", matches=1, concurrent=1, first=match)
    assert (answer["matches"], answer["wrong"]) == (1, {})
    if answer["missing"]:
        pytest.skip(f"all but these were played: {', '.join(answer['missing'])}")


@at_few  # root tries all languages
@pytest.mark.each("language", "at")
@pytest.mark.parametrize(
    "language",
    [
        *("python", "bash", "c"),
        *(pytest.param(name, marks=pytest.mark.release) for name in ("perl", "ruby", "node")),
    ],
)
def test_what_people_use_works_for_an_ordinary_user(at: Place, language: str) -> None:
    """But for what the page on security says."""
    (needs,) = [idiom.needs for idiom in IDIOMS if idiom.language == language]
    if not shutil.which(needs, path=PATH):
        pytest.skip(f"{needs} is not on this machine, where every user may run it")
    failed = at.ask(what="idioms", language=language)
    account = at.host.account
    known = find_expected(at.tier, mounts=account != CONTAINER, shared_user=account != SUBORDINATE)
    expected = {name for name in known if name.startswith(f"{language}:")}
    assert failed.keys() == expected, failed


@at_few
def test_an_ordinary_user_plays_a_bot_with_private_files(at: Place) -> None:
    """Its program runs as a user of its own, who reads a copy."""
    assert at.ask(what="private") == {"wrong": []}


@at_few
def test_programs_of_an_ordinary_user_have_signals_of_their_own(at: Place) -> None:
    """None uses up those of another, unless they share a user that the kernel counts as one."""
    second = 0 if at.host.account == CONTAINER else MAX_PENDING_SIGNALS
    assert at.ask(what="signals")["queued"] == [MAX_PENDING_SIGNALS, second]


@pytest.mark.parametrize("at", [(ORDINARY, NAMESPACES)], indirect=True, ids="-".join)
def test_a_program_stops_nobody_for_whom_its_keeper_waits(at: Place) -> None:
    """It shares its user with whoever is to stop it, and ends with the match all the same."""
    assert at.ask(what="stop") == {"stuck": []}
