"""Packs as git's format has them (gitformat-pack), which are little to send and much to unpack."""

from __future__ import annotations

import zlib
from hashlib import sha1

COMMIT, TREE, BLOB, OFFSET_DELTA = 1, 2, 3, 6
NAMES = {COMMIT: b"commit", TREE: b"tree"}
MEGABYTE = 1 << 20
MAX_COPY_BYTES = (1 << 24) - 1  # that one instruction of a delta copies
PADDING = 46  # bytes of a number that add nothing to it
NO_COMMIT = "1" * 40


def encode_size(size: int, padding: int = 0) -> bytes:
    """Return a number of seven bits a byte, the lowest first."""
    groups = [size >> shift & 127 for shift in range(0, max(1, size.bit_length()), 7)]
    *more, last = groups + [0] * padding
    return bytes([*(group | 128 for group in more), last])


def encode_offset(offset: int) -> bytes:
    """Return the distance from a delta to its base, the highest bits first."""
    groups = [offset & 127]
    while offset := offset >> 7:
        offset -= 1
        groups.insert(0, offset & 127 | 128)
    return bytes(groups)


def build_object(
    kind: int, content: bytes, *, size: int | None = None, base: bytes = b"", padding: int = 0
) -> bytes:
    """Return an object of a pack; it may state another size than its content has."""
    stated = len(content) if size is None else size
    head = bytes([kind << 4 | stated & 15 | 128]) + encode_size(stated >> 4, padding)
    return head + base + zlib.compress(content)


def build_delta(size: int, copies: int, label: bytes, padding: int = 0) -> bytes:
    """Return a delta that inserts a label and repeats the beginning of its base of this size."""
    copied = min(size, MAX_COPY_BYTES)
    made = len(label) + copied * copies
    instructions = bytes([len(label)]) + label + (b"\xf0" + copied.to_bytes(3, "little")) * copies
    return encode_size(size, padding) + encode_size(made, padding) + instructions


def build_pack(*objects: bytes, count: int | None = None) -> bytes:
    """Return a pack of objects; it may state another number than it has."""
    stated = len(objects) if count is None else count
    pack = b"PACK" + (2).to_bytes(4, "big") + stated.to_bytes(4, "big") + b"".join(objects)
    return pack + sha1(pack, usedforsecurity=False).digest()


def build_bomb(copies: int, *, layers: int = 1, number: int = 1, padding: int = 0) -> bytes:
    """Return a pack of many blobs, each made of a megabyte by layer upon layer of deltas."""
    objects = []
    for first in range(number):
        size = MEGABYTE
        objects.append(build_object(BLOB, bytes(size)))
        for _ in range(layers):
            delta = build_delta(size, copies, b"%d" % first, padding)
            base = encode_offset(len(objects[-1]))
            objects.append(build_object(OFFSET_DELTA, delta, base=base))
            size = len(b"%d" % first) + min(size, MAX_COPY_BYTES) * copies
    return build_pack(*objects)


def build_deep_tree(depth: int) -> tuple[str, bytes]:
    """Return a commit, and the pack of it and of trees that each hold the next one."""
    objects, content = [], b""
    name = _name(TREE, content)
    for _ in range(depth):
        objects.append(build_object(TREE, content))
        content = b"40000 a\0" + name
        name = _name(TREE, content)
    objects.append(build_object(TREE, content))
    who = b"a <a@b> 0 +0000"
    commit = b"tree %s\nauthor %s\ncommitter %s\n\nx\n" % (name.hex().encode(), who, who)
    objects.append(build_object(COMMIT, commit))
    return _name(COMMIT, commit).hex(), build_pack(*objects)


def _name(kind: int, content: bytes) -> bytes:
    head = b"%s %d\0" % (NAMES[kind], len(content))
    return sha1(head + content, usedforsecurity=False).digest()


def list_hostile_packs() -> dict[str, tuple[str, bytes]]:
    """Return packs by what is wrong with them, each with the commit that is pushed."""
    blob = build_object(BLOB, b"small")
    delta = build_delta(5, 1, b"x")
    packs = {
        "a padded delta": build_bomb(300, padding=PADDING),
        "deltas of deltas": build_bomb(8, layers=3),
        "many deltas": build_bomb(60, number=200),
        "too many objects": build_pack(count=1 << 30),
        "more than stated": build_pack(build_object(BLOB, bytes(50 * MEGABYTE), size=5)),
        "less than stated": build_pack(build_object(BLOB, b"", size=900 * MEGABYTE)),
        "a padded size": build_pack(build_object(BLOB, b"small", padding=PADDING)),
        "a padded offset": build_pack(
            blob, build_object(OFFSET_DELTA, delta, base=b"\x80" * PADDING + bytes([len(blob)]))
        ),
        "a base outside": build_pack(build_object(OFFSET_DELTA, delta, base=encode_offset(500))),
        "the end is missing": build_bomb(1)[:500],
    }
    with_commits = {name: (NO_COMMIT, pack) for name, pack in packs.items()}
    return with_commits | {"a deep tree": build_deep_tree(20_000)}
