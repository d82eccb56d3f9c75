"""The page "Run a hill" is followed word by word: an empty folder, three bots, one table.

A release does so with a whole hill and a browser. Every run types the same commands where the pages are
served by a thread, and nobody judges or plays.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from attrs import frozen
from playwright.sync_api import Page, expect

from arena_hill.hill_access import HillAccess
from arena_hill.unzip import read_archive
from arena_hill.web.application import build_hill_application
from arena_web.play.tables import PlayTables
from tests.support.checkout import ROOT
from tests.support.hill.hill_access import (
    create_key,
    enter_bots,
    let_in,
    run_with_judge,
    sign_in,
)
from tests.support.hill.running_hill import RunningHill, find_free_port
from tests.support.programs import environment
from tests.support.requirements import require, require_sandbox
from tests.support.web.browser import Pages

PAGE = ROOT / "docs" / "how-to" / "run-a-hill.md"
HOST = "localhost:8642"
ADDRESS = f"http://{HOST}"
NO_GIT_CONFIG = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
"""On a bare machine nobody has told git a name."""
MANY, FEW = "share = 400", "share = 2"
"""Matches of each bot: the page's hill would play on both cores until the test is over."""
BOTS = {"first": "bot.py", "second": "bot.c", "third": "bot.rb"}
"""The bots of the page, each with its program."""


@frozen
class HillPage:
    """What the page says: the hill's file, the commands, and the invitation as it is printed."""

    file: str
    invite: str
    invitation: str
    python: str
    native: str
    ruby: str

    @classmethod
    def read(cls) -> HillPage:
        """Read it; skip where a program that it uses is missing."""
        require("cc", "git", "ruby")
        text = PAGE.read_text()
        file = re.search(r"```{code-block} toml\n:caption: hill.toml\n\n(.*?)```", text, re.DOTALL)
        assert file
        begin, *typed = re.findall(r"```sh\n(.*?)```", text, re.DOTALL)
        assert begin == "arena hill run hill.toml\n", "this command runs the hill"
        invite = re.search(r"\$ (arena hill invite .*)\n(http.*/)\.\.\.", text)
        assert invite
        assert invite[2].startswith(f"{ADDRESS}/")
        assert MANY in file[1]
        return cls(file[1], invite[1], invite[2], *typed)


@frozen
class Shell:
    """A terminal in the hill's folder; the page's port may be taken, and is another one here."""

    home: Path
    host: str
    mark: str

    def here(self, text: str) -> str:
        """Return a text of the page with the port of this hill."""
        return text.replace(HOST, self.host)

    def run(self, text: str) -> str:
        """Run commands of the page; return what they print."""
        path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
        surroundings: Mapping[str, str] = {**environment(self.mark), "PATH": path, **NO_GIT_CONFIG}
        done = subprocess.run(
            ["bash", "-e", "-c", self.here(text)],
            cwd=self.home, env=surroundings, capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout


def test_each_command_of_the_page_works(tmp_path: Path, mark: str) -> None:
    """Three bots are written and sent: as an archive, by git and by `arena submit`."""
    require_sandbox()  # which takes a push apart
    page, file = HillPage.read(), tmp_path / "hill.toml"
    file.write_text(page.file)
    hill = HillAccess.open(file)
    enter_bots(hill)
    application = build_hill_application(hill, (), PlayTables())
    with run_with_judge(application, hill, let_in) as address:
        shell = Shell(tmp_path, urlsplit(address).netloc, mark)
        assert shell.run(page.invite).startswith(page.invitation)
        shell.run(page.python)
        hill.intake.submit(sign_in(hill.store), "first", (tmp_path / "first.zip").read_bytes())
        export = f"export ARENA_TOKEN={create_key(hill)}"
        shell.run(f"{export}\n{page.native}")
        shell.run(f"{export}\n{page.ruby}")
    sent = {
        submission.bot.name: submission.sha256 for submission in hill.store.submissions.select()
    }
    for bot, program in BOTS.items():
        assert program in read_archive(hill.intake.uploads.path(sent[bot]).read_bytes())


def join(page: Page) -> str:
    """Join by the invitation that is shown, and create a token; return the command that sets it."""
    page.get_by_role("button", name="Join as ada").click()
    page.get_by_role("link", name="Your tokens").click()
    page.get_by_label("Label").fill("my laptop")
    page.get_by_role("button", name="Create token").click()
    command = page.locator("pre code", has_text="export").text_content()
    assert command
    return command.strip()


@pytest.mark.release  # test_running.py has a whole hill, and tests of pages have browsers
def test_the_page_leads_to_three_bots_in_the_standings(
    pages: Pages, tmp_path: Path, mark: str
) -> None:
    """They come by the form, by git and by `arena submit`, and all have an interval."""
    says = HillPage.read()
    hill = RunningHill(tmp_path, find_free_port(), mark)
    (tmp_path / "hill.toml").write_text(says.file.replace(MANY, FEW))
    shell = Shell(tmp_path, f"localhost:{hill.port}", mark)
    with hill.run():
        invitation = shell.run(says.invite).strip()
        assert invitation.startswith(shell.here(says.invitation))
        page = pages.open(invitation)
        export = join(page)
        assert f"```text\n{export.partition('arena_')[0]}arena_...\n```" in PAGE.read_text()
        shell.run(says.python)
        page.goto(shell.here(f"{ADDRESS}/t/hill/"))
        page.get_by_role("link", name="Submit a bot").click()
        page.wait_for_url(shell.here(f"{ADDRESS}/hill/hill/"))
        page.get_by_label("Bot name").fill("first")
        page.locator("#file").set_input_files(hill.home / "first.zip")
        page.get_by_role("button", name="Upload bot").click()
        page.wait_for_url("**/submissions/1")
        expect(page.locator(".stages .done", has_text="entered")).to_be_visible()
        shell.run(f"{export}\n{says.native}")
        shell.run(f"{export}\n{says.ruby}")
        page.goto(shell.here(f"{ADDRESS}/t/hill/"))
        standings = page.get_by_role("region", name="Standings")
        for name in (*BOTS, "match", "random"):
            expect(standings.get_by_role("link", name=name, exact=True)).to_be_visible()
        expect(page.locator("tr", has_text="third").locator("svg")).to_be_visible()
