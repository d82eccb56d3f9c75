"""The git push protocol, as far as a hill needs it: packet lines, commands, the report.

It is protocol version 0 of receive-pack over HTTP (gitprotocol-pack, gitprotocol-http), to which
the hill always has an empty repository: so a push brings all that it needs, and there is nothing
that could be fetched. What is read here are bytes of strangers; no input or output is done.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from io import BytesIO
from typing import IO

from attrs import frozen
from dulwich.errors import GitProtocolError
from dulwich.protocol import (
    SIDE_BAND_CHANNEL_DATA,
    SIDE_BAND_CHANNEL_PROGRESS,
    Protocol,
    pkt_line,
)

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
    nothing = ZERO_ID.encode() + b" capabilities^{}\0" + CAPABILITIES + b"\n"
    return pkt_line(b"# service=git-receive-pack\n") + FLUSH + pkt_line(nothing) + FLUSH


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


def build_answer(push: Push, unpacked: str, refused: Sequence[str], said: Sequence[str]) -> bytes:
    """Return the answer to a push.

    Args:
        push: what was sent.
        unpacked: why the pack could not be read; empty where it could.
        refused: for each command, why it is not done; empty where it is.
        said: lines that its author is shown.
    """
    lines = [f"unpack {unpacked or 'ok'}"]
    for command, why in zip(push.commands, refused, strict=True):
        lines.append(f"ng {command.ref} {why}" if why else f"ok {command.ref}")
    report = b"".join(pkt_line(f"{line}\n".encode()) for line in lines) + FLUSH
    if SIDE_BAND not in push.capabilities:
        return report
    return _build_side_bands("".join(f"{line}\n" for line in said), report)


def build_failure(said: str) -> bytes:
    """Return the answer to a push that was not processed, with the reason."""
    return _build_side_bands(f"{said}\n", pkt_line(b"unpack refused\n") + FLUSH)


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


def _parse_ref_update(said: bytes) -> RefUpdate:
    try:
        found = re.fullmatch(r"([0-9a-f]{40}) ([0-9a-f]{40}) ([!-~]{1,200})", said.decode("ascii"))
    except UnicodeDecodeError:
        found = None
    if not found:
        raise BadPushError("not a valid command of a push")
    return RefUpdate(*found.groups())
