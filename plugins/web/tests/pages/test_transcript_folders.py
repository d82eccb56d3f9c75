"""The list of a folder of transcripts: it is searched, and opened at a number."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from arena.host import play_match
from arena_web.pages import matches
from arena_web.transcript_folders import TranscriptFolder
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


def test_the_page_of_a_match_looks_for_its_file_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The folder may have many others; no name leads out of it."""
    folder = tmp_path / "matches"
    folder.mkdir()
    for path in (tmp_path / "outside.jsonl", folder / "a.jsonl"):
        play_match("kuhn", PLAYERS["a"], seed="1").transcript.save(path)
    with open_test_client(build_server_app(folder)) as client:
        monkeypatch.delattr(TranscriptFolder, "list_files")
        statuses = {
            key: client.get(f"/t/matches/m/{key}").status_code
            for key in ("a", "b", "a%00", "x" * 999, "..%2Foutside", "%2e%2e%2foutside")
        }
    assert statuses.pop("a") == 200
    assert {*statuses.values()} == {404}


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
