"""`arena hill`: what the host does with authors and bots."""

from __future__ import annotations

import json
import re
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from click.testing import CliRunner, Result

from arena.rules import UserError
from arena.tournament import Entry
from arena_web.hill.commands import hill
from arena_web.hill.office import Office
from arena_web.hill.places import copies_of
from tests.hills import archive, entered, key_of, office, written


def called(*words: object) -> Result:
    """Call `arena hill`."""
    return CliRunner().invoke(hill, [*map(str, words)], standalone_mode=False)


def said(*words: object) -> str:
    """Return what `arena hill` says where all goes well."""
    result = called(*words)
    assert result.exception is None, result.exception
    return result.output.strip()


def refusal(*words: object) -> str:
    """Return what `arena hill` says of what it does not do."""
    result = called(*words)
    assert isinstance(result.exception, UserError)
    return str(result.exception)


def played(place: Office, author: int, bot: str, text: str, version: str) -> Path:
    """Have a bot sent, built and let in; return its copy."""
    one, _ = place.accept(author, bot, archive(bot=text))
    entry = Entry(bot, version, "copy")
    place.register.fit(one.id, entry)
    entered(place, entry)
    copy = copies_of(place.spec) / version
    (copy / "lib").mkdir(parents=True, exist_ok=True)
    copy.with_name(f"{version}.built").touch()
    return copy


def test_an_author_is_invited_by_a_link(tmp_path: Path) -> None:
    """Which leads to the hill's page, and lets this author in."""
    file = written(tmp_path)
    link = said("invite", file, "ada", "--at", "https://hill.example/")
    assert link.startswith("https://hill.example/hill/gops/join/")
    register = Office.open(file).register
    assert register.invited(urlsplit(link).path.rpartition("/")[2]) == "ada"
    assert "is no address of a site" in refusal("invite", file, "ada", "--at", "hill.example")
    assert "is no name" in refusal("invite", file, "<ada>")


def test_a_tournament_is_no_hill(tmp_path: Path) -> None:
    """It has no register, and gets none."""
    file = tmp_path / "plain.toml"
    file.write_text('game = "gops"\n[[entrant]]\nbot = "easy"\n')
    assert "it has no table [hill]" in refusal("list", file)
    assert [*tmp_path.iterdir()] == [file]


def test_all_are_listed(tmp_path: Path) -> None:
    """Each author and each bot, with where its newest submission stands."""
    place = office(tmp_path)
    for name in ("ada", "bob", "cem"):
        key_of(place, name)
    file = tmp_path / "gops.toml"
    played(place, 1, "mine", "1", "ab12")
    place.accept(2, "theirs", archive(bot="2"))
    place.register.ban("cem", "attacks")
    place.register.hide("theirs", "its name")
    lines = [re.findall(r"[^\s│]+", line) for line in said("list", file).splitlines()]
    assert lines[1] == ["┃", "author", "┃", "bot", "┃", "version", "┃", "state", "┃", "why", "┃"]
    assert lines[3:-1] == [
        ["ada", "mine", "ab12", "in"],
        ["bob", "theirs", "(name", "hidden)", "queued"],
        ["cem", "(banned)"],
    ]
    first = json.loads(said("list", file, "--json").splitlines()[0])
    assert (first["bot"], first["state"], first["banned"], first["hidden"]) == (
        "mine", "in", False, False,
    )  # fmt: skip


def test_nobody_is_listed_at_first(tmp_path: Path) -> None:
    """Which is no mistake."""
    assert said("list", written(tmp_path)) == "nobody has joined yet"


def test_what_the_host_does_is_noted(tmp_path: Path) -> None:
    """And done: a bot is withdrawn, hidden, its author banned."""
    place = office(tmp_path)
    key = key_of(place)
    file = tmp_path / "gops.toml"
    played(place, 1, "mine", "1", "ab12")
    assert said("withdraw", file, "Mine", "it fills the disk") == "Mine is withdrawn"
    assert place.register.orders(0)[-1].why == "it fills the disk"
    assert said("hide", file, "mine", "its name") == "mine is shown as bot_1 from now on"
    assert place.register.hidden() == {"mine": "bot_1"}
    assert said("ban", file, "ada", "attacks") == "ada is banned; withdrawn: mine"
    assert place.register.who(key) is None
    assert place.register.actions() == [
        ("withdraw", "mine", "it fills the disk"),
        ("hide", "mine", "its name"),
        ("ban", "ada", "attacks"),
    ]


@pytest.mark.parametrize("command", ["withdraw", "hide", "forget"])
def test_a_bot_that_is_not_there_is_said(tmp_path: Path, command: str) -> None:
    """In a line."""
    assert refusal(command, written(tmp_path), "mine", "why") == "there is no bot called mine"


def test_what_is_forgotten_is_gone(tmp_path: Path) -> None:
    """Uploads and copies, but for what others play with."""
    place = office(tmp_path)
    key_of(place)
    key_of(place, "bob")
    copies = [played(place, 1, "mine", str(one), f"{one}" * 12) for one in range(2)]
    played(place, 2, "theirs", "0", "0" * 12)
    uploads = {*place.uploads.folder.glob("*.zip")}
    done = said("forget", tmp_path / "gops.toml", "MINE", "its author asks for it")
    assert done == "MINE is forgotten; deleted: uploads 1, copies 1"
    assert [one.is_dir() for one in copies] == [True, False]
    assert not copies[1].with_name(f"{copies[1].name}.built").exists()
    assert len(uploads & {*place.uploads.folder.glob("*.zip")}) == 1
