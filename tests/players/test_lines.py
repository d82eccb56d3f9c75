"""Bytes in any pieces come in, whole lines come out."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.players import MAX_LINE_BYTES, FloodError, LineBuffer
from arena.players.pipes import MAX_BACKLOG_BYTES

LINE = st.binary(max_size=30).map(lambda line: line.replace(b"\n", b"").rstrip(b"\r"))


def taken(lines: LineBuffer) -> list[bytes]:
    """Take all that is there."""
    found = []
    while (line := lines.take()) is not None:
        found.append(line)
    return found


def cut(data: bytes, cuts: list[int]) -> list[bytes]:
    """Cut data into chunks at these places."""
    at = [0, *sorted(min(cut, len(data)) for cut in cuts), len(data)]
    return [data[start:other] for start, other in pairwise(at)]


@given(
    st.lists(st.tuples(LINE, st.sampled_from((b"\n", b"\r\n")))),
    st.lists(st.integers(0, 999)),
    LINE,
    st.booleans(),
)
def test_any_chunks_give_the_same_lines(
    said: list[tuple[bytes, bytes]], cuts: list[int], rest: bytes, early: bool
) -> None:
    """However it is cut, and whenever it is taken, the lines are the same; the rest waits."""
    data = b"".join(line + end for line, end in said) + rest
    lines, found = LineBuffer(), []
    for chunk in cut(data, cuts):
        lines.feed(chunk)
        found += taken(lines) if early else []
    found += taken(lines)
    assert found == [line for line, _ in said]
    assert lines.partial == rest
    assert taken(lines) == []


def test_one_carriage_return_is_dropped() -> None:
    """Only the one before the newline is part of the line's end."""
    lines = LineBuffer()
    lines.feed(b"a\r\nb\r\r\n\rc\n\r\n\n")
    assert taken(lines) == [b"a", b"b\r", b"\rc", b"", b""]


@pytest.mark.parametrize("end", [b"\n", b""])
def test_the_longest_line(end: bytes) -> None:
    """A line may have so many bytes, with its end or still without it, and no more."""
    lines = LineBuffer()
    lines.feed(b"x" * MAX_LINE_BYTES + end)
    assert taken(lines) == ([b"x" * MAX_LINE_BYTES] if end else [])
    lines = LineBuffer()
    lines.feed(b"x" * (MAX_LINE_BYTES + 1) + end)
    with pytest.raises(FloodError, match=f"{MAX_LINE_BYTES} bytes"):
        lines.take()


def test_the_longest_backlog() -> None:
    """So much may wait behind the line that is taken, and not a byte more."""
    for extra in (0, 1):
        lines = LineBuffer()
        lines.feed(b"first\n" + b"second\n" * 3)
        lines.feed(b"x" * (MAX_BACKLOG_BYTES - 21 + extra))
        if extra:
            with pytest.raises(FloodError, match=f"{MAX_BACKLOG_BYTES} bytes"):
                lines.take()
        else:
            assert lines.take() == b"first"


@given(
    st.lists(st.sampled_from((b"x", b"7\n", b"x" * 4000, b"y" * 5000, b"7\n" * 9000)), min_size=1)
)
def test_full_means_that_the_next_take_floods(chunks: list[bytes]) -> None:
    """What is full need not be read on: nothing that may come could save it."""
    lines = LineBuffer()
    for chunk in chunks:
        lines.feed(chunk)
    if lines.is_full:
        with pytest.raises(FloodError):
            lines.take()


@given(st.lists(LINE, min_size=1, max_size=9), st.integers(0, 9), st.lists(st.integers(0, 99)))
def test_lines_that_are_owed_are_dropped(said: list[bytes], owed: int, cuts: list[int]) -> None:
    """As many as are owed, whether they were there before or come later, in any pieces."""
    lines = LineBuffer()
    chunks = cut(b"".join(line + b"\n" for line in said), cuts)
    lines.feed(chunks[0])
    for _ in range(owed):
        lines.drop_next_line()
    for chunk in chunks[1:]:
        lines.feed(chunk)
    assert taken(lines) == said[owed:]
    assert lines.owed == max(0, owed - len(said))


def test_lines_that_are_owed_are_no_backlog() -> None:
    """However many a slow program says at last, it is no flood; one that is too long is."""
    lines = LineBuffer()
    for _ in range(90):
        lines.drop_next_line()
    for _ in range(90):
        lines.feed(b"x" * MAX_LINE_BYTES + b"\n")
    assert not lines.is_full
    lines.drop_next_line()
    lines.feed(b"x" * (MAX_LINE_BYTES + 1) + b"\n")
    with pytest.raises(FloodError, match=f"{MAX_LINE_BYTES} bytes"):
        lines.take()


def test_what_is_shown_of_a_flood_is_short() -> None:
    """A verdict shows the beginning, not megabytes."""
    lines = LineBuffer()
    lines.feed(b"x" * 10**7)
    assert lines.is_full
    assert lines.partial == b"x" * 200
