"""The page "Run a hill" is followed word by word: an empty folder, three bots, one table."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.support.checkout import ROOT
from tests.support.hill.running_hill import RunningHill, find_free_port
from tests.support.programs import environment
from tests.support.requirements import require
from tests.support.web.browser import Pages

PAGE = ROOT / "docs" / "how-to" / "run-a-hill.md"
HOST = "localhost:8642"
ADDRESS = f"http://{HOST}"
NO_GIT_CONFIG = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
"""On a bare machine nobody has told git a name."""
MANY, FEW = "share = 400", "share = 2"
"""Matches of each bot: the page's hill would play on both cores until the test is over."""
BIDS = {
    "first/bot.py": "int(kept) % 13 + 1",
    "second/bot.c": "(atoi(kept) + 1) % 13 + 1",
    "third/bot.rb": "(@kept.to_i + 2) % 13 + 1",
}
"""What the bots bid after the page has changed a line of each."""


@pytest.fixture
def page_says(tmp_path: Path, mark: str) -> Iterator[tuple[RunningHill, list[str], str]]:
    """Run the hill of the page; return it, the commands after that, and the invitation."""
    require("cc", "git", "ruby")
    text = PAGE.read_text()
    file = re.search(r"```{code-block} toml\n:caption: hill.toml\n\n(.*?)```", text, re.DOTALL)
    assert file
    begin, *typed = re.findall(r"```sh\n(.*?)```", text, re.DOTALL)
    assert begin == "arena hill run hill.toml\n", "this command runs the hill"
    invite = re.search(r"\$ (arena hill invite .*)\n(http.*/)\.\.\.", text)
    assert invite
    assert invite[2].startswith(f"{ADDRESS}/")
    hill = RunningHill(tmp_path, find_free_port(), mark)
    assert MANY in file[1]
    (tmp_path / "hill.toml").write_text(file[1].replace(MANY, FEW))
    with hill.run():
        invitation = shell(invite[1], hill).strip()
        assert invitation.startswith(here(invite[2], hill))
        yield hill, typed, invitation


def here(text: str, hill: RunningHill) -> str:
    """Return a text of the page with the port of this hill: the page's own may be taken."""
    return text.replace(HOST, f"localhost:{hill.port}")


def shell(text: str, hill: RunningHill) -> str:
    """Run commands of the page in the hill's folder; return what they print."""
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    surroundings: Mapping[str, str] = {**environment(hill.mark), "PATH": path, **NO_GIT_CONFIG}
    done = subprocess.run(
        ["bash", "-e", "-c", here(text, hill)],
        cwd=hill.home, env=surroundings, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def join(page: Page) -> str:
    """Join by the invitation that is shown, and create a token; return the command that sets it."""
    page.get_by_role("button", name="Join as ada").click()
    page.get_by_role("link", name="Your tokens").click()
    page.get_by_label("Label").fill("my laptop")
    page.get_by_role("button", name="Create token").click()
    command = page.locator("pre code", has_text="export").text_content()
    assert command
    return command.strip()


def test_the_page_leads_to_three_bots_in_the_standings(
    pages: Pages, page_says: tuple[RunningHill, list[str], str]
) -> None:
    """By the form, by git and by `arena submit`; all have their own strategy and an interval."""
    hill, (python, native, ruby), invitation = page_says
    page = pages.open(invitation)
    export = join(page)
    assert f"```text\n{export.partition('arena_')[0]}arena_...\n```" in PAGE.read_text()
    shell(python, hill)
    page.goto(here(f"{ADDRESS}/t/hill/", hill))
    page.get_by_role("link", name="Submit a bot").click()
    page.wait_for_url(here(f"{ADDRESS}/hill/hill/", hill))
    page.get_by_label("Bot name").fill("first")
    page.locator("#file").set_input_files(hill.home / "first.zip")
    page.get_by_role("button", name="Upload bot").click()
    page.wait_for_url("**/submissions/1")
    expect(page.locator(".stages .done", has_text="entered")).to_be_visible()
    shell(f"{export}\n{native}", hill)
    shell(f"{export}\n{ruby}", hill)
    assert all(bid in (hill.home / file).read_text() for file, bid in BIDS.items())
    page.goto(here(f"{ADDRESS}/t/hill/", hill))
    for name in ("first", "second", "third", "match", "random"):
        expect(
            page.get_by_role("region", name="Standings").get_by_role("link", name=name, exact=True)
        ).to_be_visible()
    expect(page.locator("tr", has_text="third").locator("svg")).to_be_visible()
