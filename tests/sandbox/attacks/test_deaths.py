"""Whoever is killed in the middle of a match: all that a program started is gone soon."""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

import pytest
from attrs import frozen

from arena.sandbox import LANDLOCK
from arena.sandbox.processes.process_tree import iter_descendants, list_children
from tests.sandbox.attacks.programs.attack import Attack
from tests.sandbox.attacks.programs.scene import Scene, scene
from tests.support.command_forks import CommandFork, start_forks
from tests.support.programs import TIMEOUT, environment, list_lasting

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
    host: CommandFork
    output: IO[str]
    supervisor: int
    keeper: int
    program: int
    others: list[int]

    def assert_gone(self) -> None:
        """See that nobody is left whom the keeper has kept."""
        assert list_lasting([self.keeper, self.program, *self.others]) == []
        assert self.place.left() == {}


@contextmanager
def playing(tier: str, mark: str, move: float) -> Iterator[Running]:
    """Have a match played by another process, until the attacker has bid and lingers."""
    with scene() as place:
        bot = place.folder / "attacker" / "bot.py"
        bot.write_text(LINGERS.source(place.known))
        words = ["match", "gops", f"{place.known['PYTHON']} -I {bot} {place.word}", "match",
                 "--sandbox", tier, "--seed", "s", "--move-time", str(move), "--json", "-vv"]  # fmt: skip
        more = environment(mark, TMPDIR=str(place.folder / "tmp"))
        (output, writes), (errors, complains) = os.pipe(), os.pipe()
        with (
            Path(os.devnull).open() as nothing,
            os.fdopen(output) as said,
            os.fdopen(errors) as log,
        ):
            streams = [nothing.fileno(), writes, complains]
            host = start_forks().start(words, place.folder, more, streams)
            for descriptor in (writes, complains):
                os.close(descriptor)
            try:
                assert any("answered" in line for line in log)
                (supervisor,) = list_children(host.pid)
                (keeper,) = list_children(supervisor)
                below = [process for process, _ in iter_descendants(keeper)]
                first = list_children(keeper)[0]
                program = list_children(first)[0] if tier == LANDLOCK else first
                yield Running(place, host, said, supervisor, keeper, program, below)
            finally:
                if host.poll() is None:
                    host.kill()
                    host.wait()


@pytest.mark.each("who", "tier")
@pytest.mark.parametrize(
    ("who", "outcome", "status"),
    [
        ("host", "", -signal.SIGKILL),
        ("supervisor", "forfeited", 0),  # each program has a keeper of its own, who goes on
        ("keeper", "void", 1),  # that is nobody's fault
        ("program", "forfeited", 0),
    ],
)
def test_whoever_is_killed_leaves_nothing_running(
    tier: str, mark: str, who: str, outcome: str, status: int
) -> None:
    """No keeper, no program, no daemon; what the host prints says whose fault it was."""
    with playing(tier, mark, 0.5 if who == "supervisor" else TIMEOUT) as running:
        os.kill(running.host.pid if who == "host" else getattr(running, who), signal.SIGKILL)
        assert running.host.wait(TIMEOUT) == status
        said = running.output.read()
        running.assert_gone()
        if who == "host":
            assert list_lasting([running.supervisor]) == []
    result = json.loads(said.splitlines()[0]) if outcome else {}
    assert result.get("outcome", "") == outcome
    assert who != "program" or "killed by SIGKILL" in str(result["seats"])
