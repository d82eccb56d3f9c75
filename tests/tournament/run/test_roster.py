"""Who enters, in which version: a hash of what it is made of, and a copy that stays as it is."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest
from attrs import evolve

from arena.host import BotError, MachineError
from arena.rules import UserError
from arena.tournament.bots.hashes import hash_folder
from arena.tournament.bots.seatable_entrants import work_in
from arena.tournament.bots.versions import BotVersions
from arena.tournament.file.contents import EntrantConfig
from arena.tournament.run.changes import EntrantChanges
from arena.tournament.run.roster import EntrantsError, Roster
from arena_gops import GAME
from tests.support.programs import ECHO, PYTHON
from tests.support.tournaments.folders import (
    list_matches,
    list_states,
    run_tournament,
    write_bot,
    write_tournament,
)

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("inline_workers")]
GOPS = 'game = "gops"\nmatches = 2\ncheck = false\nworkers = 1\n'


@pytest.fixture
def versions(tmp_path: Path) -> BotVersions:
    return BotVersions(GAME, tmp_path, tmp_path / "tournament.arena" / "bots")


def open_roster(tmp_path: Path, *lines: EntrantConfig) -> Roster:
    """Return the roster of a file with these entrants."""
    spec = write_tournament(tmp_path, GOPS, "random")
    return Roster(evolve(spec, file=evolve(spec.file, entrant=lines)))


def list_wrong(tmp_path: Path, *lines: EntrantConfig) -> list[str]:
    """Return what is wrong with these entrants of a file."""
    with pytest.raises(EntrantsError) as problem:
        open_roster(tmp_path, *lines).read()
    return [line.removeprefix("tournament.toml: ") for line in str(problem.value).split("\n")]


def edit_bot(home: Path) -> None:
    (home / "bot.py").write_text("else")


@pytest.mark.parametrize(
    ("change", "differs"),
    [
        ("echo else > bot.py", True),
        ("mv data date", True),
        ("chmod 755 data", True),
        ("ln -sf bot.toml link", True),
        ("ln -sf bot.py data", True),
        ("true", False),
        ("mkdir __pycache__ .git && touch __pycache__/bot.pyc .git/HEAD", False),
        ("touch -d @0 data", False),
    ],
)
def test_a_version_is_what_a_folder_holds(tmp_path: Path, change: str, differs: bool) -> None:
    """A version depends on contents, names, executable files and links, and not on dates or caches."""
    home = write_bot(tmp_path, "mine", ECHO)
    (home / "data").write_text("data")
    (home / "link").symlink_to("bot.py")
    before = hash_folder(home)
    subprocess.run(["sh", "-c", change], cwd=home, check=True)
    assert (hash_folder(home) != before) is differs


def test_a_link_without_an_end_is_no_matter(versions: BotVersions, tmp_path: Path) -> None:
    """A broken link, or one to a folder above, is copied as it is."""
    home = write_bot(tmp_path, "mine", ECHO)
    (home / "nowhere").symlink_to("nothing")
    (home / "up").symlink_to("..")
    copy = versions.bots / versions.read_entry("mine").version
    assert (copy / "nowhere").readlink() == Path("nothing")
    assert (copy / "up").readlink() == Path("..")


def test_half_a_copy_goes_with_the_next_run(tmp_path: Path) -> None:
    """A run removes the half copy that a killed one has left."""
    write_bot(tmp_path, "mine", ECHO)
    spec = write_tournament(tmp_path, GOPS, "mine", "random")
    half = tmp_path / "tournament.arena/bots/.fresh-half"
    half.mkdir(parents=True)
    (half / "data").touch()
    run_tournament(spec)
    assert not half.exists()
    assert len([*half.parent.glob("*/bot.toml")]) == 1


def test_what_cannot_be_copied_is_refused(versions: BotVersions, tmp_path: Path) -> None:
    """A pipe in a folder holds nobody up, and no half copy is left."""
    os.mkfifo(write_bot(tmp_path, "mine", ECHO) / "pipe")
    with pytest.raises(BotError, match="pipe is neither a file nor a folder"):
        versions.read_entry("mine")
    assert [*versions.bots.iterdir()] == []


def test_where_no_copy_can_be_made(versions: BotVersions, tmp_path: Path) -> None:
    """The error for a copy that cannot be made is one line, and does not blame the bot."""
    write_bot(tmp_path, "mine", ECHO)
    (tmp_path / "tournament.arena").write_text("a file is in the way")
    with pytest.raises(MachineError, match=r"mine cannot be copied to .*bots: NotADirecto"):
        versions.read_entry("mine")


def test_a_command_is_hashed_with_the_files_that_it_names(
    versions: BotVersions, tmp_path: Path
) -> None:
    """A version depends on the program, its data and the command line."""
    (tmp_path / "mine.py").write_text(ECHO)
    (tmp_path / "data").write_text("1")
    command = f"{PYTHON[0]} mine.py data"
    first = versions.read_entry(command)
    assert versions.read_entry(command).version == first.version
    assert versions.read_entry(f"{command} --fast").version != first.version
    assert versions.read_entry(f"json:{command}").version != first.version
    (tmp_path / "data").write_text("2")
    assert versions.read_entry(command).version != first.version


def test_bundled_bots_differ_by_their_parameters(versions: BotVersions) -> None:
    """A bundled bot is another version with other parameters, or as a program."""
    bots = ["ordered", "ordered:start=7", "program:ordered"]
    assert len({versions.read_entry(text).version for text in bots}) == 3


def test_a_folder_that_is_a_bot_itself(tmp_path: Path) -> None:
    """The error for a folder that is a bot says how to enter it."""
    write_bot(tmp_path / "bots", "mine", ECHO)
    assert list_wrong(tmp_path, EntrantConfig(folder="bots/mine")) == [
        'entrant[0]: bots/mine is itself a bot; write bot = "bots/mine"'
    ]


def test_every_broken_bot_of_a_folder_is_said(tmp_path: Path) -> None:
    """Each broken bot of a folder gets a line, and the others none."""
    for name in ("a", "b", "c"):
        write_bot(tmp_path / "bots", name, ECHO)
    for name in ("a", "b"):
        (tmp_path / "bots" / name / "bot.toml").write_text("name = 5")
    wrong = list_wrong(tmp_path, EntrantConfig(folder="bots"))
    assert [line.split(": ")[1] for line in wrong] == ["bots/a/bot.toml", "bots/b/bot.toml"]


def test_what_a_folder_of_entrants_holds_besides_is_said(tmp_path: Path) -> None:
    """Each run names the items of a folder that do not take part, and bots that are new."""
    write_bot(tmp_path / "bots", "mine", ECHO)
    (tmp_path / "bots/notes").mkdir()
    (tmp_path / "bots/README").write_text("")
    (tmp_path / "bots/.git").mkdir()
    text = GOPS + '[[entrant]]\nfolder = "bots"\n[[entrant]]\nbot = "random"\n'
    others = [
        f"bots/{name} does not take part: it is not a folder with a bot.toml"
        for name in ("README", "notes")
    ]
    assert run_tournament(write_tournament(tmp_path, text)).lines == others
    write_bot(tmp_path / "bots", "late", ECHO)
    (write_bot(tmp_path / "bots", "later", ECHO) / "bot.toml").write_text("name = 5")
    new = [
        f"bots/{name} does not take part: it is new (`arena tournament add` enters it)"
        for name in ("late", "later")
    ]
    program = write_tournament(tmp_path, text.replace("2", "4", 1))
    assert run_tournament(program).lines == [others[0], *new, others[1]]
    EntrantChanges(program).enter(str(tmp_path / "bots/late"))
    assert run_tournament(program).lines == [others[0], new[1], others[1]]


def test_an_untrusted_entrant_is_no_link(tmp_path: Path) -> None:
    """A symbolic link in a folder of untrusted entrants does not enter."""
    write_bot(tmp_path / "bots", "mine")
    (tmp_path / "bots/link").symlink_to(write_bot(tmp_path, "else"))
    for untrusted, names in ((False, ["else", "mine"]), (True, ["mine"])):
        roster = open_roster(tmp_path, EntrantConfig(folder="bots", untrusted=untrusted))
        entries = roster.read()
        assert [entry.name for entry in entries] == names
    assert [*roster.explain_absences(entries)] == [
        "bots/link does not take part: an untrusted bot may not be a symbolic link"
    ]


def test_no_name_of_a_folder_begins_another_line(tmp_path: Path) -> None:
    """The error of an entrant is one line, whatever its folder is called."""
    for number in range(2):
        home = tmp_path / "bots" / f"{number}\narena: all is well"
        home.mkdir(parents=True)
        (home / "bot.toml").write_text('name = "mine"\ncommand = "true"')
    (tmp_path / "bots/2\narena: all is well").mkdir()
    (tmp_path / "bots/2\narena: all is well/bot.toml").write_text("")
    wrong = list_wrong(tmp_path, EntrantConfig(folder="bots"))
    assert len(wrong) == 2
    assert all(line.isprintable() for line in wrong)


def test_of_very_many_things_the_first_are_said(tmp_path: Path) -> None:
    """Of very many items the first are listed, and the rest are counted."""
    write_bot(tmp_path / "bots", "mine", ECHO)
    for number in range(30):
        (tmp_path / "bots" / str(number)).write_text("")
    roster = open_roster(tmp_path, EntrantConfig(folder="bots"))
    said = [*roster.explain_absences(roster.read())]
    assert len(said) == 21
    assert said[-1] == "10 more in bots do not take part either"


def test_all_that_is_wrong_with_entrants_is_said(tmp_path: Path) -> None:
    """Each mistake gets a line with the number of the entrant in the file."""
    write_bot(tmp_path, "mine", ECHO)
    (tmp_path / "empty").mkdir()
    texts = ["rando", "mine", "empty", "", "python3 'x", "mine", "ordered:start=x", "a\0b"]
    lines = [
        *map(EntrantConfig, texts),
        EntrantConfig(folder="empty"),
        EntrantConfig(folder="nothing"),
    ]
    wrong = list_wrong(tmp_path, *lines)
    said = [
        "entrant[0]: unknown bot 'rando'; did you mean random?",
        "entrant[2]: empty: this folder has no bot.toml",
        "entrant[3]: the command line is empty",
        'entrant[4]: "python3 \'x" is not a command line: No closing quotation',
        "entrant[6]: bot ordered:start=x: start: 'x' is not a whole number",
        "entrant[7]: unknown bot 'a\\x00b'",
        "entrant[8]: empty contains no folder with a bot.toml",
        "entrant[9]: nothing contains no folder with a bot.toml",
        "entrant: 2 are called mine (mine, mine); give each its own name",
    ]
    assert len(wrong) == len(said)
    assert [line[: len(text)] for line, text in zip(wrong, said, strict=True)] == said


def test_names_that_differ_in_case_only_are_refused(tmp_path: Path) -> None:
    """Names that differ in case only are refused, as readers would confuse them."""
    program = write_tournament(tmp_path, GOPS, "Ann=random", "ANN=match", "ann=match")
    with pytest.raises(UserError, match=r"Ann, ANN and ann differ in case only \(random, match"):
        run_tournament(program)


def test_nothing_is_begun_with_wrong_entrants(tmp_path: Path) -> None:
    """No database is created for wrong entrants, so that the file can be fixed."""
    program = write_tournament(tmp_path, GOPS, "random", "random")
    with pytest.raises(UserError, match="2 are called random"):
        run_tournament(program)
    assert not (tmp_path / "tournament.db").exists()


def test_a_copy_stays_while_its_owner_works_on(tmp_path: Path) -> None:
    """A tournament goes on with the version that entered, and says that its folder has changed."""
    home = write_bot(tmp_path, "mine", ECHO)
    run_tournament(write_tournament(tmp_path, GOPS, "random", "mine"))
    edit_bot(home)
    said = run_tournament(write_tournament(tmp_path, GOPS.replace("2", "4"), "random", "mine"))
    assert [line for line in said.lines if line.startswith("mine has changed; version ")]
    assert all(seat["verdict"] is None for done in list_matches(write_tournament(tmp_path, GOPS, "random", "mine"))
               for seat in done["seats"])  # fmt: skip
    shutil.rmtree(home)
    assert (
        run_tournament(write_tournament(tmp_path, GOPS.replace("2", "4"), "random", "mine")).lines
        == []
    )


def test_a_copy_is_handed_over(versions: BotVersions, tmp_path: Path) -> None:
    """A built copy moves to another folder of copies, unless that has a different one of its version."""
    home, other = (write_bot(tmp_path, name, build="touch made") for name in ("one", "other"))
    for _ in range(2):
        apart = BotVersions(versions.game, tmp_path, tmp_path / "apart" / "bots")
        entry = apart.read_entry(str(home))
        (apart.build(entry) / "note").touch()
        apart.move_copy(entry, home, versions)
        assert (versions.bots / entry.version / "made").exists()
        assert not versions.needs_build(entry)
    with pytest.raises(BotError, match=f"another bot has the same version, {entry.version}"):
        apart.move_copy(entry, other, versions)


def test_a_copy_that_is_lost_is_made_anew(tmp_path: Path) -> None:
    """A lost copy is made again from an unchanged folder; otherwise its entrant is left out."""
    home = write_bot(tmp_path, "mine", ECHO, build="touch built")
    program = write_tournament(tmp_path, GOPS, "random", "mine", other="match")
    run_tournament(program)
    (copy,) = (path for path in (tmp_path / "tournament.arena/bots").iterdir() if path.is_dir())
    shutil.rmtree(copy)
    run_tournament(
        write_tournament(tmp_path, GOPS.replace("2", "4"), "random", "mine", other="match")
    )
    assert (copy / "built").exists()
    assert not (home / "built").exists()
    shutil.rmtree(tmp_path / "tournament.arena")
    edit_bot(home)
    assert "mine has changed since it entered" in run_tournament(program).lines[0]


def test_a_bot_that_is_yet_to_be_built_enters(tmp_path: Path) -> None:
    """A bot is built in its copy, once, before its first match; its own folder stays as it is."""
    home = write_bot(tmp_path, "mine", ECHO, build="sh make.sh", command="./made")
    make = f"echo once >> log; echo '#!{PYTHON[0]}' > made; cat bot.py >> made; chmod +x made"
    (home / "make.sh").write_text(make)
    program = write_tournament(tmp_path, GOPS, "random", "mine")
    assert len(run_tournament(program).records) == 2
    run_tournament(write_tournament(tmp_path, GOPS.replace("2", "4"), "random", "mine"))
    (log,) = (tmp_path / "tournament.arena/bots").glob("*/log")
    assert log.read_text() == "once\n"
    assert not (home / "made").exists()


@pytest.mark.parametrize(
    ("build", "command", "said"),
    [
        ("false", "./made", "build 'false' failed: exit status 1"),
        ("no-such-compiler", "./made", "no-such-compiler"),
        ("true", "./made", "program './made' not found"),
    ],
)
def test_a_bot_that_cannot_be_built_is_left_out(
    tmp_path: Path, build: str, command: str, said: str
) -> None:
    """The others play without an unfit entrant, and a message says how that comes back."""
    write_bot(tmp_path, "mine", build=build, command=command)
    program = write_tournament(tmp_path, GOPS, "random", "match", "mine")
    (line,) = run_tournament(program).lines
    assert line.startswith("mine is left out: ")
    assert said in line
    assert "run `arena tournament replace` to let it in" in line
    assert [*list_states(program).values()] == ["active", "active", "unfit"]
    assert run_tournament(program).lines == []


def test_who_is_unfit_may_stop_the_tournament(tmp_path: Path) -> None:
    """With `unfit = "stop"` nobody plays, and all unfit entrants are named."""
    for name in ("one", "two"):
        write_bot(tmp_path, name, build="false", command="./made")
    program = write_tournament(tmp_path, GOPS + 'unfit = "stop"\n', "random", "one", "two")
    with pytest.raises(UserError, match=r"one: .*\ntwo: "):
        run_tournament(program)
    assert list_matches(program) == []
    assert set(list_states(program).values()) == {"active"}


def test_a_hill_refuses_bots_that_search(tmp_path: Path) -> None:
    """A bot that searches cannot play on a hill, as submissions cannot have what it is given."""
    head = GOPS.replace("matches = 2\n", "") + 'format = "ladder"\nunfit = "stop"\n[hill]\n'
    program = write_tournament(tmp_path, head, "random", "search")
    with pytest.raises(UserError, match=r"^search: search cannot play on a hill: it searches "):
        run_tournament(program)


def test_a_folder_that_cannot_be_entered_again_is_left(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A command works though its working folder cannot be entered again, as with sudo."""
    begun = tmp_path / "begun"
    begun.mkdir()
    monkeypatch.chdir(begun)
    with work_in(tmp_path):
        begun.rmdir()
    assert Path.cwd() == tmp_path
