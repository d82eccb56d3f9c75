"""What cannot be, said in one line to whoever asked for it."""

from __future__ import annotations

from collections.abc import Iterable

from arena import Refusal


def unknown(kind: str, name: str, known: Iterable[str]) -> Refusal:
    """Say that there is nothing of this name, and what there is."""
    return Refusal(f"there is no {kind} {name!r} (there is: {', '.join(known)})")
