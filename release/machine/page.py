"""The book's page about hills, as far as it is followed: its file and its commands."""

from __future__ import annotations

import re

from release.machine.wheels import ROOT

PAGE = ROOT / "docs" / "how-to" / "run-a-hill.md"


def read_file(name: str) -> str:
    """Return a file that the page shows under its name."""
    found = re.search(
        rf"^```{{code-block}} \w+\n:caption: {name}\n\n(.*?)^```", _text(), re.DOTALL | re.MULTILINE
    )
    assert found, name
    return str(found[1])


def read_commands(heading: str, *, having: str = "") -> str:
    """Return the commands of the first block below a heading in which this stands."""
    _, below = _text().split(f"# {heading}\n", 1)
    blocks: list[str] = re.findall(r"^```(?:text|sh)\n(.*?)^```", below, re.DOTALL | re.MULTILINE)
    return next(block for block in blocks if having in block)


def _text() -> str:
    return PAGE.read_text()
