"""What the host fails at, while a bot is judged, is nothing to the bot: it waits, and is let in."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

import pytest
from structlog.testing import capture_logs

from arena.sandbox import NAMESPACES
from arena.tournament.file.contents import HillConfig
from arena_hill.db import judging_queue
from arena_hill.db.judging_queue import HOST_PROBLEM_MESSAGE, JudgingQueue
from arena_hill.judge import JudgeDaemon
from arena_hill.judging_threads import WRITE_FAILED_MESSAGE
from arena_hill.submission_states import SubmissionState
from tests.support.checkout import ROOT
from tests.support.hill.hill_folders import PLAIN, WAITS, HillFolder, await_, bot, drive, step_until
from tests.support.hill.host_failures import TRUSTED, Fault, Scenario, locked
from tests.support.programs import TIMEOUT
from tests.support.requirements import require_tier
from tests.support.sandboxes.memory_disks import ROOMY_MB, Disk, mount_disk
from tests.support.tournaments.postgresql import Server

pytest_plugins = "tests.support.tournaments.databases"


def check_that_it_waits(hill: HillFolder, fault: Fault) -> None:
    """See that a bot waits for the host, is let in, and that its author is told no more."""
    scenario = Scenario(hill, hill.spec.home)
    done = scenario.judge(fault)
    assert (done.state, done.tries) == (SubmissionState.ACCEPTED, 1)
    assert scenario.told <= {"", HOST_PROBLEM_MESSAGE}
    assert "Traceback" not in scenario.logged
    usage = hill.store.act_as(hill.author("ann")).measure_usage(HillConfig(), {})
    assert usage.submissions["mine"].used == 1.0


def test_the_judge_waits_for_a_server_that_is_down(tmp_path: Path, server: Server) -> None:
    """When PostgreSQL stops while a bot is built, the bot is judged again once the server is back."""
    hill = HillFolder.create(tmp_path, TRUSTED, server.create_empty_database())
    check_that_it_waits(hill, server.stop_for_block)


def test_an_outage_of_the_database_is_logged_once(tmp_path: Path, server: Server) -> None:
    """An outage is one line in the log, however often the database is tried, and another outage is another line."""
    with capture_logs() as logs:
        hill = HillFolder.create(tmp_path, TRUSTED, server.create_empty_database())
        judge = JudgeDaemon.of(hill.hill, hill.store, trust_everybody=True, retry_seconds=0.0)

        def look() -> Iterator[None]:
            for _ in range(2):
                with server.stop_for_block():
                    yield from (None for _ in range(5))
                yield from step_until(lambda: logs[-1]["event"] == "judging resumed")

        drive(judge, look())
    assert [entry["event"] for entry in logs] == ["judging paused", "judging resumed"] * 2
    assert logs[0]["why"].startswith("postgresql://")
    assert len(f"{logs}") < 2000


def test_writes_that_fail_are_logged_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Writes that fail are one line in the log, however often they are tried, and the judge does not log that they work again."""
    tries, retry = [], JudgingQueue.retry

    def count_tries(queue: JudgingQueue, number: int, why: str) -> None:
        tries.append(number)
        retry(queue, number, why)

    monkeypatch.setattr(JudgingQueue, "retry", count_tries)
    monkeypatch.setattr(judging_queue, "MAX_PAUSE_SECONDS", 0.1)
    hill, go = HillFolder.create(tmp_path, TRUSTED), tmp_path / "go"
    home = bot(tmp_path, command=PLAIN + "bot.py", build=PLAIN + "wait.py")
    (home / "wait.py").write_text(WAITS.format(go=str(go)))
    sent = hill.send(home)

    def steps() -> Iterator[None]:
        yield from step_until(lambda: hill.now(sent).state is SubmissionState.BUILDING)
        with locked(tmp_path / "submissions.db", "IMMEDIATE"):
            go.touch()
            yield from step_until(lambda: len(tries) > 3)
        yield from step_until(lambda: hill.now(sent).state is SubmissionState.ACCEPTED)

    with capture_logs() as logs:
        judge = JudgeDaemon.of(hill.hill, hill.store, trust_everybody=True, retry_seconds=0.1)
        drive(judge, steps())
    events = [entry["event"] for entry in logs]
    assert events.count(WRITE_FAILED_MESSAGE) == 1
    assert "judging resumed" not in events


def test_the_judge_waits_for_a_locked_database(tmp_path: Path) -> None:
    """The judge waits when another process locks the SQLite file for longer than a writer waits."""
    hill = HillFolder.create(tmp_path, TRUSTED)
    check_that_it_waits(hill, lambda: locked(tmp_path / "submissions.db"))


@contextmanager
def full(disk: Disk) -> Iterator[None]:
    (disk.folder / "something").write_text("so that it can be no smaller")
    disk.make_full()
    yield
    disk.resize(ROOMY_MB)


@contextmanager
def read_only(disk: Disk) -> Iterator[None]:
    """Have a disk be read-only, as soon as nobody writes to it."""

    def succeeds() -> bool:
        try:
            disk.make_read_only()
        except subprocess.CalledProcessError:
            return False
        return True

    await_(succeeds)
    yield
    disk.make_writable()


@pytest.mark.parametrize("fault", [full, read_only])
def test_the_judge_waits_for_the_disk_of_its_database(
    tmp_path: Path, fault: Callable[[Disk], AbstractContextManager[None]]
) -> None:
    """The bot is let in once the disk of the database is neither full nor read-only."""
    with mount_disk(tmp_path / "database") as disk:
        hill = HillFolder.create(tmp_path, TRUSTED, disk.folder / "submissions.db")
        check_that_it_waits(hill, lambda: fault(disk))


def test_the_judge_waits_for_a_full_disk(tmp_path: Path) -> None:
    """A bot whose build fails since the disk is full is judged again, and not rejected."""
    with mount_disk(tmp_path / "hill.arena") as disk:
        hill = HillFolder.create(tmp_path, TRUSTED)
        check_that_it_waits(hill, lambda: full(disk))


def test_the_judge_waits_for_a_full_temporary_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A bot that crashes since it cannot write where it works is judged again."""
    hill = HillFolder.create(tmp_path, TRUSTED)
    with mount_disk(tmp_path / "temporary") as disk:
        monkeypatch.setattr(tempfile, "tempdir", str(disk.folder))
        check_that_it_waits(hill, lambda: full(disk))


def test_the_judge_waits_for_a_sandbox_that_fails(tmp_path: Path) -> None:
    """No bot is judged while the sandbox fails, and one that was being judged is judged again."""
    require_tier(NAMESPACES)
    done = subprocess.run(
        ["unshare", "--mount", sys.executable, "-m", "tests.support.hill.host_failures", str(tmp_path)],
        cwd=ROOT, capture_output=True, text=True, check=False, timeout=TIMEOUT,
    )  # fmt: skip
    if "unshare" in done.stderr or "mount: " in done.stderr:
        pytest.skip(f"nothing can be mounted here: {done.stderr}")
    lines = done.stdout.splitlines()
    # how often it was tried depends on when the judge looks at the sandbox
    assert lines[0].startswith("accepted "), done.stdout + done.stderr
    assert {*lines[1:]} <= {"", HOST_PROBLEM_MESSAGE}
