"""The rules of a hill on its front page; without a browser."""

from __future__ import annotations

from pathlib import Path

from arena_hill.hill_access import HillAccess
from tests.support.hill.hill_access import write_hill_file
from tests.support.hill.played_hill import build_hill_app
from tests.support.tournaments.served import open_test_client


def test_the_front_page_says_what_the_check_command_leaves_out(tmp_path: Path) -> None:
    """Where the hill limits the time of a match, its check is not said to be just the same."""
    for bank, said in {
        "": "the same check. ",
        "[time]\nbank = 60\n": "the same check, and",
    }.items():
        file = write_hill_file(tmp_path)
        file.write_text(file.read_text() + bank)
        with open_test_client(build_hill_app(HillAccess.open(file))) as client:
            assert said in client.get("/hill/gops/").text
