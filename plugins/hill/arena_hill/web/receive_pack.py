"""The server's half of git's receive-pack protocol, without I/O: bytes in, bytes out.

This is version 0 over HTTP (gitprotocol-pack, gitprotocol-http). The repository always looks empty:
the advertisement names no ref, so that each push contains everything that it needs. A push begins
with packet lines, one for each update of a ref; the pack that follows is left to git. An answer
says for each update whether it was done. What is said to the author besides, git shows only where
the client can tell two bands apart (side-band-64k).

Whatever a client sends is a push, a probe without commands, or a BadPushError, never another error.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from io import BytesIO
from typing import IO

from attrs import frozen
from dulwich.errors import GitProtocolError
from dulwich.protocol import SIDE_BAND_CHANNEL_DATA, SIDE_BAND_CHANNEL_PROGRESS, Protocol, pkt_line

SERVICE = "git-receive-pack"
FLUSH = pkt_line(None)
ZERO_ID = "0" * 40  # the name of no object
CAPABILITIES = b"report-status side-band-64k ofs-delta object-format=sha1 agent=arena"
SIDE_BAND = "side-band-64k"
MAX_COMMANDS = 100


class BadPushError(Exception):
    """Bytes that are not a valid push; the message gives the reason."""


@frozen
class RefUpdate:
    """The update of one ref in a push."""

    old: str
    new: str
    ref: str


@frozen
class Push:
    """A push: its commands and the client's capabilities; the pack with the objects follows."""

    commands: tuple[RefUpdate, ...]
    capabilities: frozenset[str]


def build_advertisement() -> bytes:
    """Return the advertisement before a push: an empty repository."""
    no_ref = ZERO_ID.encode() + b" capabilities^{}\0" + CAPABILITIES + b"\n"
    return pkt_line(f"# service={SERVICE}\n".encode()) + FLUSH + pkt_line(no_ref) + FLUSH


def read_push(stream: IO[bytes]) -> Push | None:
    """Read a push up to its pack; return None for a probe without commands. Raises BadPushError."""
    commands: list[RefUpdate] = []
    capabilities: frozenset[str] = frozenset()
    for line in _read_packet_lines(stream):
        command, _, names = line.removesuffix(b"\n").partition(b"\0")
        capabilities |= {capability.decode(errors="replace") for capability in names.split()}
        if not command.startswith(b"shallow "):  # a cut history matters to nobody here
            commands.append(_parse_ref_update(command))
        if len(commands) > MAX_COMMANDS:
            raise BadPushError(f"a push has at most {MAX_COMMANDS} commands")
    if not commands:
        return None
    return Push(tuple(commands), capabilities)


def build_answer(
    push: Push, unpack_problem: str, refusals: Sequence[str], lines: Sequence[str]
) -> bytes:
    """Return the answer to a push.

    Args:
        push: what was sent.
        unpack_problem: why the pack could not be read; empty where it could.
        refusals: for each command, why it is not done; empty where it is.
        lines: what its author is shown.
    """
    statuses = [f"unpack {unpack_problem or 'ok'}"]
    for command, why in zip(push.commands, refusals, strict=True):
        statuses.append(f"ng {command.ref} {why}" if why else f"ok {command.ref}")
    report = b"".join(pkt_line(f"{status}\n".encode()) for status in statuses) + FLUSH
    if SIDE_BAND not in push.capabilities:
        return report
    return _build_side_bands("".join(f"{line}\n" for line in lines), report)


def build_failure(reason: str) -> bytes:
    """Return the answer to a push that was not processed, with the reason."""
    return _build_side_bands(f"{reason}\n", pkt_line(b"unpack refused\n") + FLUSH)


def _build_side_bands(progress: str, report: bytes) -> bytes:
    """Return lines for the author and a report for git, each in its band."""
    answer = bytearray()

    def write(data: bytes) -> int:
        answer.extend(data)
        return len(data)

    protocol = Protocol(BytesIO().read, write)
    protocol.write_sideband(SIDE_BAND_CHANNEL_PROGRESS, progress.encode())
    protocol.write_sideband(SIDE_BAND_CHANNEL_DATA, report)
    return bytes(answer) + FLUSH


def _read_packet_lines(stream: IO[bytes]) -> Iterator[bytes]:
    """Yield packet lines up to a flush; raise BadPushError."""
    try:
        yield from Protocol(stream.read, lambda _: None).read_pkt_seq()
    except GitProtocolError as problem:
        raise BadPushError(f"not a packet line: {problem}") from None


def _parse_ref_update(command: bytes) -> RefUpdate:
    fields = re.fullmatch(rb"([0-9a-f]{40}) ([0-9a-f]{40}) ([!-~]{1,200})", command)
    if not fields:
        raise BadPushError("not a valid command of a push")
    return RefUpdate(*(value.decode("ascii") for value in fields.groups()))
