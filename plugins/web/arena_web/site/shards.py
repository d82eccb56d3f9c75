"""Replays of neighbouring matches, in shards that are built in several processes."""

from __future__ import annotations

import gzip
import zlib
from base64 import b64encode
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from contextlib import suppress
from functools import partial

from attrs import define, field, frozen

from arena import UserError
from arena.players import WorkerPool
from arena.records import Transcript, UnreadableTranscriptError
from arena.tournament.deals import Key
from arena.tournament.store import Store
from arena.wires import dump
from arena_web.matches.replay_steps import list_eyes, list_steps
from arena_web.matches.visibility import load_public_transcript
from arena_web.protocol.json_format import to_json
from arena_web.protocol.replies import StoredReplay

MAX_DEFLATED_BYTES, MAX_RAW_BYTES = 128_000, 1_500_000  # bytes at which a shard is closed
COMPRESSION_LEVEL = 7  # of deflate: 9 takes twice as long and makes 3 % less of it
CHUNK_MATCHES = 64  # matches that a process makes shards of at once


@frozen
class ReplayShard:
    """The replays of some matches in one file."""

    keys: tuple[Key, ...]
    stream: bytes  #: the JSON of each `StoredReplay` by the key of its match, deflated
    transcripts: bytes  #: JSON lines, one match behind the other, gzipped

    def to_script(self, name: str) -> bytes:
        """Return the shard as a script."""
        return f'arena.shard("{name}", "{b64encode(self.stream).decode()}");\n'.encode()


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
        part = self._packer.compress(piece) + self._packer.flush(zlib.Z_SYNC_FLUSH)
        self.parts.append(part)
        self.raw += len(piece)
        self.deflated += len(part)
        self.keys.append(key)
        self.texts.append(text)

    @property
    def is_full(self) -> bool:
        return self.raw >= MAX_RAW_BYTES or self.deflated >= MAX_DEFLATED_BYTES

    def close(self) -> ReplayShard:
        end = self._packer.compress(b"}") + self._packer.flush()
        texts = gzip.compress("".join(self.texts).encode(), mtime=0)
        return ReplayShard(tuple(self.keys), b"".join([*self.parts, end]), texts)


def build_all_shards(
    address: str, keys: Sequence[Key], jobs: int
) -> Iterator[tuple[int, ReplayShard]]:
    """Yield shards of a tournament's matches, each with the number of matches processed so far."""
    chunks = [keys[at : at + CHUNK_MATCHES] for at in range(0, len(keys), CHUNK_MATCHES)]
    build = partial(build_shards, address)
    if jobs == 1:
        batches: Iterator[list[ReplayShard]] = map(build, chunks)
    else:
        batches = _map_in_processes(build, chunks, min(jobs, len(chunks) or 1))
    for at, shards in enumerate(batches):
        yield from ((at * CHUNK_MATCHES, shard) for shard in shards)


def _map_in_processes(
    build: Callable[[Sequence[Key]], list[ReplayShard]], chunks: Sequence[Sequence[Key]], jobs: int
) -> Iterator[list[ReplayShard]]:
    """Build shards in other processes, in order, with a bounded number in memory.

    So an interrupt waits for no work that has not been begun.
    """
    under_way: deque[Future[list[ReplayShard]]] = deque()
    with WorkerPool(jobs) as pool:
        for chunk in chunks:
            if len(under_way) == jobs:
                yield under_way.popleft().result()
            under_way.append(pool.submit(build, chunk))
        while under_way:
            yield under_way.popleft().result()


def build_shards(address: str, keys: Sequence[Key]) -> list[ReplayShard]:
    """Return shards of those of these matches that are public and can be replayed."""
    shard, shards = _OpenReplayShard(), list[ReplayShard]()
    with Store.open(address, write=False, aliased=True) as store:
        for key, transcript in _load_public(store, keys):
            try:
                steps = dump_steps(transcript)
            except UserError:  # of a game that is not installed, or broken
                continue
            shard.add(key, steps, transcript.text)
            if shard.is_full:
                shards.append(shard.close())
                shard = _OpenReplayShard()
    return [*shards, shard.close()] if shard.keys else shards


def _load_public(store: Store, keys: Sequence[Key]) -> Iterator[tuple[Key, Transcript]]:
    """Yield the public transcripts, which are those of decided deals."""
    for deal, rotation in keys:
        with suppress(UnreadableTranscriptError):
            if transcript := load_public_transcript(store, deal, rotation):
                yield (deal, rotation), transcript


def dump_steps(transcript: Transcript) -> str:
    """Return the steps that all eyes see as JSON."""
    eyes = list_eyes(transcript.header.names)
    seen = list_steps(transcript, [eye.key for eye in eyes])
    return dump(to_json(StoredReplay(eyes, seen)))
