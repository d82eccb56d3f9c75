"""Replays in shards: the steps of neighbouring matches in one deflate stream.

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

from arena import UserError
from arena.extend import Store, Transcript, UnreadableTranscriptError, dump
from arena_web.pages.replays import list_eyes, list_steps
from arena_web.sources.visibility import load_public_transcript

Key = tuple[int, int]
MAX_DEFLATED_BYTES, MAX_RAW_BYTES = 128_000, 1_500_000  # bytes at which a shard is closed
COMPRESSION_LEVEL = 7  # of deflate: 9 takes twice as long and makes 3 % less of it


@frozen
class ReplayShard:
    """The replays of some matches in one file."""

    keys: tuple[Key, ...]
    stream: bytes  # of `{KEY: {"eyes": [...], "steps": {eye: [...]}}}`, deflated
    transcripts: bytes  # JSON lines, one match behind the other, gzipped

    def to_script(self, name: str) -> bytes:
        """Return the shard as a script."""
        return f'arena.shard("{name}", "{b64encode(self.stream).decode()}");\n'.encode()


def name_data_file(letter: str, number: int) -> str:
    """Return the name of a data file.

    >>> name_data_file("r", 17)
    'r00017'
    """
    return f"{letter}{number:05}"


@define
class _OpenReplayShard:
    """A shard that is being written."""

    keys: list[Key] = field(factory=list)
    raw: int = 0
    deflated: int = 0
    parts: list[bytes] = field(factory=list)
    texts: list[str] = field(factory=list)
    _packer: zlib._Compress = field(
        factory=lambda: zlib.compressobj(COMPRESSION_LEVEL, zlib.DEFLATED, -15)
    )

    def add(self, key: Key, steps: str, text: str) -> None:
        piece = f'{"," if self.keys else "{"}"{key[0]}.{key[1]}":{steps}'.encode()
        made = self._packer.compress(piece) + self._packer.flush(zlib.Z_SYNC_FLUSH)
        self.parts.append(made)
        self.raw += len(piece)
        self.deflated += len(made)
        self.keys.append(key)
        self.texts.append(text)

    @property
    def is_full(self) -> bool:
        return self.raw >= MAX_RAW_BYTES or self.deflated >= MAX_DEFLATED_BYTES

    def close(self) -> ReplayShard:
        end = self._packer.compress(b"}") + self._packer.flush()
        texts = gzip.compress("".join(self.texts).encode(), mtime=0)
        return ReplayShard(tuple(self.keys), b"".join([*self.parts, end]), texts)


def build_shards(address: str, keys: Sequence[Key]) -> list[ReplayShard]:
    """Yield shards of those of these matches that are public and can be replayed."""
    filled, found = _OpenReplayShard(), []
    with Store.open(address, write=False, aliased=True) as store:
        for key, transcript in _load_public(store, keys):
            try:
                steps = dump_steps(transcript)
            except UserError:  # of a game that is not installed, or broken
                continue
            filled.add(key, steps, transcript.text)
            if filled.is_full:
                found.append(filled.close())
                filled = _OpenReplayShard()
    return [*found, filled.close()] if filled.keys else found


def _load_public(store: Store, keys: Sequence[Key]) -> Iterator[tuple[Key, Transcript]]:
    """Yield the public transcripts, which are those of decided deals."""
    for deal, rotation in keys:
        with suppress(UnreadableTranscriptError):
            if found := load_public_transcript(store, deal, rotation):
                yield (deal, rotation), found


def dump_steps(transcript: Transcript) -> str:
    """Return the steps of all viewers as JSON."""
    eyes = list_eyes(transcript.header.names)
    steps = list_steps(transcript, [eye.partition(":")[0] for eye in eyes])
    return dump({"eyes": eyes, "steps": steps})
