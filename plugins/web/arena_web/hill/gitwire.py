"""The words of a git push, as far as a hill speaks them: packet lines, commands, the report.

It is protocol version 0 of receive-pack over HTTP (gitprotocol-pack, gitprotocol-http), to which
the hill always has an empty repository: so a push brings all that it needs, and there is nothing
that could be fetched. What is read here are bytes of strangers; no input or output is done.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from attrs import frozen

FLUSH = b"0000"
HEAD = len(FLUSH)  # bytes that say how long a line is, themselves included
NOTHING = "0" * 40  # the name of no object
CAPABILITIES = b"report-status side-band-64k ofs-delta object-format=sha1 agent=arena"
SIDE_BAND = "side-band-64k"
REPORT, PROGRESS = b"\1", b"\2"  # the bands
LONGEST = 65_515  # bytes that a line of a band holds
MOST_COMMANDS = 100


class BadPush(Exception):
    """Bytes that are no push; the text says why."""


@frozen
class Command:
    """What a push asks of one ref: that it names another object from now on."""

    old: str
    new: str
    ref: str


@frozen
class Push:
    """A push: its commands, what its client can do, and the pack with the objects."""

    commands: tuple[Command, ...]
    capabilities: frozenset[str]
    pack: bytes


def advertisement() -> bytes:
    """Return what a client is told before it pushes: there is nothing here yet."""
    nothing = NOTHING.encode() + b" capabilities^{}\0" + CAPABILITIES + b"\n"
    return line(b"# service=git-receive-pack\n") + FLUSH + line(nothing) + FLUSH


def read_push(body: bytes) -> Push | None:
    """Read what a client sends; None where it only asks whether it may. Raises BadPush."""
    commands: list[Command] = []
    capabilities: frozenset[str] = frozenset()
    place = 0
    while (text := _line_at(body, place)) is not None:
        place += HEAD + len(text)
        said, _, can = text.removesuffix(b"\n").partition(b"\0")
        capabilities |= {one.decode(errors="replace") for one in can.split()}
        if not said.startswith(b"shallow "):  # its history is cut, which matters to nobody here
            commands.append(_command(said))
        if len(commands) > MOST_COMMANDS:
            raise BadPush(f"a push has at most {MOST_COMMANDS} commands")
    if not commands:
        return None
    return Push(tuple(commands), capabilities, body[place + len(FLUSH) :])


def answer(push: Push, unpacked: str, refused: Sequence[str], said: Sequence[str]) -> bytes:
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
    report = b"".join(line(f"{one}\n".encode()) for one in lines) + FLUSH
    if SIDE_BAND not in push.capabilities:
        return report
    shown = "".join(f"{one}\n" for one in said).encode()
    return b"".join([*_band(PROGRESS, shown), *_band(REPORT, report), FLUSH])


def failure(said: str) -> bytes:
    """Return the answer to a push that nobody has looked at: why, in a line."""
    report = line(b"unpack refused\n") + FLUSH
    return b"".join([*_band(PROGRESS, f"{said}\n".encode()), *_band(REPORT, report), FLUSH])


def line(text: bytes) -> bytes:
    """Return a packet line.

    >>> line(b"hello")
    b'0009hello'
    """
    return b"%04x" % (HEAD + len(text)) + text


def _band(band: bytes, text: bytes) -> Iterator[bytes]:
    for start in range(0, len(text), LONGEST):
        yield line(band + text[start : start + LONGEST])


def _line_at(body: bytes, place: int) -> bytes | None:
    """Return the line that stands there, None for a flush; raise BadPush."""
    head = body[place : place + HEAD]
    if head == FLUSH:
        return None
    length = int(head, 16) if re.fullmatch(rb"[0-9a-f]{4}", head) else 0
    if length <= HEAD:
        raise BadPush("this is no packet line")
    text = body[place + HEAD : place + length]
    if len(text) != length - HEAD:
        raise BadPush("a packet line is cut off")
    return text


def _command(said: bytes) -> Command:
    try:
        found = re.fullmatch(r"([0-9a-f]{40}) ([0-9a-f]{40}) ([!-~]{1,200})", said.decode("ascii"))
    except UnicodeDecodeError:
        found = None
    if not found:
        raise BadPush("this is no command of a push")
    return Command(*found.groups())
