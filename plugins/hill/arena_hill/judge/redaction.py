"""Redaction of what authors read of failures: no control characters, no host paths."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from attrs import frozen

from arena.extend import TournamentSpec, to_printable
from arena_hill.path_redaction import redact_paths

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
