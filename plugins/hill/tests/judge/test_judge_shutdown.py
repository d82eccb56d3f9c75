"""The end of a judge, by SIGTERM or SIGKILL: nothing is left running, nobody is lost or twice in."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest

from arena.rules import UserError
from arena_hill.judge import JudgeDaemon
from arena_hill.submission_judge import FOLDER_PREFIX
from arena_hill.submission_states import SubmissionState
from tests.support.hill.hill_folders import (
    FILE,
    MATCH,
    PLAIN,
    WAITS,
    HillFolder,
    await_,
    bot,
    judge,
)
from tests.support.programs import list_command_lines, wait_for_end

SLEEP = f"sleep {10**6 + os.getpid()}"  # nobody else's, on the whole machine


def test_a_judge_that_is_killed_in_any_state_loses_nobody(tmp_path: Path) -> None:
    """A submission that was being judged is judged again from its archive, and each is accepted once."""
    mark = str(tmp_path)
    go = tmp_path / "go"
    waits = WAITS.format(go=str(go))
    hill = HillFolder.create(tmp_path, 'sandbox = "trusted"\n' + FILE + "[time]\nmove = 300\n")
    builds = bot(tmp_path, "builds", command=PLAIN + "bot.py", build=PLAIN + "wait.py")
    (builds / "wait.py").write_text("open('half', 'x')\n" + waits)
    checks = bot(tmp_path, "checks", waits + MATCH, command=PLAIN + "bot.py")
    unpacks = bot(tmp_path, "unpacks", command=PLAIN + "bot.py")
    sent = [hill.send(program, program.name, program.name) for program in (builds, checks, unpacks)]
    upload = hill.uploads / f"{sent[2].sha256}.zip"
    data = upload.read_bytes()
    upload.unlink()
    os.mkfifo(upload)

    def states() -> list[SubmissionState]:
        return [hill.now(submission).state for submission in sent]

    with judge(tmp_path, mark, "trusting"):
        await_(
            lambda: (
                states()
                == [SubmissionState.BUILDING, SubmissionState.CHECKING, SubmissionState.QUEUED]
            )
        )
    assert wait_for_end(mark) == {}
    with judge(tmp_path, mark, "trusting"):
        await_(
            lambda: (
                states()
                == [SubmissionState.BUILDING, SubmissionState.QUEUED, SubmissionState.UNPACKING]
            )
        )
        assert [hill.now(submission).tries for submission in sent] == [1, 1, 0]
        go.touch()
        await_(
            lambda: (
                states()
                == [SubmissionState.ACCEPTED, SubmissionState.ACCEPTED, SubmissionState.UNPACKING]
            )
        )
    upload.unlink()
    upload.write_bytes(data)
    with judge(tmp_path, mark, "trusting") as process:
        await_(lambda: states() == [SubmissionState.ACCEPTED] * 3)
        process.send_signal(signal.SIGTERM)
        assert process.wait() == 0
    assert sorted(command.name for command in hill.store.commands.fetch(0)) == [
        "builds",
        "checks",
        "unpacks",
    ]
    assert [hill.now(submission).tries for submission in sent] == [1, 1, 1]
    assert not [*hill.spec.data_folder.glob(f"{FOLDER_PREFIX}*")]
    assert not list_command_lines(mark)


def list_sleeping() -> list[str]:
    """Return the processes of a build that sleeps, in whatever sandbox."""
    return [
        path.parent.name
        for path in Path("/proc").glob("[0-9]*/cmdline")
        if SLEEP.replace(" ", "\0").encode() in read_if_there(path)
    ]


def read_if_there(path: Path) -> bytes:
    """Return a file of a process that may have ended."""
    try:
        return path.read_bytes()
    except OSError:
        return b""


def test_contained_builds_end_with_the_judge(tmp_path: Path) -> None:
    """A build ends with its judge, and counts as an attempt if the judge was killed, but not if it was asked to end."""
    hill = HillFolder.create(tmp_path)
    sent = hill.send(bot(tmp_path, build=SLEEP))
    with judge(tmp_path, "") as process:
        await_(lambda: hill.now(sent).state is SubmissionState.BUILDING and list_sleeping())
        with pytest.raises(UserError, match="another judge is already running for hill"):
            JudgeDaemon.of(hill.hill, hill.store).run(None)  # type: ignore[arg-type]
    await_(lambda: not list_sleeping())
    with judge(tmp_path, "") as process:
        await_(lambda: hill.now(sent).tries == 1 and list_sleeping())
        process.send_signal(signal.SIGTERM)
        assert process.wait() == 0
        assert not list_sleeping()
    now = hill.now(sent)
    assert (now.state, now.tries) == (SubmissionState.QUEUED, 1)
    assert not [*hill.spec.data_folder.glob(f"{FOLDER_PREFIX}*")]
