"""The pages of tuning runs: what they show, what they hide, and where they are listed."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from arena.rules import UserError
from arena_web.app import build_application
from arena_web.cli import web
from arena_web.tuning_runs import (
    TuningRunSource,
    build_tuning_routes,
    open_tuning_runs,
    split_sources,
)
from tests.support.tuning.coins import build_terms, store_coin_run

pytestmark = pytest.mark.slow

BOT = "/home/someone/<b>bots</b>/riser.py:Riser"
OPPONENTS = ("match", "../secret/<i>rival</i>", "random", BOT)
OTHERS = {"hill": "tournament"}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with a complete run, and one that is not complete."""
    folder = tmp_path_factory.mktemp("runs")
    store_coin_run(folder / "whole.db", build_terms(1, 2_000), BOT, OPPONENTS)
    store_coin_run(folder / "part.db", build_terms(1, 2_000), BOT, OPPONENTS, most=2)
    (folder / "whole.toml").write_text('game = "gops"\nbot = "riser.py:Riser"\n')
    (folder / "whole.arena").mkdir()
    return folder


def visit(runs: dict[str, TuningRunSource], others: dict[str, str]) -> TestClient:
    """Return a client of the pages of runs."""
    app = build_application(build_tuning_routes(runs, others))
    return TestClient(app, base_url="http://localhost")


def test_a_run_is_found_by_each_of_its_names(folder: Path) -> None:
    """Its file, its database, its data folder and the folder around them lead to it."""
    whole = folder / "whole.db"
    names = [folder / f"whole{suffix}" for suffix in (".toml", ".db", ".arena")]
    others = [str(folder / "hill.toml"), "postgresql://there/hill", str(folder / "match.jsonl")]
    assert split_sources([*map(str, names), *others]) == ([whole, whole, whole], others)
    assert split_sources([str(folder)]) == ([folder / "part.db", whole], [])


def test_a_run_is_shown_by_its_parts(folder: Path) -> None:
    """The page has the conclusion, the plots, the tables, and the bounds."""
    runs = open_tuning_runs([folder / "whole.db"], [])
    with visit(runs, {}) as client:
        answer = client.get("/")
    assert answer.url.path == "/t/whole/"
    page = answer.text
    assert "Conclusion: better" in page
    for heading in ("Progress", "The final test", "By opponent", "By parameter"):
        assert f"<h2>{heading}</h2>" in page
    assert page.count("<polyline") == 2 + 2 + 6  # progress, both tests, six parameters
    assert '<td class="words">low, middle, high</td>' in page


def test_a_page_shows_no_folder_and_no_markup_of_a_name(folder: Path) -> None:
    """Bots are named without the folders of the host, and what looks like HTML is text."""
    with visit(open_tuning_runs([folder / "whole.db"], []), {}) as client:
        answer = client.get("/t/whole/")
    assert "riser.py:Riser" in answer.text
    for hidden in ("someone", "secret", "<i>", "<b>bots"):
        assert hidden not in answer.text
    assert "default-src 'none'" in answer.headers["Content-Security-Policy"]
    assert " style=" not in answer.text


def test_a_run_is_listed_beside_other_sources(folder: Path) -> None:
    """The list leads to each of them, and an unfinished run says that it is."""
    runs = open_tuning_runs([folder / "whole.db", folder / "part.db"], OTHERS)
    with visit(runs, OTHERS) as client:
        page = client.get("/").text
        for name, kind in [("hill", "tournament"), ("whole", "tuning run"), ("part", "tuning run")]:
            assert f'<a href="t/{name}/"><b>{name}</b> <span>{kind}</span></a>' in page
        assert "Conclusion: not finished" in client.get("/t/part/").text


def test_a_page_follows_its_run(tmp_path: Path) -> None:
    """When more matches are stored the page is rendered again, and else it is not."""
    database = tmp_path / "run.db"
    store_coin_run(database, build_terms(1, 2_000), BOT, OPPONENTS, most=1)
    source = open_tuning_runs([database], [])["run"]
    first = source.render()
    assert source.render() is first
    database.unlink()
    store_coin_run(database, build_terms(1, 2_000), BOT, OPPONENTS, most=3)
    assert source.render() != first


@pytest.mark.parametrize("name", ["whole.toml", "whole.db", "whole.arena"])
def test_without_its_plugin_a_run_is_refused(
    folder: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The message says how to install it."""
    monkeypatch.setitem(sys.modules, "arena_tune", None)
    with pytest.raises(UserError, match=r"pip install 'cardbot-arena\[tune\]'"):
        web.main([str(folder / name), "--port", "0"], standalone_mode=False)


def test_a_run_that_has_not_begun_is_refused(tmp_path: Path) -> None:
    """The message names the database."""
    file = tmp_path / "mine.toml"
    file.write_text('game = "gops"\nbot = "mine"\n')
    databases, _ = split_sources([str(file)])
    with pytest.raises(UserError, match=r"mine\.db: no such file"):
        open_tuning_runs(databases, [])
