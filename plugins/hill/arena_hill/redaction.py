"""Problems as they are told: without paths of the host to authors, in one line each in the log."""

from __future__ import annotations

import re
import traceback
from pathlib import Path
from tempfile import gettempdir
from typing import Any

import structlog
from attrs import define, field, frozen

from arena import UserError
from arena.host import ShortageError
from arena.rules import describe_error
from arena.tournament.file import TournamentSpec
from arena.wires import to_printable
from arena_hill.hill_paths import get_copies_folder

# Redaction of what authors read of failures: no paths of the host, no control characters.

PATH_PLACEHOLDER = "..."

BOT_PLACEHOLDER = "bot"  # what stands in place of a bot's own folder
COPY_PATTERN = r"(?:/upload|/bots/[0-9a-f]+)?"  # what that is, below where it is tried
MAX_LINE_LENGTH = 500  # characters of why something is refused
MAX_LOG_LENGTH = 19_000  # characters of what a build says: half of them from its beginning
OMISSION = "\n... (middle left out) ...\n"


@frozen
class JudgingRedaction:
    """Removes the host's paths from texts on a bot that is judged in the folder `work`."""

    work: Path
    spec: TournamentSpec

    def redact_text(self, text: str) -> str:
        """Return a text without paths and control characters."""
        text = re.sub(re.escape(str(self.work)) + COPY_PATTERN, BOT_PLACEHOLDER, text)
        return "\n".join(map(to_printable, redact_paths(text, self.spec).split("\n")))

    def redact_line(self, text: str) -> str:
        """Return a text as one line of limited length."""
        words = " ".join(self.redact_text(text).split()).removeprefix(f"{BOT_PLACEHOLDER}: ")
        return words if len(words) <= MAX_LINE_LENGTH else f"{words[:MAX_LINE_LENGTH]}..."

    def read_log(self, path: Path) -> str:
        """Return the redacted content of a log file, without its middle if it is long."""
        text = self.redact_text(path.read_bytes().decode(errors="replace"))
        half = MAX_LOG_LENGTH // 2
        return text if len(text) <= MAX_LOG_LENGTH else text[:half] + OMISSION + text[-half:]

    def redact_json(self, value: Any) -> Any:
        """Return JSON with all its texts redacted."""
        if isinstance(value, str):
            return self.redact_text(value)
        if isinstance(value, dict):
            return {name: self.redact_json(part) for name, part in value.items()}
        if isinstance(value, list | tuple):
            return [self.redact_json(part) for part in value]
        return value


def redact_paths(text: str, spec: TournamentSpec) -> str:
    """Return a text with a bot's folder as `bot`, and without the host's other folders."""
    copies = re.escape(str(get_copies_folder(spec)))
    text = re.sub(rf"{copies}/[^/\s\"']+", "bot", text)
    for folder in (spec.home, Path.home(), Path(gettempdir())):
        if folder != Path("/"):
            text = text.replace(str(folder), PATH_PLACEHOLDER)
    return text


# Logging problems: those of the host in one line each, bugs with their traceback.

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

    def say(self, event: str, problem: Exception) -> None:
        """Log the problem, unless it is the last one, whatever numbers are in it."""
        reason = re.sub("[0-9]+", "", describe_error(problem))
        if reason != self._reason:
            log_problem(event, problem)
        self._reason = reason

    def clear(self) -> None:
        """Note that the problem is solved."""
        self._reason = ""
