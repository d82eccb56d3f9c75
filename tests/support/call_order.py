"""The order in which classes do their work in this process, by the interpreter's profiling hook."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from types import CodeType, FrameType, FunctionType
from typing import Any


@contextmanager
def record_first_calls(
    functions: Sequence[Callable[..., Any]], first: Callable[..., Any]
) -> Iterator[list[str]]:
    """Record in which order functions are called for the first time, in all threads of this process.

    Args:
        functions: The functions, which have different qualified names.
        first: One of them. Calls before its first one do not count.

    Yields:
        The qualified names of the functions, in the order of their first calls.
    """
    names = {_find_code(function): function.__qualname__ for function in functions}
    start = _find_code(first)
    order: list[str] = []

    def note_call(frame: FrameType, event: str, _: object) -> None:
        name = names.get(frame.f_code) if event == "call" else None
        if name and name not in order and (order or frame.f_code is start):
            order.append(name)

    before = sys.getprofile()
    threading.setprofile(note_call)
    sys.setprofile(note_call)
    try:
        yield order
    finally:
        sys.setprofile(before)
        threading.setprofile(None)


def _find_code(function: Callable[..., Any]) -> CodeType:
    plain = getattr(function, "__func__", function)
    assert isinstance(plain, FunctionType)
    return plain.__code__
