"""Whose turn it is to be judged: who is slow, or fails by the host's fault, holds up nobody else."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from attrs import evolve

from arena_hill import judging_threads
from arena_hill.db import judging_queue
from arena_hill.db.judging_queue import ALONE_AFTER_TRIES, OTHERS_FIRST_MESSAGE
from arena_hill.db.submissions import Submission
from arena_hill.judge import TURN_SECONDS, JudgeDaemon
from arena_hill.judging_threads import MAX_ATTEMPT_SECONDS, TOO_SLOW_MESSAGE, JudgingThread
from arena_hill.submission_states import JUDGED_STATES, SubmissionState
from arena_hill.submission_status import STUCK_SECONDS
from arena_hill.web.health import list_stuck_submissions
from tests.support.hill.hill_access import (
    Clock,
    build_zip,
    find_author,
    open_hill_access,
    set_clock,
)
from tests.support.hill.hill_folders import FILE, LOOK_SECONDS, HillFolder, bot, drive, step_until
from tests.support.requirements import require_sandbox

SLOW = f"{FILE}[time]\nmove = 300\n"
SLEEPS = "import time\ntime.sleep(10 ** 6)\n"
NEVER = 10.0**6  # seconds


def looks() -> Iterator[None]:
    for _ in range(3):
        yield


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    """Return the clock by which it is told how long a submission is being judged."""
    clock = Clock(0.0)
    monkeypatch.setattr(judging_threads, "now", clock)
    return clock


@pytest.mark.parametrize("ends", ["between looks", "during a look"])
def test_a_quick_bot_does_not_wait_for_slow_ones(
    tmp_path: Path, clock: Clock, ends: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Once two slow bots had a few seconds, one of them makes room, and has another turn later."""
    look, looked = JudgingThread.is_over, set[JudgingThread]()

    def end_after_look(attempt: JudgingThread) -> bool:
        if attempt.interruption and attempt not in looked:
            looked.add(attempt)
            while not look.__get__(attempt):  # it may start more programs
                attempt.kill_programs()
                attempt.join(LOOK_SECONDS)
            return False
        return bool(look.__get__(attempt))

    if ends == "during a look":
        monkeypatch.setattr(JudgingThread, "is_over", property(end_after_look))
    hill = HillFolder.create(tmp_path, SLOW)
    first, second = (
        hill.send(bot(tmp_path, author, SLEEPS), author, author) for author in ("ann", "bob")
    )
    said = set()

    def steps() -> Iterator[None]:
        yield from step_until(
            lambda: hill.now(first).state is hill.now(second).state is SubmissionState.CHECKING
        )
        quick = hill.send(bot(tmp_path, "quick"), "quick", "eve")
        yield from looks()
        assert hill.now(first).state is hill.now(second).state is SubmissionState.CHECKING
        clock.now += TURN_SECONDS + 1
        while hill.now(quick).state is not SubmissionState.ACCEPTED:
            said.add(hill.now(second).why)
            yield
        assert hill.now(first).state is SubmissionState.CHECKING
        yield from step_until(lambda: hill.now(second).state is SubmissionState.CHECKING)

    require_sandbox()
    drive(JudgeDaemon.of(hill.hill, hill.store), steps())
    assert said == {"", OTHERS_FIRST_MESSAGE}
    assert [
        (submission.state, submission.tries) for submission in map(hill.now, (first, second))
    ] == [(SubmissionState.QUEUED, 0)] * 2


def test_the_older_of_two_attempts_continues_to_its_end(tmp_path: Path, clock: Clock) -> None:
    """The older attempt continues however many submissions come after it, so that slow bots are judged, too."""
    hill = HillFolder.create(tmp_path, SLOW)
    sleeping = {author: bot(tmp_path, author, SLEEPS) for author in ("ann", "bob", "eve", "kim")}

    def send(name: str) -> Submission:
        return hill.send(sleeping[name], name, name)

    def steps() -> Iterator[None]:
        first, second = send("ann"), send("bob")
        yield from step_until(
            lambda: hill.now(first).state is hill.now(second).state is SubmissionState.CHECKING
        )
        clock.now += TURN_SECONDS + 1
        third = send("eve")
        yield from step_until(lambda: hill.now(third).state is SubmissionState.CHECKING)
        send("kim")
        yield from looks()
        assert hill.now(first).state is hill.now(third).state is SubmissionState.CHECKING

    require_sandbox()
    drive(JudgeDaemon.of(hill.hill, hill.store), steps())


def test_a_check_that_takes_too_long_is_ended(tmp_path: Path, clock: Clock) -> None:
    """The check is ended in the middle of a match, and the bot is rejected."""
    hill = HillFolder.create(tmp_path, SLOW)
    sent = hill.send(bot(tmp_path, code=SLEEPS))

    def steps() -> Iterator[None]:
        yield from step_until(lambda: hill.now(sent).state is SubmissionState.CHECKING)
        clock.now += MAX_ATTEMPT_SECONDS + 1
        yield from step_until(lambda: hill.now(sent).state is SubmissionState.REJECTED)

    require_sandbox()
    drive(JudgeDaemon.of(hill.hill, hill.store), steps())
    assert hill.now(sent).why == TOO_SLOW_MESSAGE


def test_a_failure_with_one_submission_delays_that_one_alone(tmp_path: Path) -> None:
    """The next submission is judged at once."""
    hill = HillFolder.create(tmp_path)
    lost = hill.send(bot(tmp_path))
    (hill.uploads / f"{lost.sha256}.zip").unlink()

    def steps() -> Iterator[None]:
        yield from step_until(lambda: hill.now(lost).tries)
        other = hill.send(bot(tmp_path, "other"), "other", "bob")
        yield from step_until(lambda: hill.now(other).state is SubmissionState.ACCEPTED)

    require_sandbox()
    drive(JudgeDaemon.of(hill.hill, hill.store, retry_seconds=NEVER), steps())
    assert hill.now(lost).state is SubmissionState.QUEUED


def test_a_submission_that_may_kill_the_judge_is_judged_alone(
    tmp_path: Path, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No other attempt is lost with such a submission, and it makes room for all others."""
    monkeypatch.setattr(judging_queue, "MAX_PAUSE_SECONDS", 0.0)
    hill = HillFolder.create(tmp_path, SLOW)
    suspect = hill.send(bot(tmp_path, code=SLEEPS))
    for _ in range(ALONE_AFTER_TRIES):
        assert hill.store.queue.take()
        assert hill.store.queue.recover() == 1

    def steps() -> Iterator[None]:
        yield from step_until(lambda: hill.now(suspect).state is SubmissionState.CHECKING)
        others = [
            hill.send(bot(tmp_path, author), author, author) for author in ("bob", "eve", "kim")
        ]
        yield from looks()
        assert hill.now(suspect).state is SubmissionState.CHECKING
        clock.now += TURN_SECONDS + 1
        while any(hill.now(other).state is not SubmissionState.ACCEPTED for other in others):
            at_work = hill.store.submissions.select(states=JUDGED_STATES)
            assert len(at_work) == 1 or suspect.id not in [submission.id for submission in at_work]
            yield
        yield from step_until(lambda: hill.now(suspect).state is SubmissionState.CHECKING)

    require_sandbox()
    drive(JudgeDaemon.of(hill.hill, hill.store), steps())
    assert hill.now(suspect).state is SubmissionState.QUEUED


def test_a_submission_that_waits_for_others_is_not_stuck(tmp_path: Path) -> None:
    """A long queue is no fault of the host, but one in which nothing is judged is."""
    hill = open_hill_access(tmp_path / "hill")
    clock = Clock(1_000_000.0)
    # so that sending them takes no time
    hill = evolve(hill, store=set_clock(hill.store, clock))
    hill.store.accounts.sign_in("ada")
    waits, judged = (
        hill.intake.submit(find_author(hill.store), name, build_zip(bot=name)).submission.id
        for name in ("a", "b")
    )
    clock.now += STUCK_SECONDS + 1
    assert list_stuck_submissions(hill) == [judged, waits]
    assert hill.store.queue.set_state(judged, SubmissionState.CHECKING)
    assert list_stuck_submissions(hill) == []
    clock.now += STUCK_SECONDS + 1
    assert list_stuck_submissions(hill) == [judged]
