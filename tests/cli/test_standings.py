"""`arena standings` in all its forms, and whom its ratings leave out."""

from __future__ import annotations

import csv
import io
import json
import re
from html.parser import HTMLParser
from itertools import combinations
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import numpy as np
import pytest
from attrs import evolve
from rich.console import Console

from arena.tournament.deals import Deal
from arena.tournament.entries import Entry, State, get_name, get_version
from arena.tournament.ratings import BradleyTerry
from arena.tournament.ratings.rating_input import Results
from arena.tournament.results import standings_tables
from arena.tournament.results.charts import choose_scale
from arena.tournament.results.stored_ratings import MIN_FAIR_MATCHES, RatingBasis
from arena.tournament.results.summary import Summary
from arena.tournament.store import EntrantTotals, Facts, Store, StoredSettings
from tests.support.command import Cli
from tests.support.tournaments import stored_matches as stored
from tests.support.tournaments.random_results import build_results

pytestmark = pytest.mark.slow

SETTINGS = StoredSettings("kuhn", "round-robin")
EVIL = '=1+1|<b>&"]\x1b[31m\u202e`*'
SVG = "{http://www.w3.org/2000/svg}"


def create_store(path: Path, *deals: tuple[str, str], names: str = "abc") -> Store:
    """Make a tournament of these; of each pair the first has won, but each fifth time.

    Who is written large fails.
    """
    some = {name: Entry(name, "v", name) for name in names}
    store = Store.create(path, SETTINGS, "s", some.values())
    store.facts.set(Facts.level, 0.95)
    _play(store, some, deals)
    return store


def _play(store: Store, some: dict[str, Entry], deals: tuple[tuple[str, str], ...]) -> None:
    seated = [tuple(some[name.lower()].id for name in pair) for pair in deals]
    store.deals.plan([Deal(number, seats, 1) for number, seats in enumerate(seated)])
    for number, seats in enumerate(seated):
        failed = {seat: stored.TIMEOUT for seat, name in enumerate(deals[number]) if name.isupper()}
        upset = number % 5 == 0 and not failed
        places = (2, 1) if upset else (1, 2)
        store.matches.record(
            stored.build_result(number, seats=seats, places=places, verdicts=failed)
        )


FIELD = (("a", "b"), ("b", "c"), ("a", "c")) * 20
"""Three who played each other often."""


def by_name(path: Path) -> dict[str, Any]:
    with Store.open(path, write=False) as store:
        return {row.entry.name: row for row in Summary.of(store).standings}


def test_who_has_left_is_listed_on_request(tmp_path: Path, cli: Cli) -> None:
    """In every format; else a line says how many there are, and places are of those present."""
    path = tmp_path / "t.db"
    with create_store(path, *FIELD) as store:
        store.entries.set_state("a@v", State.WITHDRAWN)
    usual, whole = (cli("standings", path, *more).stdout for more in ((), ("--all",)))
    assert "1 version that has left: see --all." in usual
    assert "see --all" not in whole
    assert "a (withdrawn)" not in usual
    assert "a (withdrawn)" in whole
    assert len(cli("standings", path, "--format", "csv").stdout.splitlines()) == 3
    packed = [
        [json.loads(line) for line in cli("standings", path, "--json", *more).stdout.splitlines()]
        for more in ((), ("--all",))
    ]
    assert [(row["name"], row["place"], row["left"]) for row in packed[1]] == [
        ("b", 1, False), ("c", 2, False), ("a", 3, True),
    ]  # fmt: skip
    assert packed[0] == packed[1][:2]


def aside(path: Path, *deals: tuple[str, str]) -> dict[str, Any]:
    """Return how all stand where x has been set aside."""
    with create_store(path, *FIELD, *deals, names="abcx") as store:
        store.entries.set_state("x@v", State.ASIDE, "5 verdicts in a row")
    with Store.open(path, write=False) as store:
        return {row.entry.name: row for row in Summary.of(store).standings}


@pytest.mark.parametrize("failed", [5, 40])
def test_who_is_set_aside_early_shifts_nobody(tmp_path: Path, failed: int) -> None:
    """Its seats count as empty: the others' ratings are what they were, and it has none."""
    before = aside(tmp_path / "without.db")
    after = aside(
        tmp_path / "with.db", *[("b", "x")] * (MIN_FAIR_MATCHES - 1), *[("a", "X")] * failed
    )
    for name in "abc":
        assert after[name].rating == before[name].rating
    assert not after["x"].has_rating
    assert after["x"].matches == MIN_FAIR_MATCHES - 1 + failed
    assert after["x"].pack()["rating"] is None


def test_who_is_set_aside_late_is_rated_but_off_the_scale(tmp_path: Path) -> None:
    """Its matches without a verdict are enough for a rating, which flattens no other's bar."""
    found = aside(tmp_path / "cup.db", *[("a", "x")] * MIN_FAIR_MATCHES, *[("a", "X")] * 200)
    assert found["x"].has_rating
    low, high = standings_tables.find_span([*found.values()])
    assert (low, high) == (
        min(found[name].rating.low for name in "abc"),
        max(found[name].rating.high for name in "abc"),
    )
    assert found["x"].rating.value < low
    headings = [column.heading for column in standings_tables.COLUMNS]
    rows = standings_tables.build_standings_table(
        [*found.values()], standings_tables.MIN_PICTURE_WIDTH
    ).rows
    bars = {row[1]: row[headings.index(standings_tables.PICTURE)] for row in rows}
    assert "●" in bars["a"]
    assert bars["x (set aside)"] == ""


@pytest.mark.parametrize("width", [40, 50, 60, 80, 120])
def test_a_narrow_terminal_names_everybody(tmp_path: Path, width: int) -> None:
    """Where not all figures have room, the last of them give way: no line and no name is cut."""
    with create_store(tmp_path / "a.db", *FIELD) as store:
        found = standings_tables.build_standings_table(Summary.of(store).standings, width)
    console = Console(file=io.StringIO(), width=width)
    with console.capture() as said:
        console.print(found)
    heading, *rows = [line.split("│") for line in said.get().splitlines() if line[0] in "┃│"]
    assert [row[2].strip() for row in rows] == [*"abc"]
    assert [row[3].strip() for row in rows] == [row[2] for row in found.rows]
    assert ("matches" in heading[0]) == (width >= 80)


def test_it_is_said_who_is_left_out(quick: Cli, tmp_path: Path) -> None:
    """Below the table, with the matches that it had."""
    aside(tmp_path / "cup.db", *[("a", "X")] * 5)
    said = quick("standings", "cup.db").stdout
    assert "x was set aside after 5 matches and is not rated." in said


def test_nash_gives_nothing_to_who_has_not_played(quick: Cli, tmp_path: Path) -> None:
    """It has no line there, the weights of the others are one, and it is said."""
    with create_store(tmp_path / "cup.db", *FIELD, names="abcz"):
        pass
    said = quick("standings", "cup.db", "--nash").stdout
    table = said.partition("Nash averaging")[2]
    weights = re.findall(r"│ (\w) +│ +([\d.]+) │", table)
    assert {name for name, _ in weights} == set("abc")
    assert sum(float(weight) for _, weight in weights) == pytest.approx(1, abs=0.002)
    assert "Not ranked, because they have no matches: z." in said
    assert "Without matches" not in quick("standings", "cup.db").stdout


@pytest.fixture
def evil(tmp_path: Path) -> str:
    """Return a tournament in which a name is meant to do harm."""
    some = {"e": Entry(EVIL, "v", "e"), "b": Entry("good", "v", "b")}
    path = tmp_path / "evil.db"
    with Store.create(path, SETTINGS, "s", some.values()) as store:
        store.facts.set(Facts.level, 0.95)
        _play(store, some, (("e", "b"),) * 7)
    return "evil.db"


@pytest.mark.parametrize("form", ["table", "markdown", "html", "csv", "svg"])
@pytest.mark.parametrize("more", [(), ("--head-to-head",)])
def test_no_form_passes_a_strangers_markup_on(
    quick: Cli, evil: str, form: str, more: tuple[str, ...]
) -> None:
    """Nothing moves a cursor or turns text round, whatever the form."""
    done = quick("standings", evil, "--format", form, *more)
    assert done.returncode == 0
    assert "\x1b" not in done.stdout
    assert "\u202e" not in done.stdout
    assert "good" in done.stdout


def test_a_name_is_a_cell_in_markdown(quick: Cli, evil: str) -> None:
    """Its bars do not end the cell, and its stars mark nothing."""
    lines = quick("standings", evil, "--format", "markdown").stdout.splitlines()
    cells = [re.split(r"(?<!\\)\|", line) for line in lines if line.startswith("|")]
    assert {len(row) for row in cells} == {len(cells[0])}
    assert r" =1+1\|\<b\>\&" in "\n".join(lines)
    assert lines[1].startswith("| ---: | --- | ---: |")


class _Tags(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.text = ""

    def handle_starttag(self, tag: str, attrs: object) -> None:
        self.tags.add(tag)

    def handle_data(self, data: str) -> None:
        self.text += data


def test_a_name_is_text_in_html(quick: Cli, evil: str) -> None:
    """No tag comes from it."""
    found = _Tags()
    found.feed(quick("standings", evil, "--format", "html", "--head-to-head").stdout)
    assert found.tags == {"table", "caption", "thead", "tbody", "tr", "th", "td", "p"}
    assert '=1+1|<b>&"]?[31m?`*' in found.text


@pytest.mark.parametrize("more", [(), ("--head-to-head",)])
def test_no_cell_is_a_formula(quick: Cli, evil: str, more: tuple[str, ...]) -> None:
    """What a spreadsheet would compute begins with a quotation mark; figures stay figures."""
    said = quick("standings", evil, "--format", "csv", *more).stdout
    rows = [*csv.DictReader(io.StringIO(said))]
    names = {row["name"] for row in rows}
    assert names == {"good", "'=1+1|<b>&\"]?[31m?`*"}
    if not more:
        assert float({row["name"]: row for row in rows}["good"]["rating"]) < 0


def drawn(svg: str) -> ET.Element:
    return ET.fromstring(svg)  # noqa: S314  # the arena has written it


def texts(svg: str) -> list[str]:
    """Read a picture as XML; return its texts, in their order."""
    return [element.text or "" for element in drawn(svg).iter(f"{SVG}text")]


def test_the_picture_shows_all_with_their_intervals(quick: Cli, tmp_path: Path) -> None:
    """A dot and a line for each who is on the scale, in order, within the picture."""
    with create_store(tmp_path / "cup.db", *FIELD, *[("a", "X")] * 5, names="abcx") as store:
        store.entries.set_state("x@v", State.ASIDE, "5 verdicts in a row")
    svg = quick("standings", "cup.db", "--format", "svg").stdout
    shown = [text for text in texts(svg) if text in {"a", "b", "c", "x (set aside)"}]
    assert shown == ["a", "b", "c", "x (set aside)"]
    root = drawn(svg)
    dots = [float(element.attrib["cx"]) for element in root.iter(f"{SVG}circle")]
    assert len(dots) == 3
    assert dots == sorted(dots, reverse=True)
    lines = [
        element for element in root.iter(f"{SVG}line") if "interval" in element.attrib["class"]
    ]
    for dot, line in zip(dots, lines, strict=True):
        low, high = float(line.attrib["x1"]), float(line.attrib["x2"])
        assert 0 < low < dot < high < float(root.attrib["width"])
    assert "prefers-color-scheme: dark" in svg


def test_the_heat_map_says_who_beats_whom(quick: Cli, tmp_path: Path) -> None:
    """A cell for each two who met, coloured by who is ahead."""
    with create_store(tmp_path / "cup.db", *FIELD, ("c", "d"), ("c", "d"), names="abcd"):
        pass
    root = drawn(quick("standings", "cup.db", "--head-to-head", "--format", "svg").stdout)
    branches = {
        title.text: rect.attrib["class"]
        for rect in root.iter(f"{SVG}rect")
        for title in rect.iter(f"{SVG}title")
    }
    assert branches["a ahead of b: 20 matches"] == "ahead"
    assert branches["b ahead of a: 20 matches"] == "behind"
    assert len(branches) == 8  # of twelve: a and b never met d


def test_a_picture_of_nothing(quick: Cli, tmp_path: Path) -> None:
    """Before the first match there is a page, and nobody on it has a rating."""
    with create_store(tmp_path / "cup.db"):
        pass
    for more in ((), ("--head-to-head",)):
        done = quick("standings", "cup.db", "--format", "svg", *more)
        assert done.returncode == 0
        assert drawn(done.stdout).tag == f"{SVG}svg"


@pytest.mark.parametrize("span", [(0.0, 0.0), (-0.4, 0.3), (-138.0, 343.0), (-9e9, 1.0)])
def test_a_scale_holds_its_ends(span: tuple[float, float]) -> None:
    """With a few round marks from end to end, whatever it has to show."""
    low, high, ticks = choose_scale(*span)
    assert low <= span[0] <= span[1] <= high
    assert low < high
    assert [low, high] == [ticks[0], ticks[-1]]
    assert len(ticks) < 12


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("--json --format csv", "--json and --format cannot be combined"),
        ("--format svg --nash", "--format svg cannot show --nash and --evenness"),
        ("--format csv --evenness", "--format csv cannot show --nash and --evenness"),
        ("--anchor d=0", "unknown entrant 'd' (available: a, b, c)"),
        ("--anchor a=inf", "--anchor: 'a=inf' is not NAME = RATING, such as 'random = 0'"),
        ("--format png", "'png' is not one of table, markdown, html, csv, svg"),
    ],
)
def test_what_cannot_be(quick: Cli, tmp_path: Path, words: str, said: str) -> None:
    """It is said in one line, with exit status 2."""
    with create_store(tmp_path / "cup.db"):
        pass
    done = quick("standings", "cup.db", *words.split())
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert said in done.stderr


def test_json_says_what_nobody_knows(quick: Cli, tmp_path: Path) -> None:
    """Who has no matches has no rating, rather than the mean."""
    with create_store(tmp_path / "cup.db", *FIELD, names="abcz"):
        pass
    found = [
        json.loads(line) for line in quick("standings", "cup.db", "--json").stdout.splitlines()
    ]
    (last,) = [row for row in found if row["name"] == "z"]
    assert (last["rating"], last["low"], last["high"], last["matches"]) == (None, None, None, 0)


@pytest.mark.parametrize("form", ["csv", "jsonl"])
def test_an_export_is_rated_as_its_tournament(quick: Cli, tmp_path: Path, form: str) -> None:
    """With verdicts, versions, and what deals have in common."""
    with create_store(tmp_path / "cup.db", *FIELD, *[("a", "C")] * 3):
        pass
    quick("export", "cup.db", "--format", form, "--out", f"cup.{form}")
    for more in (
        [],
        ["--head-to-head", "--nash"],
        ["--json"],
        ["--anchor", "b = 1234.5678", "--json"],
    ):
        told = quick("standings", f"cup.{form}", *more)
        assert (told.returncode, told.stdout) == (0, quick("standings", "cup.db", *more).stdout)
    (row,) = [row for row in map(json.loads, told.stdout.splitlines()) if row["name"] == "b"]
    assert (row["low"], row["rating"], row["high"]) == (1234.5678,) * 3


@pytest.mark.parametrize("order", [1, -1])
def test_equals_share_a_place_whatever_the_order_of_lines(
    quick: Cli, tmp_path: Path, order: int
) -> None:
    """In each table and picture, and with ratings whose sums differ in the last digits."""
    pairs = [("b", "a"), ("c", "b"), ("a", "c"), ("a", "d"), ("b", "d"), ("c", "d")] * 7
    lines = [
        f"{n},{name},{-seat}" for n, pair in enumerate(pairs) for seat, name in enumerate(pair)
    ]
    path = tmp_path / "club.csv"
    path.write_text("\n".join(["match,name,score", *lines[::order]]) + "\n")
    rows = [
        json.loads(line) for line in quick("standings", str(path), "--json").stdout.splitlines()
    ]
    assert [(row["name"], row["place"]) for row in rows] == [
        *zip("abcd", (1, 1, 1, 4), strict=True)
    ]
    told = quick("standings", str(path), "--format", "markdown", "--head-to-head")
    cells = [[cell.strip() for cell in line.split("|")[1:3]] for line in told.stdout.splitlines()]
    for name, place in zip("abcd", "1114", strict=True):
        assert cells.count([place, name]) == 2
    picture = drawn(quick("standings", str(path), "--head-to-head", "--format", "svg").stdout)
    texts = [text.text for text in picture.iter(f"{SVG}text")]
    assert texts.count("1") == 6


def test_results_of_elsewhere_are_rated(quick: Cli, tmp_path: Path) -> None:
    """By places or by scores, of people with any names; void matches do not count."""
    rows = "1,Zoë's bot,1\n1,deep-liar,2\n2,deep-liar,1\n2,Zoë's bot,2\n3,x,\n3,deep-liar,\n"
    (tmp_path / "a.csv").write_text(f"match,name,place\n{rows}")
    (tmp_path / "b.csv").write_text("name,match,score\nx,1,9\ny,1,-2\nz,1,9\n")
    said = quick("standings", "a.csv").stdout
    assert re.search(r"deep-liar +│ +0 ", said)
    assert "score" not in said
    told = [*map(json.loads, quick("standings", "b.csv", "--json").stdout.splitlines())]
    assert {row["name"]: row["mean_place"]["value"] for row in told} == {"x": 1, "y": 3, "z": 1}
    played = quick("match", "kuhn", "random", "careful", "--games", "4", "--json").stdout
    (tmp_path / "c.jsonl").write_text(played)
    told = [*map(json.loads, quick("standings", "c.jsonl", "--json").stdout.splitlines())]
    assert [row["matches"] for row in told] == [4, 4]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("match,name\n1,x\n1,y\n2,x\n", "r.csv: line 4: the match has only one entrant"),
        ("name,place\nx,1\n", "line 2: match is missing (needed: match, name, and place or score)"),
        ("match,name,place\n1,x,0\n", "line 2: place: 0 is not a whole number from 1 to 1000000"),
        (
            "match,name,place\n1,x,1e30\n",
            "line 2: place: 1e+30 is not a whole number from 1 to 1000000",
        ),
        ("match,name,score\n1,x,nan\n", "line 2: score: 'nan' is not a number"),
        ("match,name,score\n1,x,1\n1,y,\n", "line 2: the match has places or scores for some"),
        ("match,name,seat\n1,x,0\n1,y,0\n", "line 3: seat 0 of the match is there twice"),
        ("match,name\n1,\u202ex\n", "line 2: name: '\\u202ex' is not one line of at most 80"),
        ("match,name\n", "r.csv contains no results"),
    ],
)
def test_what_cannot_be_rated(quick: Cli, tmp_path: Path, text: str, said: str) -> None:
    """It is said in one line, with the line of the file."""
    (tmp_path / "r.csv").write_text(text)
    done = quick("standings", "r.csv")
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert said in done.stderr


def test_a_number_that_no_float_holds_is_no_score(quick: Cli, tmp_path: Path) -> None:
    """JSON has integers of any length."""
    (tmp_path / "r.jsonl").write_text(f'{{"match": 1, "name": "x", "score": {"9" * 400}}}\n')
    done = quick("standings", "r.jsonl")
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert "line 1: score: 9999" in done.stderr
    assert "is not a number" in done.stderr


def summarize(results: Results) -> Summary:
    """Return the summary of results of entrants without a store."""
    entries = [Entry(get_name(id_), get_version(id_), "") for id_ in results.entrants]
    totals = {id_: EntrantTotals(1, {}, 0.0) for id_ in results.entrants}
    return Summary.rate("kuhn", RatingBasis(entries, results, BradleyTerry()), totals)


def test_whom_a_narrow_terminal_does_not_show_is_not_drawn() -> None:
    """Opponents are chosen first."""
    entrants = 60
    pairs = np.array([*combinations(range(entrants), 2)])
    drawn = build_results(pairs, np.tile([1, 2], (len(pairs), 1)))
    found = summarize(evolve(drawn, entrants=tuple(f"{name}@v" for name in drawn.entrants)))
    shown = standings_tables.build_duels_table(found, 80)
    assert 10 < len(shown.columns) < 30
    assert len(standings_tables.build_duels_table(found).columns) == entrants + 2
    console = Console(file=io.StringIO(), width=80)
    with console.capture() as said:
        console.print(shown)
    assert max(map(len, said.get().splitlines())) <= 80
