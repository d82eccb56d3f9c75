"""The disk of a hill: what is kept on it, for how long, and on whose account."""

from __future__ import annotations

import os
import shutil
from collections import deque
from collections.abc import Callable, Generator, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from attrs import evolve
from structlog.testing import capture_logs

from arena.rules import StorageError, UserError
from arena.tournament import State
from arena.tournament.deals import Deal
from arena.tournament.entries import Entry
from arena.tournament.store import Store, StoredSettings
from arena.tournament.store.connection import DatabaseAddress
from arena_hill.backup import HillBackup
from arena_hill.db.submissions import Findings, Submission
from arena_hill.denials import Denial, SubmissionDeniedError
from arena_hill.disk_usage import TRANSCRIPT_SECONDS, DiskMeter, describe_usage
from arena_hill.hill import Hill
from arena_hill.hill_access import HillAccess
from arena_hill.judge import JudgeDaemon
from arena_hill.shared_copies import SharedCopies
from arena_hill.submission_states import SubmissionState
from arena_web.play.seat_secrets import Secret
from arena_web.play.store.table_store import TableStore
from tests.support.hill.hill_access import (
    Clock,
    build_zip,
    create_key,
    enter_bots,
    find_author,
    open_hill_access,
    sign_in,
    write_hill_file,
)
from tests.support.hill.hill_folders import HillFolder, bot, drive, step_until
from tests.support.requirements import require_sandbox
from tests.support.sandboxes.memory_disks import mount_disk
from tests.support.tournaments.stored_matches import build_result
from tests.support.web.seat_players import build_setup

MB = 1 << 20


@pytest.fixture
def hill(tmp_path: Path) -> HillAccess:
    place = open_hill_access(tmp_path / "hill", uploads_mb=4)
    create_key(place)
    return place


def send_with_copy(hill: HillAccess, name: str, version: str, author: int = 1) -> Submission:
    """Send a bot and have it judged up to where its copy of 1 MB is there."""
    one = hill.intake.submit(
        find_author(hill.store, author), name, build_zip(bot=name + version)
    ).submission
    assert hill.store.queue.take()
    assert hill.store.queue.set_state(
        one.id, SubmissionState.CHECKING, findings=Findings(version=version)
    )
    make_copy(hill, version)
    return one


def make_copy(hill: HillAccess, version: str, size: int = MB) -> None:
    """Have a copy be there, as when it was handed over."""
    copy = hill.hill.copies.path / version
    copy.mkdir(parents=True)
    (copy / "data").write_bytes(bytes(size))
    copy.with_name(f"{version}.built").write_text(f"{size}")


def let_in(hill: HillAccess, one: Submission, version: str, *others: Entry) -> Entry:
    """Have a bot be accepted, and let in by the coordinator; some others leave."""
    entry = Entry(one.bot.name, version, f"submission {one.id}")
    assert hill.store.queue.accept(one.id, entry)
    enter_bots(hill, entry)
    with Store.open(hill.hill.spec.database) as store:
        store.claim()
        for other in others:
            store.entries.set_state(other.id, State.REPLACED)
    return entry


def list_kept_copies(hill: HillAccess) -> set[str]:
    """Return the copies that are there, when those that nobody needs are deleted."""
    SharedCopies(hill.hill, hill.store).delete_unused()
    return {*hill.hill.copies.measure()}


def step_until_accepted(hill: HillFolder, one: Submission) -> Iterator[None]:
    return step_until(lambda: hill.now(one).state is SubmissionState.ACCEPTED)


def test_a_copy_is_deleted_when_nobody_plays_from_it(hill: HillAccess) -> None:
    """A copy stays from its check on while its version is in, and as long as a deal of it is open."""
    one = send_with_copy(hill, "mine", "aaaaaaaaaaaa")
    assert list_kept_copies(hill) == {"aaaaaaaaaaaa"}
    first = Entry("mine", "aaaaaaaaaaaa", f"submission {one.id}")
    assert hill.store.queue.accept(one.id, first)
    assert list_kept_copies(hill) == {"aaaaaaaaaaaa"}
    enter_bots(hill, first)
    other = let_in(hill, send_with_copy(hill, "other", "cccccccccccc"), "cccccccccccc")
    with Store.open(hill.hill.spec.database) as store:
        store.claim()
        store.deals.plan([Deal(0, (first.id, other.id), 1)])
    two = send_with_copy(hill, "mine", "bbbbbbbbbbbb")
    let_in(hill, two, "bbbbbbbbbbbb", first)
    everything = {"aaaaaaaaaaaa", "bbbbbbbbbbbb", "cccccccccccc"}
    assert list_kept_copies(hill) == everything
    with Store.open(hill.hill.spec.database) as store:
        store.claim()
        store.matches.record(build_result(0, 0, (first.id, other.id)))
    assert list_kept_copies(hill) == everything - {"aaaaaaaaaaaa"}
    assert not [*hill.hill.copies.path.glob("aaaaaaaaaaaa*")]


def test_a_copy_that_others_need_stays(hill: HillAccess) -> None:
    """A copy stays while another author's bot has the same files, or if the host has entered it."""
    create_key(hill, "bob")
    mine = let_in(hill, send_with_copy(hill, "mine", "aaaaaaaaaaaa"), "aaaaaaaaaaaa")
    his = hill.intake.submit(find_author(hill.store, 2), "his", build_zip(bot="his")).submission
    assert hill.store.queue.take()
    let_in(hill, his, "aaaaaaaaaaaa", mine)
    make_copy(hill, "dddddddddddd")
    assert list_kept_copies(hill) == {"aaaaaaaaaaaa", "dddddddddddd"}
    hill.store.host_actions.withdraw("his", "")
    with Store.open(hill.hill.spec.database) as store:
        store.claim()
        store.entries.set_state("his@aaaaaaaaaaaa", State.WITHDRAWN)
    assert list_kept_copies(hill) == {"dddddddddddd"}


def test_the_judge_deletes_copies(tmp_path: Path) -> None:
    """The judge deletes the copy of a withdrawn bot, and makes it again when the bot is submitted again."""
    require_sandbox()
    hill = HillFolder.create(tmp_path)
    home = bot(tmp_path)
    copies = hill.hill.copies
    settings = StoredSettings.of(hill.spec)
    Store.create(hill.spec.database, settings, "s").close()
    for _ in range(2):
        one = hill.send(home)
        drive(JudgeDaemon.of(hill.hill, hill.store), step_until_accepted(hill, one))
        assert copies.measure().keys() == {hill.now(one).version}
        hill.store.host_actions.withdraw("mine", "")
        with Store.open(hill.spec.database) as store:
            store.claim()
            for command in hill.store.commands.fetch(store.facts.last_command):
                store.entries.carry_out(command)
        drive(JudgeDaemon.of(hill.hill, hill.store), iter([None]))
        assert copies.measure() == {}


def test_the_judge_waits_for_nobody_who_holds_the_copies(tmp_path: Path) -> None:
    """While another thread holds the copies the judge gives signs of life, and deletes none."""
    hill = HillFolder.create(tmp_path)
    judge = JudgeDaemon.of(hill.hill, hill.store, trust_everybody=True)
    with judge.copies.hold():
        drive(judge, iter([None] * 3))
        assert judge.copies.delete_unused() == []


def test_a_copy_is_removed_as_a_whole(hill: HillAccess) -> None:
    """A copy whose removal was interrupted is not taken for one, and the next removal deletes the rest."""
    copies = hill.hill.copies
    make_copy(hill, "aaaaaaaaaaaa")
    copies.get_path("aaaaaaaaaaaa").rename(
        copies.path / ".discarded-aaaaaaaaaaaa"
    )  # and it was killed
    assert copies.measure() == {}
    make_copy(hill, "aaaaaaaaaaaa")
    assert copies.discard("aaaaaaaaaaaa")
    assert [*copies.path.iterdir()] == []


def test_copies_count_towards_the_quota_of_their_author(hill: HillAccess) -> None:
    """The refusal says what takes the room, and copies that a new version of the bot replaces are not counted."""
    for number in range(4):
        name, version = ("evens", "odds")[number % 2], f"{number:012}"
        let_in(hill, send_with_copy(hill, name, version), version)
    assert hill.measure_usage(find_author(hill.store)).uploads_mb.used == 4.0
    make_copy(hill, "000000000009", 2 * MB)
    with pytest.raises(SubmissionDeniedError) as denied:
        hill.intake.submit(find_author(hill.store, 1), "third", build_zip(bot="new"))
    assert denied.value.denial is Denial.TOO_LARGE
    assert "4 MB on this hill's disk" in str(denied.value)
    assert "your other bots 4.0 MB" in str(denied.value)
    receipt = hill.intake.submit(find_author(hill.store, 1), "evens", build_zip(bot="new"))
    one, new = receipt.submission, receipt.is_new
    assert (one.bot.name, new) == ("evens", True)


def test_a_backup_takes_no_more_room_than_what_it_copies(hill: HillAccess, tmp_path: Path) -> None:
    """A backup keeps holes, hard links and files whose names begin with a dot, and no pipe holds it up."""
    make_copy(hill, "aaaaaaaaaaaa")
    home = hill.hill.copies.path / "aaaaaaaaaaaa"
    with (home / "hollow").open("wb") as hollow:
        hollow.truncate(200 * MB)
    (home / ".config").write_text("its own")
    (home / "same").hardlink_to(home / "data")
    (home / "__pycache__").mkdir()
    os.mkfifo(home / "pipe")
    (hill.hill.copies.path / ".half").mkdir()
    file = hill.hill.spec.home / "gops.toml"
    assert [*HillBackup(hill.hill, file, tmp_path / "out").write()][-1] == "gops.arena/bots/"
    there = tmp_path / "out/gops.arena/bots"
    assert {path.name for path in there.iterdir()} == {"aaaaaaaaaaaa", "aaaaaaaaaaaa.built"}
    copied = there / "aaaaaaaaaaaa"
    assert {path.name for path in copied.iterdir()} == {
        "data", "hollow", ".config", "same", "__pycache__"
    }  # fmt: skip
    assert (copied / "hollow").stat().st_size == 200 * MB
    assert (copied / "hollow").stat().st_blocks * 512 < MB
    assert (copied / "same").samefile(copied / "data")


def create_databases(folder: Path, **databases: Path | str) -> HillAccess:
    """Return a hill with an author, a tournament, and these databases."""
    for path in databases.values():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
    file = write_hill_file(folder, database=f'"{databases["hill"]}"')
    file.write_text(f'database = "{databases["tournament"]}"\n{file.read_text()}')
    hill = HillAccess.open(file)
    create_key(hill, "ada")
    enter_bots(hill, Entry("mine", "aaaaaaaaaaaa", "mine"))
    return hill


@pytest.mark.parametrize(
    "databases",
    [
        ("gops.db", "db/hill.db"),
        ("db/tournament/x.db", "db/hill/x.db"),
        ("gops.arena/x.db", "./gops.arena/hill.db"),
    ],
)
def test_a_backup_is_a_hill(tmp_path: Path, databases: tuple[str, str]) -> None:
    """Wherever its databases are in its folder, the hill finds them in the backup, too."""
    tournament, own = databases
    create_databases(tmp_path / "hill", tournament=tournament, hill=own)
    file, out = tmp_path / "hill/gops.toml", tmp_path / "out"
    lines = [*HillBackup(Hill.load(file), file, out).write()]
    assert lines[:3] == [tournament, own.removeprefix("./"), "gops.toml"]
    shutil.rmtree(tmp_path / "hill")
    restored = HillAccess.open(out / "gops.toml")
    assert [author.name for author in restored.store.host_actions.list_authors()] == ["ada"]
    assert [entry.name for entry in restored.hill.list_entries()] == ["mine"]


def test_a_backup_has_what_the_file_names(tmp_path: Path) -> None:
    """A hill that is restored has its own bots and its provider's secret; the command says which bot is not copied."""
    (tmp_path / "hill").mkdir()
    for folder in ("hill/calm", "hill/more/one", "outside"):
        bot(tmp_path / folder, code="print()\n")
    (tmp_path / "hill/more/notes.txt").write_text("no bot")
    (tmp_path / "hill/plain.py").write_text("print()\n")
    (tmp_path / "hill/.secret").write_text("s3cret")
    entrants = ("bot = 'calm/mine:w=3'", "folder = 'more/one'", "bot = 'match'",
                "bot = '../outside/mine'", "bot = 'plain=python3 plain.py'", "bot = 'lost'",
                f"bot = 'shell={shutil.which('sh')} plain.py'")  # fmt: skip
    provider = "".join(f"{key} = 'https://x.example'\n" for key in ("authorize", "token", "user"))
    file, out = write_hill_file(tmp_path / "hill"), tmp_path / "out"
    file.write_text(
        f"{file.read_text()}[hill.oauth]\nclient = 'x'\nsecret_file = '.secret'\n{provider}"
        + "".join(f"[[entrant]]\n{line}\n" for line in entrants)
    )
    HillAccess.open(file)
    lines = [*HillBackup(Hill.load(file), file, out).write()]
    outside = (
        f"{tmp_path}/outside/mine is outside of the hill's folder and not copied: copy it yourself"
    )
    assert lines[2:7] == [
        "gops.toml", outside, ".secret", "calm/mine/", "more/one/mine/"
    ]  # fmt: skip
    assert lines[7] == "plain.py"
    shutil.rmtree(tmp_path / "hill")
    out.rename(tmp_path / "hill")
    hill = Hill.load(file)
    shell = Path(shutil.which("sh") or "")
    named = {
        path.relative_to(tmp_path / "hill") for path in hill.list_named_files() if path != shell
    }
    assert named == {
        Path(name)
        for name in (".secret", "../outside/mine", "calm/mine", "more/one/mine", "plain.py")
    }
    assert (hill.spec.home / ".secret").read_text() == "s3cret"
    assert (hill.spec.home / "more/one/mine/bot.py").is_file()
    assert not (hill.spec.home / "more/notes.txt").exists()


def test_a_backup_says_where_a_database_outside_of_the_hill_belongs(tmp_path: Path) -> None:
    """Databases of one name in two other folders are both in it, each with its whole path."""
    there, beside = (tmp_path / f"{folder}/x.db" for folder in ("there", "beside"))
    create_databases(tmp_path / "hill", tournament=there, hill="../beside/x.db")
    file, out = tmp_path / "hill/gops.toml", tmp_path / "out"
    lines = [*HillBackup(Hill.load(file), file, out).write()]
    copies = [Path("elsewhere", *database.parts[1:]) for database in (there, beside)]
    assert lines[:2] == [
        f"{copies[0]} (to restore it, copy it to {there})",
        f"{copies[1]} (to restore it, copy it to {beside})",
    ]
    tables = []
    for copy in copies:
        with DatabaseAddress.of(out / copy).connect() as connection:
            tables.append(connection.list_tables())
    assert ["authors" in names for names in tables] == [False, True]


def test_a_backup_has_the_games_of_visitors(hill: HillAccess, tmp_path: Path) -> None:
    """A backup also has the games that a running or killed server has only in the files beside its database."""
    games = hill.hill.tables_file
    server = TableStore.open(games, 30)
    server.tables.add(
        "one", "", build_setup("gops", "easy").to_stored([], [], [], "7"), [Secret("seat")]
    )
    killed = tmp_path / "killed"
    shutil.copytree(hill.hill.spec.home, killed)
    for home in (hill.hill.spec.home, killed):
        out = tmp_path / f"of-{home.name}"
        file = home / "gops.toml"
        assert "gops.arena/tables.db" in [*HillBackup(Hill.load(file), file, out).write()]
        copied = TableStore.open(out / "gops.arena/tables.db", 30)
        assert copied.tables.find_by_secret(Secret("seat"))
        copied.close()
    server.close()


def test_a_backup_has_the_copies_of_all_who_take_part_in_it(
    hill: HillAccess, tmp_path: Path
) -> None:
    """A copy that nobody needs any more is not deleted before a backup is whole whose databases need it."""
    old = let_in(hill, send_with_copy(hill, "mine", "aaaaaaaaaaaa"), "aaaaaaaaaaaa")
    lines = HillBackup(hill.hill, hill.hill.spec.home / "gops.toml", tmp_path / "out").write()
    assert [next(lines), next(lines)] == ["gops.db", "gops.hill.db"]
    let_in(hill, send_with_copy(hill, "mine", "bbbbbbbbbbbb"), "bbbbbbbbbbbb", old)
    assert list_kept_copies(hill) == {"aaaaaaaaaaaa", "bbbbbbbbbbbb"}
    deque(lines)
    restored = HillAccess.open(tmp_path / "out/gops.toml")
    assert [entry.version for entry in restored.hill.list_entries()] == ["aaaaaaaaaaaa"]
    assert "aaaaaaaaaaaa" in restored.hill.copies.measure()
    assert list_kept_copies(hill) == {"bbbbbbbbbbbb"}


def test_a_backup_has_the_uploads_of_all_who_are_in_it(hill: HillAccess, tmp_path: Path) -> None:
    """An upload that nobody needs any more is not deleted before a backup is whole whose database needs it."""
    ada = find_author(hill.store, 1)
    digests = [
        hill.intake.submit(ada, name, build_zip(bot=name)).submission.sha256
        for name in ("mine", "other")
    ]
    lines = HillBackup(hill.hill, hill.hill.spec.home / "gops.toml", tmp_path / "out").write()
    assert [next(lines), next(lines)] == ["gops.db does not exist yet", "gops.hill.db"]
    hill.store.host_actions.forget("mine", "its author asks for it")
    hill.intake.submit(ada, "third", build_zip(bot="third"))
    with ThreadPoolExecutor(1) as thread:
        forgetting = thread.submit(hill.intake.forget_bot, "other", "its author asks for it")
        deque(lines)
        assert forgetting.result() == 1
    restored = HillAccess.open(tmp_path / "out/gops.toml")
    assert restored.store.submissions.list_digests() == {*digests}
    assert all(restored.intake.uploads.read(digest) for digest in digests)
    hill.intake.submit(sign_in(hill.store, "bob"), "fourth", build_zip(bot="fourth"))
    assert not any(hill.intake.uploads.path(digest).exists() for digest in digests)


def test_a_hill_that_never_ran_is_copied(tmp_path: Path) -> None:
    """A backup before the first start has the hill's file, and says that the databases do not exist."""
    file = write_hill_file(tmp_path / "hill")
    assert [*HillBackup(Hill.load(file), file, tmp_path / "out").write()] == [
        "gops.db does not exist yet", "gops.hill.db does not exist yet", "gops.toml"
    ]  # fmt: skip
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["gops.toml"]


def test_a_backup_that_does_not_fit_leaves_nothing(hill: HillAccess, tmp_path: Path) -> None:
    """No file of the backup stays, whether the lack of room is known before or the disk is filled meanwhile."""
    file = hill.hill.spec.home / "gops.toml"
    make_copy(hill, "aaaaaaaaaaaa", 3 * MB)
    with mount_disk(tmp_path / "disk") as disk:
        disk.resize(2)
        with pytest.raises(UserError, match=r"may take 3.* MB, and 2 MB can be had there"):
            next(HillBackup(hill.hill, file, disk.folder / "out").write())
        disk.resize(10)
        lines = HillBackup(hill.hill, file, disk.folder / "out").write()
        assert [next(lines), next(lines)] == ["gops.db does not exist yet", "gops.hill.db"]
        disk.make_full()
        with pytest.raises(StorageError, match=r"cannot be written: .*No space left on device"):
            deque(lines)
        assert [*disk.folder.iterdir()] == []


def test_a_backup_that_is_given_up_leaves_nothing(hill: HillAccess, tmp_path: Path) -> None:
    """No file of a backup stays that nobody has gone on with."""
    lines = HillBackup(hill.hill, hill.hill.spec.home / "gops.toml", tmp_path / "out").write()
    assert [next(lines), next(lines)] == ["gops.db does not exist yet", "gops.hill.db"]
    assert isinstance(lines, Generator)
    lines.close()
    assert not (tmp_path / "out").exists()


def test_the_disk_usage_counts_each_kind_of_file(hill: HillAccess) -> None:
    """The disk usage of a hill has the bytes of its uploads, copies and databases, and what is free."""
    let_in(hill, send_with_copy(hill, "mine", "aaaaaaaaaaaa"), "aaaaaaaaaaaa")
    usage = DiskMeter(hill.hill).measure()
    assert usage.copies == MB
    assert usage.uploads == len(build_zip(bot="mineaaaaaaaaaaaa"))
    assert usage.database >= Path(hill.hill.spec.database).stat().st_size
    assert usage.transcripts == 0
    assert usage.free > 0


def test_transcripts_are_measured_again_after_a_while(hill: HillAccess) -> None:
    """The size of the transcripts is read again when the last figure is old, the rest each time."""
    let_in(hill, send_with_copy(hill, "mine", "aaaaaaaaaaaa"), "aaaaaaaaaaaa")
    clock = Clock(0.0)
    meter = DiskMeter(hill.hill, clock)
    assert meter.measure().transcripts == 0
    record = build_result(0, 0, ("mine@aaaaaaaaaaaa", "mine@aaaaaaaaaaaa"))
    with Store.open(hill.hill.spec.database) as store:
        store.claim()
        store.deals.plan([Deal(0, tuple(seat.id for seat in record.seats), 1)])
        store.matches.record(evolve(record, transcript=bytes(100)))
    make_copy(hill, "bbbbbbbbbbbb")
    usage = meter.measure()
    assert (usage.transcripts, usage.copies) == (0, 2 * MB)
    clock.now += TRANSCRIPT_SECONDS
    assert meter.measure().transcripts == 100


def test_a_disk_below_its_reserve_is_logged_once(tmp_path: Path) -> None:
    """The log has a line when the shortage begins and one when it ends, however much is free meanwhile."""
    require_sandbox()
    with mount_disk(tmp_path / "disk") as disk:
        hill = HillFolder.create(disk.folder)

        def steps() -> Iterator[None]:
            for mb in (100, 90, 80):
                disk.resize(mb)
                yield
            disk.resize(2048)
            disk.leave_files(2000)
            yield

        with capture_logs() as logs:
            drive(JudgeDaemon.of(hill.hill, hill.store, retry_seconds=0.0), steps())
    said = [log["event"] for log in logs]
    assert said == ["judging paused", "judging resumed"]
    assert "the reserve is 512 MB" in logs[0]["why"]


def test_the_host_is_told_of_a_disk_below_its_reserve(tmp_path: Path) -> None:
    """The line about the disk usage says that uploads are not accepted, and what takes the room."""
    with mount_disk(tmp_path / "disk") as disk:
        place = open_hill_access(disk.folder / "hill")
        assert "MB are free." in describe_usage(place.hill)
        shortages: dict[str, Callable[[], None]] = {
            "MB are free on the disk; the reserve is 512 MB.": lambda: disk.resize(100),
            "more files fit on the disk; the reserve is 1000.": lambda: disk.leave_files(900),
        }
        for shortage, bring_about in shortages.items():
            bring_about()
            said = describe_usage(place.hill)
            assert said.endswith(shortage), said
            assert "Uploads are not accepted: " in said
            disk.resize(2048)
