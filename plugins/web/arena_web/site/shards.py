"""Replays in shards: the steps of neighbouring matches through all eyes, in one deflate stream.

A shard is a script: `arena.shard("r00017", "BASE64")`. It is made of matches whose deals are
settled, and so it never changes.
"""

from __future__ import annotations

import gzip
import zlib
from base64 import b64encode
from collections.abc import Iterator, Sequence
from contextlib import suppress

from attrs import define, field, frozen

from arena.records import Transcript, Unreadable
from arena.rules import UserError
from arena.tournament import Store
from arena.wires import dump
from arena_web.embargo import released
from arena_web.replay import eyes_of, steps_of

Key = tuple[int, int]
DEFLATED, RAW = 128_000, 1_500_000  # bytes at which a shard is closed
LEVEL = 7  # of deflate: 9 takes twice as long and makes 3 % less of it


@frozen
class Shard:
    """Matches that are shown from one file."""

    keys: tuple[Key, ...]
    stream: bytes  # of `{KEY: {"eyes": [...], "steps": {eye: [...]}}}`, deflated
    transcripts: bytes  # JSON lines, one match behind the other, gzipped

    def script(self, name: str) -> bytes:
        """Return the file."""
        return f'arena.shard("{name}", "{b64encode(self.stream).decode()}");\n'.encode()


def name_of(letter: str, number: int) -> str:
    """Return what a file of data is called.

    >>> name_of("r", 17)
    'r00017'
    """
    return f"{letter}{number:05}"


@define
class _Open:
    """A shard that is being filled."""

    keys: list[Key] = field(factory=list)
    raw: int = 0
    deflated: int = 0
    parts: list[bytes] = field(factory=list)
    texts: list[str] = field(factory=list)
    _packer: zlib._Compress = field(factory=lambda: zlib.compressobj(LEVEL, zlib.DEFLATED, -15))

    def add(self, key: Key, steps: str, text: str) -> None:
        piece = f'{"," if self.keys else "{"}"{key[0]}.{key[1]}":{steps}'.encode()
        made = self._packer.compress(piece) + self._packer.flush(zlib.Z_SYNC_FLUSH)
        self.parts.append(made)
        self.raw += len(piece)
        self.deflated += len(made)
        self.keys.append(key)
        self.texts.append(text)

    @property
    def full(self) -> bool:
        return self.raw >= RAW or self.deflated >= DEFLATED

    def closed(self) -> Shard:
        end = self._packer.compress(b"}") + self._packer.flush()
        texts = gzip.compress("".join(self.texts).encode(), mtime=0)
        return Shard(tuple(self.keys), b"".join([*self.parts, end]), texts)


def shards(address: str, keys: Sequence[Key]) -> list[Shard]:
    """Return shards of those of these matches that may be seen and can be shown."""
    filled, found = _Open(), []
    with Store.open(address, write=False, aliased=True) as store:
        for key, transcript in _public(store, keys):
            try:
                steps = seen(transcript)
            except UserError:  # of a game that is not installed, or broken
                continue
            filled.add(key, steps, transcript.text)
            if filled.full:
                found.append(filled.closed())
                filled = _Open()
    return [*found, filled.closed()] if filled.keys else found


def _public(store: Store, keys: Sequence[Key]) -> Iterator[tuple[Key, Transcript]]:
    """Give the transcripts that may go out: of deals that are settled, and no others."""
    for deal, rotation in keys:
        with suppress(Unreadable):
            if found := released(store, deal, rotation):
                yield (deal, rotation), found


def seen(transcript: Transcript) -> str:
    """Return the steps of all eyes, as JSON."""
    eyes = eyes_of(transcript.header.names)
    steps = steps_of(transcript, [eye.partition(":")[0] for eye in eyes])
    return dump({"eyes": eyes, "steps": steps})
