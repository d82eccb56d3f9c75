"""The page 'Hold a hill' is followed word by word: an empty folder, two authors' ways, one table."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser import Pages
from tests.held_hill import HeldHill, free_port
from tests.programs import environment

PAGE = Path(__file__).parents[3] / "docs" / "hosting" / "hill.md"
ADDRESS = "http://localhost:8642"
AUTHOR = {
    f"GIT_{who}_{what}": "ada@example.org"
    for who in ("AUTHOR", "COMMITTER")
    for what in ("NAME", "EMAIL")
}
"""Who has written a program with git has said so once."""


@pytest.fixture
def page_says(tmp_path: Path, mark: str) -> Iterator[tuple[HeldHill, list[str], str]]:
    """Hold the hill of the page; return it, what is typed afterwards, and the invitation."""
    text = PAGE.read_text()
    file = re.search(r"```{code-block} toml\n:caption: hill.toml\n\n(.*?)```", text, re.DOTALL)
    assert file
    begin, *typed = re.findall(r"```sh\n(.*?)```", text, re.DOTALL)
    assert begin == "arena hill run hill.toml\n", "the hill is held by this"
    invite = re.search(r"\$ (arena hill invite .*)\n(http.*/)\.\.\.", text)
    assert invite
    hill = HeldHill(tmp_path, free_port(), mark)
    (tmp_path / "hill.toml").write_text(file[1])
    with hill.held():
        said = shell(invite[1], hill)
        assert said.startswith(invite[2])
        yield hill, typed, said.strip().replace(ADDRESS, address(hill))


def address(hill: HeldHill) -> str:
    """Return where a hill is found; the page's own port may be somebody else's here."""
    return f"http://localhost:{hill.port}"


def shell(text: str, hill: HeldHill, **more: str) -> str:
    """Run what is typed, in the hill's folder; return what it prints."""
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    surroundings: Mapping[str, str] = {**environment(hill.mark), "PATH": path, **AUTHOR, **more}
    done = subprocess.run(
        ["bash", "-e", "-c", text.replace(ADDRESS, address(hill)).replace("localhost:8642", f"localhost:{hill.port}")],
        cwd=hill.home, env=surroundings, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def joined(page: Page) -> str:
    """Join by the invitation that is shown, and make a token."""
    page.get_by_role("button", name="Join").click()
    page.get_by_label("What for").fill("my laptop")
    page.get_by_role("button", name="Make it").click()
    token = page.locator("pre code").first.text_content()
    assert token
    return token.strip()


def test_the_page_leads_to_two_bots_in_the_table(
    pages: Pages, page_says: tuple[HeldHill, list[str], str]
) -> None:
    """One in Python by the form, one in C by git; both stand in the table, with intervals."""
    hill, (python, native), invitation = page_says
    page = pages.open(invitation)
    token = joined(page)
    shell(python, hill)
    page.goto(f"{address(hill)}/hill/hill/")
    page.get_by_label("Its name").fill("first")
    page.locator("#file").set_input_files(hill.home / "first.zip")
    page.get_by_role("button", name="Send").click()
    page.wait_for_url("**/submissions/1")
    expect(page.locator(".stages .done", has_text="entered")).to_be_visible()
    shell(native, hill, ARENA_TOKEN=token)
    page.goto(f"{address(hill)}/t/hill/")
    for name in ("first", "second", "match", "random"):
        expect(page.get_by_role("link", name=name, exact=True)).to_be_visible()
    expect(page.locator("tr", has_text="second").locator("svg")).to_be_visible()
