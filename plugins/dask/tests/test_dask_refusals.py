"""What cannot be is said in one line, before anything is played."""

from __future__ import annotations

import socket
from pathlib import Path

import pytest

from arena.rules import UserError
from arena.tournament.file.reader import TournamentFileError, load
from arena.tournament.run.monitor import Monitor
from arena.tournament.run.tournament_run import run
from arena_dask import Dask

NOWHERE = "tcp://127.0.0.1:1"
TOURNAMENT = f"""
game = "gops"
check = false
matches = 2
executor = "dask:address={NOWHERE},timeout=0.2"
[[entrant]]
bot = "random"
[[entrant]]
"""


def refused(folder: Path, entrant: str) -> str:
    """Return what is said of a tournament with this entrant."""
    file = folder / "tournament.toml"
    file.write_text(TOURNAMENT + entrant)
    with pytest.raises(UserError) as found:
        run(load(file), Monitor())
    return str(found.value)


@pytest.mark.parametrize(
    "address", [NOWHERE, "tcp://no-such-host.invalid:8786", "nonsense", "ftp://127.0.0.1:1", ""]
)
def test_no_scheduler(address: str) -> None:
    """An address where no scheduler is, or that is none, is refused soon, and named."""
    with pytest.raises(UserError, match=rf"^dask: no scheduler at {address}: [^\n]+$"):
        Dask(address, timeout=0.2).places()


def test_somebody_else_listens() -> None:
    """Where somebody listens who does not answer, nobody waits for ever."""
    with socket.create_server(("127.0.0.1", 0)) as mute:
        address = f"tcp://127.0.0.1:{mute.getsockname()[1]}"
        with pytest.raises(UserError, match=f"^dask: no scheduler at {address}: TimeoutError$"):
            Dask(address, timeout=0.2).places()


def test_tournament_without_a_scheduler(tmp_path: Path) -> None:
    """A tournament says the same, and can be run later: it has begun, and nothing is played."""
    said = refused(tmp_path, 'bot = "match"')
    assert said.startswith(f"dask: no scheduler at {NOWHERE}: ")
    assert refused(tmp_path, 'bot = "match"') == said


def test_command(tmp_path: Path) -> None:
    """A command is not sent to other machines, where it may be another one or none."""
    said = refused(tmp_path, 'bot = "cat -"')
    assert (
        said == "cat: 'cat -' is a command of this machine; enter a folder with a bot.toml instead"
    )
    assert not (tmp_path / "tournament.db").exists()


def test_entrant_that_keeps_its_folder(tmp_path: Path) -> None:
    """Who keeps a folder between its matches has to play where that folder is."""
    said = refused(tmp_path, 'bot = "program:match"\nkeeps = true')
    assert said == ('match: its folder is kept on this machine, so it needs executor = "local"')


def test_all_who_stay(tmp_path: Path) -> None:
    """All entrants that cannot travel are named at once, a line each."""
    said = refused(tmp_path, 'bot = "cat -"\n[[entrant]]\nbot = "head -1"')
    assert [line.partition(":")[0] for line in said.splitlines()] == ["cat", "head"]


def test_bundled_bot_as_a_program(tmp_path: Path) -> None:
    """A bundled bot is there wherever its game is, as a program, too."""
    assert refused(tmp_path, 'bot = "program:match"').startswith("dask: no scheduler")


@pytest.mark.parametrize("parameters", ["", ":port=8786", ":address=tcp://a:1,timeout=0"])
def test_parameters(parameters: str, tmp_path: Path) -> None:
    """Its parameters are read as strictly as everything in a tournament's file."""
    file = tmp_path / "tournament.toml"
    file.write_text(f'game = "gops"\nexecutor = "dask{parameters}"\n')
    with pytest.raises(TournamentFileError, match="executor: "):
        load(file)
