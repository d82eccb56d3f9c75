"""Whose turn it is to be judged: who is slow, or fails by the host's fault, holds up nobody else."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from time import time

import pytest

from arena_web.hill import attempts, health, judging_queue, submissions
from arena_web.hill.attempts import LATER, MAX_ATTEMPT_SECONDS, TOO_SLOW
from arena_web.hill.health import Health
from arena_web.hill.judging_queue import ALONE_AFTER_TRIES
from arena_web.hill.porter import TURN_SECONDS, Porter
from arena_web.hill.standing import STUCK
from arena_web.hill.submissions import AT_WORK, Step, Submission
from tests.hill import FILE, Hill, bot, drive, until
from tests.hills import Clock, archive, office
from tests.requirements import require_sandbox

SLOW = f"{FILE}[time]\nmove = 300\n"
SLEEPS = "import time\ntime.sleep(10 ** 6)\n"
NEVER = 10.0**6  # seconds


def looks() -> Iterator[None]:
    """Let a porter look a few times at what there is."""
    for _ in range(3):
        yield


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    """Return the clock by which it is told how long a submission is being judged."""
    clock = Clock(0.0)
    monkeypatch.setattr(attempts, "now", clock)
    return clock


def test_who_is_quick_does_not_wait_for_who_is_slow(tmp_path: Path, clock: Clock) -> None:
    """Once two slow bots had a few seconds, one of them makes room, and has another turn later."""
    hill = Hill.made(tmp_path, SLOW)
    first, second = (hill.send(bot(tmp_path, one, SLEEPS), one, one) for one in ("ann", "bob"))
    said = set()

    def steps() -> Iterator[None]:
        yield from until(lambda: hill.now(first).state is hill.now(second).state is Step.CHECKING)
        quick = hill.send(bot(tmp_path, "quick"), "quick", "eve")
        yield from looks()
        assert hill.now(first).state is hill.now(second).state is Step.CHECKING
        clock.now += TURN_SECONDS + 1
        while hill.now(quick).state is not Step.FIT:
            said.add(hill.now(second).why)
            yield
        assert hill.now(first).state is Step.CHECKING
        yield from until(lambda: hill.now(second).state is Step.CHECKING)

    require_sandbox()
    drive(Porter(hill.spec, hill.register, hill.uploads), steps())
    assert said == {"", LATER}
    assert [(one.state, one.tries) for one in map(hill.now, (first, second))] == [
        (Step.QUEUED, 0)
    ] * 2


def test_who_began_first_goes_on_to_its_end(tmp_path: Path, clock: Clock) -> None:
    """However many come after it: or a slow bot would never be judged where many are sent."""
    hill = Hill.made(tmp_path, SLOW)
    sleeping = {one: bot(tmp_path, one, SLEEPS) for one in ("ann", "bob", "eve", "kim")}

    def send(name: str) -> Submission:
        return hill.send(sleeping[name], name, name)

    def steps() -> Iterator[None]:
        first, second = send("ann"), send("bob")
        yield from until(lambda: hill.now(first).state is hill.now(second).state is Step.CHECKING)
        clock.now += TURN_SECONDS + 1
        third = send("eve")
        yield from until(lambda: hill.now(third).state is Step.CHECKING)
        send("kim")
        yield from looks()
        assert hill.now(first).state is hill.now(third).state is Step.CHECKING

    require_sandbox()
    drive(Porter(hill.spec, hill.register, hill.uploads), steps())


def test_a_check_does_not_take_for_ever(tmp_path: Path, clock: Clock) -> None:
    """It is ended in the middle of a match, and the bot is rejected."""
    hill = Hill.made(tmp_path, SLOW)
    sent = hill.send(bot(tmp_path, code=SLEEPS))

    def steps() -> Iterator[None]:
        yield from until(lambda: hill.now(sent).state is Step.CHECKING)
        clock.now += MAX_ATTEMPT_SECONDS + 1
        yield from until(lambda: hill.now(sent).state is Step.REFUSED)

    require_sandbox()
    drive(Porter(hill.spec, hill.register, hill.uploads), steps())
    assert hill.now(sent).why == TOO_SLOW


def test_what_fails_for_one_puts_off_that_one_alone(tmp_path: Path) -> None:
    """Whoever comes next is judged at once."""
    hill = Hill.made(tmp_path)
    lost = hill.send(bot(tmp_path))
    (hill.uploads / f"{lost.sha256}.zip").unlink()

    def steps() -> Iterator[None]:
        yield from until(lambda: hill.now(lost).tries)
        other = hill.send(bot(tmp_path, "other"), "other", "bob")
        yield from until(lambda: hill.now(other).state is Step.FIT)

    require_sandbox()
    drive(Porter(hill.spec, hill.register, hill.uploads, pause=NEVER), steps())
    assert hill.now(lost).state is Step.QUEUED


def test_what_may_kill_the_judge_is_tried_alone(
    tmp_path: Path, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """So that nobody else's attempt is lost with it; and it makes room for everybody."""
    monkeypatch.setattr(judging_queue, "MAX_PAUSE_SECONDS", 0.0)
    hill = Hill.made(tmp_path, SLOW)
    suspect = hill.send(bot(tmp_path, code=SLEEPS))
    for _ in range(ALONE_AFTER_TRIES):
        assert hill.register.take()
        assert hill.register.recover() == 1

    def steps() -> Iterator[None]:
        yield from until(lambda: hill.now(suspect).state is Step.CHECKING)
        others = [hill.send(bot(tmp_path, one), one, one) for one in ("bob", "eve", "kim")]
        yield from looks()
        assert hill.now(suspect).state is Step.CHECKING
        clock.now += TURN_SECONDS + 1
        while any(hill.now(one).state is not Step.FIT for one in others):
            at_work = hill.register.submissions(states=AT_WORK)
            assert len(at_work) == 1 or suspect.id not in [one.id for one in at_work]
            yield
        yield from until(lambda: hill.now(suspect).state is Step.CHECKING)

    require_sandbox()
    drive(Porter(hill.spec, hill.register, hill.uploads), steps())
    assert hill.now(suspect).state is Step.QUEUED


def test_what_waits_for_others_is_not_stuck(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A long queue is no fault of the host; one in which nothing is judged is."""
    hill = office(tmp_path / "hill")
    clock = Clock(time())
    monkeypatch.setattr(health, "time", clock)
    monkeypatch.setattr(submissions, "time", clock)
    hill.register.sign_in("ada")
    waits, judged = (hill.accept(1, name, archive(bot=name))[0].id for name in ("a", "b"))
    clock.now += STUCK + 1
    assert Health(hill).stuck() == [judged, waits]
    assert hill.register.move(judged, Step.CHECKING)
    assert Health(hill).stuck() == []
    clock.now += STUCK + 1
    assert Health(hill).stuck() == [judged]
