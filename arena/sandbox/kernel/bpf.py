"""Instructions of the kernel's classic BPF for filters of system calls (seccomp(2)).

A filter reads a `struct seccomp_data` (the call's number, the architecture, six arguments of
64 bits) and returns an action. A *check* is a list of instructions that looks at arguments: it
returns a refusal, or runs on behind its last instruction. Most arguments are of 32 bits, and
the kernel ignores the rest of their registers; so do the checks.
"""

from __future__ import annotations

import errno
import struct
import sys
from collections.abc import Mapping, Sequence
from typing import TypeAlias

Instruction: TypeAlias = tuple[int, int, int, int]
"""An operation, the numbers of instructions to skip if true and if false, and a value."""

Check: TypeAlias = tuple[Instruction, ...]
NO_CHECK: Check = ()

LOAD, EQUAL, AT_LEAST, ANY_BIT, JUMP, AND, RETURN = 0x20, 0x15, 0x35, 0x45, 0x05, 0x54, 0x06
NUMBER_OFFSET, ARCHITECTURE_OFFSET, ARGUMENTS_OFFSET, ARGUMENT_BYTES = 0, 4, 16, 8
ALLOW, ERROR = 0x7FFF0000, 0x00050000  # the latter with the number of an error
EVERY_BIT = 0xFFFFFFFF
NOT_PERMITTED = ERROR | errno.EPERM
NOT_THERE = ERROR | errno.ENOSYS


def refuse(action: int = NOT_PERMITTED) -> Check:
    """Refuse a call with any arguments."""
    return ((RETURN, 0, 0, action),)


def one_of(
    argument: int, *values: int, bits: int = EVERY_BIT, action: int = NOT_PERMITTED
) -> Check:
    """Refuse a call unless these bits of an argument equal those of an allowed value."""
    count = len(values)
    return (
        (LOAD, 0, 0, _offset(argument)),
        *([(AND, 0, 0, bits)] if bits != EVERY_BIT else []),
        *((EQUAL, count - index, 0, value) for index, value in enumerate(values)),
        *refuse(action),
    )


def no_bits(argument: int, mask: int) -> Check:
    """Refuse a call if an argument has any of these bits."""
    return ((LOAD, 0, 0, _offset(argument)), (ANY_BIT, 0, 1, mask), *refuse())


def if_bits(argument: int, mask: int, check: Check) -> Check:
    """Apply further checks if an argument has any of these bits."""
    return ((LOAD, 0, 0, _offset(argument)), (ANY_BIT, 0, len(check), mask), *check)


def needs_bits(argument: int, mask: int) -> Check:
    """Refuse a call if an argument has none of these bits."""
    return ((LOAD, 0, 0, _offset(argument)), (ANY_BIT, 1, 0, mask), *refuse())


def at_most(argument: int, most: int, *, or_at_least: int, or_bit: int) -> Check:
    """Refuse a call where an argument lies between two numbers, and has none of these bits."""
    return (
        (LOAD, 0, 0, _offset(argument)),
        (ANY_BIT, 3, 0, or_bit),
        (AT_LEAST, 0, 2, most + 1),
        (AT_LEAST, 1, 0, or_at_least),
        *refuse(),
    )


def null(argument: int) -> Check:
    """Refuse a call if a pointer is not null."""
    low, high = _offset(argument), _offset(argument, high=True)
    return (
        (LOAD, 0, 0, low), (EQUAL, 1, 0, 0), *refuse(),
        (LOAD, 0, 0, high), (EQUAL, 1, 0, 0), *refuse(),
    )  # fmt: skip


def _offset(argument: int, *, high: bool = False) -> int:
    """Return the offset of the lower or higher 32 bits of an argument in `struct seccomp_data`."""
    second = high is (sys.byteorder == "little")
    return ARGUMENTS_OFFSET + argument * ARGUMENT_BYTES + (4 if second else 0)


def assemble(architecture: int, calls: Mapping[int, Check], first_new: int) -> bytes:
    """Return a filter as the bytes of its instructions.

    The number is searched for by halves: the kernel runs the filter once for each call that
    there is, when a program starts, and remembers which are allowed whatever their arguments.

    Args:
        architecture: of the machine; calls by another's numbers are refused.
        calls: what is allowed, by number, with its check; all others are not permitted.
        first_new: from this number on, calls that are not allowed are not there: libraries
            that try what is new then take what is older.
    """
    allowed = {number: (*check, (RETURN, 0, 0, ALLOW)) for number, check in calls.items()}
    ranges: list[tuple[int, Check]] = []
    for number in sorted({0, *allowed, *(number + 1 for number in allowed), first_new}):
        unlisted = refuse(NOT_THERE if number >= first_new else NOT_PERMITTED)
        check = allowed.get(number, unlisted)
        if not ranges or check != ranges[-1][1]:
            ranges.append((number, check))
    instructions = [
        (LOAD, 0, 0, ARCHITECTURE_OFFSET), (EQUAL, 1, 0, architecture), *refuse(),
        (LOAD, 0, 0, NUMBER_OFFSET), *_search(ranges),
    ]  # fmt: skip
    return b"".join(struct.pack("=HBBI", *instruction) for instruction in instructions)


def _search(ranges: Sequence[tuple[int, Check]]) -> Check:
    """Go on with the last range that begins at or below the number."""
    if len(ranges) == 1:
        return ranges[0][1]
    middle = len(ranges) // 2
    below, above = _search(ranges[:middle]), _search(ranges[middle:])
    return ((AT_LEAST, 0, 1, ranges[middle][0]), (JUMP, 0, 0, len(below)), *below, *above)
