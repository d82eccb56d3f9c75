"""The hashes by which versions of bots are told apart: of folders, of settings, of any parts."""

from __future__ import annotations

import json
import os
import stat
from hashlib import blake2b
from pathlib import Path

from arena.host import BotFile, blame_bot, resolve_parameters, walk_folder

VERSION_DIGITS = 12  # hexadecimal digits of a version
FULL_HASH_DIGITS = 64  # hexadecimal digits of a collision-resistant hash
CHUNK_BYTES = 2**20  # read into memory at a time
EXECUTABLE_BITS = 0o111  # of a file's mode, for user, group and others


def hash_parts(*parts: bytes) -> str:
    """Return the hash of a sequence of parts.

    >>> hash_parts(b"ab", b"c") == hash_parts(b"a", b"bc")
    False
    """
    digest = blake2b(digest_size=VERSION_DIGITS // 2)
    for part in parts:
        _add_part(digest, part)
    return digest.hexdigest()


def hash_folder(folder: Path, digits: int = VERSION_DIGITS, *, whole: bool = False) -> str:
    """Return the hash of a folder: the names, contents and executable bits of its files.

    Args:
        folder: to hash.
        digits: hexadecimal digits of the hash.
        whole: whether files count that are no part of a version, because they are not copied.

    Raises:
        BotError: where it cannot be read, or has what no bot may have.
        MachineError: where the machine fails to read it.
    """
    digest = blake2b(digest_size=digits // 2)
    with blame_bot(folder):
        for part in walk_folder(folder, ignore=()) if whole else walk_folder(folder):
            if not part.is_folder:
                _add_part(digest, os.fsencode(part.path))
                _add_contents(digest, folder / part.path, part.status)
    return digest.hexdigest()


def _add_contents(digest: blake2b, path: Path, status: os.stat_result) -> None:
    """Add the contents of a file; of a link its text, since its target is not copied."""
    if stat.S_ISLNK(status.st_mode):
        _add_part(digest, b"link")
        _add_part(digest, os.fsencode(path.readlink()))
    else:
        _add_part(digest, b"run" if status.st_mode & EXECUTABLE_BITS else b"")
        _add_file(digest, path, status.st_size)


def hash_settings(file: BotFile, parameters: str) -> str:
    """Return the hash of a bot's parameters, or an empty string if all have their defaults."""
    values = resolve_parameters(file.parameters, parameters)
    own = {
        name: values[name]
        for name, parameter in file.parameters.items()
        if values[name] != parameter.default
    }
    return hash_parts(json.dumps(own, sort_keys=True).encode()) if own else ""


def _add_part(digest: blake2b, part: bytes) -> None:
    digest.update(len(part).to_bytes(8, "big") + part)


def _add_file(digest: blake2b, path: Path, size: int) -> None:
    """Add the contents of a file to a hash, in chunks."""
    digest.update(size.to_bytes(8, "big"))
    with open(path, "rb", opener=_open_plain_file) as file:
        while part := file.read(CHUNK_BYTES):
            digest.update(part)


def _open_plain_file(path: str, flags: int) -> int:
    """Open a regular file; do not follow a link or wait for a pipe put in its place."""
    return os.open(path, flags | os.O_NOFOLLOW | os.O_NONBLOCK)
