"""What programs in sandboxes can read: no tournament, hill or working folder is in it."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path

import pytest

from arena.sandbox import NAMESPACES, NoSandboxError, Sandbox, find_sandbox
from arena.sandbox.bubblewrap import SYSTEM_PATHS
from arena.sandbox.installations import find_readable_folder
from arena.tournament.run.entrant_sandboxes import check_folders
from arena.tournament.run.tournament_run import run
from tests.support.command import Cli
from tests.support.requirements import require_sandbox
from tests.support.sandboxes.tiers import write_built_bot
from tests.support.tournaments.folders import SHORT, RecordingMonitor, write_bot, write_tournament

STRANGER = '[[entrant]]\nbot = "random"\n[[entrant]]\nbot = "mine"\nuntrusted = true\n'


@pytest.fixture
def installation(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a folder that sandboxes can read: it is installed, and its program is on the path."""
    folder = tmp_path / "opt"
    for name in ("bin", "lib", "temporary"):
        (folder / name).mkdir(parents=True)
    (folder / "bin/program").write_text("#!/bin/sh\n")
    (folder / "bin/program").chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}/bin", prepend=":")
    return folder


def test_the_list_is_what_requests_let_read(tmp_path: Path, installation: Path) -> None:
    """Every path that a request lets a program read beside the bot's own is on the list."""
    work, home = tmp_path / "work", tmp_path / "home"
    words = ["python3", f"{installation}/bin/program"]
    request = Sandbox(NAMESPACES).request(words, work, home)
    reads = [path for path, _ in request["reads"] if path != str(home)]
    assert str(installation) in reads
    for path in [*reads, *SYSTEM_PATHS]:
        assert find_readable_folder(Path(path) / "below"), path
    assert find_readable_folder(tmp_path) == find_readable_folder(work) == ""


def test_a_link_to_a_readable_folder_is_followed(tmp_path: Path, installation: Path) -> None:
    """A folder that lies elsewhere by its name alone is readable, too."""
    (tmp_path / "link").symlink_to(installation)
    assert find_readable_folder(tmp_path / "link" / "tournament") == str(installation)


def test_a_tournament_in_a_readable_folder_is_refused(installation: Path) -> None:
    """The message names the folder, the reason and the remedy; nobody was built or played."""
    require_sandbox()
    home = installation / "cup"
    write_bot(home, "mine", build="touch built")
    said = RecordingMonitor()
    with pytest.raises(NoSandboxError) as problem:
        run(write_tournament(home, SHORT + STRANGER), said)
    assert str(problem.value) == (
        f"the tournament's folder {home} is in {installation}, which programs in sandboxes can"
        " read: move it to a folder elsewhere"
    )
    assert not said.records
    assert not [*home.glob("**/built")]


def test_a_submission_in_a_readable_folder_is_refused(tmp_path: Path, installation: Path) -> None:
    """A stranger's folder is refused where the other strangers could read it."""
    require_sandbox()
    write_bot(installation, "mine")
    text = STRANGER.replace('"mine"', '"opt/mine"')
    with pytest.raises(NoSandboxError, match=r"^mine: the bot's folder .*/opt/mine is in "):
        run(write_tournament(tmp_path, SHORT + text), RecordingMonitor())


@pytest.mark.parametrize("command", ["match", "duel", "check"])
def test_a_bot_in_a_readable_folder_is_refused_by_each_command(
    quick: Cli, installation: Path, command: str
) -> None:
    """Its opponent could read its source; it was neither built nor played."""
    require_sandbox()
    bot = str(installation / write_built_bot(installation))
    bots = [bot, "match"][: 1 if command == "check" else 2]
    done = quick(command, "gops", *bots, "--sandbox", "auto", "-o", "cards=3")
    assert done.returncode == 2
    assert done.stderr.splitlines()[-1] == (
        f"arena: mine: the bot's folder {bot} is in {installation}, which programs in sandboxes can"
        " read: move it to a folder elsewhere"
    )
    assert not (installation / "mine/made").exists()


@pytest.mark.parametrize("key", ["database", "data folder"])
def test_what_a_tournament_keeps_elsewhere_is_refused(
    tmp_path: Path, installation: Path, key: str
) -> None:
    """The database and the data folder are looked at, too, wherever they are."""
    text = f'database = "{installation}/cup.db"\n' * (key == "database")
    spec = write_tournament(tmp_path, text + SHORT, "random", "call")
    if key == "data folder":
        (tmp_path / "tournament.arena").symlink_to(installation)
    with pytest.raises(NoSandboxError, match=f"the tournament's {key} .* is in {installation}"):
        check_folders(spec)


@pytest.mark.usefixtures("inline_workers")
def test_a_tournament_without_sandboxes_may_be_anywhere(installation: Path) -> None:
    """Where no program of the tournament plays in a sandbox, nobody reads what is not theirs."""
    said = RecordingMonitor()
    spec = write_tournament(installation / "cup", SHORT, "random", second="random")
    run(spec, said)
    assert len(said.records) == 6


@pytest.mark.parametrize("command", ["match", "duel", "check"])
def test_working_folders_that_sandboxes_can_read_are_refused(
    quick: Cli, tmp_path: Path, installation: Path, monkeypatch: pytest.MonkeyPatch, command: str
) -> None:
    """A command with a sandbox does not start where the folder for temporary files is readable."""
    require_sandbox()
    bots = [write_built_bot(tmp_path), "match"][: 1 if command == "check" else 2]
    monkeypatch.setattr(tempfile, "tempdir", f"{installation}/temporary")
    done = quick(command, "gops", *bots, "--sandbox", "auto", "-o", "cards=3")
    assert done.returncode == 2
    assert done.stderr == (
        f"arena: the folder for temporary files {installation}/temporary is in {installation}, which"
        " programs in sandboxes can read: set TMPDIR to a folder elsewhere\n"
    )
    with pytest.raises(NoSandboxError):
        find_sandbox("auto")
    assert find_sandbox("trusted") is None


def test_doctor_shows_readable_working_folders(
    quick: Cli, installation: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`arena doctor` says that a sandbox would be refused, and why."""
    require_sandbox()
    monkeypatch.setattr(tempfile, "tempdir", f"{installation}/temporary")
    monkeypatch.setattr("arena.cli.doctor._examine_tier", lambda _: {"missing": ""})  # takes long
    done = quick("doctor", "--json")
    assert done.returncode == 1
    assert f"is in {installation}" in json.loads(done.stdout)["exposed"]
