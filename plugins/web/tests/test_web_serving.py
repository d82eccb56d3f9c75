"""The command: it says where it listens, and ends at once."""

from __future__ import annotations

import signal
import socket
import subprocess
from contextlib import ExitStack
from pathlib import Path

from tests.conftest import ARENA
from tests.programs import TIMEOUT
from tests.served import FOUR, played

STREAMS = 8  # as many as one address may have


def test_an_interrupt_ends_it_with_open_streams(tmp_path: Path) -> None:
    """Nothing is cut off by force, which would be said on standard error."""
    file = played(tmp_path, *FOUR)
    with subprocess.Popen(
        [ARENA, "web", file, "--port", "0"],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    ) as process, ExitStack() as stack:  # fmt: skip
        assert process.stdout
        port = int(process.stdout.readline().split(":")[3].split("/")[0])
        for _ in range(STREAMS):
            stream = stack.enter_context(socket.create_connection(("127.0.0.1", port), TIMEOUT))
            stream.sendall(b"GET /t/tournament/events HTTP/1.1\r\nHost: localhost\r\n\r\n")
            heard = b""
            while b"hello" not in heard:
                heard += stream.recv(1000)
        process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=TIMEOUT)
    assert (process.returncode, said) == (0, "")


def test_a_port_that_is_taken_is_said_in_a_line() -> None:
    """With what can be done."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = str(taken.getsockname()[1])
        done = subprocess.run([ARENA, "web", "--port", port], check=False, timeout=TIMEOUT,
                              capture_output=True, text=True)  # fmt: skip
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
    assert f"port {port} of 127.0.0.1 cannot be had" in done.stderr
