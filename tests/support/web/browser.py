"""A browser for tests: Debian's Chromium, watched for everything that must not happen.

`pages` gives pages; when a test is over no page may have had an error in its console, a violation
of its policy, or a request to anywhere else. `check_page` has axe look for what would keep
somebody out, in light and dark, on a desk and on a telephone.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Literal
from urllib.parse import urlsplit

import pytest
from attrs import define, field, frozen
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import (
    Browser,
    ConsoleMessage,
    Error,
    Page,
    Request,
    expect,
    sync_playwright,
)

from tests.support.requirements import explain_missing

CHROMIUM = "/usr/bin/chromium-headless-shell"  # takes two thirds of the time of the whole browser
QUIET = [  # what Chromium would do of itself, and what it cannot as root
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-dev-shm-usage",
    "--in-process-gpu",  # fewer processes take a tenth less processor time
    "--renderer-process-limit=1",
    "--disable-site-isolation-trials",
    "--js-flags=--no-opt --no-maglev --no-sparkplug",  # no page lives long enough to pay for them
]
PATIENCE = 120_000  # milliseconds: a machine may be busy
expect.set_options(timeout=PATIENCE)
Scheme = Literal["light", "dark"]
WIDTHS = (360, 1200)  # pixels: a telephone held upright, a desk
SCHEMES: tuple[Scheme, ...] = ("light", "dark")
COLOURS = ("color-contrast", "link-in-text-block")
LEFT_OUT = ("color-contrast-enhanced",)  # of the rules of axe: for a level that nobody aims at
AXE = Axe()
PREPARE_AXE = f"""
for (const rule of axe._audit.rules) {{
  rule.enabled = !{[*LEFT_OUT]}.includes(rule.id);
  if (!{[*COLOURS]}.includes(rule.id)) continue;
  const matches = rule.matches;
  rule.matches = function (node, ...more) {{
    return window.sample.has(node) && matches.call(this, node, ...more);
  }};
}}
"""
"""Has axe look for all it knows, and at the colours of a sample: that takes half of its time."""
SAMPLE = 3  # elements that look alike, of which colours are looked at
FIND_TEXT = f"""
window.findText = () => {{
  const numbers = new Map(), looks = new WeakMap(), met = new Map();
  return [...document.body.querySelectorAll("*")].filter((element) => {{
    const style = getComputedStyle(element);
    const look = [
      looks.get(element.parentElement), element.tagName, style.color, style.backgroundColor,
      style.backgroundImage, style.fontSize, style.fontWeight, style.opacity, style.textShadow,
      style.textDecorationLine, style.display, style.visibility,
    ].join();
    if (!numbers.has(look)) numbers.set(look, numbers.size);
    looks.set(element, numbers.get(look));
    const own = [...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim());
    if (!own && !element.matches("a, button, input, select, textarea")) return false;
    met.set(look, (met.get(look) ?? 0) + 1);
    return met.get(look) <= {SAMPLE};
  }});
}};
"""
"""Finds the elements with text, but not all hundreds of a log that look like the first ones.

An element looks like another in colours and font, and so do all around them.
"""
RUN_AXE = """
async () => {
  window.sample = new Set(findText());
  const values = axe._audit.rules.filter((rule) => rule.enabled).map((rule) => rule.id); // also what is on trial
  const runOnly = { type: "rule", values };
  return (await axe.run(document, { resultTypes: ["violations"], runOnly })).violations;
}
"""
"""Its other results are a thousand times as long, and nobody reads them."""
SERVER_ENDED = {"net::ERR_CONNECTION_REFUSED", "net::ERR_CONNECTION_RESET"}
"""What a page that follows a match says when the test has stopped its server: it asks again, or it
was about to."""
VIOLATIONS = """
window.violations = [];
document.addEventListener("securitypolicyviolation",
  (event) => console.error("policy: " + event.violatedDirective + " " + event.blockedURI));
"""
NO_PAUSES = """
try { localStorage["arena-pace"] ??= "none"; } catch { /* an empty page has no store */ }
"""
"""Has pages show at once what happens in a match, unless a test has chosen a pace on a page."""


MAX_KEPT_WINDOWS = 6
EMPTY_STORE = "() => { try { localStorage.clear(); } catch { /* an empty page has no store */ } }"


@frozen
class WindowKind:
    """What a window is like from its beginning to its end."""

    touch: bool
    script: str


@define(slots=False)  # Playwright keeps what it makes of a method beside it
class Pages:
    """Opens pages, and keeps what went wrong on them.

    Nothing moves on them, which takes time, unless a test asks for that. Windows are emptied and
    kept from test to test: a new one is a new process, which takes a second of processor time.
    """

    browser: Browser
    wrong: list[str] = field(factory=list)
    allowed: set[str] = field(factory=set)  # parts of messages that a test brings about
    _free: list[tuple[WindowKind, Page]] = field(factory=list)
    _used: list[tuple[WindowKind, Page]] = field(factory=list)

    def open(self, url: str) -> Page:
        """Open this address in a window of its own."""
        page = self.blank()
        page.goto(url)
        return page

    def blank(self, *, width: int = 1200, touch: bool = False, script: str = "") -> Page:
        """Open an empty window, with cookies and a store of its own, on a touch screen or a desk.

        `script` runs on each of its pages before theirs. A first `route` is set before a page is
        opened: Chromium lets single requests of an open one pass, on a busy machine.
        """
        kind = WindowKind(touch, script)
        window = next((window for window in self._free if window[0] == kind), None)
        if window:
            self._free.remove(window)
        else:
            window = kind, self._open_window(kind)
        self._used.append(window)
        page = window[1]
        page.set_viewport_size({"width": width, "height": 900})
        return page

    def clear(self) -> list[str]:
        """Empty the windows, and keep the latest ones; return what went wrong until then."""
        for _, page in self._used:
            with suppress(Error):  # it is on its way to another page
                page.evaluate(EMPTY_STORE)
            page.goto("about:blank")
            page.unroute_all()
            page.emulate_media(color_scheme="light", reduced_motion="reduce")
            page.context.clear_cookies()
            page.context.set_offline(False)
        self._free += self._used
        for _, page in self._free[:-MAX_KEPT_WINDOWS]:
            page.context.close()
        self._free = self._free[-MAX_KEPT_WINDOWS:]
        allowed = self.allowed | SERVER_ENDED
        wrong = [text for text in self.wrong if not any(part in text for part in allowed)]
        self.wrong, self.allowed, self._used = [], set(), []
        return wrong

    def _open_window(self, kind: WindowKind) -> Page:
        context = self.browser.new_context(has_touch=kind.touch, reduced_motion="reduce")
        context.set_default_timeout(PATIENCE)
        context.add_init_script(VIOLATIONS + NO_PAUSES + kind.script)
        page = context.new_page()
        page.on("console", self._said)
        page.on("pageerror", lambda error: self.wrong.append(f"error: {error}"))
        page.on("request", self._requested)
        return page

    def _said(self, message: ConsoleMessage) -> None:
        if message.type in ("error", "warning"):
            self.wrong.append(f"{message.type}: {message.text}")

    def _requested(self, request: Request) -> None:
        address = urlsplit(request.url)
        here = address.hostname in ("127.0.0.1", "localhost")
        if not here and address.scheme not in ("file", "data", "blob"):
            self.wrong.append(f"request elsewhere: {request.url}")


@pytest.fixture(scope="session")
def chromium() -> Iterator[Pages]:
    """Start the browser once."""
    if not Path(CHROMIUM).exists():
        pytest.skip(explain_missing("chromium-headless-shell"))
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=QUIET, timeout=PATIENCE)
        yield Pages(browser)
        browser.close()


@pytest.fixture
def pages(chromium: Pages) -> Iterator[Pages]:
    """Open pages; nothing may have gone wrong on them at the end."""
    yield chromium
    wrong = chromium.clear()
    assert wrong == []


def check_page(page: Page) -> None:
    """See that axe finds nothing on the whole page, and that nothing needs a wider screen."""
    page.wait_for_load_state()  # a click that leads to a page returns before that has a body
    if not page.evaluate("'axe' in window"):
        page.evaluate(AXE.axe_script + PREPARE_AXE + FIND_TEXT)
    found = page.evaluate(RUN_AXE)
    wrong = [
        (violation["id"], [node["html"][:200] for node in violation["nodes"]][:3])
        for violation in found
    ]
    assert wrong == [], f"{page.url}: {wrong}"
    wide: int = page.evaluate("document.documentElement.scrollWidth - window.innerWidth")
    assert wide <= 0, f"{page.url} is {wide} pixels wider than the screen"


def check_page_in_all_themes(page: Page) -> None:
    """Have a page looked over in both widths, one in light and one in dark.

    What stands on a page is the same in both schemes, and its colours are so in both widths.
    """
    for scheme, width in zip(SCHEMES, WIDTHS, strict=True):
        page.emulate_media(color_scheme=scheme)
        page.set_viewport_size({"width": width, "height": 900})
        check_page(page)
