"""Errors as JSON in one line, for programs (RFC 9457)."""

from __future__ import annotations

from starlette.responses import JSONResponse


class ProblemResponse(JSONResponse):
    """A problem response (RFC 9457) in one line."""

    media_type = "application/problem+json"

    def __init__(self, status: int, title: str, **more: str | int) -> None:
        super().__init__({"title": title, "status": status, **more}, status)
        self.title = title
