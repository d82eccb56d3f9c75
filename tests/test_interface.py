"""The page of the public interface says what is in the code, and for which version."""

from __future__ import annotations

import os
from importlib.metadata import version
from pathlib import Path

from tests.interface import interface

PAGE = Path(__file__).parents[1] / "docs/writing-a-game/interface.md"
BEGIN = "## `arena`"
REFRESH = "REFRESH_BOOK"


def test_the_interface_is_as_the_page_says() -> None:
    """Every name, what it is, and what it has; nothing that is gone."""
    text = PAGE.read_text("utf-8")
    head, _, _ = text.partition(BEGIN)
    now = head + interface()
    if REFRESH in os.environ:
        PAGE.write_text(now, "utf-8")
    else:
        assert text == now


def test_the_page_is_of_this_version() -> None:
    """Whoever releases another version reads the page again."""
    assert f"cardbot-arena {version('cardbot-arena')}." in PAGE.read_text("utf-8")


def test_everything_is_explained() -> None:
    """No name is there without a sentence."""
    rows = [line for line in interface().splitlines() if line.startswith("| `")]
    assert rows
    assert not [row for row in rows if not row.split(" | ")[1].strip()]
