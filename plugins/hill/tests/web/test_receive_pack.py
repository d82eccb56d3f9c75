"""Git's receive-pack protocol, byte by byte: pushes that are read, and answers to them."""

from __future__ import annotations

from contextlib import suppress
from io import BytesIO

import pytest
from dulwich.protocol import pkt_line
from hypothesis import given, settings
from hypothesis import strategies as st

from arena_hill.web.receive_pack import (
    FLUSH,
    MAX_COMMANDS,
    ZERO_ID,
    BadPushError,
    Push,
    RefUpdate,
    build_advertisement,
    build_answer,
    build_failure,
    read_push,
)

COMMIT = "1" * 40
MAIN, OTHER = "refs/heads/main", "refs/heads/other"


def _format_command(ref: str = MAIN, capabilities: str = "") -> bytes:
    return pkt_line(f"{ZERO_ID} {COMMIT} {ref}\0{capabilities}".encode())


@given(st.binary(max_size=200), st.lists(st.binary(max_size=80), max_size=3))
@settings(max_examples=300, deadline=None)
def test_bytes_are_a_push_or_none(data: bytes, lines: list[bytes]) -> None:
    """Whatever bytes come, no other error is raised."""
    for body in (data, b"".join(map(pkt_line, lines)) + FLUSH + data):
        with suppress(BadPushError):
            push = read_push(BytesIO(body))
            assert push is None or push.commands


def test_a_push_is_read_up_to_its_pack() -> None:
    """The commands and capabilities of a push are values, and its stream stands at the pack."""
    shallow = pkt_line(f"shallow {COMMIT}".encode())
    stream = BytesIO(
        shallow + _format_command(MAIN, "report-status ofs-delta") + _format_command(OTHER)
        + FLUSH + b"PACK"
    )  # fmt: skip
    push = read_push(stream)
    assert push == Push(
        (RefUpdate(ZERO_ID, COMMIT, MAIN), RefUpdate(ZERO_ID, COMMIT, OTHER)),
        frozenset({"report-status", "ofs-delta"}),
    )
    assert stream.read() == b"PACK"


def test_a_cut_push_is_no_push() -> None:
    """A push of which the last byte is missing is refused, however many bytes arrive before."""
    body = _format_command() + FLUSH
    for length in range(len(body)):
        with pytest.raises(BadPushError):
            read_push(BytesIO(body[:length]))


def test_a_push_has_a_limited_number_of_commands() -> None:
    """One more than the limit is refused before the rest is read."""
    allowed = read_push(BytesIO(_format_command() * MAX_COMMANDS + FLUSH))
    assert allowed is not None
    assert len(allowed.commands) == MAX_COMMANDS
    with pytest.raises(BadPushError, match="at most 100 commands"):
        read_push(BytesIO(_format_command() * (MAX_COMMANDS + 1)))


def test_the_advertisement_names_no_ref() -> None:
    """Git is told what the server can do, and that the repository is empty."""
    body = build_advertisement()
    assert body.startswith(b"001f# service=git-receive-pack\n0000")
    assert f"{ZERO_ID} capabilities^{{}}\0report-status ".encode() in body
    assert body.endswith(FLUSH)


def test_an_answer_reports_each_command() -> None:
    """A client without side bands gets the report alone."""
    push = read_push(BytesIO(_format_command(MAIN) + _format_command(OTHER) + FLUSH))
    assert push is not None
    assert build_answer(push, "", ["", "refused"], ["unseen"]) == (
        b"000eunpack ok\n0017ok refs/heads/main\n0020ng refs/heads/other refused\n0000"
    )


def test_an_answer_in_side_bands_has_lines_for_the_author() -> None:
    """Band 2 is shown to the author, and band 1 is the report for git."""
    push = read_push(BytesIO(_format_command(MAIN, "side-band-64k") + FLUSH))
    assert push is not None
    assert build_answer(push, "", [""], ["received"]) == (
        b"000e\x02received\n" + b"002e\x01" + b"000eunpack ok\n0017ok refs/heads/main\n0000" + FLUSH
    )


def test_a_failure_says_its_reason_in_the_band_of_the_author() -> None:
    """A push that was not processed fails, and its author reads why."""
    body = build_failure("the disk is full")
    assert body.startswith(b"0016\x02the disk is full\n")
    assert b"unpack refused\n" in body
    assert body.endswith(FLUSH + FLUSH)
