"""The command says what is wrong in a line."""

from __future__ import annotations

import socket
import subprocess

from tests.conftest import ARENA
from tests.programs import TIMEOUT


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
