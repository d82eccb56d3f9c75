"""`arena hill`: what the host does with authors and bots."""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from click.testing import CliRunner, Result

from arena.rules import UserError
from arena.tournament.deals import Deal
from arena.tournament.entries import Entry
from arena.tournament.store import Store
from arena_hill.cli.bot_list import list_bots
from arena_hill.cli.hill import hill
from arena_hill.hill import Hill
from arena_hill.hill_access import HillAccess
from arena_hill.judge import JudgeDaemon
from arena_hill.shared_copies import SharedCopies
from arena_hill.submission_states import SubmissionState
from tests.support.hill.hill_access import (
    build_zip,
    create_key,
    enter_bots,
    find_author,
    open_hill_access,
    write_hill_file,
)
from tests.support.requirements import require_sandbox
from tests.support.tournaments.stored_matches import build_result


@pytest.mark.parametrize("package", ["arena_web", "dulwich", "prometheus_client"])
def test_a_hill_without_its_server_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch, package: str
) -> None:
    """Where any package of the server is missing, the command says how to install it."""
    monkeypatch.delitem(sys.modules, "arena_hill.cli.hill_command", raising=False)
    monkeypatch.setitem(sys.modules, package, None)
    command = import_module("arena_hill.cli.hill_command").hill
    monkeypatch.delitem(sys.modules, "arena_hill.cli.hill_command")
    result = CliRunner().invoke(command, ["run", "hill.toml", "--yes"], standalone_mode=False)
    assert isinstance(result.exception, UserError)
    assert 'pip install "arena-hill[server]"' in str(result.exception)


def invoke(*words: object) -> Result:
    return CliRunner().invoke(hill, [*map(str, words)], standalone_mode=False)


def run_command(*words: object) -> str:
    result = invoke(*words)
    assert result.exception is None, result.exception
    return result.output.strip()


def read_refusal(*words: object) -> str:
    result = invoke(*words)
    assert isinstance(result.exception, UserError)
    return str(result.exception)


def let_in(place: HillAccess, author: int, bot: str, text: str, version: str) -> Path:
    """Have a bot sent, built and let in; return its copy."""
    one = place.intake.submit(find_author(place.store, author), bot, build_zip(bot=text)).submission
    entry = Entry(bot, version, "copy")
    place.store.queue.accept(one.id, entry)
    enter_bots(place, entry)
    copy = place.hill.copies.path / version
    (copy / "lib").mkdir(parents=True, exist_ok=True)
    (copy / "lib/data").write_bytes(bytes(2 << 20))
    copy.with_name(f"{version}.built").write_text(f"{2 << 20} {'0' * 64}")
    return copy


def list_actions(place: HillAccess) -> list[tuple[str, str, str]]:
    """Return what is recorded of the host's actions: each with its object and its reason."""
    with place.store.transactions.begin_read() as snapshot:
        rows = snapshot.connection.read_rows("SELECT what, whom, why FROM actions ORDER BY id")
    return [(what, whom, why) for what, whom, why in rows]


def test_a_hill_that_sandboxes_can_read_does_not_start(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A hill whose folder is part of an installation on the path is refused, and so is its judge."""
    require_sandbox()
    for name in ("bin", "lib", "hill"):
        (tmp_path / name).mkdir()
    (tmp_path / "bin/program").touch()
    monkeypatch.setenv("PATH", f"{tmp_path}/bin", prepend=":")
    file = write_hill_file(tmp_path / "hill")
    why = f"the tournament's folder {tmp_path}/hill is in {tmp_path}, which programs in sandboxes"
    assert read_refusal("run", file, "--share-user").startswith(why)
    place = HillAccess.open(file)
    with pytest.raises(UserError, match=re.escape(why)):
        JudgeDaemon.of(place.hill, place.store)


def test_an_author_is_invited_by_a_link(tmp_path: Path) -> None:
    """The link of an invitation leads to the hill's page, and lets this author in."""
    file = write_hill_file(tmp_path)
    link = run_command("invite", file, "ada", "--at", "https://hill.example/")
    assert link.startswith("https://hill.example/hill/gops/join/")
    database = HillAccess.open(file).store
    assert database.accounts.find_invited_name(urlsplit(link).path.rpartition("/")[2]) == "ada"
    assert "is not the address of a site" in read_refusal(
        "invite", file, "ada", "--at", "hill.example"
    )
    assert "is not the address of a site" in read_refusal("invite", file, "ada", "--at", "http://[")
    assert "cannot be a name" in read_refusal("invite", file, "<ada>")


def test_an_invitation_leads_to_the_usual_port_at_first(tmp_path: Path) -> None:
    """A hill that has never run has no other address to name."""
    file = write_hill_file(tmp_path)
    assert run_command("invite", file, "ada").startswith("http://localhost:8642/hill/gops/join/")


def test_a_banned_author_is_not_invited_until_the_ban_is_lifted(tmp_path: Path) -> None:
    """After the ban is lifted the author is the same as before, and the host's acts are recorded."""
    place = open_hill_access(tmp_path)
    file = tmp_path / "gops.toml"
    create_key(place)
    early = run_command("invite", file, "ada").rpartition("/")[2]
    run_command("ban", file, "ada", "attacks")
    assert place.store.accounts.join(early) is None
    assert read_refusal("invite", file, "ADA").startswith("ada is banned: run `arena hill unban`")
    assert run_command("unban", file, "Ada", "has apologized").startswith("ada may join again")
    assert read_refusal("unban", file, "ada", "again") == "ada is not banned"
    assert read_refusal("unban", file, "bob", "who?") == "there is no author called bob"
    session = place.store.accounts.join(run_command("invite", file, "ada").rpartition("/")[2])
    assert session
    visitor = place.store.accounts.identify(session)
    assert visitor
    assert (visitor.id, visitor.name) == (1, "ada")
    assert list_actions(place) == [
        ("ban", "ada", "attacks"),
        ("unban", "ada", "has apologized"),
    ]


@pytest.mark.parametrize("umask", [0o000, 0o077])
def test_only_the_host_can_read_the_files_of_a_hill(tmp_path: Path, umask: int) -> None:
    """The databases, the uploads and a backup of them are accessible to the host alone, whatever the umask."""
    tmp_path.joinpath("hill").mkdir()
    file = write_hill_file(tmp_path / "hill")
    before = os.umask(umask)
    try:
        place = HillAccess.open(file)
        create_key(place)
        place.intake.submit(find_author(place.store, 1), "mine", build_zip())
        run_command("backup", file, tmp_path / "copy")
    finally:
        os.umask(before)
    made = [path for path in tmp_path.rglob("*") if path.is_file() and path.name != file.name]
    assert {path.name for path in made} >= {"gops.hill.db", ".lock"}
    assert {oct(path.stat().st_mode & 0o777) for path in made} == {"0o600"}


def test_a_tournament_is_no_hill(tmp_path: Path) -> None:
    """A tournament without a table [hill] is refused, and gets no database of authors."""
    file = tmp_path / "plain.toml"
    file.write_text('game = "gops"\n[[entrant]]\nbot = "easy"\n')
    for command in ("list", "run"):
        assert read_refusal(command, file) == "plain.toml: not a hill (it has no table [hill])"
    assert [*tmp_path.iterdir()] == [file]


def test_all_authors_and_bots_are_listed(tmp_path: Path) -> None:
    """The list has each author and each bot, with the state of its newest submission."""
    place = open_hill_access(tmp_path)
    for name in ("ada", "bob", "cem"):
        create_key(place, name)
    file = tmp_path / "gops.toml"
    let_in(place, 1, "mine", "1", "ab12")
    place.intake.submit(find_author(place.store, 2), "theirs", build_zip(bot="2"))
    place.store.host_actions.ban("cem", "attacks")
    place.store.host_actions.hide("theirs", "its name")
    lines = [re.findall(r"[^\s│]+", line) for line in run_command("list", file).splitlines()]
    headings = ["author", "bot", "version", "state", "MB"]
    assert [word for word in lines[1] if word != "┃"] == headings
    assert lines[3:-2] == [
        ["ada", "mine", "ab12", "in", "2.0"],
        ["bob", "theirs", "(shown", "as", "bot_2)", "queued", "0.0"],
        ["cem", "(banned)"],
    ]
    assert lines[-1][:6] == ["Disk", "usage:", "uploads", "0.0", "MB,", "copies"]
    assert " ".join(lines[-1]).count("copies of bots 2.0 MB") == 1
    first = json.loads(run_command("list", file, "--json").splitlines()[0])
    assert (first["bot"], first["state"], first["banned"], first["hidden"]) == (
        "mine", "in", False, False,
    )  # fmt: skip
    assert (first["upload_bytes"], first["copy_bytes"]) == (len(build_zip(bot="1")), 2 << 20)


def test_reasons_do_not_crowd_the_table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In a terminal of 80 columns a row is one line, and its reason one below the table."""
    monkeypatch.setenv("COLUMNS", "80")
    place = open_hill_access(tmp_path)
    create_key(place, "christopher_robin")
    one = place.intake.submit(find_author(place.store, 1), "mine", build_zip()).submission
    why = "question 14: it answered 'bid 14', which is not one of 1, 3, 4, 7, 9, 11, 12 " * 3
    place.store.queue.take()
    assert place.store.queue.set_state(one.id, SubmissionState.REJECTED, why)
    lines = run_command("list", tmp_path / "gops.toml").splitlines()
    assert (len(lines), lines[5]) == (7, f"mine (rejected): {why}")
    assert max(map(len, lines[:5])) <= 80


def test_the_list_reads_the_tournament_once_for_all_bots(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The states of three bots take as many questions to the tournament as that of one."""
    place = open_hill_access(tmp_path)
    create_key(place)
    query, questions = Hill.query_tournament, 0

    def count_question(hill: Hill, question: Callable[[Store], Any], **how: Any) -> Any:
        nonlocal questions
        questions += 1
        return query(hill, question, **how)

    monkeypatch.setattr(Hill, "query_tournament", count_question)
    for number, bot in enumerate(("mine", "other", "third"), 1):
        let_in(place, 1, bot, bot, f"ab1{number}")
        questions = 0
        assert len([*list_bots(place)]) == number
        assert questions == 1


def test_nobody_is_listed_at_first(tmp_path: Path) -> None:
    """The list of a hill without authors says that none has joined yet."""
    assert run_command("list", write_hill_file(tmp_path)).startswith("no authors have joined yet\n")


def test_a_hidden_bot_is_named_as_its_pages_show_it(tmp_path: Path) -> None:
    """Every command takes the alias that the list prints, which is nobody's while a name is shown."""
    place = open_hill_access(tmp_path)
    create_key(place)
    file = tmp_path / "gops.toml"
    let_in(place, 1, "rude", "1", "ab12")
    for command in ("withdraw", "hide", "forget"):
        assert read_refusal(command, file, "bot_1", "why") == "there is no bot called bot_1"
        assert read_refusal(command, file, f"bot_{10**30}", "why").startswith(
            "there is no bot called"
        )
    run_command("hide", file, "rude", "its name")
    (row,) = map(json.loads, run_command("list", file, "--json").splitlines())
    assert (row["bot"], row["alias"]) == ("rude", "bot_1")
    assert run_command("hide", file, row["alias"], "again") == "bot_1 is shown as bot_1 from now on"
    assert run_command("withdraw", file, row["alias"], "cheats") == "bot_1 is withdrawn"
    assert place.store.commands.fetch(0)[-1].name == "rude"
    done = run_command("forget", file, "BOT_1", "its author asks for it")
    assert done.startswith("BOT_1 is forgotten (uploads deleted: 1)")
    assert {whom for _, whom, _ in list_actions(place)} == {"rude"}


def test_the_uploads_of_a_forgotten_bot_are_deleted(tmp_path: Path) -> None:
    """Uploads of a forgotten bot are deleted at once, except for those that others have sent, too."""
    place = open_hill_access(tmp_path)
    create_key(place)
    create_key(place, "bob")
    for number in range(2):
        let_in(place, 1, "mine", str(number), f"{number}" * 12)
    let_in(place, 2, "theirs", "0", "0" * 12)
    uploads = {*place.intake.uploads.folder.glob("*.zip")}
    done = run_command("forget", tmp_path / "gops.toml", "MINE", "its author asks for it")
    assert done == (
        "MINE is forgotten (uploads deleted: 1); the hill deletes its copies after its last match"
    )
    assert len(uploads & {*place.intake.uploads.folder.glob("*.zip")}) == 1


def test_a_forgotten_bot_plays_its_last_match_from_its_copy(tmp_path: Path) -> None:
    """The copies of a forgotten bot are deleted when it has left and no match needs them, not before."""
    place = open_hill_access(tmp_path)
    create_key(place)
    create_key(place, "bob")
    let_in(place, 1, "mine", "0", "0" * 12)
    let_in(place, 1, "mine", "1", "1" * 12)
    let_in(place, 2, "theirs", "0", "0" * 12)
    seats = f"mine@{'1' * 12}", f"theirs@{'0' * 12}"
    copies = SharedCopies(place.hill, place.store)
    with Store.open(place.hill.spec.database) as store:
        store.claim()
        store.deals.plan([Deal(0, seats, 1)])
    run_command("forget", tmp_path / "gops.toml", "mine", "its author asks for it")
    assert copies.delete_unused() == [], "the coordinator has not let it leave yet"
    with Store.open(place.hill.spec.database) as store:
        store.claim()
        for command in place.store.commands.fetch(store.facts.last_command):
            store.entries.carry_out(command)
    assert copies.delete_unused() == [], "its last match is not over"
    with Store.open(place.hill.spec.database) as store:
        store.claim()
        store.matches.record(build_result(0, 0, seats))
    assert copies.delete_unused() == ["1" * 12]
    assert place.hill.copies.measure().keys() == {"0" * 12}, "another bot plays from it"
