"""Each program works in a folder of its own; what it logs is kept where that is asked for."""

from __future__ import annotations

import json
import stat
from pathlib import Path

import pytest

from tests.support.command import Cli
from tests.support.programs import ECHO

pytestmark = pytest.mark.slow  # programs in folders of their own
LOOKS = (
    "import os, stat, sys\n"
    "print(os.getcwd(), sorted(os.listdir()), oct(os.stat('..').st_mode & 0o777), file=sys.stderr)\n"
    "open('note', 'a').write('x')\nos.makedirs('deep/er')\nos.chmod('deep', 0o500)\n" + ECHO
)
GROWS = (
    "import os\nold = open('n').read() if os.path.exists('n') else ''\nopen('n', 'w').write(old + 'x')\n"
    + ECHO
)


@pytest.fixture
def bots(tmp_path: Path) -> list[str]:
    """Write two bots that look about."""
    (tmp_path / "looks.py").write_text(LOOKS)
    return ["A=looks.py", "B=looks.py"]


def test_a_folder_is_private_fresh_and_gone_afterwards(quick: Cli, bots: list[str]) -> None:
    """Each program of each match has another one, empty, and finds nobody else's files in it."""
    done = quick("match", "gops", *bots, "--games", "2", "--json")
    seen = [
        seat["stderr"].split()
        for line in done.stdout.splitlines()
        for seat in json.loads(line)["seats"]
    ]
    folders = [Path(words[0]) for words in seen]
    assert len(set(folders)) == 4
    assert {tuple(words[1:]) for words in seen} == {("[]", "0o700")}  # nobody else looks into it
    assert not any(folder.exists() or folder.parent.exists() for folder in folders)


def test_folders_are_kept_where_that_is_asked_for(quick: Cli, tmp_path: Path) -> None:
    """Each entrant has one under its name, and finds in it what it wrote the last time."""
    (tmp_path / "grows.py").write_text(GROWS)
    for _ in range(2):
        words = "match gops A=grows.py B=grows.py match --games 3 --keep-folders keep"
        assert quick(*words.split()).returncode == 0
    assert (tmp_path / "keep/A/n").read_text() == (tmp_path / "keep/B/n").read_text() == "x" * 6
    assert sorted(path.name for path in (tmp_path / "keep").iterdir()) == ["A", "B"]


def test_logs_hold_the_whole_of_stderr(quick: Cli, tmp_path: Path) -> None:
    """A file for each seat and match, named after the key, the seat and the entrant."""
    (tmp_path / "loud.py").write_text("import sys\nprint('x' * 99999, file=sys.stderr)\n" + ECHO)
    done = quick(
        "match", "gops", "A=loud.py", "match", "--games", "2", "--bot-logs", "deep/logs", "--json"
    )
    results = [json.loads(line) for line in done.stdout.splitlines()]
    for result in results:
        (seat,) = [seat["seat"] for seat in result["seats"] if seat["name"] == "A"]
        log = tmp_path / "deep/logs" / f"{result['match']}-{seat}-A.log"
        assert log.read_text() == "x" * 99999 + "\n"
        assert len(result["seats"][seat]["stderr"]) <= 4096
        assert result["seats"][seat]["stderr"].endswith("xx\n")


@pytest.mark.parametrize("option", ["--bot-logs", "--keep-folders", "--transcript"])
def test_a_place_that_cannot_be_written_is_refused_in_a_line(
    quick: Cli, tmp_path: Path, option: str
) -> None:
    """It is a usage error, said before anything is played: never nothing kept in silence."""
    (tmp_path / "file").write_text("")
    (tmp_path / "bot.py").write_text(ECHO)
    done = quick("match", "gops", "bot.py", "match", option, "file/below", "--json")
    assert done.returncode == 2
    (line,) = done.stderr.splitlines()
    assert line.startswith("arena: ")
    assert "file/below" in line
    assert stat.S_ISREG((tmp_path / "file").stat().st_mode)
