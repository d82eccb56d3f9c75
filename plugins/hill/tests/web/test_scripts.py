"""The scripts of a hill's pages read of each other, and of what all pages share, what is there."""

from __future__ import annotations

from pathlib import Path

import pytest

import arena_hill
from arena_hill.web.page_context import FILES
from tests.support.web.script_types import check_script_types

STATIC_FOLDER = Path(arena_hill.__file__).with_name("static")


@pytest.mark.slow
def test_the_scripts_of_a_hill_have_no_error_of_types() -> None:
    """They are checked as those of all pages are, which they use."""
    check_script_types(STATIC_FOLDER)


def test_nothing_but_scripts_and_styles_of_a_hill_is_served() -> None:
    """Types are for checkers and readers."""
    assert {*FILES} == {"hill.css", "hill.js"}
