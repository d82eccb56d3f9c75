"""The judge: it lets in who is fit, says of the others why they are not, and loses nobody."""

from __future__ import annotations

import subprocess
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Event

import pytest
from attrs import evolve
from structlog.testing import capture_logs

from arena.check import check
from arena.sandbox import NAMESPACES
from arena.tournament.bots.versions import BotVersions
from arena.tournament.commands import EntryCommand
from arena.tournament.entries import Entry
from arena.tournament.store import Store, StoredSettings
from arena_hill import disk, trial
from arena_hill.bot_archive import pack_bot
from arena_hill.db.judging_queue import HOST_PROBLEM_MESSAGE
from arena_hill.db.submissions import Submission
from arena_hill.judge import RETRY_SECONDS, JudgeDaemon
from arena_hill.judging_threads import JudgingThread
from arena_hill.shared_copies import SharedCopies
from arena_hill.submission_intake import SubmissionIntake
from arena_hill.submission_judge import FOLDER_PREFIX, SubmissionJudge
from arena_hill.submission_states import SubmissionState
from tests.support.hill.hill_folders import FILE, C, HillFolder, await_, bot, judge_as_another
from tests.support.requirements import require, require_sandbox
from tests.support.sandboxes.tiers import tier
from tests.support.sandboxes.unprivileged import READS, build_user_prefix
from tests.support.web.raw_zips import BOT, TOML, Member, build_raw_zip

__all__ = ["tier"]

ENDED = (SubmissionState.ACCEPTED, SubmissionState.REJECTED)
MAKE = "import subprocess as s; print('compiling', flush=True); s.run(['cc', '-o', 'bot', 'bot.c'])"


def take_and_judge(hill: HillFolder, sent: Submission) -> Submission:
    """Have a judge take and try what was sent; return what became of it."""
    taken = hill.store.queue.take()
    assert taken
    assert taken.id == sent.id
    assert taken.state is SubmissionState.UNPACKING
    return judge_submission(hill, sent)


def judge_submission(hill: HillFolder, sent: Submission) -> Submission:
    """Have a submission be tried that was taken; return what became of it."""
    require_sandbox()
    judge = SubmissionJudge.of(SharedCopies(hill.hill, hill.store))
    JudgingThread(hill.now(sent), judge, hill.store.queue, RETRY_SECONDS).run()
    assert not [*hill.spec.data_folder.glob(f"{FOLDER_PREFIX}*")]
    return hill.now(sent)


@pytest.mark.parametrize("kind", ["python", "c"])
def test_a_good_bot_is_accepted(tmp_path: Path, kind: str) -> None:
    """An accepted bot has a built copy and a report that passes, and the coordinator is told to let it in."""
    hill = HillFolder.create(tmp_path)
    if kind == "c":
        require("cc")
        home = bot(tmp_path, command="./bot", build="python3 make.py")
        (home / "make.py").write_text(MAKE)
        (home / "bot.c").write_text(C)
    else:
        home = bot(tmp_path)
    (home / "bot.toml").write_text(f'title = "deep-liar"\n{(home / "bot.toml").read_text()}')
    done = take_and_judge(hill, hill.send(home, "stranger"))
    assert (done.state, done.why) == (SubmissionState.ACCEPTED, "")
    results = hill.results(done)
    assert results.log == ("compiling\n" if kind == "c" else "")
    assert results.report
    assert results.report["passed"]
    (command,) = hill.store.commands.fetch(0)
    assert isinstance(command, EntryCommand)
    assert (command.entry.name, command.entry.title) == ("stranger", "deep-liar")
    assert command.entry.version == done.version
    assert command.entry.containment.untrusted
    versions = BotVersions(hill.spec.game, hill.spec.home, hill.spec.data_folder / "bots")
    assert not versions.needs_build(command.entry)
    versions.prepare(command.entry, None)


@pytest.fixture
def quick_checks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have few matches be played where a bot is checked, which the first test does as a judge does."""
    monkeypatch.setattr(trial, "check", partial(check, quick=True))


@pytest.mark.usefixtures("quick_checks")
def test_the_same_bot_of_two_authors_is_accepted_twice(tmp_path: Path) -> None:
    """Two authors with the same bot share a copy, and both are accepted."""
    hill = HillFolder.create(tmp_path)
    home = bot(tmp_path)
    one = take_and_judge(hill, hill.send(home, "one"))
    other = take_and_judge(hill, hill.send(home, "other", "ben"))
    assert (one.state, other.state) == (SubmissionState.ACCEPTED, SubmissionState.ACCEPTED)
    assert one.version == other.version


def test_a_bot_that_fails_its_check_is_rejected(tmp_path: Path) -> None:
    """The author reads in which situation the bot failed and what to do, and the whole report."""
    hill = HillFolder.create(tmp_path)
    code = "import sys, os\nsys.stderr.write(os.getcwd())\nsys.stdin.readline()\nprint('what', flush=True)\n"
    done = take_and_judge(hill, hill.send(bot(tmp_path, code=code)))
    assert done.state is SubmissionState.REJECTED
    assert done.why.startswith('malformed in "2 players"')
    report = hill.results(done).report
    assert report
    assert not report["passed"]
    assert str(tmp_path) not in str(report)
    assert not hill.store.commands.fetch(0)
    assert not [*hill.spec.data_folder.glob("bots/*")]


def test_a_title_that_looks_like_another_bot_is_rejected(tmp_path: Path) -> None:
    """A title may look neither like a bot of the game, of the hill's file or of another author, even in the queue, nor be invisible."""
    hill = HillFolder.create(tmp_path)
    entries = [Entry("calm", "1", "calm", title="Zoë's"), Entry("stranger", "1", "x", title="Ann")]
    Store.create(hill.spec.database, StoredSettings(), "", entries).close()
    home = bot(tmp_path)
    text = (home / "bot.toml").read_text()
    hill.send(bot(tmp_path, "deepblue"), "deepblue", "ben")
    assert hill.store.queue.take()
    for title, why in {
        "Deep Blue": "title: 'Deep Blue' looks like 'deepblue', another bot; choose another title",
        "Mátch": "title: 'Mátch' looks like 'match', another bot; choose another title",
        "zoes": "title: 'zoes' looks like \"Zoë's\", another bot; choose another title",
        "bot 1O": "title: 'bot 1O' looks like the alias of a hidden bot; choose another title",
        "\u3164": "bot/bot.toml: title: '\\u3164' shows nothing; use letters, digits or symbols",
    }.items():
        (home / "bot.toml").write_text(f'title = "{title}"\n{text}')
        done = take_and_judge(hill, hill.send(home, "stranger"))
        assert (done.state, done.why) == (SubmissionState.REJECTED, why)


def test_a_bot_whose_build_fails_is_rejected(tmp_path: Path, tier: str) -> None:
    """The author reads the output of the build, in which the host's paths are dots."""
    hill = HillFolder.create(tmp_path, f'sandbox = "{tier}"\n{FILE}')
    build = 'sh -c "pwd; printf \\"\\\\033[2J\\\\n\\"; echo error: no luck >&2; exit 3"'
    done = take_and_judge(hill, hill.send(bot(tmp_path, build=build)))
    assert done.state is SubmissionState.REJECTED
    assert done.why.endswith("failed: exit status 3: error: no luck")
    here = "/run/bot" if tier == NAMESPACES else "bot"
    log = hill.results(done).log
    assert log.splitlines() == [here, "?[2J", "error: no luck"]
    assert str(tmp_path) not in log + done.why


@pytest.mark.parametrize(
    ("sent", "why"),
    [
        (b"MZ", "the archive is not a valid zip file"),
        (build_raw_zip([BOT, Member(b"../x")]), "'../x': is not a plain path"),
        (
            build_raw_zip([Member(b"bot.toml", b"name = 5")]),
            "bot/bot.toml: name: 5 is not a string",
        ),
        (build_raw_zip([Member(b"bot.toml", b"name = 'a'\ncommand = 'no-such'")]), "no-such"),
        (
            build_raw_zip([Member(b"bot.toml", TOML + b'build = "a\\u0000"')]),
            "build: contains a NUL byte",
        ),
        (
            build_raw_zip([Member(b"bot.toml", TOML + b"build = 'a%s'" % (b" a" * 15_000))]),
            "longer than 4000",
        ),
    ],
)
def test_an_upload_that_is_no_bot_is_rejected(tmp_path: Path, sent: bytes, why: str) -> None:
    """An archive that is no bot is rejected before anything of it is run."""
    hill = HillFolder.create(tmp_path)
    done = take_and_judge(hill, hill.send(sent))
    assert done.state is SubmissionState.REJECTED
    assert why in done.why
    assert str(tmp_path) not in done.why


@pytest.mark.parametrize(
    ("build", "why"),
    [
        ('sh -c "echo >> bot.toml"', "the build modified bot.toml, which is not allowed"),
        (
            'sh -c "ln -sf /etc/passwd bot.toml"',
            "the build modified bot.toml, which is not allowed",
        ),
        ("sleep 600", "not finished within"),
        ('sh -c "head -c 30000000 /dev/zero > a"', "used more than 20 MB of files"),
    ],
)
def test_a_build_that_exceeds_its_limits_is_rejected(
    tmp_path: Path, build: str, why: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A build may neither make another bot of its folder, nor take more than its share of the machine."""
    if why == "not finished within":
        monkeypatch.setattr(trial, "MAX_BUILD_SECONDS", 1.0)
    if "20 MB" in why:
        monkeypatch.setattr(trial, "BUILD_RESOURCES", evolve(trial.BUILD_RESOURCES, disk_mb=20))
    hill = HillFolder.create(tmp_path)
    done = take_and_judge(hill, hill.send(bot(tmp_path, build=build)))
    assert done.state is SubmissionState.REJECTED
    assert why in done.why


def test_a_bot_whose_build_locks_its_files_is_accepted() -> None:
    """The host owns the files after the build, and unlocks them."""
    locks = {"unread": "chmod 0 bot.py", "unwritten": "chmod 500 .", "closed": "chmod 0 ."}
    with TemporaryDirectory() as place:  # root could read them, so the judge is another's
        home = Path(place)
        hill = HillFolder.create(home, f'sandbox = "trusted"\n{FILE}')
        sent = [hill.send(bot(home, name, build=lock), name, name) for name, lock in locks.items()]
        subprocess.run(["chmod", "-R", "a+rwX", home], check=True)

        def list_ends() -> list[tuple[SubmissionState, str]]:
            return [(now.state, now.why) for now in map(hill.now, sent)]

        with judge_as_another(home, build_user_prefix(*READS)):
            await_(lambda: {state for state, _ in list_ends()} <= {*ENDED})
        assert list_ends() == [(SubmissionState.ACCEPTED, "")] * 3


@pytest.mark.usefixtures("quick_checks")
def test_a_submission_that_the_host_fails_is_tried_again(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """However often the host fails, the author learns no more than that, and the log has the details."""
    hill = HillFolder.create(tmp_path)
    sent = hill.send(bot(tmp_path))
    upload = hill.uploads / f"{sent.sha256}.zip"
    data = upload.read_bytes()
    upload.write_bytes(b"")
    for tries in (1, 2):
        now = judge_submission(hill, sent)
        assert (now.state, now.why, now.tries) == (
            SubmissionState.QUEUED,
            HOST_PROBLEM_MESSAGE,
            tries,
        )
    assert "is not what was received" in capfd.readouterr().out
    upload.write_bytes(data)
    assert judge_submission(hill, sent).state is SubmissionState.ACCEPTED


@pytest.mark.usefixtures("quick_checks")
def test_a_damaged_upload_is_repaired_by_the_same_upload(tmp_path: Path) -> None:
    """Whoever sends the same files again while they wait has the hill store them anew."""
    hill = HillFolder.create(tmp_path)
    data = pack_bot(bot(tmp_path))
    author, intake = hill.author("ann"), SubmissionIntake(hill.hill, hill.store)
    sent = intake.submit(author, "mine", data).submission
    (hill.uploads / f"{sent.sha256}.zip").write_bytes(data[:-1])
    assert take_and_judge(hill, sent).state is SubmissionState.QUEUED
    assert not intake.submit(author, "mine", data).is_new
    assert judge_submission(hill, sent).state is SubmissionState.ACCEPTED


def test_a_bot_that_is_forgotten_before_its_trial_is_no_failure_of_the_host(tmp_path: Path) -> None:
    """A submission that was taken, and whose upload is deleted before it is read, stays withdrawn."""
    hill = HillFolder.create(tmp_path)
    sent = hill.send(bot(tmp_path))
    assert hill.store.queue.take()
    SubmissionIntake(hill.hill, hill.store).forget_bot("mine", "its author asks for it")
    with capture_logs() as logs:
        assert judge_submission(hill, sent).state is SubmissionState.WITHDRAWN
    assert [entry["event"] for entry in logs] == ["withdrawn"]


def test_nothing_is_judged_while_the_disk_is_full(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A submission whose trial cannot be begun is no failure, and waits until there is room."""
    hill, stopping, looks = HillFolder.create(tmp_path), Event(), []
    sent = hill.send(bot(tmp_path))
    monkeypatch.setattr(disk, "RESERVE_BYTES", 1 << 62)

    def beat() -> None:
        looks.append(hill.now(sent).state)
        if len(looks) == 3:
            stopping.set()

    require_sandbox()
    JudgeDaemon.of(hill.hill, hill.store, retry_seconds=0.0).run(stopping, beat)
    assert looks == [SubmissionState.QUEUED] * 3
    assert hill.now(sent).tries == 0


@pytest.mark.usefixtures("quick_checks")
def test_a_bot_that_is_withdrawn_during_its_trial_is_not_accepted(tmp_path: Path) -> None:
    """A bot that its author withdraws while it is judged stays withdrawn."""
    hill = HillFolder.create(tmp_path)
    sent = hill.send(bot(tmp_path))
    assert hill.store.queue.take()
    hill.store.host_actions.withdraw("mine", "")
    assert judge_submission(hill, sent).state is SubmissionState.WITHDRAWN
    assert not any(isinstance(command, EntryCommand) for command in hill.store.commands.fetch(0))
