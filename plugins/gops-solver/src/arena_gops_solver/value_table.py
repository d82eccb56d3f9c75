"""Tables of values: their layers, the file that holds a solved game, and how it is written.

There is a layer for each number of cards a hand. It has a row for each kept pattern (see
`cpp/patterns.hpp`), and in it a place for each set of prizes left. For `points` a place holds one
number. For `win` it holds one number for each undecided difference so far; two bounds give their
range.

In the file, a header of one page is followed by the layers from 1 card a hand to one less than all.
The header is a line of JSON after its checksum; it says how large each layer is, how much of it is
finished, and the checksum of that part, so an interrupted solve continues there. For `points` a
layer consists of its numbers; for `win`, of the two bounds of each place (2 bytes each), then the
numbers from the next multiple of 8 on. All values are little-endian. A number of 16 bits stands for
that many of the 32,767 parts of a sure win.

The numbers are mapped, not read. A layer's checksum is compared when it is first used, but not in
large tables, where that would take longer than a match.
"""

from __future__ import annotations

import json
import mmap
import os
import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import cached_property, lru_cache
from itertools import combinations
from math import comb
from pathlib import Path
from typing import Any, BinaryIO, Protocol
from zlib import crc32

import numpy as np
from attrs import asdict, define, evolve, field, frozen, validators
from numpy.typing import NDArray

from arena import UserError
from arena.files import lock_open_file
from arena.wires import describe_unknown_format
from arena_gops_solver import _native

OBJECTIVES = ("points", "win")
PRECISIONS = ("float64", "float32", "int16")
TYPES = {"float64": "<f8", "float32": "<f4", "int16": "<i2"}
SURE_WIN = 32767  # in 16 bits

FORMAT = 2
MAGIC = b"GOPS table %d\n" % FORMAT
PAGE = 4096
WORD = 8
MEND = "; delete it and solve the game again"
LARGE = 2_000_000_000  # bytes

Numbers = NDArray[np.floating[Any] | np.signedinteger[Any]]
Bounds = NDArray[np.int16]
Starts = NDArray[np.int64]
Patterns = NDArray[np.uint32]
Cards = tuple[int, ...]


@frozen
class TableSpec:
    """The game that a table solves, and the precision of its numbers."""

    cards: int = field(
        validator=[validators.instance_of(int), validators.ge(2), validators.le(_native.MOST_CARDS)]
    )
    objective: str = field(default="points", validator=validators.in_(OBJECTIVES))
    precision: str = field(default="float64", validator=validators.in_(PRECISIONS))
    lowest: int = field(default=1, validator=validators.instance_of(int))  # layer, in cards a hand

    def __attrs_post_init__(self) -> None:
        """Raise UserError for a table that there cannot be."""
        if self.precision == "int16" and self.objective != "win":
            raise UserError("int16: only numbers of the objective win are stored in 16 bits")
        if not 1 <= self.lowest < self.cards:
            raise UserError(f"lowest: {self.lowest} is not between 1 and {self.cards - 1}")

    @property
    def layers(self) -> range:
        """The layers that the table has, in cards a hand."""
        return range(self.lowest, self.cards)

    @property
    def draft(self) -> TableSpec:
        """The table that is solved first: with all layers, and too precise to add up errors."""
        precision = "float32" if self.precision == "int16" else self.precision
        return evolve(self, lowest=1, precision=precision)

    @property
    def level(self) -> bool:
        """Whether equal hands have rows; in points, they are worth 0."""
        return self.objective == "win"

    @property
    def dtype(self) -> np.dtype[Any]:
        """The type of a number in the file, little-endian."""
        return np.dtype(TYPES[self.precision])

    @property
    def prizes(self) -> Cards:
        """All prizes."""
        return tuple(range(1, self.cards + 1))

    @property
    def points_before(self) -> int:
        """The points played for before the first prize: 0."""
        return 0

    def patterns(self, held: int) -> Patterns:
        """Return the patterns with so many cards a hand that have a row, ascending."""
        return list_patterns(self.cards, held, self.level)

    def places(self, held: int) -> int:
        """Count the pairs of a kept pattern and a set of prizes."""
        return count_places(self, held)


@define(eq=False)
class ValueTable:
    """A file of solved layers, open for reading."""

    path: Path
    header: TableHeader
    _file: mmap.mmap
    _layers: dict[int, Layer] = field(factory=dict, repr=False)
    #: the rest of games, solved from where the layers are missing, the latest first
    rests: list[Any] = field(factory=list, repr=False)

    def __reduce__(self) -> tuple[Callable[[Path], ValueTable], tuple[Path]]:
        """Pickle only the path, so that bots with an open table can be sent to other processes."""
        return open_table, (self.path,)

    @classmethod
    def open(cls, path: Path) -> ValueTable:
        """Open a finished table; raise UserError if it is not one."""
        header = read_header(path)
        if not header.is_complete:
            done = sum(section.is_complete for section in header.sections)
            raise UserError(
                f"{path}: not finished ({done} of {len(header.kind.layers)} layers);"
                " run `arena gops solve` again"
            )
        return cls.open_draft(path)

    @classmethod
    def open_draft(cls, path: Path) -> ValueTable:
        """Open a table with the layers that exist so far."""
        header = read_header(path)
        with path.open("rb") as file:
            return cls(path, header, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))

    @property
    def kind(self) -> TableSpec:
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
        for held in self.header.layers:
            self.layer(held)

    def compare_checksums(self) -> None:
        """Raise UserError if a layer is damaged, also in a large table."""
        for held in self.header.layers:
            self._compare_checksum(held)

    def layer(self, held: int) -> Layer:
        """Return the layer for so many cards a hand; raise UserError if its bytes are damaged."""
        if held not in self._layers:
            if not self.header.is_large:
                self._compare_checksum(held)
            self._layers[held] = self.read_layer(held)
        return self._layers[held]

    def _compare_checksum(self, held: int) -> None:
        section = self.header.get_section(held)
        if crc32(self._get_bytes(held)[: section.done]) != section.checksum:
            raise UserError(f"{self.path}: the layer of {held} cards a hand is damaged{MEND}")

    def read_layer(self, held: int) -> Layer:
        """Return a layer, finished or not, without comparing its checksum."""
        try:
            layer = parse_layer(self.kind, held, self._get_bytes(held))
        except ValueError as error:
            raise self._build_error(held) from error
        if len(layer.values) != compute_row_starts(self, held, layer.bounds)[-1]:
            raise self._build_error(held)
        return layer

    def _get_bytes(self, held: int) -> memoryview:
        start = self.header.get_layer_start(held)
        return memoryview(self._file)[start : start + self.header.get_section(held).size]

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


@define(eq=False)
class TableWriter:
    """A table file that is written chunk by chunk."""

    path: Path
    header: TableHeader

    @classmethod
    def start(cls, path: Path, kind: TableSpec) -> TableWriter:
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

    def add_layer(self, bounds: WinBounds | None) -> None:
        """Add the next layer, without its numbers."""
        kind, held = self.header.kind, self.header.layers.stop
        count = int(compute_row_starts(kind, held, bounds)[-1])
        section = LayerSection(measure_bounds(kind, held) + count * kind.dtype.itemsize)
        self.header = evolve(self.header, sections=(*self.header.sections, section))
        self._append(held, *(format_bounds(bounds) if bounds else ()))

    def add_numbers(self, held: int, numbers: Numbers) -> None:
        """Append numbers to a layer, rounded to its precision."""
        dtype = self.header.kind.dtype
        if dtype == np.int16:
            numbers = np.rint(numbers.astype(np.float64) * SURE_WIN)
        stored = numbers.astype(dtype, copy=False)
        self._append(held, stored.data.cast("B"))

    def count_numbers(self, held: int) -> int:
        """Return how many numbers of a layer are finished."""
        kind, done = self.header.kind, self.header.get_section(held).done
        return (done - measure_bounds(kind, held)) // kind.dtype.itemsize

    def _append(self, held: int, *parts: memoryview) -> None:
        """Append bytes to the finished part of a layer.

        The header is written last, and in one piece: what it does not count is written again.
        """
        section = self.header.get_section(held)
        with translate_errors(self.path), self.path.open("r+b") as file:
            file.truncate(self.header.end)
            file.seek(self.header.get_layer_start(held) + section.done)
            for data in parts:
                file.write(data)
                self.header = self.header.grow(held, data)
            file.flush()
            if self.header.is_large:
                os.fdatasync(file.fileno())  # it would be a pity if a power cut took an hour
            file.seek(0)
            file.write(self.header.write_page())


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


def _describe(kind: TableSpec) -> str:
    layers = f", from {kind.lowest} cards a hand on" if kind.lowest > 1 else ""
    return f"{kind.cards} cards, {kind.objective}, {kind.precision}{layers}"


@frozen
class TableHeader:
    """The contents of the first page."""

    kind: TableSpec
    sections: tuple[LayerSection, ...] = ()

    @property
    def layers(self) -> range:
        """The layers that there are so far, in cards a hand."""
        return range(self.kind.lowest, self.kind.lowest + len(self.sections))

    def get_section(self, held: int) -> LayerSection:
        """Return the section of the layer for so many cards a hand."""
        return self.sections[held - self.kind.lowest]

    def get_layer_start(self, held: int) -> int:
        """Return the offset in bytes of the layer for so many cards a hand."""
        return PAGE + sum(section.size for section in self.sections[: held - self.kind.lowest])

    @property
    def end(self) -> int:
        """The end of the last layer, in bytes."""
        return self.get_layer_start(self.layers.stop)

    @property
    def missing(self) -> int:
        """The number of bytes that are not finished."""
        return sum(section.size - section.done for section in self.sections)

    @property
    def is_large(self) -> bool:
        """Whether reading it all takes so long that nobody should wait for it."""
        return self.end > LARGE

    @property
    def is_complete(self) -> bool:
        """Whether all layers are complete."""
        return self.layers == self.kind.layers and not self.missing

    def grow(self, held: int, data: memoryview) -> TableHeader:
        """Return the header after `data` has been appended to a layer."""
        section, at = self.get_section(held), held - self.kind.lowest
        grown = evolve(
            section, done=section.done + len(data), checksum=crc32(data, section.checksum)
        )
        return evolve(self, sections=(*self.sections[:at], grown, *self.sections[at + 1 :]))

    def write_page(self) -> bytes:
        """Return the header as a page of bytes."""
        text = json.dumps(asdict(self)).encode()
        return (MAGIC + f"{crc32(text):08x} ".encode() + text).ljust(PAGE - 1) + b"\n"


@frozen
class LayerSection:
    """A layer in the file: its bytes, how many of them are finished, and the checksum of those."""

    size: int = field(validator=validators.ge(0))
    done: int = field(default=0, validator=validators.ge(0))
    checksum: int = 0

    @property
    def is_complete(self) -> bool:
        """Whether all of the layer is finished."""
        return self.done == self.size


def read_header(path: Path) -> TableHeader:
    """Read the first page of a file; raise UserError if it is not valid."""
    with translate_errors(path), path.open("rb") as file:
        page = file.read(PAGE)
    if not page.startswith(MAGIC):
        other = re.match(rb"GOPS table (\d+)\n", page)
        if other:
            raise UserError(f"{path}: {describe_unknown_format(int(other[1]), FORMAT)}")
        raise UserError(f"{path}: not a table of GOPS")
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
    return TableHeader(TableSpec(**read["kind"]), sections)


@contextmanager
def translate_errors(path: Path) -> Iterator[None]:
    """Turn an OSError into a UserError that names the file or folder."""
    try:
        yield
    except OSError as problem:
        raise UserError(f"{problem.filename or path}: {problem.strerror}") from None


@frozen(eq=False)
class Layer:
    """The numbers of a layer and, for `win`, the bounds of each place."""

    values: Numbers  # as they are stored
    bounds: WinBounds | None = None

    def get_value(self, at: int) -> float:
        """Return the value that is stored at this place."""
        stored = self.values[at]
        return float(stored) / SURE_WIN if self.values.dtype == np.int16 else float(stored)


def parse_layer(kind: TableSpec, held: int, data: memoryview) -> Layer:
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


def format_bounds(bounds: WinBounds) -> Iterator[memoryview]:
    """Yield the bytes of a layer that precede its numbers."""
    for numbers in (bounds.secured, bounds.held_to):
        yield numbers.astype("<i2", copy=False).data.cast("B")
    yield memoryview(bytes(-4 * len(bounds.secured) % WORD))


def measure_bounds(kind: TableSpec, held: int) -> int:
    """Return the number of bytes of a layer that precede its numbers."""
    size = 4 * kind.places(held) if kind.objective == "win" else 0
    return -(-size // WORD) * WORD


@frozen(eq=False)
class WinBounds:
    """The differences stored at each place of a layer; all arrays are by place.

    With the prizes left I can raise the difference by `secured` against anything, and they can hold
    me to a rise of `held_to`: the game is won from 1 - secured on, and lost up to -1 - held_to. The
    differences between are stored, if the prizes before can have led to them.
    """

    secured: Bounds
    held_to: Bounds
    points_before: NDArray[np.int32]  # points, by rank of the prize set

    @cached_property
    def row_starts(self) -> Starts:
        """The offset of each row's numbers, and at the end their total."""
        return _native.compute_row_starts(self.secured, self.held_to, self.points_before)

    def select(self, rows: slice) -> WinBounds:
        """Return the bounds of some rows."""
        width = len(self.points_before)
        places = slice(rows.start * width, rows.stop * width)
        return WinBounds(self.secured[places], self.held_to[places], self.points_before)

    def find_number(self, row: int, rank: int, difference: int) -> int:
        """Return the offset of the number of a row for a set of prizes and a difference."""
        width = len(self.points_before)
        places = slice(row * width, row * width + rank + 1)
        gone = self.points_before[: rank + 1]
        first = np.maximum(-self.held_to[places].astype(np.int32), -gone)
        last = np.minimum(-self.secured[places].astype(np.int32), gone)
        before = int(np.maximum(0, last - first + 1)[:-1].sum())
        return int(self.row_starts[row]) + before + difference - int(first[-1])


class SolveScope(Protocol):
    """The scope of a solve: the prizes, and the patterns that occur."""

    @property
    def objective(self) -> str:
        """The objective, `points` or `win`."""

    @property
    def prizes(self) -> Cards:
        """The prizes, ascending."""

    @property
    def points_before(self) -> int:
        """The points played for before these prizes."""

    def patterns(self, held: int) -> Patterns:
        """Return the patterns with so many cards a hand that have a row, ascending."""


def count_places(ground: SolveScope, held: int) -> int:
    """Count the pairs of a kept pattern and a set of prizes."""
    return len(ground.patterns(held)) * comb(len(ground.prizes), held)


def compute_row_starts(ground: SolveScope, held: int, bounds: WinBounds | None) -> Starts:
    """Return the offset of each row's numbers in a layer, and at the end their total."""
    if bounds:
        return bounds.row_starts
    return np.arange(len(ground.patterns(held)) + 1) * comb(len(ground.prizes), held)


@lru_cache(maxsize=64)
def list_patterns(cards: int, held: int, level: bool) -> Patterns:
    """Return the patterns that have a row, ascending."""
    return _native.list_kept_patterns(cards, held, level)


@lru_cache(maxsize=64)
def compute_points_before(prizes: Cards, points_before: int, held: int) -> NDArray[np.int32]:
    """Return the points played for before each set of prizes left, by the rank of the set.

    `points_before` are the points played for before all these prizes.
    """
    every = points_before + sum(prizes)
    sets = sorted(combinations(prizes, held), key=lambda s: s[::-1])
    return np.array([every - sum(left) for left in sets], dtype=np.int32)


def compute_pattern(mine: Iterable[int], theirs: Iterable[int]) -> int:
    """Return the pattern of two hands: two bits for each card that one of them holds."""
    mine, theirs = set(mine), set(theirs)
    pattern = 0
    for rank, card in enumerate(sorted(mine | theirs)):
        pattern |= ((card in mine) + 2 * (card in theirs)) << 2 * rank
    return pattern


def compute_rank(prizes: Iterable[int]) -> int:
    """Return the place of a set of prizes among those of its size."""
    return sum(comb(prize - 1, at) for at, prize in enumerate(sorted(prizes), 1))


def find_row(patterns: Patterns, mine: Iterable[int], theirs: Iterable[int]) -> int | None:
    """Return the row of two hands; None if only the mirrored pattern has one, or neither."""
    pattern = compute_pattern(mine, theirs)
    at = int(np.searchsorted(patterns, np.uint32(pattern)))
    return at if at < len(patterns) and int(patterns[at]) == pattern else None
