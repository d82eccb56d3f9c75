"""Titles of entrants: tables call them so, while protocols and commands keep their names."""

from __future__ import annotations

from pathlib import Path

import pytest
from attrs import evolve

from arena.rules import UserError
from arena.tournament.commands import AliasCommand, EntryCommand
from arena.tournament.entries import Entry, State
from arena.tournament.file.reader import load
from arena.tournament.results.charts import render_heat_map, render_ratings
from arena.tournament.results.standings_tables import (
    build_duels_table,
    build_nash_table,
    build_overview,
    list_pairs,
)
from arena.tournament.results.summary import Summary
from arena.tournament.run.changes import EntrantChanges
from arena.tournament.run.tournament_run import TournamentRun
from arena.tournament.store import Store, StoredSettings
from arena.tournament.titles import Titles
from tests.support.programs import ECHO
from tests.support.tournaments.folders import (
    SHORT,
    list_matches,
    open_results,
    run_tournament,
    write_bot,
    write_tournament,
)

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("inline_workers")]
ZOE = "Zoë's <bot>"
TITLED = f'{SHORT}\n[[entrant]]\nbot = "careful"\ntitle = "{ZOE}"\n'


def list_titles(folder: Path, text: str, *bots: str) -> dict[str, str]:
    """Return the titles of all entrants by name, after a run."""
    tournament = write_tournament(folder, text, *bots)
    run_tournament(tournament)
    with open_results(tournament) as store:
        return {entry.name: entry.title for entry in store.entries.list_all()}


def test_tables_and_pictures_have_titles_and_matches_names(tmp_path: Path) -> None:
    """Tables and pictures show the names of entrants without titles."""
    tournament = write_tournament(tmp_path, TITLED, "random")
    run_tournament(tournament)
    with open_results(tournament) as store:
        summary, tables = Summary.of(store), build_overview(store, 80)
    tables += [build_duels_table(summary), build_nash_table(summary)]
    for table in tables:
        assert {cell for row in table.rows for cell in row} >= {ZOE, "random"}, table.title
    packed = {row.name: row.pack()["title"] for row in summary.standings}
    assert packed == {"careful": ZOE, "random": ""}
    assert {(pair.name, pair.title) for pair in list_pairs(summary)} == {*packed.items()}
    for svg in (
        render_heat_map("Who beats whom", "", summary),
        render_ratings(summary.standings, "kuhn", 6, 0.95, summary.unit),
    ):
        assert "Zoë&#39;s &lt;bot&gt;" in svg
        assert ">careful<" not in svg
    names = {seat["name"] for match in list_matches(tournament) for seat in match["seats"]}
    assert names == {"careful", "random"}


def test_a_title_may_change_between_runs(tmp_path: Path) -> None:
    """A tournament goes on with another title or none, as titles are not played."""
    assert list_titles(tmp_path, TITLED, "random") == {"careful": ZOE, "random": ""}
    other = TITLED.replace(ZOE, "deep-liar")
    assert list_titles(tmp_path, other, "random") == {"careful": "deep-liar", "random": ""}
    with pytest.raises(
        UserError, match="careful: the title 'RANDOM' looks like 'random'; change it"
    ):
        list_titles(tmp_path, TITLED.replace(ZOE, "RANDOM"), "random")
    none = TITLED.replace("title", "# title")
    assert list_titles(tmp_path, none, "random") == {"careful": "", "random": ""}


def test_a_bot_may_bring_its_title_and_the_file_has_the_last_word(tmp_path: Path) -> None:
    """A bot may have a title that protocols could not carry, and the file may override it."""
    folder = write_bot(tmp_path, "mine", ECHO)
    bot = folder / "bot.toml"
    bot.write_text(f'title = "deep-liar"\n{bot.read_text()}')
    gops = 'game = "gops"\nmatches = 2\ncheck = false\nworkers = 1\n'
    assert list_titles(tmp_path, gops, "mine", "random")["mine"] == "deep-liar"
    own = f'{gops}database = "b.db"\n[[entrant]]\nbot = "mine"\ntitle = "{ZOE}"\n'
    assert list_titles(tmp_path, own, "random")["mine"] == ZOE


def test_bots_of_one_kind_are_told_apart(tmp_path: Path) -> None:
    """The title belongs to the entrant that the file names, not to all with its bot."""
    text = f'{SHORT}\n[[entrant]]\nbot = "random"\ntitle = "{ZOE}"\n'
    found = list_titles(tmp_path, text, "other=random")
    assert found == {"random": ZOE, "other": ""}


def test_a_team_of_several_bots_has_a_title(tmp_path: Path) -> None:
    """A team of several bots is named after them, and may have a title."""
    text = 'game = "briscola"\ntable = 4\nmatches = 2\ncheck = false\nworkers = 1\n'
    text += f'[[entrant]]\nbots = ["counter", "random"]\ntitle = "{ZOE}"\n'
    assert sorted(list_titles(tmp_path, text, "random").values()) == ["", ZOE]


def test_a_wrong_bot_is_named_with_its_place(tmp_path: Path) -> None:
    """The error for an invalid bot names its place, also where there are titles."""
    with pytest.raises(UserError, match=r"^tournament.toml: entrant\[1\]: 'é' is not a valid name"):
        run_tournament(write_tournament(tmp_path, TITLED, "é=random"))


@pytest.mark.parametrize(
    ("title", "message"),
    [
        ("R\\u00e1nd0m.", "careful: the title 'Ránd0m.' looks like 'random'; change it"),
        ("\\u3164 \\u2800", "entrant[0]: title: '\\u3164 \\u2800' shows nothing; use letters"),
        ("a\\u202eb", "entrant[0]: title: 'a?b' begins or ends with a space, or contains control"),
        ("a\\u001bb", "entrant[0]: title: 'a?b' begins or ends with a space, or contains control"),
        (" a", "entrant[0]: title: ' a' begins or ends with a space, or contains control"),
        ("", "entrant[0]: title: 0 characters (1 to 40 are allowed)"),
        ("a" * 41, "entrant[0]: title: 41 characters (1 to 40 are allowed)"),
    ],
)
def test_what_no_title_can_be(tmp_path: Path, title: str, message: str) -> None:
    """A title is one line of text that cannot be taken for another entrant."""
    with pytest.raises(UserError) as problem:
        run_tournament(write_tournament(tmp_path, TITLED.replace(ZOE, title), "random"))
    assert message in str(problem.value)


def test_who_takes_the_title_or_name_of_another_is_shown_by_name(tmp_path: Path) -> None:
    """On a hill the first entrant keeps a title, and later ones are shown by name."""
    assert Titles({}, {"a": "B", "b": "x", "c": "X"}, "abc").find_alike() == {"a": "b", "c": "x"}
    path, entries = tmp_path / "hill.db", [Entry("a", "1", "a")]
    with Store.create(path, StoredSettings(), "", entries) as store:
        for number, (name, title) in enumerate([("b", "A"), ("c", "Ann"), ("d", "ann")], 1):
            late = Entry(name, "1", name, title=title)
            store.entries.carry_out(EntryCommand(number, late))
        assert [entry.label for entry in store.entries.list_all()] == ["a", "b", "Ann", "d"]
        store.entries.carry_out(EntryCommand(4, Entry("c", "2", "c")))  # which has none
        assert [entry.label for entry in store.entries.list_all()] == ["a", "b", "c", "ann", "c"]


def test_the_title_is_that_of_the_version_that_plays(tmp_path: Path) -> None:
    """A version that is unfit leaves the title as it is, and one that plays again brings its own."""
    first, second = Entry("a", "1", "a", title="Ann"), Entry("a", "2", "a", title="Bob")
    unfit = evolve(second, state=State.UNFIT)
    with Store.create(tmp_path / "hill.db", StoredSettings(), "", [Entry("b", "1", "b")]) as store:
        for number, (entry, title) in enumerate(
            [(unfit, ""), (first, "Ann"), (unfit, "Ann"), (second, "Bob"), (first, "Ann")], 1
        ):
            store.entries.carry_out(EntryCommand(number, entry))
            titles = {entry.title for entry in store.entries.list_all() if entry.name == "a"}
            assert titles == {title}, number


def test_a_version_that_the_host_puts_back_has_its_own_title(tmp_path: Path) -> None:
    """Who replaces a bot with an earlier version sees the title of that one."""
    folder = write_bot(tmp_path, "mine", ECHO)
    bot = folder / "bot.toml"
    text = bot.read_text()
    bot.write_text(f'title = "Ann"\n{text}')
    gops = 'game = "gops"\nmatches = 2\ncheck = false\nworkers = 1\n'
    assert list_titles(tmp_path, gops, "mine", "random")["mine"] == "Ann"
    tournament = load(tmp_path / "tournament.toml")
    changes = EntrantChanges(tournament)
    for title in ("Bob", "Ann"):
        bot.write_text(f'title = "{title}"\n{text}')
        changes.replace("mine", None)
        with open_results(tournament) as store:
            titles = {entry.title for entry in store.entries.list_all() if entry.name == "mine"}
        assert titles == {title}


LOOKALIKES = (
    "counter\ufe0f", "\N{CYRILLIC SMALL LETTER ES}ounter", "ｃｏｕｎｔｅｒ", "cou\u0301nter", "COUNTER.",
    "counter\u3164", "\u2800counter", "c-o u_nter", "c0unter", "cøunter", "counte\N{CYRILLIC SMALL LETTER GHE}",
)  # fmt: skip


@pytest.mark.parametrize("title", LOOKALIKES)
def test_a_title_that_looks_like_a_name_is_not_shown(title: str, tmp_path: Path) -> None:
    """A title that looks like a name or an alias is not shown, whatever its script and accents."""
    given = {"a": title, "b": "bot-7", "c": "赌徒", "d": "Счётчик", "e": "counter 🤖"}
    entries = [Entry(name, "1", name, title=text) for name, text in given.items()]
    entries.insert(0, Entry("counter", "1", "x"))
    path = tmp_path / "hill.db"
    with Store.create(path, StoredSettings(), "", entries) as store:
        store.entries.carry_out(AliasCommand(1, "counter", "bot_7"))
        shown = [entry.label for entry in store.entries.list_all()]
    assert shown == ["counter", "a", "b", "赌徒", "Счётчик", "counter 🤖"]


def test_titles_of_strangers_do_not_close_a_hill(tmp_path: Path) -> None:
    """Two titles that look alike are accepted at the same time, and the second is not shown."""
    spec = write_tournament(tmp_path, 'game = "kuhn"\n[hill]\n', "random")
    with TournamentRun.claim(spec) as run:
        store = run.store
        for number, name in enumerate(("a", "b"), 1):
            late = Entry(name, "1", name, title="Ann")
            store.entries.carry_out(EntryCommand(number, late))
    with TournamentRun.claim(spec) as run:
        store = run.store
        assert [entry.label for entry in store.entries.list_all()] == ["random", "Ann", "b"]


def test_who_is_hidden_has_no_title(tmp_path: Path) -> None:
    """A hidden entrant has no title, which may be the reason why it is hidden."""
    path, entries = tmp_path / "hill.db", [Entry("a", "1", "a", title="Ann")]
    with Store.create(path, StoredSettings(), "", entries) as store:
        store.entries.carry_out(AliasCommand(1, "a", "hidden_1"))
    with Store.open(path, write=False, aliased=True) as store:
        assert [(entry.name, entry.title) for entry in store.entries.list_all()] == [
            ("hidden_1", "")
        ]
        assert store.entrant_directory.label_name("a.2") == "hidden_1.2"
    with Store.open(path, write=False) as store:
        assert store.entrant_directory.label_name("a.2") == "Ann.2"
        assert [entry.label for entry in store.entries.list_all()] == ["Ann"]
