"""Whoever is killed in the middle of a match: all that a program started is gone soon."""

from __future__ import annotations

import json
import os
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager

from attrs import frozen

from arena.sandbox.processes.process_tree import iter_descendants, list_children
from tests.sandbox.attacks.programs.attack import Attack
from tests.sandbox.attacks.programs.scene import Scene, scene
from tests.support.command import ARENA
from tests.support.programs import environment, list_lasting

LINGERS = Attack(
    "has a daemon, and thinks for ever",
    """
if os.fork() == 0:
    leave()
    if os.fork() == 0:
        leave()
        signal.signal(15, signal.SIG_IGN)
        time.sleep(3600)
    os._exit(0)
os.wait()
bid()
time.sleep(3600)
""",
)


@frozen
class Running:
    """A match that is being played, and who is in it."""

    place: Scene
    host: subprocess.Popen[str]
    supervisor: int
    keeper: int
    program: int
    others: list[int]

    def kill(self, process: int) -> None:
        """Kill one of them, at once."""
        os.kill(process, signal.SIGKILL)

    def assert_gone(self) -> None:
        """See that nobody is left whom the keeper has kept."""
        assert list_lasting([self.keeper, self.program, *self.others]) == []
        assert self.place.left() == {}

    def result(self) -> dict[str, object]:
        """Return what the host prints at last."""
        said, _ = self.host.communicate(timeout=60)
        printed: dict[str, object] = json.loads(said.splitlines()[0])
        return printed

    def result_after_killing(self, process: int) -> dict[str, object]:
        """Kill one of them; return what the host prints at last, when nobody is left."""
        self.kill(process)
        result = self.result()
        self.assert_gone()
        return result


@contextmanager
def playing(tier: str, mark: str, move: float) -> Iterator[Running]:
    """Have a match played by another process, until the attacker has bid and lingers."""
    with scene() as place:
        bot = place.folder / "attacker" / "bot.py"
        bot.write_text(LINGERS.source(place.known))
        words = [ARENA, "match", "gops", f"{place.known['PYTHON']} -I {bot} {place.word}", "match",
                 "--sandbox", tier, "--seed", "s", "--move-time", str(move), "--json", "-vv"]  # fmt: skip
        more = environment(mark, TMPDIR=str(place.folder / "tmp"))
        with subprocess.Popen(
            words, env=more, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        ) as host:
            assert host.stderr
            assert any("answered" in line for line in host.stderr)
            (supervisor,) = list_children(host.pid)
            (keeper,) = list_children(supervisor)
            below = [process for process, _ in iter_descendants(keeper)]
            program = list_children(keeper)[0]
            yield Running(place, host, supervisor, keeper, program, below)
            host.kill()


def test_a_host_that_is_killed_leaves_nothing_running(tier: str, mark: str) -> None:
    """No keeper, no program, no daemon; its folders may stay."""
    with playing(tier, mark, 60) as running:
        running.kill(running.host.pid)
        running.assert_gone()
        assert list_lasting([running.supervisor]) == []


def test_a_match_outlives_its_supervisor(tier: str, mark: str) -> None:
    """Each program has a keeper of its own, who goes on."""
    with playing(tier, mark, 2) as running:
        result = running.result_after_killing(running.supervisor)
    assert result["outcome"] == "forfeited"
    assert running.host.returncode == 0


def test_a_program_whose_keeper_is_killed_is_gone(tier: str, mark: str) -> None:
    """That is nobody's fault: the match is void."""
    with playing(tier, mark, 60) as running:
        result = running.result_after_killing(running.keeper)
    assert result["outcome"] == "void"
    assert running.host.returncode == 1


def test_a_program_that_is_killed_has_crashed(tier: str, mark: str) -> None:
    """What it has left behind goes with it."""
    with playing(tier, mark, 60) as running:
        result = running.result_after_killing(running.program)
    assert result["outcome"] == "forfeited"
    assert "killed by SIGKILL" in str(result["seats"])
