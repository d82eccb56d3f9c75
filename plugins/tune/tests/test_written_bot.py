"""The tuned bot as a folder: a copy whose bot.toml has other defaults."""

from __future__ import annotations

from pathlib import Path

import pytest

from arena.host import load_bot_file
from arena.rules import UserError
from arena_tune.parameters import Settings
from arena_tune.staged_search import BETTER, NOT_SHOWN, StagedSearch
from arena_tune.tune_file import TuneSpec, load
from arena_tune.written_bot import write_defaults, write_tuned_bot
from tests.support.tuning.folder_bot import write_folder
from tests.support.tuning.line_bot import write_line_bot

TUNED: Settings = {"w": 7, "v": 0.25, "quick": False, "mood": "bold"}


def build_search(spec: TuneSpec, winner: Settings | None, conclusion: str | None) -> StagedSearch:
    def play(_: object) -> None:
        raise AssertionError

    return StagedSearch(spec.terms, play, winner=winner, conclusion=conclusion)  # type: ignore[arg-type]


def test_the_tuned_values_become_defaults(tmp_path: Path) -> None:
    """All else in the folder stays as it is, and the bot itself is not changed."""
    spec = load(write_folder(tmp_path))
    (tmp_path / "mine" / "notes").write_text("as it is")
    before = (tmp_path / "mine" / "bot.toml").read_text()
    write_tuned_bot(spec, build_search(spec, TUNED, BETTER), tmp_path / "tuned")
    found = load_bot_file(tmp_path / "tuned").parameters
    assert {name: declared.default for name, declared in found.items()} == {**TUNED, "free": 7}
    assert (tmp_path / "tuned" / "notes").read_text() == "as it is"
    assert (tmp_path / "mine" / "bot.toml").read_text() == before


def test_the_values_are_written_into_the_bot_itself(tmp_path: Path) -> None:
    """Its own file has the tuned defaults then, and nothing else is there."""
    spec = load(write_folder(tmp_path))
    with pytest.raises(UserError, match=r"not shown to be better.*--anyway"):
        write_defaults(spec, build_search(spec, TUNED, NOT_SHOWN))
    file = write_defaults(spec, build_search(spec, TUNED, BETTER))
    assert file == tmp_path / "mine" / "bot.toml"
    found = load_bot_file(tmp_path / "mine").parameters
    assert {name: declared.default for name, declared in found.items()} == {**TUNED, "free": 7}
    assert [path.name for path in (tmp_path / "mine").iterdir()] == ["bot.toml"]


def test_what_is_not_shown_to_be_better_is_not_written(tmp_path: Path) -> None:
    """Unless it is asked for; what is there already is not overwritten."""
    spec = load(write_folder(tmp_path))
    search = build_search(spec, TUNED, NOT_SHOWN)
    with pytest.raises(UserError, match=r"not shown to be better.*--anyway"):
        write_tuned_bot(spec, search, tmp_path / "tuned")
    write_tuned_bot(spec, search, tmp_path / "tuned", anyway=True)
    with pytest.raises(UserError, match="already exists"):
        write_tuned_bot(spec, search, tmp_path / "tuned", anyway=True)
    with pytest.raises(UserError, match="has not finished"):
        write_tuned_bot(spec, build_search(spec, None, None), tmp_path / "other")


def test_a_class_is_not_written_but_named(tmp_path: Path) -> None:
    """The message says how to seat the tuned class."""
    spec = load(write_line_bot(tmp_path))
    search = build_search(spec, {"slope": 0.5, "style": "near"}, BETTER)
    with pytest.raises(UserError) as caught:
        write_tuned_bot(spec, search, tmp_path / "tuned")
    named = 'line.py:Line:slope=0.5,style="near"'
    assert str(caught.value) == f"line.py:Line is not a folder; seat the tuned bot as {named}"


def test_defaults_that_stand_elsewhere_are_named(tmp_path: Path) -> None:
    """A file whose parameters are inline tables is not edited wrongly in silence."""
    file = write_folder(tmp_path)
    (tmp_path / "mine" / "bot.toml").write_text(
        'name = "mine"\ncommand = "true {w}"\n'
        'parameters = { w = { type = "int", min = 0, max = 9, default = 3 } }\n'
    )
    spec = load(file)
    with pytest.raises(UserError, match="set the default of w by hand"):
        write_tuned_bot(spec, build_search(spec, {"w": 5}, BETTER), tmp_path / "tuned")
