"""Running the server until it is interrupted."""

from __future__ import annotations

from collections.abc import Sequence

import uvicorn

from arena_web.app import application


def serve(what: Sequence[str], port: int) -> None:
    """Serve these until an interrupt comes."""
    uvicorn.run(application([]), port=port, log_level="warning")
