"""Why a request is refused: raised where that is known, and told by `error_pages` alone.

Each kind has one status. A request that is malformed itself is refused where it is read, with the
framework's own `HTTPException`.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import ClassVar

from arena import UserError
from arena.rules import StorageError
from arena.wires import to_printable


class RefusedError(UserError):
    """A request that is refused; visitors read its message, or that of its status if it is empty.

    `retry_seconds` is after how long it may come again, where that helps.
    """

    status: ClassVar[int]

    def __init__(self, message: str = "", *, retry_seconds: int | None = None) -> None:
        super().__init__(message)
        self.retry_seconds = retry_seconds


class NotFoundError(RefusedError):
    """What was asked for does not exist, or not for this visitor."""

    status = 404


class ForbiddenError(RefusedError):
    """It exists, but this visitor may not do or see it."""

    status = 403


class ConflictError(RefusedError):
    """It cannot be done now, as things are."""

    status = 409


class BusyError(RefusedError):
    """There is no room for it at the moment."""

    status = 503


def find_form_status(problem: UserError) -> int:
    """Return the status of a page that shows a form again, with this problem."""
    return problem.status if isinstance(problem, RefusedError) else 422


@contextmanager
def refuse_with(kind: type[RefusedError], prefix: str = "") -> Iterator[None]:
    """Refuse a request for the reason of a UserError, which the arena raises for its own callers.

    What is refused already stays as it is, and so does a failure of the host's disk.
    """
    try:
        yield
    except (RefusedError, StorageError):
        raise
    except UserError as problem:
        raise kind(f"{prefix}{to_printable(problem.message)}") from None
