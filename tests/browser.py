"""A browser for tests: Debian's Chromium, watched for everything that must not happen.

`pages` gives pages; when a test is over no page may have had an error in its console, a violation
of its policy, or a request to anywhere else. `looked_over` has axe look for what would keep
somebody out, in light and dark, on a desk and on a telephone.
"""

from __future__ import annotations

import subprocess
from collections.abc import Iterator, Sequence
from typing import Literal
from urllib.parse import urlsplit

import pytest
from attrs import define, field
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, ConsoleMessage, Page, Request, expect, sync_playwright

CHROMIUM = "/usr/bin/chromium"
QUIET = [  # what Chromium would do of itself, and what it cannot as root
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-dev-shm-usage",
]
PATIENCE = 120_000  # milliseconds: a machine may be busy
expect.set_options(timeout=PATIENCE)
Scheme = Literal["light", "dark"]
WIDTHS = (360, 1200)  # pixels: a telephone held upright, a desk
SCHEMES: tuple[Scheme, ...] = ("light", "dark")
COLOURS = ("color-contrast", "link-in-text-block")
SERIOUS = ("serious", "critical")
VIOLATIONS = """
window.violations = [];
document.addEventListener("securitypolicyviolation",
  (event) => console.error("policy: " + event.violatedDirective + " " + event.blockedURI));
"""


@define(slots=False)  # Playwright keeps what it makes of a method beside it
class Pages:
    """Opens pages, and keeps what went wrong on them."""

    browser: Browser
    wrong: list[str] = field(factory=list)
    allowed: set[str] = field(factory=set)  # parts of messages that a test brings about

    def open(self, url: str) -> Page:
        """Open this address in a window of its own."""
        page = self.blank()
        page.goto(url)
        return page

    def blank(self, *, width: int = 1200, javascript: bool = True) -> Page:
        """Open an empty window, with cookies and a store of its own."""
        context = self.browser.new_context(
            viewport={"width": width, "height": 900},
            java_script_enabled=javascript,
        )
        context.set_default_timeout(PATIENCE)
        context.add_init_script(VIOLATIONS)
        page = context.new_page()
        page.on("console", self._said)
        page.on("pageerror", lambda error: self._note(f"error: {error}"))
        page.on("request", self._requested)
        return page

    def _said(self, message: ConsoleMessage) -> None:
        if message.type in ("error", "warning"):
            self._note(f"{message.type}: {message.text}")

    def _requested(self, request: Request) -> None:
        address = urlsplit(request.url)
        here = address.hostname in ("127.0.0.1", "localhost")
        if not here and address.scheme not in ("file", "data", "blob"):
            self._note(f"request elsewhere: {request.url}")

    def _note(self, what: str) -> None:
        if not any(part in what for part in self.allowed):
            self.wrong.append(what)


@pytest.fixture(scope="session")
def chromium() -> Iterator[Browser]:
    """Start the browser once; if it is not there, that is said, and not what Playwright makes of it."""
    subprocess.run([CHROMIUM, "--version"], check=True, capture_output=True)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=QUIET, timeout=PATIENCE)
        yield browser
        browser.close()


@pytest.fixture
def pages(chromium: Browser) -> Iterator[Pages]:
    """Open pages; nothing may have gone wrong on them at the end."""
    opened = Pages(chromium)
    yield opened
    for context in chromium.contexts:
        context.close()
    assert opened.wrong == [], opened.wrong


def looked_over(page: Page, *, rules: Sequence[str] = ()) -> None:
    """See that axe finds nothing serious as the page is, and that nothing needs a wider screen.

    `rules` are those that are looked at, if not all.
    """
    found = Axe().run(page, options={"runOnly": [*rules]} if rules else None).response["violations"]
    serious = [
        (one["id"], [node["html"][:200] for node in one["nodes"]][:3])
        for one in found
        if one["impact"] in SERIOUS
    ]
    assert serious == [], f"{page.url}: {serious}"
    wide: int = page.evaluate("document.documentElement.scrollWidth - window.innerWidth")
    assert wide <= 0, f"{page.url} is {wide} pixels wider than the screen"


def in_every_light(page: Page) -> None:
    """Have a page looked over in both schemes and both widths.

    Colours are looked at each time; what the scheme does not change, once for each width.
    """
    for scheme in SCHEMES:
        page.emulate_media(color_scheme=scheme)
        for width in WIDTHS:
            page.set_viewport_size({"width": width, "height": 900})
            looked_over(page, rules=[] if scheme == SCHEMES[0] else COLOURS)
