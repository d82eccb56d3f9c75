"""The file that holds a solved game, layer by layer.

A header of one page is followed by the layers from 1 card a hand to one less than all. The header
is a line of JSON after its checksum; it lists a layer only once that layer is complete, so an
interrupted solve continues after the last one. For `points` a layer consists of its numbers; for
`win`, of the two bounds of each place (2 bytes each), then the numbers from the next multiple of 8
on. All values are little-endian.

The numbers are mapped, not read. A layer's checksum is computed when it is first used.
"""

from __future__ import annotations

import json
import mmap
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from typing import Any
from zlib import crc32

import numpy as np
from attrs import asdict, define, field, frozen, validators

from arena import UserError
from arena_gops_solver.layers import (
    Cards,
    Numbers,
    Patterns,
    TableKind,
    WinBounds,
    compute_points_before,
)

MAGIC = b"GOPS table 1\n"
PAGE = 4096
WORD = 8
MEND = "; delete it and solve the game again"


@contextmanager
def translate_errors(path: Path) -> Iterator[None]:
    """Turn an OSError into a UserError that names the file or folder."""
    try:
        yield
    except OSError as problem:
        raise UserError(f"{problem.filename or path}: {problem.strerror}") from None


@frozen
class LayerSection:
    """A finished layer in the file: its size in bytes and its checksum."""

    size: int = field(validator=validators.ge(0))
    checksum: int


@frozen
class TableHeader:
    """The contents of the first page."""

    kind: TableKind
    sections: tuple[LayerSection, ...] = ()

    def get_layer_start(self, held: int) -> int:
        """Return the offset in bytes of the layer for so many cards a hand."""
        return PAGE + sum(section.size for section in self.sections[: held - 1])

    @property
    def end(self) -> int:
        """The end of the last finished layer, in bytes."""
        return self.get_layer_start(len(self.sections) + 1)

    @property
    def is_complete(self) -> bool:
        """Whether all layers are complete."""
        return len(self.sections) == self.kind.cards - 1

    def write_page(self) -> bytes:
        """Return the header as a page of bytes."""
        text = json.dumps(asdict(self)).encode()
        return (MAGIC + f"{crc32(text):08x} ".encode() + text).ljust(PAGE - 1) + b"\n"


def read_header(path: Path) -> TableHeader:
    """Read the first page of a file; raise UserError if it is not valid."""
    with translate_errors(path), path.open("rb") as file:
        page = file.read(PAGE)
    if not page.startswith(MAGIC):
        raise UserError(f"{path}: not a table of GOPS, or one of another format")
    told, _, text = page.removeprefix(MAGIC).strip().partition(b" ")
    if told != f"{crc32(text):08x}".encode():
        raise UserError(f"{path}: its header is damaged{MEND}")
    try:
        header = _parse_header(json.loads(text))
    except (ValueError, TypeError, KeyError) as error:
        raise UserError(f"{path}: its header is not valid{MEND}") from error
    if path.stat().st_size < header.end:
        raise UserError(f"{path}: too short ({path.stat().st_size} of {header.end} bytes){MEND}")
    return header


def _parse_header(read: dict[str, Any]) -> TableHeader:
    sections = tuple(LayerSection(**section) for section in read["sections"])
    return TableHeader(TableKind(**read["kind"]), sections)


@frozen(eq=False)
class Layer:
    """The numbers of a layer and, for `win`, the bounds of each place."""

    values: Numbers
    bounds: WinBounds | None = None


def parse_layer(kind: TableKind, held: int, data: memoryview) -> Layer:
    """Parse a layer from its bytes, without copying them."""
    if kind.objective == "points":
        return Layer(np.frombuffer(data, kind.dtype))
    places = kind.places(held)
    secured = np.frombuffer(data, "<i2", places)
    held_to = np.frombuffer(data, "<i2", places, 2 * places)
    values = np.frombuffer(data, kind.dtype, offset=measure_bounds(kind, held))
    return Layer(
        values,
        WinBounds(secured, held_to, compute_points_before(kind.prizes, kind.points_before, held)),
    )


def measure_bounds(kind: TableKind, held: int) -> int:
    """Return the number of bytes of a layer that precede its numbers."""
    size = 4 * kind.places(held) if kind.objective == "win" else 0
    return -(-size // WORD) * WORD


@define(eq=False)
class ValueTable:
    """A file of solved layers, open for reading."""

    path: Path
    header: TableHeader
    _file: mmap.mmap
    _layers: dict[int, Layer] = field(factory=dict, repr=False)

    def __reduce__(self) -> tuple[Callable[[Path], ValueTable], tuple[Path]]:
        """Pickle only the path, so that bots with an open table can be sent to other processes."""
        return open_table, (self.path,)

    @classmethod
    def open(cls, path: Path) -> ValueTable:
        """Open a finished table; raise UserError if it is not one."""
        header = read_header(path)
        if not header.is_complete:
            done, needed = len(header.sections), header.kind.cards - 1
            raise UserError(
                f"{path}: not finished ({done} of {needed} layers); run `arena gops solve` again"
            )
        return cls.open_draft(path)

    @classmethod
    def open_draft(cls, path: Path) -> ValueTable:
        """Open a table with the layers that exist so far."""
        header = read_header(path)
        with path.open("rb") as file:
            return cls(path, header, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))

    @property
    def kind(self) -> TableKind:
        """The kind of game that the table solves."""
        return self.header.kind

    @property
    def objective(self) -> str:
        """The objective that is maximised."""
        return self.kind.objective

    @property
    def prizes(self) -> Cards:
        """All prizes."""
        return self.kind.prizes

    @property
    def hands(self) -> tuple[Cards, Cards]:
        """The hands before the first bid."""
        return self.kind.prizes, self.kind.prizes

    @property
    def points_before(self) -> int:
        """The points played for before the first prize: 0."""
        return self.kind.points_before

    def patterns(self, held: int) -> Patterns:
        """Return the patterns with so many cards a hand that have a row, ascending."""
        return self.kind.patterns(held)

    def check(self) -> None:
        """Raise UserError if a layer is damaged; later reads are quick, as they need no check."""
        for held in range(1, len(self.header.sections) + 1):
            self.layer(held)

    def layer(self, held: int) -> Layer:
        """Return the layer for so many cards a hand; raise UserError if its bytes are damaged."""
        if held not in self._layers:
            self._layers[held] = self._check_layer(held)
        return self._layers[held]

    def _check_layer(self, held: int) -> Layer:
        section = self.header.sections[held - 1]
        start = self.header.get_layer_start(held)
        data = memoryview(self._file)[start : start + section.size]
        if crc32(data) != section.checksum:
            raise UserError(f"{self.path}: the layer of {held} cards a hand is damaged{MEND}")
        try:
            layer = parse_layer(self.kind, held, data)
        except ValueError as error:
            raise self._build_error(held) from error
        count = int(layer.bounds.starts[-1]) if layer.bounds else self.kind.places(held)
        if len(layer.values) != count:
            raise self._build_error(held)
        return layer

    def _build_error(self, held: int) -> UserError:
        return UserError(f"{self.path}: the layer of {held} cards a hand has the wrong size{MEND}")


def open_table(path: Path) -> ValueTable:
    """Open a finished table; cached in this process until the file changes."""
    with translate_errors(path):
        there = path.stat()
    return _open_table(path, there.st_ino, there.st_mtime_ns)


@lru_cache(maxsize=8)
def _open_table(path: Path, number: int, changed: int) -> ValueTable:  # noqa: ARG001
    return ValueTable.open(path)
