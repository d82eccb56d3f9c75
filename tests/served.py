"""A real server for tests, on a port of its own, in a thread of this process."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import uvicorn
from starlette.applications import Starlette

WAIT = 120  # seconds: a machine may be busy


@contextmanager
def served(application: Starlette) -> Iterator[str]:
    """Serve it meanwhile; give its address."""
    listening = socket.create_server(("127.0.0.1", 0))
    server = uvicorn.Server(uvicorn.Config(application, log_level="warning"))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]})
    thread.start()  # what connects before the server is up waits in the socket's queue
    try:
        yield f"http://127.0.0.1:{listening.getsockname()[1]}"
    finally:
        server.should_exit = True
        thread.join(WAIT)
        listening.close()
