"""Which control group a supervisor divides, as systemd marks them."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from arena.sandbox.kernel import cgroup
from arena.sandbox.messages import ResourceBounds

FILES = ("cgroup.procs", "cgroup.subtree_control", "cgroup.controllers")


@pytest.fixture
def groups(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a tree of groups, in which those named `*.service` are marked as delegated."""

    def read_mark(path: str, name: str) -> bytes:
        if name == cgroup.DELEGATE_ATTRIBUTE and path.endswith(".service"):
            return b"1"
        raise OSError(61, os.strerror(61))

    monkeypatch.setattr(cgroup, "CGROUP_ROOT", str(tmp_path))
    monkeypatch.setattr(os, "getxattr", read_mark)
    monkeypatch.setattr(os.path, "exists", lambda path: path == "/run/systemd/system")
    return tmp_path


def enter(groups: Path, path: str, monkeypatch: pytest.MonkeyPatch) -> str:
    """Make a group that is this process's; return its folder."""
    group = groups / path
    group.mkdir(parents=True)
    for folder in (group, *group.parents):
        if folder.is_relative_to(groups):
            for name in FILES:
                (folder / name).touch()
    monkeypatch.setattr(cgroup, "find_own_group", lambda: str(group))
    return str(group)


def test_a_delegated_unit_is_found_from_the_group_below_it(
    groups: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its processes have moved there."""
    enter(groups, f"system.slice/arena-hill.service/{cgroup.HOST_GROUP}", monkeypatch)
    assert cgroup.find_delegated_group() == str(groups / "system.slice/arena-hill.service")


@pytest.mark.parametrize("unit", ["app.slice/terminal.scope", "session.slice"])
def test_the_group_of_a_users_systemd_is_left_alone(
    groups: Path, monkeypatch: pytest.MonkeyPatch, unit: str
) -> None:
    """It is delegated to that systemd, and not to what runs below it."""
    enter(groups, f"user.slice/user-1000.slice/user@1000.service/{unit}", monkeypatch)
    with pytest.raises(cgroup.NotDelegatedError):
        cgroup.find_delegated_group()


def test_a_scope_that_was_made_for_a_supervisor_is_its_own(
    groups: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A user's systemd marks none of its units."""
    path = "user.slice/user-1000.slice/user@1000.service/app.slice/run-1.scope"
    own = enter(groups, path, monkeypatch)
    assert cgroup.find_delegated_group(own=True) == own


@pytest.mark.parametrize(("oom", "fault"), [(1, "more than 64 MB of memory"), (0, "")])
def test_a_program_is_blamed_only_for_its_own_limit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, oom: int, fault: str
) -> None:
    """The kernel may end it although another, or the host itself, has taken the memory."""
    make = os.mkdir

    def make_group(path: str) -> None:
        make(path)
        events = {"memory": f"oom {oom}\noom_kill 3\n", "pids": "max 0\n"}
        for name, text in events.items():
            Path(path, f"{name}.events").write_text(text)
        Path(path, "cgroup.procs").touch()

    monkeypatch.setattr(os, "mkdir", make_group)
    bounds: ResourceBounds = {
        "memory": 64 << 20, "cpu": None, "processes": 8, "disk": 1 << 20, "files": 10,
    }  # fmt: skip
    group = cgroup.Cgroup(str(tmp_path), bounds, 2)
    if fault:
        assert group.find_excess() == fault
    else:
        with pytest.raises(cgroup.HostMemoryError):
            group.find_excess()
