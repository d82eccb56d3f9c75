"""What authors may read of their bots' failures: text without control characters or our paths."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from attrs import frozen

from arena.tournament import TournamentSpec
from arena.wires import printable
from arena_web.hill.paths import without_paths

BOT = "bot"  # what stands in place of a bot's own folder
COPY = r"(?:/upload|/bots/[0-9a-f]+)?"  # what that is, below where it is tried
LONGEST_LINE = 500  # characters of why something is refused
LONGEST_LOG = 19_000  # characters of what a build says: half of them from its beginning
CUT = "\n... some of it was not kept ...\n"


@frozen
class Masking:
    """Takes the host's paths out of what is said of a bot that is tried in the folder `work`."""

    work: Path
    spec: TournamentSpec

    def text(self, text: str) -> str:
        """Return a text without paths, line by line harmless."""
        text = re.sub(re.escape(str(self.work)) + COPY, BOT, text)
        return "\n".join(map(printable, without_paths(text, self.spec).split("\n")))

    def line(self, text: str) -> str:
        """Return a text as one line of no great length."""
        words = " ".join(self.text(text).split()).removeprefix(f"{BOT}: ")
        return words if len(words) <= LONGEST_LINE else f"{words[:LONGEST_LINE]}..."

    def log(self, path: Path) -> str:
        """Return what stands in a file, without its middle where it is long."""
        text = self.text(path.read_bytes().decode(errors="replace"))
        half = LONGEST_LOG // 2
        return text if len(text) <= LONGEST_LOG else text[:half] + CUT + text[-half:]

    def report(self, value: Any) -> Any:
        """Return JSON with all its texts masked."""
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, dict):
            return {name: self.report(one) for name, one in value.items()}
        if isinstance(value, list | tuple):
            return [self.report(one) for one in value]
        return value
