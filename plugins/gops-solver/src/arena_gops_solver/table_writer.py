"""Writing a table, layer by layer, with any number of interruptions."""

from __future__ import annotations

import mmap
import os
from pathlib import Path
from typing import BinaryIO
from zlib import crc32

from attrs import define, evolve

from arena import UserError
from arena.extend import lock_open_file
from arena_gops_solver.layers import TableKind
from arena_gops_solver.value_table import LayerSection, TableHeader, read_header, translate_errors


def lock(file: BinaryIO, *, wait: bool = False) -> None:
    """Lock an open file until it is closed.

    The caller opens the file in its own `with`, which closes it after any interrupt. A context
    manager in Python that opened and locked the file would not: an interrupt at the start or the
    end of its `with` can skip its clean-up.

    Args:
        file: the file, open for writing.
        wait: whether to wait for another process that has locked it.

    Raises:
        UserError: if another process has locked it.
    """
    try:
        lock_open_file(file, wait=wait)
    except BlockingIOError:
        raise UserError(f"{file.name}: another process is solving it right now") from None


@define(eq=False)
class TableWriter:
    """A table file that is written layer by layer."""

    path: Path
    header: TableHeader

    @classmethod
    def start(cls, path: Path, kind: TableKind) -> TableWriter:
        """Start an empty file, or continue one of the same game.

        Raises UserError if the file is something else: nothing is written over.
        """
        if not path.stat().st_size:
            draft = cls(path, TableHeader(kind))
            with translate_errors(path):
                path.write_bytes(draft.header.write_page())
            return draft
        header = read_header(path)
        if header.kind != kind:
            raise UserError(f"{path}: a table of another game ({_describe(header.kind)})")
        return cls(path, header)

    def make_room(self, size: int) -> memoryview:
        """Return `size` bytes after the last layer, for the next layer.

        Raises UserError if the disk is full: writing to the mapping would kill the process.
        """
        end = self.header.end
        with self.path.open("r+b") as file:
            file.truncate(end)  # left by an interrupted layer
            try:
                os.posix_fallocate(file.fileno(), end, size)
            except OSError as error:
                raise UserError(
                    f"{self.path}: {error.strerror} ({size} more bytes are needed)"
                ) from error
            aligned = end // mmap.ALLOCATIONGRANULARITY * mmap.ALLOCATIONGRANULARITY
            mapped = mmap.mmap(file.fileno(), end - aligned + size, offset=aligned)
        return memoryview(mapped)[end - aligned :]

    def add_layer(self, layer: memoryview) -> None:
        """Record in the header that the layer is complete."""
        section = LayerSection(len(layer), crc32(layer))
        self.header = evolve(self.header, sections=(*self.header.sections, section))
        with translate_errors(self.path), self.path.open("r+b") as file:
            file.write(self.header.write_page())


def _describe(kind: TableKind) -> str:
    return f"{kind.cards} cards, {kind.objective}, {kind.precision}"
