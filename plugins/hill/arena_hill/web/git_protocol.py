"""The git push protocol, as far as a hill needs it: packet lines, commands, the report.

It is protocol version 0 of receive-pack over HTTP (gitprotocol-pack, gitprotocol-http), to which
the hill always has an empty repository: so a push brings all that it needs, and there is nothing
that could be fetched. What is read here are bytes of strangers; no input or output is done.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from attrs import frozen

FLUSH = b"0000"
HEAD_BYTES = len(FLUSH)  # bytes that say how long a line is, themselves included
ZERO_ID = "0" * 40  # the name of no object
CAPABILITIES = b"report-status side-band-64k ofs-delta object-format=sha1 agent=arena"
SIDE_BAND = "side-band-64k"
REPORT, PROGRESS = b"\1", b"\2"  # the bands
MAX_BAND_BYTES = 65_515  # bytes that a line of a band holds
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
    """A push: its commands, the client's capabilities, and the pack with the objects."""

    commands: tuple[RefUpdate, ...]
    capabilities: frozenset[str]
    pack: bytes


def build_advertisement() -> bytes:
    """Return the advertisement before a push: an empty repository."""
    nothing = ZERO_ID.encode() + b" capabilities^{}\0" + CAPABILITIES + b"\n"
    return (
        build_packet_line(b"# service=git-receive-pack\n")
        + FLUSH
        + build_packet_line(nothing)
        + FLUSH
    )


def read_push(body: bytes) -> Push | None:
    """Parse a push; return None for a probe without commands. Raises BadPushError."""
    commands: list[RefUpdate] = []
    capabilities: frozenset[str] = frozenset()
    place = 0
    while (text := _read_packet_line(body, place)) is not None:
        place += HEAD_BYTES + len(text)
        said, _, can = text.removesuffix(b"\n").partition(b"\0")
        capabilities |= {capability.decode(errors="replace") for capability in can.split()}
        if not said.startswith(b"shallow "):  # its history is cut, which matters to nobody here
            commands.append(_parse_ref_update(said))
        if len(commands) > MAX_COMMANDS:
            raise BadPushError(f"a push has at most {MAX_COMMANDS} commands")
    if not commands:
        return None
    return Push(tuple(commands), capabilities, body[place + len(FLUSH) :])


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
    report = b"".join(build_packet_line(f"{line_text}\n".encode()) for line_text in lines) + FLUSH
    if SIDE_BAND not in push.capabilities:
        return report
    shown = "".join(f"{line_text}\n" for line_text in said).encode()
    return b"".join([*_split_into_band(PROGRESS, shown), *_split_into_band(REPORT, report), FLUSH])


def build_failure(said: str) -> bytes:
    """Return the answer to a push that was not processed, with the reason."""
    report = build_packet_line(b"unpack refused\n") + FLUSH
    return b"".join(
        [
            *_split_into_band(PROGRESS, f"{said}\n".encode()),
            *_split_into_band(REPORT, report),
            FLUSH,
        ]
    )


def build_packet_line(text: bytes) -> bytes:
    """Return a packet line.

    >>> build_packet_line(b"hello")
    b'0009hello'
    """
    return b"%04x" % (HEAD_BYTES + len(text)) + text


def _split_into_band(band: bytes, text: bytes) -> Iterator[bytes]:
    for start in range(0, len(text), MAX_BAND_BYTES):
        yield build_packet_line(band + text[start : start + MAX_BAND_BYTES])


def _read_packet_line(body: bytes, place: int) -> bytes | None:
    """Return the next packet line, None for a flush; raise BadPushError."""
    head = body[place : place + HEAD_BYTES]
    if head == FLUSH:
        return None
    length = int(head, 16) if re.fullmatch(rb"[0-9a-f]{4}", head) else 0
    if length <= HEAD_BYTES:
        raise BadPushError("not a packet line")
    text = body[place + HEAD_BYTES : place + length]
    if len(text) != length - HEAD_BYTES:
        raise BadPushError("a packet line is truncated")
    return text


def _parse_ref_update(said: bytes) -> RefUpdate:
    try:
        found = re.fullmatch(r"([0-9a-f]{40}) ([0-9a-f]{40}) ([!-~]{1,200})", said.decode("ascii"))
    except UnicodeDecodeError:
        found = None
    if not found:
        raise BadPushError("not a valid command of a push")
    return RefUpdate(*found.groups())
