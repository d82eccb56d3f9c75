"""Paths of the host, which are nobody else's business: taken out of what programs have said."""

from __future__ import annotations

import re
from pathlib import Path
from tempfile import gettempdir

from arena.tournament import TournamentSpec
from arena_web.hill.places import copies_of

ELSEWHERE = "..."


def without_paths(text: str, spec: TournamentSpec) -> str:
    """Return a text with a bot's own folder as `bot`, and the host's own folders not at all."""
    copies = re.escape(str(copies_of(spec)))
    text = re.sub(rf"{copies}/[^/\s\"']+", "bot", text)
    for folder in (spec.home, Path.home(), Path(gettempdir())):
        if folder != Path("/"):
            text = text.replace(str(folder), ELSEWHERE)
    return text
