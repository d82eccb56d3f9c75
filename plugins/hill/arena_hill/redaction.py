"""Redaction of what authors read of failures: no paths of the host, no control characters."""

from __future__ import annotations

import re
from pathlib import Path
from tempfile import gettempdir
from typing import Any

from attrs import frozen

from arena.wires import to_printable
from arena_hill.hill import Hill

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
    hill: Hill

    def redact_text(self, text: str) -> str:
        """Return a text without paths and control characters."""
        text = re.sub(re.escape(str(self.work)) + COPY_PATTERN, BOT_PLACEHOLDER, text)
        return "\n".join(map(to_printable, redact_paths(text, self.hill).split("\n")))

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


def redact_paths(text: str, hill: Hill) -> str:
    """Return a text with a bot's folder as `bot`, and without the host's other folders."""
    copies = re.escape(str(hill.copies.path))
    text = re.sub(rf"{copies}/[^/\s\"']+", "bot", text)
    for folder in (hill.spec.home, Path.home(), Path(gettempdir())):
        if folder != Path("/"):
            text = text.replace(str(folder), PATH_PLACEHOLDER)
    return text
