"""Tune files and declarations: what they say, and one line for each mistake."""

from __future__ import annotations

from pathlib import Path

import pytest

from arena.rules import UserError
from arena_tune.parameters import CHOICE, INTEGER, REAL, Parameter
from arena_tune.tune_file import load
from tests.support.tuning.folder_bot import FOLDER_FILE, write_folder
from tests.support.tuning.line_bot import write_line_bot


def test_a_class_declares_parameters_by_its_fields(tmp_path: Path) -> None:
    """Each type is read by the field's default, and a field without a range stays fixed."""
    spec = load(write_line_bot(tmp_path))
    assert spec.parameters == (
        Parameter("slope", REAL, 0.6, 0.0, 1.0),
        Parameter("more", INTEGER, 0, 0, 6),
        Parameter("ends", CHOICE, False, choices=(False, True)),
        Parameter("style", CHOICE, "near", choices=("near", "low")),
        Parameter("idle", REAL, 0.5, 0.0, 1.0),
    )
    assert spec.opponents == ("match", "random", "medium", "line.py:Line")
    assert spec.terms.held_out == (2, 3)


def test_a_folder_declares_parameters_by_its_bot_toml(tmp_path: Path) -> None:
    """Ranges and choices decide what is tuned; the tune file narrows them."""
    spec = load(write_folder(tmp_path, FOLDER_FILE + "[parameters.w]\nmax = 5\n"))
    assert spec.parameters == (
        Parameter("w", INTEGER, 3, 0, 5),
        Parameter("v", REAL, 0.5, 0.0, 1.0),
        Parameter("quick", CHOICE, True, choices=(False, True)),
        Parameter("mood", CHOICE, "calm", choices=("bold", "calm")),
    )


def test_a_bundled_bot_is_tuned_in_a_range_of_the_file(tmp_path: Path) -> None:
    """The bundled bots that can play are the opponents, and a fifth of them is held out."""
    file = tmp_path / "ordered.toml"
    file.write_text('game = "gops"\nbot = "ordered"\n[parameters.start]\nmin = 1\nmax = 13\n')
    spec = load(file)
    assert spec.parameters == (Parameter("start", INTEGER, 1, 1, 13),)
    assert len(spec.terms.pool) >= 5
    assert spec.opponents[-1] == "ordered"
    assert load(file).opponents == spec.opponents


def test_a_seed_that_is_a_number_means_its_digits(tmp_path: Path) -> None:
    """A run that was begun with the one goes on with the other."""
    file = write_folder(tmp_path, FOLDER_FILE)
    file.write_text(f"seed = 42\n{FOLDER_FILE}")
    number = load(file)
    file.write_text(f'seed = "42"\n{FOLDER_FILE}')
    text = load(file)
    assert number.fixed_settings == text.fixed_settings
    assert number.terms.seed == "42"


def test_a_parameter_may_have_a_log_scale(tmp_path: Path) -> None:
    """The tune file gives it one, for a range above zero."""
    spec = load(write_folder(tmp_path, FOLDER_FILE + '[parameters.w]\nmin = 1\nscale = "log"\n'))
    assert spec.parameters[0] == Parameter("w", INTEGER, 3, 1, 9, log=True)


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ('bot = "mine"', "game: is missing"),
        ('game = "gosp"\nbot = "mine"', "unknown game 'gosp'"),
        ('game = "gops"\nbot = "nobody"', "nobody: not a folder with a bot.toml"),
        ('game = "gops"\nbot = "ordered:start=3"', "ordered:start=3: name the bot without"),
        ('game = "gops"\nbot = "ordered"', "tune: no parameter of the bot has"),
        (FOLDER_FILE + 'tune = ["x"]', "unknown parameter 'x'"),
        (FOLDER_FILE + 'tune = ["free"]', "tune: free has no range"),
        (FOLDER_FILE + "[parameters.w]\nmin = -3", "parameters.w: min is outside"),
        (FOLDER_FILE + "[parameters.w]\nmin = 0.5", "parameters.w: 0.5 is not a whole number"),
        (FOLDER_FILE + "[parameters.w]\nmin = 4", "parameters.w: default: 3 is not"),
        (FOLDER_FILE + '[parameters.w]\nscale = "log"', "parameters.w: a log scale needs"),
        (FOLDER_FILE + '[parameters.quick]\nscale = "log"', "parameters.quick: a log scale needs"),
        (FOLDER_FILE + '[parameters.w]\nscale = "cubic"', "scale: 'cubic' is not"),
        (
            FOLDER_FILE + "search = { explore = 0.9 }",
            "search.explore: 0.9 is not a number from 0 to 0.5",
        ),
        (FOLDER_FILE + 'method = { name = "spsa" }', "method"),
        (FOLDER_FILE + "matches = 10", "matches: "),
        (FOLDER_FILE + "gate = { pairs = 10 }", "gate: 10 pairs cannot show a gain of 0.05, even"),
        (
            FOLDER_FILE + "gate = { gain = 0.0 }",
            "gate.gain: 0.0 is not a number from 0.001 to 0.5",
        ),
        (FOLDER_FILE + 'held_out = ["match"]', "held_out: match must not be among the opponents"),
        (FOLDER_FILE.replace('["match"]', '["bots/*"]'), "bots/*: no folder there has a bot.toml"),
        (FOLDER_FILE + "table = 99", "gops is for"),
        (FOLDER_FILE + "options = { cards = 0 }", "options: "),
        (FOLDER_FILE + "mathces = 10", "mathces"),
        ("game = ", "mine.toml: "),
    ],
)
def test_a_mistake_is_one_line(tmp_path: Path, text: str, line: str) -> None:
    """It says the file, what is wrong there, and what is allowed."""
    file = write_folder(tmp_path, text)
    with pytest.raises(UserError) as caught:
        load(file)
    assert str(caught.value).startswith(f"{file}: ")
    assert line in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_tune_file_ends_in_toml(tmp_path: Path) -> None:
    """Its database and its folder are named after it."""
    with pytest.raises(UserError, match=r"must end in \.toml"):
        load(tmp_path / "mine")
    with pytest.raises(UserError, match="No such file"):
        load(tmp_path / "mine.toml")
