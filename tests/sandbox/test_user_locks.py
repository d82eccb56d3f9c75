"""Each program's user is its own: hosts of one account agree, and no other account can interfere."""

from __future__ import annotations

import os
import socket
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from arena.sandbox.detection import MAX_FOLDER_LENGTH, _set_scene
from arena.sandbox.kernel import program_users
from arena.sandbox.kernel.program_users import UserPool, UserRange, open_locks

USERS = UserRange(1, 100_000, 3)
STRANGER = 4_000_000_000


@pytest.fixture
def pool(tmp_path: Path) -> Iterator[UserPool]:
    """Return a pool of three users, whose locks lie in an empty folder."""
    locks = open_locks(str(tmp_path))
    yield UserPool(USERS, locks)
    os.close(locks)


def take_in_another_host(folder: Path, first: int) -> int:
    """Return the user that a fork gets that opens the locks itself, and ends; 0 if there is none."""
    process = os.fork()
    if process == 0:
        status = 0
        try:
            status = UserPool(USERS, open_locks(str(folder))).take(first)[0]
        finally:
            os._exit(status)
    return os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])


def test_hosts_give_no_user_out_twice(tmp_path: Path, pool: UserPool) -> None:
    """A user is taken until its lock is closed, whichever process asks."""
    first, lock = pool.take(0)
    second, _ = pool.take(1)
    assert {first, second} == {1, 2}
    assert take_in_another_host(tmp_path, 0) == 3
    pool.take(2)
    assert take_in_another_host(tmp_path, 0) == 0
    lock.close()
    assert take_in_another_host(tmp_path, 0) == first


def test_names_of_sockets_that_others_have_taken_do_not_matter(pool: UserPool) -> None:
    """Anybody can bind abstract names for all users, and programs get their users all the same."""
    with ExitStack() as stack:
        for number in range(USERS.outside, USERS.outside + USERS.number):
            taken = stack.enter_context(socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM))
            taken.bind(f"\0arena/user/{number}")
        assert pool.take(1)[0] == 2


@pytest.mark.skipif(os.getuid() != 0, reason="only root gives files away")
def test_files_that_others_have_made_are_passed_over(tmp_path: Path) -> None:
    """Whatever has the name of the locks' file and is another account's is not opened."""
    (tmp_path / f"{program_users.LOCK_PREFIX}0").touch()
    (tmp_path / f"{program_users.LOCK_PREFIX}1").symlink_to(tmp_path / "elsewhere")
    os.mkfifo(tmp_path / f"{program_users.LOCK_PREFIX}2")
    for path in tmp_path.iterdir():
        os.chown(path, STRANGER, STRANGER, follow_symlinks=False)
    files = [os.fstat(open_locks(str(tmp_path))) for _ in range(2)]
    assert len({file.st_ino for file in files}) == 1, "both hosts have the same file"
    assert {(file.st_uid, file.st_mode & 0o777) for file in files} == {(os.getuid(), 0o600)}
    (tmp_path / f"{program_users.LOCK_PREFIX}0").unlink()  # and both still have it then
    assert os.fstat(open_locks(str(tmp_path))).st_ino == files[0].st_ino


def test_a_folder_without_locks_is_named(tmp_path: Path) -> None:
    """Where the file of locks cannot be made, the message says where and what to do."""
    with pytest.raises(program_users.SharedUserError, match=r"/none: No such .*: mount a tmpfs"):
        open_locks(str(tmp_path / "none"))


def test_the_probe_has_room_for_its_sockets(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`arena doctor` works where the path of temporary files is too long for a socket."""
    folder = tmp_path / ("long" * MAX_FOLDER_LENGTH)[:MAX_FOLDER_LENGTH]
    folder.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(folder))
    with _set_scene() as (own, _):
        assert own.is_dir()
