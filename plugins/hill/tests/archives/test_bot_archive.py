"""Archives of bots: what is sent is packed alike, and what is received is unpacked or refused."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from io import BytesIO
from pathlib import Path
from zipfile import ZipFile

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.rules import UserError
from arena.sandbox import Sandbox
from arena_hill import bot_archive
from arena_hill.bot_archive import BadArchiveError, pack_bot, unpack_in_sandbox
from arena_hill.unzip import ArchiveRuleError, read_archive, unpack
from tests.support.sandboxes.tiers import tier
from tests.support.web.raw_zips import BOT, GOOD, HOSTILE, TOML, Member, build_raw_zip

__all__ = ["tier"]


def bot(folder: Path) -> Path:
    home = folder / "mine"
    (home / "lib").mkdir(parents=True)
    (home / "bot.toml").write_bytes(TOML)
    (home / "lib" / "play.py").write_text("print(1)\n")
    (home / "bot.py").write_text("import lib.play\n")
    (home / "bot.py").chmod(0o755)
    return home


def read_files(folder: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }


def test_a_packed_bot_is_unpacked_as_it_was(tmp_path: Path) -> None:
    """The files of an unpacked archive are those that were packed, and those that can be run still can."""
    home, there = bot(tmp_path), tmp_path / "there"
    there.mkdir()
    unpack(pack_bot(home), there)
    assert read_files(there) == read_files(home)
    assert [os.access(there / name, os.X_OK) for name in ("bot.py", "bot.toml")] == [True, False]


def test_the_same_files_give_the_same_archive(tmp_path: Path) -> None:
    """Neither dates nor files that Python has compiled change an archive, so its hash identifies a bot."""
    one, other = bot(tmp_path / "one"), bot(tmp_path / "other")
    os.utime(other / "bot.py", (1, 1))
    (other / "__pycache__").mkdir()
    (other / "__pycache__" / "bot.pyc").write_bytes(b"junk")
    assert pack_bot(one) == pack_bot(other)


@pytest.mark.parametrize(
    ("spoil", "words"),
    [
        (lambda home: (home / "bot.toml").unlink(), "bot.toml is missing"),
        (lambda home: (home / "a").symlink_to("/etc/passwd"), "'a': is a link"),
        (lambda home: os.mkfifo(home / "a"), "neither a file nor a folder"),
        (lambda home: (home / "a\nb").touch(), r"'a\nb': is not a plain path"),
        (lambda home: (home / "BOT.py").touch(), "'BOT.py' already exists"),
        (lambda home: (home / "bot.py:zone").touch(), "'bot.py:zone': contains one of"),
        (lambda home: (home / "aux.py").touch(), "'aux.py': is the name of a device on Windows"),
        (lambda home: (home / "/".join("abcdefghi")).mkdir(parents=True), ""),
        (lambda home: os.truncate(home / "bot.py", (20 << 20) + 1), "20 MB are allowed"),
        (lambda home: (home / "a").write_bytes(os.urandom(6 << 20)), "5 MB are allowed"),
        (lambda home: [(home / f"{n}").touch() for n in range(498)], "500 are allowed"),
    ],
)
def test_a_folder_that_no_hill_takes_is_not_packed(
    tmp_path: Path, spoil: object, words: str
) -> None:
    """An author reads in one line that names the folder why it is not packed."""
    home = bot(tmp_path)
    assert callable(spoil)
    spoil(home)
    if not words:  # folders alone are not sent
        assert pack_bot(home)
        (home / "/".join("abcdefghi") / "x").touch()
        words = "is nested too deeply"
    with pytest.raises(UserError) as problem:
        pack_bot(home)
    assert words in str(problem.value)
    assert str(home) in str(problem.value)
    assert "\n" not in str(problem.value)


@pytest.mark.parametrize("kind", HOSTILE)
def test_a_hostile_archive_is_refused(tmp_path: Path, kind: str) -> None:
    """A hostile archive is refused in one line that says what is wrong, before anything is written."""
    data, words = HOSTILE[kind]
    there = tmp_path / "there"
    there.mkdir()
    with pytest.raises(ArchiveRuleError) as problem:
        unpack(data, there)
    said = str(problem.value)
    assert words in said
    assert said.isprintable()
    assert len(said) < 300
    assert not read_files(tmp_path)


def check_refused_or_read(data: bytes) -> None:
    with suppress(ArchiveRuleError):
        found = read_archive(data)
        assert "bot.toml" in found
        assert sum(len(value.data) for value in found.values()) <= 20 << 20
        assert all(".." not in name and not name.startswith("/") for name in found)


@given(st.binary(max_size=300))
@settings(max_examples=4 * settings().max_examples)
def test_bytes_that_are_no_archive_are_refused(data: bytes) -> None:
    """Bytes that end as a zip file does, and so are taken for one, are refused, too."""
    check_refused_or_read(data)
    check_refused_or_read(data + GOOD[-22:])


@given(st.lists(st.tuples(st.integers(0, len(GOOD) - 1), st.integers(0, 255)), max_size=8))
@settings(max_examples=4 * settings().max_examples)
def test_a_damaged_archive_is_read_or_refused(changes: list[tuple[int, int]]) -> None:
    """No change of bytes in a good archive raises another error than a refusal."""
    data = bytearray(GOOD)
    for place, byte in changes:
        data[place] = byte
    check_refused_or_read(bytes(data))


def test_an_archive_of_an_ordinary_tool_is_taken() -> None:
    """An archive may have names in the author's own letters, and list its folders."""
    packed = BytesIO()
    with ZipFile(packed, "w") as file:
        file.writestr("bot.toml", TOML)
        file.writestr("größe/", "")
        file.writestr("größe/a.txt", "1")
    assert set(read_archive(packed.getvalue())) == {"bot.toml", "größe/a.txt"}
    unflagged = build_raw_zip([BOT, Member("größe".encode(), flags=0)])
    assert set(read_archive(unflagged)) == {"bot.toml", "größe"}


@pytest.mark.parametrize(
    "name",
    ["con1.py", "nulls", ".hidden", "a b.c-d,e=f~g$", "größe.txt", "日本.py", "auxiliary/com10"],
)
def test_a_name_that_misleads_nobody_is_taken(name: str) -> None:
    """Only the whole name of a device is refused, and most characters mean the same everywhere."""
    assert name in read_archive(build_raw_zip([BOT, Member(name.encode())]))


def test_an_archive_is_unpacked_in_a_sandbox(tmp_path: Path, tier: str) -> None:
    """A sandbox leaves the files to the host, and refuses an archive with the same line as without one."""
    there = tmp_path / "there"
    there.mkdir()
    with pytest.raises(BadArchiveError, match=r"^'a': is a link"):
        unpack_in_sandbox(HOSTILE["a link"][0], there, Sandbox(tier))
    with pytest.raises(BadArchiveError, match=r"^'a': is a link"):
        unpack_in_sandbox(HOSTILE["a link"][0], there, None)
    unpack_in_sandbox(pack_bot(bot(tmp_path)), there, Sandbox(tier))
    assert read_files(there) == read_files(tmp_path / "mine")
    assert os.access(there / "bot.py", os.X_OK)
    assert (there / "bot.toml").stat().st_uid == os.getuid()


def test_a_failure_to_unpack_is_the_hosts_and_no_refusal(
    tmp_path: Path, tier: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An interpreter that does not find its program says nothing about the archive."""
    monkeypatch.setattr(bot_archive, "UNPACK_COMMAND", (sys.executable, "-I", "/nowhere.py"))
    with pytest.raises(OSError, match="nowhere"):
        unpack_in_sandbox(GOOD, tmp_path, Sandbox(tier))
