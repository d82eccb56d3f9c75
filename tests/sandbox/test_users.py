"""Which ids an ordinary user's programs may have, and how it gets some."""

from __future__ import annotations

from pathlib import Path

import pytest

from arena.sandbox.kernel import program_users

SUBUID = "ada:100000:65536\nbob:165536:65536\n"


@pytest.fixture(autouse=True)
def _files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    files = {helper: str(tmp_path / helper) for helper in program_users.SUBORDINATE_FILES}
    monkeypatch.setattr(program_users, "SUBORDINATE_FILES", files)
    monkeypatch.setattr("shutil.which", lambda name: f"/usr/bin/{name}")
    monkeypatch.setattr("os.getuid", lambda: 4_000_000_000)  # who has no account


def advice(helper: str = "newuidmap") -> str:
    """Return what a user without ids is told."""
    with pytest.raises(program_users.SharedUserError) as told:
        program_users._find_subordinate(helper)
    return str(told.value)


def test_a_user_without_ids_is_told_of_ids_that_nobody_has(tmp_path: Path) -> None:
    """They begin behind those of all others, in both files."""
    assert "--add-subuids 100000-165535 --add-subgids 100000-165535 4000000000" in advice()
    (tmp_path / "newuidmap").write_text(SUBUID)
    (tmp_path / "newgidmap").write_text("carol:400000:1000\n")
    assert "--add-subuids 401000-466535 --add-subgids 401000-466535 4000000000" in advice()


def test_a_user_has_the_largest_of_its_ranges(tmp_path: Path) -> None:
    """Whether the file names it or has its number."""
    (tmp_path / "newuidmap").write_text(f"{SUBUID}4000000000:300000:10\n4000000000:400000:99\n")
    assert program_users._find_subordinate("newuidmap") == (1, 400_000, 99)
