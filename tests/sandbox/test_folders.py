"""Folders of programs in a sandbox: which are copied, who can read them, and who finds them."""

from __future__ import annotations

from pathlib import Path

from arena.host import HostConfig, Series, host, parse_entrant
from arena.host.folders import SPARE_FOLDERS
from arena.sandbox import LANDLOCK, Sandbox
from arena_gops import GAME, Gops
from tests.sandbox.attacks.programs.private_bot import play_private_bot
from tests.support.command import Cli
from tests.support.programs import LIMITS
from tests.support.sandboxes.crowd import working_in
from tests.support.sandboxes.tiers import mainly, tier, write_built_bot

__all__ = ["tier"]


def test_a_stranger_is_built_in_a_copy(quick: Cli, tmp_path: Path, tier: str) -> None:
    """The folder of its author stays as it was, and no copy is left; an error names the folder."""
    home = tmp_path / write_built_bot(tmp_path)
    before = changes(home)
    failing = write_built_bot(tmp_path, "failing", build="false")
    with working_in(tmp_path / "rooms") as rooms:
        done = quick("match", "gops", "mine", "match", "-o", "cards=3", "--sandbox", tier)
        assert (done.returncode, done.stderr) == (0, ""), done.stdout
        assert changes(home) == before
        done = quick("check", "gops", failing, "--sandbox", tier)
        assert done.stderr == "arena: failing: build 'false' failed: exit status 1\n"
        SPARE_FOLDERS.close()
        assert [*rooms.iterdir()] == []


def changes(home: Path) -> dict[Path, int]:
    """Return when each file of a folder was changed last: its content, its owner, or its mode."""
    return {path: path.lstat().st_ctime_ns for path in (home, *home.rglob("*"))}


@mainly(LANDLOCK)  # ordinary users play one in namespaces, too
def test_a_bot_with_private_files_is_played(tier: str) -> None:
    """Its program runs as a user of its own, who reads a copy."""
    assert play_private_bot(tier) == []


MEETS = """
import os, sys
os.symlink("a message", "m")
def look(path):
    try:
        if os.path.realpath(path) != os.getcwd():
            print("GOT", path, os.readlink(path + "/m"), file=sys.stderr)
    except OSError as problem:
        print("TRIED", path, problem, file=sys.stderr)
for line in sys.stdin:
    if line.startswith("Competition"):
        here = os.path.basename(os.getcwd())
        for up in ("..", "../.."):
            for name in ("0", "1", "bot", "work", here, "*"):
                look(f"{up}/{name}")
            look(up)
        print(line.split()[-1], flush=True)
"""
"""Leaves a message in its folder, and looks for those of others where they could be."""


def test_programs_of_a_match_do_not_find_each_other(tmp_path: Path, tier: str) -> None:
    """The folders in which they work have no names that another program could know."""
    (tmp_path / "meets.py").write_text(MEETS)
    two = [parse_entrant(GAME, str(tmp_path / "meets.py"), Sandbox(tier)) for _ in range(2)]
    ((spec, seated),) = Series.create(GAME, Gops(cards=3), tuple(two), "1").iter_matches(1)
    result = host(spec, seated, HostConfig(LIMITS))
    assert result.verdicts == (None, None)
    assert all("TRIED" in said and "GOT" not in said for said in result.errors), result.errors
