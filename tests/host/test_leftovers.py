"""Whatever a bot leaves behind, or brings with it, costs a line at most, and never the run."""

from __future__ import annotations

import json
import os
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from arena.host import BotError, folders
from arena.tournament.bots.copies import CopyFolder
from tests.support.command import Cli
from tests.support.leftovers import REMAINS
from tests.support.programs import ECHO, PYTHON
from tests.support.tournaments.folders import build_entrant_tables, write_bot

pytestmark = pytest.mark.slow

BLOCK_BYTES = 4096  # a file of as many takes no more on any disk
SO_FAR = re.compile(r"^\d+ (of \d+ matches|matches are over)")  # said as often as the time it takes


@pytest.fixture(autouse=True)
def cleared(tmp_path: Path) -> Iterator[None]:
    """Remove what a test that fails has left: deep folders are too much for pytest's own cleanup."""
    yield
    subprocess.run(["chmod", "-R", "u+rwX", tmp_path], check=False, stderr=subprocess.DEVNULL)
    subprocess.run(["rm", "-rf", tmp_path], check=True)


@pytest.fixture
def room(tmp_path: Path) -> Path:
    """Return a folder for temporary files, beside one with a file that is dear to somebody."""
    (tmp_path / "dear").mkdir()
    (tmp_path / "dear/file").write_text("dear")
    (tmp_path / "room").mkdir()
    return tmp_path / "room"


def leaving(folder: Path, text: str, name: str = "leaving") -> str:
    """Write a bot that leaves this behind; return its command."""
    start = f"import os, sys\nhome = os.getcwd()\n{text}os.chdir(home)\n"
    (folder / f"{name}.py").write_text(start + ECHO)
    return f"{PYTHON[0]} {name}.py {folder / 'dear'}"


def see_clean(room: Path) -> None:
    """See that nothing is left, and nothing gone that is somebody's."""
    assert [*room.iterdir()] == []
    assert [path.name for path in (room.parent / "dear").iterdir()] == ["file"]


def test_a_match_removes_whatever_a_bot_leaves(cli: Cli, tmp_path: Path, room: Path) -> None:
    """The match counts, nothing of anybody's is left, and no link is followed."""
    commands = [leaving(tmp_path, text, name) for name, text in REMAINS.items()]
    done = cli("match", "gops", *commands, "-o", "cards=3", "--json", TMPDIR=str(room))
    assert (done.returncode, done.stderr) == (0, "")
    result = json.loads(done.stdout)
    assert [(seat["verdict"], seat["stderr"]) for seat in result["seats"]] == [(None, "")] * 6
    see_clean(room)


@pytest.mark.usefixtures("inline_workers")
def test_a_tournament_goes_on_whatever_a_bot_leaves(
    quick: Cli, tmp_path: Path, room: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All its matches are played."""
    monkeypatch.setattr("tempfile.tempdir", str(room))
    texts = [text for name, text in REMAINS.items() if name not in {"deep", "many"}]  # as above
    command = leaving(tmp_path, "os.chdir(home)\n".join(texts))
    text = 'game = "gops"\nworkers = 1\ncheck = false\nmatches = 2\noptions = {cards = 3}\n'
    (tmp_path / "t.toml").write_text(text + build_entrant_tables(command, "match"))
    done = quick("tournament", "run", "t.toml", "--json")
    assert done.returncode == 0, done.stderr
    assert all(SO_FAR.search(line) for line in done.stderr.splitlines())
    played = [json.loads(line) for line in done.stdout.splitlines()]
    assert [event["outcome"] for event in played if "outcome" in event] == ["finished"] * 2
    folders.SPARE_FOLDERS.close()
    see_clean(room)


def test_what_cannot_be_removed_costs_a_line(cli: Cli, tmp_path: Path, room: Path) -> None:
    """A bot that puts a link where its folder stood: the result counts, and nothing is followed."""
    swaps = (
        'base = os.path.dirname(home)\nos.rename(base, sys.argv[1] + "-moved")\n'
        "os.symlink(sys.argv[1], base)\n"
        'home = sys.argv[1] + "-moved"\n'
    )
    command = leaving(tmp_path, swaps)
    done = cli("match", "gops", command, "match", "--json", TMPDIR=str(room))
    assert done.returncode == 0
    assert json.loads(done.stdout)["outcome"] == "finished"
    (line,) = done.stderr.splitlines()
    assert line.startswith("arena: ")
    assert "cannot be removed" in line
    assert (tmp_path / "dear/file").read_text() == "dear"


@pytest.mark.parametrize("directory", ["empty", "bot"])
def test_a_file_in_place_of_a_kept_folder(cli: Cli, tmp_path: Path, directory: str) -> None:
    """It is its own fault that it cannot be started in the next match: that is no way out of it."""
    swaps = "import os, shutil\nhome = os.getcwd()\nos.chdir('/')\nshutil.rmtree(home)\nopen(home, 'w')\n"
    home = write_bot(tmp_path, "mine", swaps + ECHO)
    with (home / "bot.toml").open("a") as file:
        file.write(f'\ndirectory = "{directory}"\n')
    words = ("--games", "2", "--keep-folders", "kept", "--json")
    done = cli("match", "gops", "mine", "match", *words)
    results = [json.loads(line) for line in done.stdout.splitlines()]
    verdicts = [seat["verdict"] for result in results for seat in result["seats"]]
    assert [verdict["kind"] for verdict in verdicts if verdict] == ["crashed"]
    assert results[1]["outcome"] != "void"


@pytest.mark.parametrize("what", ["deep", "special"])
def test_an_entrant_that_cannot_be_copied_is_refused_in_a_line(
    quick: Cli, tmp_path: Path, what: str
) -> None:
    """Its tournament can be mended and begun; the line says what is too much."""
    home = write_bot(tmp_path, "mine", ECHO)
    text = REMAINS[what].replace("1100", "70")
    (tmp_path / "make.py").write_text(f"import os, sys\nos.chdir({str(home)!r})\n{text}")
    subprocess.run([PYTHON[0], tmp_path / "make.py"], check=True)
    (tmp_path / "t.toml").write_text('game = "gops"\n' + build_entrant_tables("mine", "match"))
    done = quick("tournament", "run", "t.toml")
    assert done.returncode == 2
    (line,) = done.stderr.splitlines()
    said = {
        "deep": "mine has more than 64 nested folders, and cannot be copied",
        "special": "is neither a file nor a folder, and cannot be copied",
    }
    assert said[what] in line
    assert not [*tmp_path.glob("t.arena/bots/*")]


@pytest.mark.parametrize(
    ("bound", "what"), [("MAX_ENTRIES", "files and folders"), ("MAX_BYTES", "bytes")]
)
def test_bounds_of_a_copy_are_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, bound: str, what: str
) -> None:
    """So many files are copied, or so many bytes, and not one more."""
    home = tmp_path / "mine"
    home.mkdir()
    most = {"MAX_ENTRIES": 100, "MAX_BYTES": 100 * BLOCK_BYTES}[bound]
    monkeypatch.setattr(folders, bound, most)
    for number in range(100):
        (home / str(number)).write_bytes(b"x" * BLOCK_BYTES)
    version = CopyFolder(tmp_path / "bots").add(home)
    assert len([*(tmp_path / "bots" / version).iterdir()]) == 100
    (home / "more").write_bytes(b"x")
    with pytest.raises(BotError, match=f"mine has more than {most:,} {what}, and cannot be copied"):
        CopyFolder(tmp_path / "bots").add(home)


def test_zeros_without_end_are_not_read(tmp_path: Path) -> None:
    """A file with holes is as large as it says it is."""
    home = tmp_path / "mine"
    home.mkdir()
    with (home / "zeros").open("wb") as file:
        file.truncate(2**42)
    with pytest.raises(BotError, match="mine has more than 4,294,967,296 bytes"):
        CopyFolder(tmp_path / "bots").add(home)


def test_a_copy_holds_names_and_links_as_they_are(tmp_path: Path) -> None:
    """Names that are no text, links that lead out, folders that may not be written."""
    home = tmp_path / "mine"
    (home / "shut").mkdir(parents=True)
    Path(os.fsdecode(os.fsencode(home) + b"/\xff")).write_text("odd")
    (home / "shut/file").write_text("in")
    (home / "out").symlink_to("/etc")
    (home / "shut").chmod(0o500)
    copy = tmp_path / "bots" / CopyFolder(tmp_path / "bots").add(home)
    names = sorted(os.fsencode(path.name) for path in copy.iterdir())
    assert names == [b"out", b"shut", b"\xff"]
    assert (copy / "out").readlink() == Path("/etc")
    assert (copy / "shut/file").read_text() == "in"
