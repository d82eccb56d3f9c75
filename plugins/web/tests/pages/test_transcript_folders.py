"""The list of a folder of transcripts: it is searched, and opened at a number."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from arena.host import play_match
from arena_web.pages import matches
from tests.support.tournaments.served import build_server_app, open_test_client

PLAYERS = {"a": ["optimal", "random"], "b": ["random", "random"], "c": ["optimal", "optimal"]}


def list_keys(page: str) -> list[str]:
    """Return the matches of a page, in their order."""
    return re.findall(r'<th scope="row"><a href="[^"]*/m/([^"]+)">', page)


def test_a_folder_is_searched_and_opened_at_a_number(tmp_path: Path) -> None:
    """A text is looked for in the names of matches and players; what is no number opens the first."""
    for name, bots in PLAYERS.items():
        play_match("kuhn", bots, seed="1").transcript.save(tmp_path / f"{name}.jsonl")
    (tmp_path / "broken.jsonl").write_text("no transcript")
    with open_test_client(build_server_app(tmp_path)) as client:
        for asked, found in {
            "": "abc", "?text=Optimal": "ac", "?text=b": "b", "?text=nobody": "",
            "?number=2": "bc", "?number=4": "c", "?number=x": "abc", "?text=optimal&number=2": "c",
        }.items():  # fmt: skip
            page = client.get(f"/t/{tmp_path.name}/{asked}")
            assert page.status_code == 200
            assert "".join(list_keys(page.text)) == found, asked


def test_every_transcript_is_on_some_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each page goes on behind the last name of the one before, also behind a beginning of it."""
    names = ["a", "a-2", "a-3", "b"]
    monkeypatch.setattr(matches, "PAGE_MATCHES", 1)
    for name in names:
        play_match("kuhn", PLAYERS["a"], seed="1").transcript.save(tmp_path / f"{name}.jsonl")
    listed = []
    with open_test_client(build_server_app(tmp_path)) as client:
        for after in ["", *names]:
            listed += list_keys(client.get(f"/t/{tmp_path.name}/?after={after}").text)
    assert listed == names
