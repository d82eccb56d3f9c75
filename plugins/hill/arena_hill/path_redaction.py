"""Redaction of the host's paths in the output of programs."""

from __future__ import annotations

import re
from pathlib import Path
from tempfile import gettempdir

from arena.extend import TournamentSpec
from arena_hill.hill_paths import get_copies_folder

PATH_PLACEHOLDER = "..."


def redact_paths(text: str, spec: TournamentSpec) -> str:
    """Return a text with a bot's folder as `bot`, and without the host's other folders."""
    copies = re.escape(str(get_copies_folder(spec)))
    text = re.sub(rf"{copies}/[^/\s\"']+", "bot", text)
    for folder in (spec.home, Path.home(), Path(gettempdir())):
        if folder != Path("/"):
            text = text.replace(str(folder), PATH_PLACEHOLDER)
    return text
