"""Bots by `git push`: with a real git, to a real server; and bytes that are no push."""

from __future__ import annotations

import asyncio
import os
import re
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path
from threading import Event
from zipfile import ZipFile

import httpx2
import pytest
from attrs import define
from dulwich.protocol import pkt_line
from starlette.testclient import TestClient

from arena_hill.db.accounts import TokenScope
from arena_hill.hill_access import HillAccess
from arena_hill.submission_intake import SubmissionIntake
from arena_hill.unzip import read_archive
from arena_hill.web import git_push
from arena_hill.web.errors import ERROR_HANDLERS
from arena_hill.web.git_push import (
    FOLDER_PREFIX,
    RENDERERS,
    UPLOAD_LIMITS,
    GitEndpoint,
    build_routes,
)
from arena_hill.web.receive_pack import FLUSH, ZERO_ID
from arena_hill.web.served_hill import ServedHill
from arena_web.app import build_application
from arena_web.http import worker_threads
from arena_web.server import run_in_thread
from tests.support.hill.hill_access import create_key, open_hill_access
from tests.support.hill.hill_folders import bot
from tests.support.hill.hostile_packs import list_hostile_packs
from tests.support.programs import TIMEOUT
from tests.support.requirements import require_sandbox
from tests.support.sandboxes.tiers import tier
from tests.support.web.event_streams import run

pytestmark = pytest.mark.slow

__all__ = ["tier"]

WHO = ("-c", "user.name=ada", "-c", "user.email=ada@example.org")


@define
class Clone:
    """A repository of a bot, and where it is pushed to."""

    home: Path
    address: str

    def git(self, *words: str) -> subprocess.CompletedProcess[str]:
        own = {"GIT_CONFIG_GLOBAL": "/dev/null", "GIT_TERMINAL_PROMPT": "0", "LC_ALL": "C"}
        return subprocess.run(
            ["git", *WHO, *words], cwd=self.home, env={**os.environ, **own},
            capture_output=True, text=True, check=False,
        )  # fmt: skip

    def write(self, text: str, *words: str) -> str:
        done = subprocess.run(
            ["git", *words], cwd=self.home, input=text, capture_output=True, text=True, check=True
        )
        return done.stdout.strip()

    def commit(self) -> None:
        self.git("add", "--all")
        assert self.git("commit", "--quiet", "--allow-empty", "--message=x").returncode == 0

    def push(self, key: str, name: str = "mine", ref: str = "HEAD:main") -> tuple[bool, str]:
        there = self.address.replace("//", f"//ada:{key}@")
        done = self.git("push", f"{there}git/{name}.git", *ref.split())
        return done.returncode == 0, done.stderr


@contextmanager
def serve_and_clone(hill: HillAccess, home: Path, **limits: int) -> Iterator[Clone]:
    """Serve a hill to which can be pushed, and make a bot's folder a repository."""
    require_sandbox()
    site = build_application(
        build_routes(ServedHill.of(hill)),
        limits=limits,
        handlers=ERROR_HANDLERS,
        uploads=UPLOAD_LIMITS,
        renderers=RENDERERS,
    )
    with run_in_thread(site) as address:
        clone = Clone(bot(home), address)
        clone.git("init", "--quiet", "--initial-branch=trunk")
        clone.commit()
        yield clone
    assert not [*hill.hill.spec.data_folder.glob(f"{FOLDER_PREFIX}*")]


def test_a_push_is_a_submission(tmp_path: Path, tier: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A submission by git has the tree that was pushed, and needs nothing of the push before."""
    monkeypatch.setattr(git_push, "AUTO", tier)
    hill = open_hill_access(tmp_path, git="true")
    key = create_key(hill)
    with serve_and_clone(hill, tmp_path) as clone:
        (clone.home / "größe.txt").write_text("ö")
        clone.commit()
        well, said = clone.push(key)
        assert well, said
        assert f"submission 1 is received: see {clone.address}hill/gops/submissions/1" in said
        (one,) = hill.store.submissions.select()
        sent = read_archive(hill.intake.uploads.path(one.sha256).read_bytes())
        assert (one.bot.name, sorted(sent)) == ("mine", ["bot.py", "bot.toml", "größe.txt"])
        well, said = clone.push(key)
        assert well
        assert "remote: submission 1 has the same files: nothing changed" in said
        (clone.home / "bot.py").write_text("")
        clone.commit()
        well, said = clone.push(key)
        assert (well, len(hill.store.submissions.select())) == (False, 1)
        assert "remote: mine: submission 1 is still being checked" in said
        assert "[remote rejected] HEAD -> main (refused)" in said


def test_a_hill_takes_pushes_only_if_its_file_says_so(tmp_path: Path) -> None:
    """Submitting by git is off unless the hill's file turns it on."""
    assert build_routes(ServedHill.of(open_hill_access(tmp_path))) == []


def test_the_output_of_a_refused_push_says_why(tmp_path: Path) -> None:
    """The output of a refused push says why, and the push fails."""
    hill = open_hill_access(tmp_path, git="true")
    key = create_key(hill)
    with serve_and_clone(hill, tmp_path) as clone:
        for name, ref, words in (
            ("mine", "HEAD:master", "push to the branch main: git push URL HEAD:main"),
            ("mine", "HEAD:refs/tags/main", "push to the branch main"),
            ("mine", ":main", "remote ref does not exist"),
            ("mine", "HEAD:main HEAD:other", "push to the branch main"),
            ("a-b", "HEAD:main", "'a-b' cannot be a name"),
            ("match", "HEAD:main", "match is a reserved name"),
        ):
            well, said = clone.push(key, name, ref)
            assert not well
            assert words in said
    assert not hill.store.submissions.select()


@pytest.mark.each("megabytes", "buffer")
@pytest.mark.parametrize("megabytes", [6, 15])
@pytest.mark.parametrize("buffer", [10_000, 100_000_000])
def test_a_push_that_is_too_large_is_refused(tmp_path: Path, megabytes: int, buffer: int) -> None:
    """Git says what to do about the size of a push, however large it is and whether the size was declared."""
    hill = open_hill_access(tmp_path, git="true")
    with serve_and_clone(hill, tmp_path) as clone:
        clone.git("config", "http.postBuffer", str(buffer))
        clone.git("config", "core.compression", "0")  # of random bytes nothing comes
        (clone.home / "big").write_bytes(os.urandom(megabytes << 20))
        clone.commit()
        well, said = clone.push(create_key(hill))
    assert not well
    assert "remote: a push may have at most 5 MB" in said


def test_a_push_that_is_no_bot_is_refused(tmp_path: Path) -> None:
    """A push of a folder without a bot.toml says so; one folder around it is nothing wrong."""
    hill = open_hill_access(tmp_path, git="true")
    key = create_key(hill)
    with serve_and_clone(hill, tmp_path) as clone:
        (clone.home / "bot.toml").rename(clone.home / "elsewhere")
        clone.commit()
        well, said = clone.push(key)
        assert not well
        assert "remote: there is no bot.toml at the top of the repository" in said
        (clone.home / "mine").mkdir()
        (clone.home / "elsewhere").rename(clone.home / "mine" / "bot.toml")
        clone.commit()
        well, said = clone.push(key)
        assert well, said


def test_pushes_of_an_address_are_limited(tmp_path: Path) -> None:
    """Git says when it may push again, and neither a question whether it may nor a refusal counts."""
    hill = open_hill_access(tmp_path, git="true", uploads_per_hour=1)
    key = create_key(hill)
    with serve_and_clone(hill, tmp_path) as clone:
        clone.git("config", "http.postBuffer", "10000")  # what is longer is asked for first
        (clone.home / "big").write_bytes(os.urandom(100_000))
        clone.commit()
        for name, ref in (("mine", "HEAD:other"), ("no-name", "HEAD:main")):
            assert not clone.push(key, name, ref)[0]
        well, said = clone.push(key)
        assert well, said
        well, said = clone.push(key)
        assert not well
        assert re.search("remote: too many uploads in an hour: try again in [56][0-9] min", said)


def test_git_shows_that_the_site_is_busy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Git shows that the site is busy, and that a later push may succeed."""
    hill = open_hill_access(tmp_path, git="true")
    key = create_key(hill)
    monkeypatch.setattr(worker_threads, "MAX_WAITING", 0)
    with serve_and_clone(hill, tmp_path) as clone:
        well, said = clone.push(key)
    assert not well
    assert "remote: this site is busy: try again in a second" in said


def test_git_shows_that_a_push_cannot_be_stored(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """The author reads whose fault it is but not where, and the log has the details."""
    hill = open_hill_access(tmp_path, git="true")
    uploads = hill.intake.uploads.folder
    with serve_and_clone(hill, tmp_path) as clone:
        uploads.rmdir()
        uploads.touch()  # no folder any more
        well, said = clone.push(create_key(hill))
    assert not well
    assert "remote: the hill cannot store your bot now" in said
    assert str(tmp_path) not in said.replace(str(clone.home), "")
    assert "uploads" in "".join(capfd.readouterr())


def test_a_push_whose_author_is_banned_meanwhile_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A ban counts for a push that was let in and is not queued yet."""
    hill = open_hill_access(tmp_path, git="true")
    key, check = create_key(hill), hill.intake.check_disk_space

    def ban_and_check(_: SubmissionIntake) -> None:
        if hill.store.accounts.identify(key):
            hill.store.host_actions.ban("ada", "attacks")
        check()

    monkeypatch.setattr(SubmissionIntake, "check_disk_space", ban_and_check)
    with serve_and_clone(hill, tmp_path) as clone:
        well, said = clone.push(key)
        assert (well, hill.store.submissions.select()) == (False, [])
        assert "remote: your token was revoked while your request was under way" in said


def test_nobody_pushes_without_a_token_that_may_submit(tmp_path: Path) -> None:
    """Nobody pushes without a token that may submit, or fetches anything."""
    hill = open_hill_access(tmp_path, git="true")
    with serve_and_clone(hill, tmp_path) as clone:
        well, said = clone.push("arena_wrong")
        assert not well
        assert "remote: this password is unknown: use a token" in said
        well, said = clone.push(create_key(hill, scope=TokenScope.READ))
        assert not well
        assert "remote: this token can only read: create one that may submit" in said
        address = clone.address.replace("//", f"//ada:{create_key(hill)}@")
        done = clone.git("fetch", f"{address}git/mine.git")
        assert "bots can be pushed here, but not fetched" in done.stderr
    assert not hill.store.submissions.select()


def test_a_damaged_pack_is_refused(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """The author reads what git says of the pack in its sandbox."""
    hill = open_hill_access(tmp_path, git="true")
    key = create_key(hill)
    with serve_and_clone(hill, tmp_path) as clone:
        command = f"{ZERO_ID} {'1' * 40} refs/heads/main\0report-status".encode()
        for body, words in (
            (pkt_line(command) + FLUSH + b"PACKxxxx", b"unpack the pack is not valid"),
            (pkt_line(command) + FLUSH, b"unpack the pack is not valid"),
            (b"zzzz", b"not a packet line"),
            (FLUSH, b""),
        ):
            answer = httpx2.post(
                f"{clone.address}git/mine.git/git-receive-pack", content=body, auth=("ada", key)
            )
            assert words in answer.content
    assert "Traceback" not in "".join(capfd.readouterr())


def make_pack(clone: Clone) -> tuple[str, bytes]:
    """Return the commit of a clone, and the pack of all that belongs to it."""
    commit = clone.git("rev-parse", "HEAD").stdout.strip()
    made = subprocess.run(
        ["git", "pack-objects", "--revs", "--stdout", "--quiet"], cwd=clone.home,
        input=f"{commit}\n".encode(), capture_output=True, check=True,
    )  # fmt: skip
    return commit, made.stdout


def build_body(commit: str, pack: bytes) -> bytes:
    command = f"{ZERO_ID} {commit} refs/heads/main\0report-status side-band-64k".encode()
    return pkt_line(command) + FLUSH + pack


def test_a_short_push_waits_for_no_long_one(tmp_path: Path) -> None:
    """A push of usual size is taken while git works on long packs, and more of them wait."""
    require_sandbox()
    hill = open_hill_access(tmp_path, git="true")
    headers = httpx2.BasicAuth("ada", create_key(hill))
    clone = Clone(bot(tmp_path), "")
    clone.git("init", "--quiet", "--initial-branch=trunk")
    clone.commit()
    body, endpoint, over = build_body(*make_pack(clone)), GitEndpoint(ServedHill.of(hill)), Event()
    app = build_application(
        endpoint.routes, limits={}, handlers=ERROR_HANDLERS, uploads=UPLOAD_LIMITS
    )

    async def test() -> None:
        *_, lane = endpoint._lanes
        long = [asyncio.create_task(lane.run(lambda _: over.wait(TIMEOUT))) for _ in range(6)]
        transport = httpx2.ASGITransport(app)
        try:
            async with httpx2.AsyncClient(
                transport=transport, base_url="http://localhost", timeout=TIMEOUT
            ) as client:
                answer = await client.post(
                    "/git/mine.git/git-receive-pack", content=body, auth=headers
                )
            assert not any(task.done() for task in long)
            assert b"unpack ok" in answer.content
        finally:
            over.set()
            await asyncio.gather(*long)

    run(test)
    assert len(hill.store.submissions.select()) == 1


TOO_COSTLY_MESSAGE = (
    b"git needs more than 128 MB of memory or 10 s of processor time to unpack this push"
)
NOT_VALID = b"unpack the pack is not valid"
REFUSALS = {
    "a padded delta": TOO_COSTLY_MESSAGE,
    "deltas of deltas": TOO_COSTLY_MESSAGE,
    "many deltas": TOO_COSTLY_MESSAGE,
    "too many objects": TOO_COSTLY_MESSAGE,
    "a deep tree": b"there are more than 500 files and folders",
}


def push_pack(client: TestClient, key: str, commit: str, pack: bytes) -> bytes:
    answer = client.post(
        "/git/mine.git/git-receive-pack", content=build_body(commit, pack), auth=("ada", key)
    )
    return answer.content


def test_git_is_bounded_whatever_a_pack_holds(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """A pack on which git would work for long, or with much memory, is refused by its sandbox."""
    require_sandbox()
    monkeypatch.setattr(git_push, "LANES", git_push.LANES[:1])  # a short try is enough here
    hill = open_hill_access(tmp_path, git="true")
    app = build_application(
        build_routes(ServedHill.of(hill)),
        limits={},
        handlers=ERROR_HANDLERS,
        uploads=UPLOAD_LIMITS,
        renderers=RENDERERS,
    )
    client = TestClient(app, base_url="http://localhost")
    for number, (name, (commit, pack)) in enumerate(list_hostile_packs().items()):
        answer = push_pack(client, create_key(hill, f"author{number}"), commit, pack)
        assert REFUSALS.get(name, NOT_VALID) in answer, name
    assert not hill.store.submissions.select()
    assert "push" not in "".join(capfd.readouterr())  # nothing is the host's fault


def test_a_push_that_takes_long_counts_as_an_upload(tmp_path: Path) -> None:
    """An author sends only as many packs that git cannot unpack in a short try as uploads in an hour."""
    require_sandbox()
    hill = open_hill_access(tmp_path, git="true", uploads_per_hour=1)
    key, (commit, pack) = create_key(hill), list_hostile_packs()["a padded delta"]
    app = build_application(
        build_routes(ServedHill.of(hill)), limits={}, handlers=ERROR_HANDLERS, renderers=RENDERERS
    )
    client = TestClient(app, base_url="http://localhost")
    assert TOO_COSTLY_MESSAGE in push_pack(client, key, commit, pack)
    assert b"too many uploads in an hour" in push_pack(client, key, commit, pack)


def test_a_tree_of_a_billion_files_is_refused(tmp_path: Path) -> None:
    """A few trees that each name the next one ten times are refused once too many files were counted."""
    hill = open_hill_access(tmp_path, git="true")
    key = create_key(hill)
    with serve_and_clone(hill, tmp_path) as clone:
        top = clone.git("rev-parse", "HEAD^{tree}").stdout.strip()
        for _ in range(9):
            lines = "".join(f"040000 tree {top}\t{number}\n" for number in range(10))
            top = clone.write(lines, "mktree")
        listed = clone.git("ls-tree", "HEAD").stdout
        top = clone.write(f"{listed}040000 tree {top}\tx\n", "mktree")
        commit = clone.git("commit-tree", top, "-m", "x").stdout.strip()
        well, said = clone.push(key, ref=f"{commit}:refs/heads/main")
        assert not well
        assert "remote: there are more than 500 files and folders; at most 500 are" in said
        (clone.home / "big").write_bytes(bytes(21 << 20))
        clone.commit()
        well, said = clone.push(key)
        assert not well
        assert "remote: the files have more than 20 MB; at most 20 MB are allowed" in said


def test_a_link_in_a_push_is_left_to_the_judge(tmp_path: Path) -> None:
    """An archive that git has made is checked like any other."""
    hill = open_hill_access(tmp_path, git="true")
    with serve_and_clone(hill, tmp_path) as clone:
        (clone.home / "a").symlink_to("/etc/passwd")
        clone.commit()
        well, said = clone.push(create_key(hill))
        assert well, said
    (one,) = hill.store.submissions.select()
    with ZipFile(BytesIO(hill.intake.uploads.path(one.sha256).read_bytes())) as sent:
        assert "a" in sent.namelist()
