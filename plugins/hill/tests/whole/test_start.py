"""Starting a hill: what is refused, before anything has changed, and what is asked."""

from __future__ import annotations

import sys
from pathlib import Path
from socket import socket
from typing import Any

import click
import pytest
from click.testing import CliRunner, Result

from arena.rules import UserError
from arena.sandbox import LANDLOCK, Sandbox
from arena.tournament import State
from arena.tournament.commands import EntryCommand
from arena.tournament.entries import Entry
from arena.tournament.run.tournament_run import TournamentRun
from arena.tournament.store import Facts, LastHillSettings, Store
from arena.tournament.store.connection import DatabaseAddress
from arena.tournament.store.database import ReplacedFileError
from arena_hill import start_conditions
from arena_hill.cli.hill import hill as command
from arena_hill.db.store import HillStore
from arena_hill.disk import identify_files
from arena_hill.heartbeat import Heartbeat
from arena_hill.hill_access import HillAccess
from arena_hill.site_settings import SiteSettings, site_options
from arena_hill.start_conditions import check_host, hold_hill, prepare_tournament
from arena_hill.supervisor import ChildProcess, HillSupervisor
from tests.support.hill.hill_access import (
    build_zip,
    create_key,
    enter_bots,
    find_author,
    open_hill_access,
    write_hill_file,
)
from tests.support.hill.running_hill import find_free_port

ENDS_THEN_INTERRUPTS = """
import os, signal, sys
try:
    open("there", "x")
except FileExistsError:
    os.kill(os.getppid(), signal.SIGINT)
    sys.stdin.read()
sys.exit(7)
"""


def start(file: Path, *more: str, port: int | None = None) -> Result:
    words = ["run", str(file), "--trust-everybody", "--port", str(port or find_free_port()), *more]
    return CliRunner().invoke(command, words, standalone_mode=False)


def see_refused(result: Result) -> str:
    """Return why a start was refused; nothing else is said, and `arena` exits with status 2."""
    assert isinstance(result.exception, UserError), result.exception
    assert (result.stdout, result.stderr) == ("", "")
    assert "\n" not in str(result.exception)
    return str(result.exception)


def list_files(folder: Path) -> dict[str, int]:
    """Return all files in a folder, with the times of their last changes."""
    return {str(path): path.stat().st_mtime_ns for path in folder.rglob("*") if path.is_file()}


@pytest.fixture
def place(tmp_path: Path) -> HillAccess:
    """Return a hill with two bots, which was run before, and what its processes have there."""
    place = open_hill_access(tmp_path)
    create_key(place)
    for name in ("one", "two"):
        sent = place.intake.submit(find_author(place.store), name, build_zip(bot=name)).submission
        place.store.queue.accept(sent.id, Entry(name, name * 4, "copy"))
    commands = place.store.commands.fetch(0)
    entries = [command.entry for command in commands if isinstance(command, EntryCommand)]
    enter_bots(place, *entries)
    with Store.open(place.hill.spec.database) as store:
        store.claim()
        store.facts.set(Facts.hill, LastHillSettings(50, "author"))
    Heartbeat.of(place.hill, "web").beat()
    return place


def test_a_host_that_confines_nobody_has_to_trust_everybody(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without a sandbox a hill starts only with --trust-everybody."""
    monkeypatch.setattr(start_conditions, "find_sandbox", lambda _: None)
    monkeypatch.setattr(start_conditions, "find_shortcomings", lambda: {"users": ""})
    hill = open_hill_access(tmp_path).hill
    for share_user in (False, True):
        with pytest.raises(UserError, match="no sandbox works here"):
            check_host(hill, trust_everybody=False, share_user=share_user)
    check_host(hill, trust_everybody=True, share_user=False)


def test_a_host_without_users_for_bots_has_to_share_its_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A sandbox that cannot part programs by users is enough only with --share-user."""
    monkeypatch.setattr(start_conditions, "find_sandbox", lambda _: Sandbox(LANDLOCK))
    monkeypatch.setattr(start_conditions, "find_shortcomings", lambda: {"users": "no subuid"})
    hill = open_hill_access(tmp_path).hill
    with pytest.raises(UserError, match="no subuid; or use --share-user"):
        check_host(hill, trust_everybody=False, share_user=False)
    check_host(hill, trust_everybody=False, share_user=True)
    check_host(hill, trust_everybody=True, share_user=False)


def test_a_hill_that_runs_is_not_run_twice(place: HillAccess, tmp_path: Path) -> None:
    """A second start of a hill is refused before anything is deleted."""
    with hold_hill(place.hill):
        before = list_files(tmp_path)
        why = see_refused(start(tmp_path / "gops.toml"))
        assert why == "gops.toml: another `arena hill run` runs this hill; stop that one first"
        assert list_files(tmp_path) == before
    with hold_hill(place.hill):
        pass


def test_a_hill_does_not_start_beside_a_run_of_its_tournament(
    place: HillAccess, tmp_path: Path
) -> None:
    """A hill is refused while another run writes to the database of its tournament."""
    with TournamentRun.claim(place.hill.spec):
        assert "another run is using it" in see_refused(start(tmp_path / "gops.toml"))
    assert Heartbeat.of(place.hill, "web").has_begun


def test_a_hill_whose_port_is_taken_does_not_start(place: HillAccess, tmp_path: Path) -> None:
    """The start is refused before the other processes have begun."""
    with socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        why = see_refused(start(tmp_path / "gops.toml", port=port))
    assert why.startswith(f"port {port} of localhost cannot be used")
    assert Heartbeat.of(place.hill, "web").has_begun


def test_places_are_not_taken_without_a_question(place: HillAccess, tmp_path: Path) -> None:
    """A smaller size that costs places is refused without a terminal, unless with --yes."""
    write_hill_file(tmp_path, size=1)
    why = see_refused(start(tmp_path / "gops.toml"))
    assert why.startswith(f"{tmp_path / 'gops.toml'}: size was 50, now 1: 1 of 2 bots lose their")
    assert why.endswith("If you want that, run it once with --yes")
    assert [entry.state for entry in place.hill.list_entries()] == [State.ACTIVE] * 2


def test_sources_are_not_opened_without_a_question(place: HillAccess) -> None:
    """A setting that makes sources public is asked about, since that cannot be undone."""
    why = see_refused(start(write_hill_file(place.hill.spec.home, sources='"all"')))
    assert 'sources was "author", now "all": everybody can read the sources of 2 more bots' in why
    place.store.host_actions.withdraw("one", "cheats")
    why = see_refused(start(write_hill_file(place.hill.spec.home, sources='"all"')))
    assert "the sources of 1 more bot" in why
    assert "bots" not in why


@pytest.mark.parametrize("terms", [{}, {"size": 2}, {"size": 99}, {"share": 1, "bots": 1}])
def test_a_harmless_change_of_settings_is_not_asked_about(
    place: HillAccess, tmp_path: Path, terms: dict[str, Any]
) -> None:
    """Other settings can be changed at any start without a question."""
    hill = HillAccess.open(write_hill_file(tmp_path, **terms)).hill
    assert prepare_tournament(hill, place.store) == []


def test_another_database_of_authors_is_refused(place: HillAccess, tmp_path: Path) -> None:
    """A hill does not start with another database of authors, with which uploads would be deleted and commands never carried out."""
    file = write_hill_file(tmp_path, database='"other.db"')
    assert "not the database of authors and submissions" in see_refused(start(file))
    assert (
        HillStore.open(DatabaseAddress.of(tmp_path / "other.db")).submissions.list_digests()
        == set()
    )
    assert CliRunner().invoke(command, ["list", str(file)]).exit_code == 0
    assert len([*place.intake.uploads.folder.glob("*.zip")]) == 2


def test_the_end_of_a_process_is_logged_to_standard_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """The log of a hill's processes is on standard error alone."""
    monkeypatch.chdir(tmp_path)
    words = (sys.executable, "-c", ENDS_THEN_INTERRUPTS)
    assert HillSupervisor([ChildProcess("web", words, Heartbeat(tmp_path / "web"))]).run() == 0
    out, said = capfd.readouterr()
    assert out == ""
    assert "process ended" in said


def test_a_process_that_cannot_be_started_is_tried_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """The other processes of the hill go on without it."""
    monkeypatch.chdir(tmp_path)
    words = (sys.executable, "-c", ENDS_THEN_INTERRUPTS)
    children = [
        ChildProcess(name, arguments, Heartbeat(tmp_path / name))
        for name, arguments in {"judge": [str(tmp_path / "none")], "web": words}.items()
    ]
    assert HillSupervisor(children).run() == 0
    said = capfd.readouterr().err
    assert "process cannot start" in said
    assert "again_in=1.0" in said


def test_a_replaced_database_ends_the_hill(place: HillAccess, tmp_path: Path) -> None:
    """All processes end, one line names the file that was replaced, and a deleted file is not created again."""
    assert prepare_tournament(place.hill, place.store) == []
    files = identify_files(place.hill)
    waits = (sys.executable, "-c", "import sys; sys.stdin.read()")
    child = ChildProcess("web", waits, Heartbeat.of(place.hill, "web"))
    Path(place.hill.spec.database).unlink()
    with pytest.raises(ReplacedFileError, match=r"gops\.db: deleted or replaced"):
        HillSupervisor([child], files).run()
    assert child.process is None
    enter = see_refused(start(tmp_path / "gops.toml"))
    assert "no such database, but" in enter
    assert "restore it from a backup" in enter
    assert not Path(place.hill.spec.database).exists()


def test_a_process_that_cannot_begin_ends_the_hill(
    place: HillAccess, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """The process says in one line what the host has to mend, and the others end, too."""
    (tmp_path / "other.db").write_text("no database")
    file = tmp_path / "gops.toml"
    file.write_text(f'database = "other.db"\n{file.read_text()}')
    parts = {"coordinator": ("hill", "process", "coordinator", str(file), "--trust-everybody")}
    supervisor = HillSupervisor.of(place.hill, parts, identify_files(place.hill))
    waits = (sys.executable, "-c", "import sys; sys.stdin.read()")
    other = ChildProcess("web", waits, Heartbeat.of(place.hill, "web"))
    assert HillSupervisor([other, *supervisor.children]).run() == 2
    out, said = capfd.readouterr()
    assert out == ""
    (line,) = said.splitlines()
    assert "other.db" in line
    assert other.process is None


@pytest.mark.parametrize(
    "site",
    [
        SiteSettings(8642, (), (), 30),
        SiteSettings(1, ("hill.example", "other.example"), ("127.0.0.1", "::1"), 0),
    ],
)
def test_a_process_is_given_the_settings_of_the_site(site: SiteSettings) -> None:
    """Whatever options the host has given, the web server's process reads the same from its own."""

    @click.command()
    @site_options
    def show(site: SiteSettings) -> SiteSettings:
        return site

    assert show.main([*site.to_words()], standalone_mode=False) == site


@pytest.mark.parametrize("name", ["coordinator", "judge"])
def test_a_process_without_a_site_takes_none_of_its_options(tmp_path: Path, name: str) -> None:
    """An option that would do nothing is refused."""
    file = str(tmp_path / "gops.toml")
    result = CliRunner().invoke(command, ["process", name, file, "--port", "80"])
    assert (result.exit_code, "No such option" in result.output) == (2, True)
