"""A bot whose name the host has hidden is a number everywhere: pages, files, streams, replays."""

from __future__ import annotations

import json
import re
import shutil
import sys
from pathlib import Path
from typing import Any, get_type_hints

import httpx2
import pytest
from attrs import field, fields, make_class

from arena.host.bot_file import BotFile
from arena.tournament.commands import AliasCommand
from arena.tournament.store import Store
from arena_web.app import build_application
from arena_web.routes import SourcePages
from arena_web.server import run_in_thread
from arena_web.site import write_site
from arena_web.sources import open_sources
from arena_web.tournaments.sources import TournamentSource
from tests.support.checkout import ROOT
from tests.support.programs import TIMEOUT
from tests.support.tournaments.served import edit_database, play_tournament, serve_sources
from tests.support.web.crawler import Crawler

pytestmark = pytest.mark.slow

NAME = "canaryname"
ALIAS = "bot_17"
FEW = """
game = "bs"
table = 3
matches = 1
workers = 1
check = false
"""


HILL = """
game = "gops"
seed = "1"
matches = 12
workers = 1
check = false
options = {cards = 5}
"""
T = "/t/tournament/"
CANARIES = {
    "name": "canaryfile",
    "title": "javascript:canarytitle",
    "command": "python3 bot.py canarycommand",
    "build": "true canarybuild",
    "parameters": "canaryparameter",  # a default, which the command line gets
}
"""What the hidden bot says of itself, by the key of its `bot.toml`."""
LISTED = {"protocol": "a wire of the game"}
"""Keys for which a bot chooses one of a few words, which tell nothing."""
SCRIPT_ADDRESS = re.compile(
    r"""(?:href|src|action|srcdoc|data|content)\s*=\s*["']?[^"'>]*?javascript:""", re.IGNORECASE
)
"""An address in a page that would run a stranger's program in a visitor's browser."""


def list_text_keys(kind: Any) -> list[str]:
    """Return the keys of a file for which a bot may write any text."""
    types = get_type_hints(kind)
    return [
        key.name
        for key in fields(kind)
        if "str" in str(types[key.name])  # also in a list or in a table
        and not hasattr(key.validator, "options")
        and key.name not in LISTED
    ]


def check_canaries(kind: Any) -> None:
    """Raise AssertionError unless the bot that is hidden sets each text key of its file."""
    for key in list_text_keys(kind):
        assert key in CANARIES, (
            f"give {key!r} a canary here (CANARIES, plugins/hill/tests/web/test_hidden_names.py):"
            " no page may show it of a bot whose name is hidden"
        )


def write_canary_bot(folder: Path) -> Path:
    """Write a bot that plays BS, and says of itself what nobody should read; return its folder."""
    check_canaries(BotFile)
    bot = shutil.copytree(ROOT / "examples" / "bots" / "bs-python", folder / "canary folder")
    texts = {key: text for key, text in CANARIES.items() if key not in ("command", "parameters")}
    lines = [f"{key} = {json.dumps(text)}" for key, text in texts.items()]
    lines += [f"command = {json.dumps(CANARIES['command'] + ' {mark}')}", "[parameters.mark]"]
    lines += ['type = "str"', f"default = {json.dumps(CANARIES['parameters'])}"]
    (bot / "bot.toml").write_text("\n".join(lines))
    return bot


def test_a_key_without_a_canary_is_named() -> None:
    """A key of `bot.toml` for which this module has no canary is named."""
    check_canaries(BotFile)
    assert {*list_text_keys(BotFile)} == {*CANARIES}
    kinds: tuple[Any, ...] = (str, str | None, tuple[str, ...])
    for kind in kinds:
        more = make_class("BotFile", {"homepage": field(type=kind, default="")}, bases=(BotFile,))
        with pytest.raises(AssertionError, match=r"^give 'homepage' a canary here"):
            check_canaries(more)


@pytest.mark.parametrize(
    "page", ['<a href="javascript:x">', "<a class=b HREF = ' JavaScript:x'>", "<img src=javascript:x>",
             '<meta content="0; url=javascript:x">'],
)  # fmt: skip
def test_an_address_that_runs_a_program_is_found(page: str) -> None:
    """The address is found however it is written, and text that a page only shows is none."""
    assert SCRIPT_ADDRESS.search(page)
    assert not SCRIPT_ADDRESS.search('<td title="javascript:x"><a href="/b">javascript:x</a></td>')


def hide(file: Path) -> None:
    """Have the coordinator hide the name."""
    with Store.open(file.with_suffix(".db")) as store:
        store.claim()
        store.entries.carry_out(AliasCommand(1, NAME, ALIAS))


def test_no_answer_has_a_name_that_was_hidden_before_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever was computed, and kept, before the name of the leader was hidden.

    It is computed anew one after the other, so that a page has parts from before and after.
    """
    monkeypatch.setattr("arena_web.http.refreshed_values.MAX_WAIT_SECONDS", TIMEOUT)
    file = play_tournament(tmp_path, "random", text=HILL, **{NAME: "hard", "other": "random"})
    edit_database(
        file,
        "UPDATE facts SET value = 'false' WHERE name = 'over'",
        """UPDATE facts SET value = replace(value, '"seed":"1"', '"seed":null')""",
    )
    sources = open_sources([str(file)])
    source = sources["tournament"]
    assert isinstance(source, TournamentSource)
    pages = SourcePages(sources)
    app = build_application(pages.routes, limits={}, on_shutdown=[pages.close])
    with (
        run_in_thread(app) as base,
        httpx2.Client(base_url=base, verify=False, follow_redirects=True) as client,
    ):
        assert client.get(f"{T}feed.atom").status_code == 200
        crawler = Crawler(base)
        crawler.crawl()
        assert f"{NAME}</a> leads since" in crawler.taken[T].decode()
        parts = (source.snapshot, source.rating_history, source.news)
        for part in parts:
            part.now = lambda: 0.0  # it is never due
        hide(file)
        asked = [path for path in crawler.taken if path.startswith(T) and "/events" not in path]
        for due in range(len(parts) + 1):
            for part in parts[:due]:
                part.now = lambda: sys.float_info.max  # it is always due
            for path in asked:
                answer = client.get(path)
                assert answer.status_code in ({200, 404} if NAME in path else {200}), path
                assert NAME not in f"{answer.headers}{answer.text}", path
        assert f"{ALIAS}</a> leads since" in client.get(T).text
        feed = client.get(f"{T}feed.atom").text
        assert f"{ALIAS} took the lead." in feed
        assert ALIAS in client.get(f"{T}curves").text
        assert "Best rank" in client.get(f"{T}bots/{ALIAS}").text


def test_a_hidden_name_is_nowhere(tmp_path: Path) -> None:
    """What the bot did stays, under its number; nothing of what it says of itself does.

    Its name leads nowhere. It is in no file of a site, even if the site was first written when it
    was shown; and no address is a program, whatever a bot calls itself.
    """
    bot = write_canary_bot(tmp_path)
    canaries = {"the name": NAME, "the folder": bot.name, **CANARIES}
    file = play_tournament(tmp_path, "honest", "caller", text=FEW, **{NAME: str(bot)})
    out = tmp_path / "site"
    write_site(str(file), out, replays="all", transcripts=True)
    shown = [path.read_text() for path in out.rglob("*.html")]
    assert any(CANARIES["title"] in page for page in shown)
    assert not any(map(SCRIPT_ADDRESS.search, shown))
    hide(file)
    with serve_sources(file) as base:
        crawler = Crawler(base)
        crawler.crawl(f"/t/tournament/bots/{NAME}", f"/t/tournament/matches?bot={NAME}")
    asked = {f"/t/tournament/bots/{NAME}", f"/t/tournament/matches?bot={NAME}"}
    found = {*crawler.find(canaries)} - {("the name", path) for path in asked}
    assert not found, f"{sorted(found)[:5]} (a key of bot.toml, and the page that shows it)"
    assert ALIAS in crawler.taken["/t/tournament/"].decode()
    assert not any(SCRIPT_ADDRESS.search(page.decode()) for page in crawler.taken.values())
    replay = next(path for path in crawler.taken if path.endswith("/steps?eye=all"))
    assert ALIAS in crawler.taken[replay].decode()
    write_site(str(file), out, replays="all", transcripts=True)
    pages = [path for path in out.rglob("*") if path.is_file()]
    assert any(ALIAS in path.read_text() for path in pages if path.suffix == ".html")
    for canary in canaries.values():
        leaks = [
            path for path in pages if canary.encode() in path.read_bytes() or canary in path.name
        ]
        assert not leaks, f"{leaks[0]} shows {canary!r}"
    with Store.open(file.with_suffix(".db"), write=False) as store:
        assert json.dumps(store.facts.aliases) == json.dumps({NAME: ALIAS})
        assert NAME in {entry.name for entry in store.entries.list_all()}, "the host knows it"
