"""Whose source everybody may read."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from arena.tournament import State
from arena.tournament.entries import Entry
from arena.tournament.store import Store
from arena_hill.hill_access import HillAccess
from arena_hill.web.identity import get_cookie_name
from tests.support.hill.hill_access import (
    build_zip,
    create_key,
    enter_bots,
    find_author,
    open_hill_access,
    write_hill_file,
)
from tests.support.hill.played_hill import build_hill_app
from tests.support.tournaments.served import open_test_client


def test_an_upload_that_was_deleted_is_not_found(tmp_path: Path) -> None:
    """A source is an archive named by its bot until its file is deleted, whenever that happens."""
    access = open_hill_access(tmp_path)
    create_key(access)
    sent = access.intake.submit(find_author(access.store), "mine", build_zip()).submission
    with open_test_client(build_hill_app(access)) as client:
        session = access.store.accounts.sign_in("ada")
        client.headers["cookie"] = f"{get_cookie_name(access.hill.name)}={session}"
        source = client.get(f"/hill/gops/submissions/{sent.id}/source")
        assert (source.status_code, source.content) == (200, build_zip())
        assert source.headers["content-type"] == "application/zip"
        assert source.headers["content-disposition"] == 'attachment; filename="mine-1.zip"'
        access.intake.uploads.delete(sent.sha256)
        source = client.get(f"/hill/gops/submissions/{sent.id}/source")
    assert source.status_code == 404
    assert "upload has been deleted" in source.text


@pytest.mark.parametrize("everybody", [False, True])
def test_sources_are_public_as_their_authors_say(tmp_path: Path, everybody: bool) -> None:
    """A source is public for the version that takes part, or by itself, and never of a hidden bot."""
    access = open_hill_access(tmp_path)
    create_key(access)
    author = find_author(access.store)
    own, sent = access.store.act_as(author), access.intake.submit(author, "mine", build_zip())
    if everybody:
        access = HillAccess.open(write_hill_file(tmp_path, sources='"all"'))
    else:
        own.set_source_visibility("mine", public=True)

    def is_public() -> bool:
        return bool(access.list_public_sources(access.read_statuses().active))

    assert not is_public(), "it is not accepted"
    entry = Entry("mine", "ab12", "copy")
    access.store.queue.accept(sent.submission.id, entry)
    assert not is_public(), "it has not come in"
    enter_bots(access, entry)
    assert is_public()
    with Store.open(access.hill.spec.database) as tournament:
        tournament.claim()
        tournament.entries.set_state(entry.id, State.REPLACED)
    assert not is_public(), "it takes part no more"
    own.set_submission_visibility(sent.submission.id, public=True)
    assert is_public()
    access.store.host_actions.hide("mine", "its name")
    assert not is_public()


@pytest.mark.parametrize("by", ["author", "host", "ban"])
@pytest.mark.parametrize("everybody", [False, True])
def test_no_source_is_public_once_its_bot_is_withdrawn(
    tmp_path: Path, by: str, everybody: bool
) -> None:
    """None of its versions is shown to others, before it has left or after, even if its author opens it; later ones are."""
    access = open_hill_access(tmp_path, sources='"all"' if everybody else '"author"')
    create_key(access)
    author = find_author(access.store)
    own = access.store.act_as(author)
    withdrawals: Mapping[str, Callable[[], object]] = {
        "author": lambda: own.withdraw("mine"),
        "host": lambda: access.store.host_actions.withdraw("mine", "copied"),
        "ban": lambda: access.store.host_actions.ban("ada", "copied"),
    }
    entries = [Entry("mine", version, "copy") for version in ("ab12", "cd34", "ef56")]

    def accept(entry: Entry) -> int:
        sent = access.intake.submit(author, "mine", build_zip(bot=entry.version)).submission
        access.store.queue.accept(sent.id, entry)
        own.set_submission_visibility(sent.id, public=True)
        return sent.id

    numbers = [accept(entry) for entry in entries[:2]]
    own.set_source_visibility("mine", public=True)
    enter_bots(access, *entries[:2])
    with open_test_client(build_hill_app(access)) as client:

        def find_public() -> list[int]:
            listed = access.list_public_sources(access.read_statuses().active)
            texts = [client.get(f"/hill/gops/{page}").text for page in ("", "sources")]
            found = []
            for number in numbers:
                path = f"submissions/{number}/source"
                seen = {path in text for text in texts}
                seen.add(client.get(f"/hill/gops/{path}").status_code == 200)
                seen.add(number in {submission.id for submission in listed})
                assert len(seen) == 1, number
                found += [number] if seen == {True} else []
            return found

        assert find_public() == numbers
        withdrawals[by]()
        if by == "ban":
            access.store.host_actions.unban("ada", "has apologized")
            create_key(access)
        author = find_author(access.store)
        own = access.store.act_as(author)
        assert find_public() == [], "before the coordinator lets it leave"
        own.set_submission_visibility(numbers[0], public=True)
        assert find_public() == []
        assert "None yet" in client.get("/hill/gops/").text, "no new bot"
        enter_bots(access)
        with Store.open(access.hill.spec.database) as tournament:
            tournament.claim()
            for entry in entries[:2]:
                tournament.entries.set_state(entry.id, State.WITHDRAWN)
        assert find_public() == []
        numbers.append(accept(entries[2]))
        assert find_public() == numbers[2:]
        enter_bots(access, entries[2])
        assert find_public() == numbers[2:]
        assert client.get("/hill/gops/").text.count("Source of mine") == 1
