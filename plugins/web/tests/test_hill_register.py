"""The register of a hill: authors, submissions, quotas; in either kind of database."""

from __future__ import annotations

import sys
from pathlib import Path
from subprocess import PIPE, Popen
from typing import Any

import pytest

from arena.rules import UserError
from arena.tournament import Entry, HillConfig, State
from arena_web.hill import judging_queue, people, quotas, submissions
from arena_web.hill.judging_queue import HOST_PROBLEM, MAX_PAUSE_SECONDS, is_suspect
from arena_web.hill.people import MAX_SESSIONS, MOST_KEYS, SESSION, Scope
from arena_web.hill.quotas import DAY, MB, Denied
from arena_web.hill.register import Register
from arena_web.hill.submissions import SUPERSEDED, Step, Submission
from tests.hills import ROOT, Clock, greedy
from tests.programs import TIMEOUT

pytest_plugins = "tests.tournament.databases"

TERMS = HillConfig()


@pytest.fixture
def register(address: str | Path) -> Register:
    """Return a new register."""
    return Register.open(address)


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    """Return the time that the register takes for true."""
    clock = Clock(1_000_000.0)
    for module in (judging_queue, people, quotas, submissions):
        monkeypatch.setattr(module, "time", clock)
    return clock


def author(register: Register, name: str = "ada") -> int:
    """Return an author's number, who may be new."""
    key = register.sign_in(name)
    assert key
    known = register.who(key)
    assert known
    return known.id


def sent(
    register: Register, who: int, bot: str = "mine", data: str = "1", **more: Any
) -> Submission:
    """Submit something that is new."""
    config = HillConfig(**more)
    submission, new = register.submit(who, bot, data, MB, config)
    assert new
    return submission


def refused(register: Register, number: int) -> None:
    """Have a submission be refused."""
    assert register.move(number, Step.REFUSED, "it does not build")


def entered(submission: Submission, version: str = "ab12") -> Entry:
    """Return what the porter makes of a submission."""
    return Entry(submission.bot, version, "copy")


def test_an_invitation_is_good_once(register: Register) -> None:
    """And whoever comes by it has a session of that author's."""
    secret = register.invite("ada")
    assert register.invited(secret) == "ada"
    key = register.join(secret)
    assert key
    known = register.who(key)
    assert known
    assert (known.name, known.scope, known.sends) == ("ada", Scope.SESSION, True)
    assert register.join(secret) is None
    assert register.invited(secret) is None


def test_keys_are_known_until_they_are_ended(register: Register) -> None:
    """By their scope; there are not more of them than a few."""
    ada = author(register)
    key = register.make_key(ada, Scope.READ, "laptop")
    known = register.who(key)
    assert known
    assert not known.sends
    assert [one.label for one in register.keys(ada)] == ["browser", "laptop"]
    assert register.end_key(ada, register.keys(ada)[1].id)
    assert register.who(key) is None
    for _ in range(MOST_KEYS - 1):
        register.make_key(ada, Scope.READ, "another")
    with pytest.raises(UserError, match="revoke one"):
        register.make_key(ada, Scope.READ, "one more")


def test_a_session_ends_some_time(register: Register, clock: Clock) -> None:
    """A key that its author has made does not; it is said when it was used last."""
    ada = author(register)
    session, key = register.sign_in("ada"), register.make_key(ada, Scope.READ, "laptop")
    assert session
    clock.now += SESSION - 1
    assert register.who(session)
    assert register.who(key)
    assert [one.used for one in register.keys(ada)][1:] == [clock.now, clock.now]
    clock.now += 2
    assert register.who(session) is None
    assert register.who(key)
    register.sign_in("bob")
    assert [one.label for one in register.keys(ada)] == ["laptop"]


def test_a_new_session_ends_the_oldest(register: Register) -> None:
    """Signing in again and again fills no disk, and takes no tokens away."""
    ada = author(register, "ada")
    token = register.make_key(ada, Scope.READ, "laptop")
    sessions = [register.sign_in("ada") for _ in range(MAX_SESSIONS + 2)]
    known = [bool(session and register.who(session)) for session in sessions]
    assert known == [False, False, *[True] * MAX_SESSIONS]
    assert len(register.keys(ada)) == MAX_SESSIONS + 1
    assert register.who(token)


def test_nobody_is_known_by_another_key(register: Register) -> None:
    """Nor ends the keys of others."""
    ada, bob = author(register), author(register, "bob")
    assert register.who("arena_" + "x" * 43) is None
    assert not register.end_key(bob, register.keys(ada)[0].id)


def test_names_belong_to_who_was_first(register: Register) -> None:
    """Whatever their case; those of the house and of hidden bots are nobody's."""
    sent(register, author(register), "Mine")
    bob = author(register, "bob")
    for bot, status in {"mINE": 409, "RANDOM": 409, "Bot_17": 409, "no name": 422}.items():
        with pytest.raises(Denied) as denied:
            register.submit(bob, bot, "1", 1, TERMS, taken=["random"])
        assert denied.value.status == status, bot


def test_what_is_there_unchanged_stays(register: Register) -> None:
    """On its way or in; another one waits until the first is through, and what has gone may come."""
    ada = author(register)
    first = sent(register, ada)
    assert register.submit(ada, "mine", "1", MB, TERMS) == (first, False)
    with pytest.raises(Denied, match=f"submission {first.id} is still being checked"):
        register.submit(ada, "mine", "2", MB, TERMS)
    assert register.fit(first.id, entered(first))
    again, new = register.submit(ada, "mine", "1", MB, TERMS)
    assert (again.id, again.entrant, new) == (first.id, "mine@ab12", False)
    assert register.submit(ada, "mine", "1", MB, TERMS, gone=["mine@ab12"])[1]


def test_what_is_in_is_there_though_another_was_refused(register: Register) -> None:
    """So that who goes back to it uses nothing up."""
    ada = author(register)
    first = sent(register, ada)
    register.fit(first.id, entered(first))
    refused(register, sent(register, ada, data="2").id)
    again, new = register.submit(ada, "mine", "1", MB, TERMS)
    assert (again.id, new) == (first.id, False)
    assert sent(register, ada, data="2")


def test_a_day_has_so_many_submissions(register: Register, clock: Clock) -> None:
    """A refused one counts half, what the host has failed nothing; the wait is what it says."""
    ada, numbers = author(register), []
    for number in range(3):
        numbers.append(sent(register, ada, data=f"{number}", submissions=2).id)
        refused(register, numbers[-1])
        clock.now += 100
    said = r"1\.5 of 2 submissions of this bot .* submit again in 1435 min"
    with pytest.raises(Denied, match=said) as denied:
        register.submit(ada, "mine", "9", MB, HillConfig(submissions=2))
    assert denied.value.wait == DAY - 300
    used = register.used(ada, HillConfig(submissions=2))["submissions"]["mine"]
    assert used == {"used": 1.5, "allowed": 2, "more_in": DAY - 300}
    clock.now += DAY - 300 + 1
    assert sent(register, ada, data="9", submissions=2)


def test_the_wait_is_for_as_many_as_it_takes(register: Register, clock: Clock) -> None:
    """One that counted half makes no room for a whole one."""
    ada = author(register)
    refused(register, sent(register, ada, data="0", submissions=2).id)
    clock.now += 100
    for data in "12":
        one = sent(register, ada, data=data, submissions=3)
        register.fit(one.id, entered(one, data))
        clock.now += 100
    with pytest.raises(Denied) as denied:
        register.submit(ada, "mine", "3", MB, HillConfig(submissions=2))
    assert denied.value.wait == DAY - 200


def test_an_author_has_so_many_bots_and_bytes(register: Register) -> None:
    """What was refused for it leaves nothing behind."""
    ada = author(register)
    for bot in "ab":
        sent(register, ada, bot, bot)
    with pytest.raises(Denied, match="2 are allowed on this hill") as bots:
        sent(register, ada, "c", "c", bots=2)
    with pytest.raises(Denied, match=r"2\.0 MB are taken by uploads") as kept:
        sent(register, ada, "c", "c", uploads_mb=2)
    assert (bots.value.status, kept.value.status) == (429, 413)
    assert register.owner("c") is None
    assert register.used(ada, TERMS)["uploads_mb"]["used"] == 2.0


def test_the_porter_is_fair(register: Register) -> None:
    """Nobody twice at once, and who has sent least today comes first."""
    ada, bob = author(register), author(register, "bob")
    first, second = (sent(register, ada, bot, bot) for bot in "ab")
    third = sent(register, bob, "c", "c")
    taken = [register.take(), register.take(), register.take()]
    assert [one and one.id for one in taken] == [third.id, first.id, None]
    assert register.waiting() == [first.id, second.id, third.id]
    refused(register, first.id)
    after = register.take()
    assert after
    assert after.id == second.id


def test_what_comes_to_no_result_waits_longer_each_time(register: Register, clock: Clock) -> None:
    """Be it that the host has failed or that a judge was killed; nothing is ever given up."""
    number, waits = sent(register, author(register)).id, []
    for tries in range(20):
        assert register.take()
        if tries % 2:
            assert register.recover() == 1
        else:
            register.retry(number, "no room")
        found, before = register.submission(number), clock.now
        assert found
        assert (found.state, found.tries) == (Step.QUEUED, tries + 1)
        while not register.peek():
            clock.now += 1.0
        waits.append(clock.now - before)
    assert waits[:5] == [2, 4, 8, 16, 32]
    assert waits[-2:] == [MAX_PAUSE_SECONDS] * 2


def test_what_comes_to_no_result_holds_nobody_up(register: Register, clock: Clock) -> None:
    """Behind all others it comes, the more often the further; what had a turn is before it."""
    names = ("often", "once", "slow", "newcomer")
    numbers = {name: sent(register, author(register, name), name, name).id for name in names}
    for name, tries in (("often", 3), ("once", 1)):
        for _ in range(tries):
            register.retry(numbers[name], "")
    clock.now += MAX_PAUSE_SECONDS
    order = []
    while following := register.take([numbers["slow"]]):
        order.append((following.bot, is_suspect(following)))
    assert order == [("newcomer", False), ("once", False), ("slow", False), ("often", True)]


def test_a_newer_upload_takes_the_place_of_what_the_host_failed(register: Register) -> None:
    """The one before counts nothing; one that is being checked is in the way still."""
    ada = author(register)
    before = sent(register, ada)
    assert register.take()
    with pytest.raises(Denied, match="is still being checked"):
        sent(register, ada, data="2")
    register.retry(before.id, HOST_PROBLEM)
    assert sent(register, ada, data="2")
    found = register.submission(before.id)
    assert found
    assert (found.state, found.why) == (Step.FAILED, SUPERSEDED)
    assert register.used(ada, TERMS)["submissions"]["mine"]["used"] == 1.0


def test_who_is_fit_is_to_be_let_in(register: Register) -> None:
    """The coordinator is told just what the porter has made."""
    one = sent(register, author(register))
    assert register.fit(one.id, entered(one))
    (order,) = register.orders(0)
    assert (order.name, order.entry) == ("mine", entered(one))
    assert order.entry
    assert order.entry.state is State.ACTIVE  # and no text that is equal to it


def test_what_was_withdrawn_does_not_come_in(register: Register) -> None:
    """A porter that is at it meanwhile changes nothing, and the coordinator is told."""
    one = sent(register, author(register))
    assert register.take()
    register.withdraw("MINE", "by its author")
    assert not register.move(one.id, Step.CHECKING)
    assert not register.fit(one.id, entered(one))
    (order,) = register.orders(0)
    assert (order.name, order.entry, order.state) == ("mine", None, State.WITHDRAWN)
    assert register.orders(order.number) == []


def test_who_is_banned_is_gone(register: Register) -> None:
    """With all keys and bots; under this name nobody comes again."""
    ada = author(register)
    key = register.make_key(ada, Scope.SUBMIT, "laptop")
    one = sent(register, ada)
    assert register.ban("ADA", "attacks the host") == ["mine"]
    assert register.who(key) is None
    assert register.sign_in("Ada") is None
    with pytest.raises(UserError, match="ada is banned"):
        register.invite("ada")
    found = register.submission(one.id)
    assert found
    assert found.state is Step.WITHDRAWN
    assert [(one.name, one.banned, one.bots) for one in register.everybody()] == [
        ("ada", True, ["mine"])
    ]


def test_what_is_forgotten_is_to_be_deleted(register: Register) -> None:
    """But for what somebody else has sent, too."""
    ada, bob = author(register), author(register, "bob")
    for data in ("shared", "own"):
        one = sent(register, ada, data=data)
        register.fit(one.id, entered(one, data[:2] * 6))
    other = sent(register, bob, "theirs", "shared")
    register.fit(other.id, entered(other, "shshshshshsh"))
    gone = register.forget("mine", "its author asks for it")
    assert (gone.uploads, gone.versions) == ({"own"}, {"owowowowowow"})
    assert register.uploads() == {"shared"}
    assert register.hidden() == {"mine": "bot_1"}


def test_uploads_are_kept_while_they_are_in(register: Register, clock: Clock) -> None:
    """Or for a while; the quota has room for others then, and no log or report stays."""
    ada = author(register)
    for bot in "ab":
        one = sent(register, ada, bot, bot)
        register.move(one.id, Step.CHECKING, log="built", report={"passed": True})
        register.fit(one.id, entered(one, bot))
    sent(register, ada, "c", "c")
    register.outdate(clock.now + 1, ["a@a"])
    kept = {one.bot: (one.log, one.report) for one in register.submissions()}
    passed = {"passed": True}
    assert kept == {"a": ("built", passed), "b": ("", None), "c": ("", None)}
    assert register.uploads() == {"a", "c"}
    assert register.used(ada, TERMS)["uploads_mb"]["used"] == 2.0


GREEDY = """
import sys
from arena_web.hill.register import Register
from tests.hills import greedy
register = Register.open(sys.argv[1])
print(flush=True)
sys.stdin.readline()
print(*greedy(register, "b"))
"""


def test_processes_do_not_share_a_place(address: str | Path) -> None:
    """Two that submit at once have together what one author may have."""
    register = Register.open(address)
    author(register)
    words = [sys.executable, "-c", GREEDY, str(address)]
    with Popen(words, cwd=ROOT, stdin=PIPE, stdout=PIPE, text=True) as other:
        assert other.stdout
        other.stdout.readline()
        assert other.stdin
        other.stdin.write("\n")
        other.stdin.flush()
        mine = greedy(register, "a")
        theirs = other.communicate(timeout=TIMEOUT)[0].split()
    assert sorted([*mine, *theirs]) == ["429"] * 3 + ["taken"] * 3
