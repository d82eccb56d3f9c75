"""Logging problems: those of the host in one line each, bugs with their traceback."""

from __future__ import annotations

import re
import traceback
from typing import Any

import structlog
from attrs import define, field

from arena import UserError
from arena.host import ShortageError
from arena.rules import describe_error
from arena.wires import to_printable

HOST_ERRORS = (UserError, ShortageError, OSError)
"""Errors whose message says all that a host needs: a database, a disk, a sandbox."""
log = structlog.get_logger()


def log_problem(event: str, problem: Exception, **fields: Any) -> None:
    """Log an exception by its message if it is the host's, else with its traceback."""
    if isinstance(problem, HOST_ERRORS):
        log.error(event, why=to_printable(describe_error(problem)), **fields)
    else:
        log.error(event, **fields, trace="".join(traceback.format_exception(problem)))


@define
class LastingProblem:
    """A problem of the host that many attempts meet: it is logged once until it is solved."""

    _reason: str = field(default="", init=False)

    def __bool__(self) -> bool:
        """Whether there is a problem."""
        return bool(self._reason)

    def log(self, event: str, problem: Exception) -> None:
        """Log the problem, unless it is the last one, whatever numbers are in it."""
        reason = re.sub("[0-9]+", "", describe_error(problem))
        if reason != self._reason:
            log_problem(event, problem)
        self._reason = reason

    def clear(self) -> None:
        """Note that the problem is solved."""
        self._reason = ""
