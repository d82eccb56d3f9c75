"""The hill stays open: entrants come late, change, and go; what was played stays."""

from __future__ import annotations

from collections import Counter
from contextlib import chdir
from pathlib import Path
from shutil import copytree

import pytest

from arena.rules import UserError
from arena.tournament.entries import State
from arena.tournament.file.reader import load
from arena.tournament.file.spec import TournamentSpec
from arena.tournament.run.changes import EntrantChanges
from arena.tournament.run.monitor import Monitor
from arena.tournament.run.tournament_run import run
from arena.tournament.store import Facts, Store
from tests.support.programs import ECHO, PYTHON
from tests.support.tournaments.folders import (
    SHORT,
    list_matches,
    list_states,
    run_tournament,
    write_bot,
    write_tournament,
)

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("inline_workers")]
ROUND = 'game = "gops"\nformat = "round-robin:rounds=2"\nseed = "1"\ncheck = false\nworkers = 1\n'
SHARED = 'game = "gops"\nmatches = 4\nseed = "1"\ncheck = false\nworkers = 1\n'


def count_meetings(program: TournamentSpec) -> Counter[tuple[str, ...]]:
    """Count the meetings of each two, by name and the first digits of the version."""
    return Counter(
        tuple(sorted(f"{seat['name']}@{seat['version']}" for seat in match["seats"]))
        for match in list_matches(program)
    )


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of a tournament of three that was played; one entrant is a folder."""
    folder = tmp_path_factory.mktemp("played")
    write_bot(folder, "mine", ECHO)
    with chdir(folder):
        run_tournament(write_tournament(folder, ROUND, "random", "match", "mine"))
    return folder


@pytest.fixture
def program(played: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> TournamentSpec:
    copytree(played, tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    return load(tmp_path / "tournament.toml")


def test_no_name_differs_from_another_in_case_only(program: TournamentSpec) -> None:
    """A name that differs from that of an entrant in case only is refused, also if that has left."""
    EntrantChanges(program).withdraw("match")
    with pytest.raises(UserError, match="MATCH and match, which has entered, differ in case only"):
        EntrantChanges(program).enter("MATCH=ordered")


def test_who_comes_late_plays_what_it_lacks(program: TournamentSpec) -> None:
    """A late entrant plays its share, and the others play nothing more among themselves."""
    before = count_meetings(program)
    late = EntrantChanges(program).enter("ordered")
    run_tournament(program)
    after = count_meetings(program) - before
    assert len(before) == len(after) == 3
    assert {*before.values()} == {*after.values()} == {2}
    assert all(late.id in pair for pair in after)


def test_a_new_version_is_somebody_new(program: TournamentSpec) -> None:
    """A new version begins without matches, and the old one keeps its own."""
    before = count_meetings(program)
    Path("mine/bot.py").write_text(f"{ECHO}\n")
    old, new = EntrantChanges(program).replace("mine", None)
    run_tournament(program)
    after = count_meetings(program)
    assert list_states(program)[old.id] == "replaced"
    assert {pair: after[pair] for pair in before} == before
    assert {*(after - before).values()} == {2}
    assert all(new.id in pair for pair in after - before)
    assert len(after - before) == 2


def test_an_older_version_may_come_back(program: TournamentSpec) -> None:
    """An older version comes back with the matches that it has played."""
    text = Path("mine/bot.py").read_text()
    Path("mine/bot.py").write_text(f"{text}\n")
    old, _ = EntrantChanges(program).replace("mine", None)
    Path("mine/bot.py").write_text(text)
    _, back = EntrantChanges(program).replace("mine", None)
    assert back.id == old.id
    assert sorted(list_states(program).values()) == ["active", "active", "active", "replaced"]
    assert run_tournament(program).records == []


def test_another_bot_may_take_a_name(program: TournamentSpec) -> None:
    """An entrant keeps its name with another bot, whatever that is called."""
    _, new = EntrantChanges(program).replace("mine", "easy")
    assert (new.name, new.bot) == ("mine", "easy")
    with pytest.raises(UserError, match="unknown entrant 'his'"):
        EntrantChanges(program).replace("his", "easy")


def test_what_has_not_changed_is_not_replaced(program: TournamentSpec) -> None:
    """Replacing an unchanged entrant is refused, and nothing happens."""
    before = list_states(program)
    with pytest.raises(UserError, match=r"mine has not changed: it is still version \w+"):
        EntrantChanges(program).replace("mine", None)
    assert list_states(program) == before


def test_who_is_withdrawn_plays_no_more(program: TournamentSpec) -> None:
    """The results of a withdrawn entrant stay, and nobody can be withdrawn twice."""
    gone = EntrantChanges(program).withdraw("mine")
    EntrantChanges(program).enter("ordered")
    before = count_meetings(program)
    run_tournament(program)
    assert not any(gone.id in pair for pair in count_meetings(program) - before)
    assert any(gone.id in pair for pair in before)
    with pytest.raises(UserError, match=r"unknown entrant 'mine' \(available: random, match, or"):
        EntrantChanges(program).withdraw("mine")


@pytest.mark.parametrize("state", [*State])
def test_whoever_is_in_sight_can_be_withdrawn(program: TournamentSpec, state: State) -> None:
    """An entrant that failed or waits can be withdrawn, and one that has left is unknown."""
    with Store.open(program.database) as store:
        store.claim()
        mine = next(entry for entry in store.entries.list_all() if entry.name == "mine")
        store.entries.set_state(mine.id, state)
    if state in (State.REPLACED, State.WITHDRAWN, State.ARCHIVED):
        with pytest.raises(UserError, match=r"unknown entrant 'mine' \(available: random, match\)"):
            EntrantChanges(program).withdraw("mine")
    else:
        assert EntrantChanges(program).withdraw("mine").id == mine.id
        assert list_states(program)[mine.id] == "withdrawn"


def test_who_was_withdrawn_is_let_in_again(program: TournamentSpec) -> None:
    """A withdrawn entrant comes back as the same version, which has played already."""
    gone = EntrantChanges(program).withdraw("mine")
    assert EntrantChanges(program).enter("mine").id == gone.id
    EntrantChanges(program).withdraw("mine")
    old, new = EntrantChanges(program).replace("mine", None)
    assert old.id == new.id
    assert {*list_states(program).values()} == {"active"}
    assert run_tournament(program).records == []


def test_who_was_unfit_comes_back_mended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The new version of an unfit entrant replaces the old one and plays."""
    monkeypatch.chdir(tmp_path)
    home = write_bot(tmp_path, "mine", ECHO, command="./made", build="false")
    program = write_tournament(tmp_path, ROUND, "random", "match", "mine")
    assert run_tournament(program).lines[0].startswith("mine is left out: ")
    text = (home / "bot.toml").read_text()
    (home / "bot.toml").write_text(
        text.replace("./made", f"{PYTHON[0]} bot.py").replace("false", "true")
    )
    EntrantChanges(program).replace("mine", None)
    assert len(run_tournament(program).records) == 4
    assert [*list_states(program).values()] == ["active", "active", "replaced", "active"]


@pytest.mark.parametrize("form", ["king-of-the-hill", "round-robin", "ladder"])
@pytest.mark.parametrize(("fit", "stored"), [(0, None), (1, None), (0, 0), (1, 1)])
def test_the_share_of_matches_counts_from_enough_entrants(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, form: str, fit: int, stored: int | None
) -> None:
    """A first run with too few fit entrants says so, and mended ones play the matches of the file."""
    monkeypatch.chdir(tmp_path)
    unfit = {"command": "./made", "build": "false"}
    homes = [
        write_bot(tmp_path, name, ECHO, **(unfit if number >= fit else {}))
        for number, name in enumerate(("mine", "yours"))
    ]
    program = write_tournament(tmp_path, f'{SHARED}format = "{form}"\n', "mine", "yours")
    for _ in range(2):
        with pytest.raises(UserError, match="a match needs 2 entrants, "):
            run(program, Monitor())
    if stored is not None:  # as earlier versions did
        with Store.open(program.database) as store:
            store.claim()
            store.facts.set(Facts.first_entrants, stored)
    for home in homes[fit:]:
        (home / "bot.toml").write_text(f'name = "{home.name}"\ncommand = "{PYTHON[0]} bot.py"\n')
        EntrantChanges(program).replace(home.name, None)
    assert len(run_tournament(program).records) == 4


def test_names_are_taken_once(program: TournamentSpec) -> None:
    """A bot with the name of an entrant needs another name."""
    with pytest.raises(UserError, match="mine has already entered; `arena tournament replace`"):
        EntrantChanges(program).enter("mine=ordered")
    with pytest.raises(UserError, match="random has already entered"):
        EntrantChanges(program).enter("random")
    assert EntrantChanges(program).enter("random_2=random").name == "random_2"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("rando", "unknown bot 'rando'; did you mean random?"),
        ("no name=random", "program 'no' not found"),
        ("./nothing", "./nothing: no such file"),
        ("x" * 300, "unknown bot"),
        (f"python3 -c '{'x' * 300}", "is not a command line: No closing quotation"),
        ("", "the command line is empty"),
        ("a\0b", "unknown bot"),
    ],
)
def test_what_cannot_enter(
    program: TournamentSpec, monkeypatch: pytest.MonkeyPatch, text: str, message: str
) -> None:
    """A bot that cannot enter is refused in one line, whatever the current folder is."""
    for folder in (program.home, program.home.parent):
        monkeypatch.chdir(folder)
        with pytest.raises(UserError, match=message.replace("?", r"\?")):
            EntrantChanges(program).enter(text)
    assert len(list_states(program)) == 3


def test_bots_are_named_from_where_one_stands(
    tmp_path: Path, program: TournamentSpec, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Paths are relative to the current folder, and are stored relative to the file."""
    away = tmp_path / "away from home"
    write_bot(away, "folder", ECHO)
    (away / "file.py").write_text(ECHO)
    (away / "easy").mkdir()  # which does not hide the bot of this name
    monkeypatch.chdir(away)
    texts = ["folder", "a=file.py", f"b={PYTHON[0]} file.py", "easy", "c=program:easy"]
    assert [EntrantChanges(program).enter(text).bot for text in texts] == [
        "away from home/folder",
        "away from home/file.py",
        f"{PYTHON[0]} 'away from home/file.py'",
        "easy",
        "program:easy",
    ]
    for name in ("random", "match", "mine", "c"):  # so that those with files play, and `easy`
        EntrantChanges(program).withdraw(name)
    assert run_tournament(program).lines == []


def test_nothing_is_changed_before_the_beginning(tmp_path: Path) -> None:
    """Before the first run entrants are added to the file."""
    program = write_tournament(tmp_path, SHORT, "random", "careful")
    changes = EntrantChanges(program)
    for change in (changes.enter, changes.withdraw):
        with pytest.raises(
            UserError, match=r"tournament\.db does not exist yet; before the first run"
        ):
            change("random")


def test_nothing_is_changed_while_a_run_goes_on(program: TournamentSpec) -> None:
    """A change during a run is refused, and does not disturb the run."""
    with Store.open(program.database) as store:
        store.claim()
        for change in (
            lambda: EntrantChanges(program).enter("easy"),
            lambda: EntrantChanges(program).replace("mine", "easy"),
            lambda: EntrantChanges(program).withdraw("mine"),
            lambda: run_tournament(program),
        ):
            with pytest.raises(UserError, match="another run is using it; stop that run first"):
                change()
    assert {*list_states(program).values()} == {"active"}
