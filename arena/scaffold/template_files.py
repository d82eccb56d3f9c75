"""Files to begin with, from templates or copied from the examples; none that is there is lost.

The templates are data of this package, and Jinja2 fills them in. A template is a folder;
in names of its files NAME stands for the name that is given.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Mapping
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any

from arena.rules import UserError

LANGUAGES = {
    "python": "bot.py",
    "bash": "bot.sh",
    "perl": "bot.pl",
    "node": "bot.js",
    "ruby": "bot.rb",
    "c": "bot.c",
}
"""The file with the program, by the language."""


PACKAGE = Path(__file__).parents[1]
LEFT_BEHIND = ("__pycache__", "*.pyc", "bot", "*.db*", "*.arena")
"""What playing in a checkout leaves among the examples, such as programs that were built."""


def find_examples() -> Path:
    """Return the folder with the examples: a wheel has it in the package, a checkout beside it."""
    inside = PACKAGE / "examples"
    return inside if inside.is_dir() else PACKAGE.parent / "examples"


def copy_examples(folder: Path) -> list[Path]:
    """Copy the examples into a folder that is empty or not there; return the folders in it."""
    try:
        if folder.exists() and any(folder.iterdir()):
            raise UserError(f"{folder} is not empty, and was not changed")
        ignored = shutil.ignore_patterns(*LEFT_BEHIND)
        shutil.copytree(find_examples(), folder, dirs_exist_ok=True, ignore=ignored)
        return sorted(path for path in folder.iterdir() if path.is_dir())
    except shutil.Error as problem:
        raise UserError(f"{folder} cannot be written: {problem.args[0][0][2]}") from None
    except OSError as problem:
        raise UserError(f"{folder} cannot be written: {problem.strerror}") from None


SUFFIX = ".j2"
NAME_PLACEHOLDER = "NAME"  # of the name, in names of files

Texts = dict[str, str]
"""What is to be written, by its path in the folder."""


def render_template(template: str, words: Mapping[str, Any]) -> Texts:
    """Return the files of a template with these words in them, of which `name` is one."""
    from jinja2 import Environment, StrictUndefined

    made = Environment(
        undefined=StrictUndefined,
        keep_trailing_newline=True,
        trim_blocks=True,
        autoescape=False,  # noqa: S701  # these are programs, and no pages of the web
        comment_start_string="<#",  # the usual one is an array's length in Bash
        comment_end_string="#>",
    )
    folder = files("arena.scaffold") / "templates" / template
    return {
        path.removesuffix(SUFFIX).replace(NAME_PLACEHOLDER, words["name"]): made.from_string(
            text
        ).render(words)
        for path, text in sorted(_list_templates(folder, ""))
    }


def _list_templates(folder: Traversable, under: str) -> Iterator[tuple[str, str]]:
    for entry in folder.iterdir():
        if entry.is_dir():
            yield from _list_templates(entry, f"{under}{entry.name}/")
        elif entry.name.endswith(SUFFIX):
            yield f"{under}{entry.name}", entry.read_text("utf-8")


def write_files(folder: Path, texts: Texts) -> list[Path]:
    """Write files into a folder that is empty or not there; return their paths, or refuse."""
    try:
        if folder.exists() and any(folder.iterdir()):
            raise UserError(f"{folder} is not empty, and was not changed")
        return [_write_file(folder / path, text) for path, text in texts.items()]
    except OSError as problem:
        raise UserError(f"{folder} cannot be written: {problem.strerror}") from None


def _write_file(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("x", encoding="utf-8") as file:
        file.write(text)
    return path
