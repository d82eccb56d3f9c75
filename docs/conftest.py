"""The book is tested as it stands: each page is one test, its examples run in order.

In a page, and in a folder of its own that the page's examples share:

- ```` ```python ```` is run, or compared line by line where it begins with `>>>`;
- ```` ```{code-block} ```` with a caption is a file, written under that name;
- ```` ```console ```` holds commands behind `$ `, run for real, and what they print. `...`
  stands for anything, and what is measured (seconds, times of day, versions) may differ. How
  far a long command is, said every some seconds, is left out.
  Behind a command that plays at the terminal, what stands behind the prompt `> ` is typed.

Other blocks are only shown. `REFRESH_BOOK=1 pytest docs` writes what the commands print now
into the pages instead of complaining; look at what it did.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import chdir
from doctest import ELLIPSIS, OutputChecker
from pathlib import Path
from tempfile import TemporaryDirectory
from traceback import extract_tb
from types import ModuleType
from typing import Any
from unittest.mock import patch

import pytest
from attrs import field, frozen
from sybil import Document, Example, Region, Sybil
from sybil.example import SybilFailure
from sybil.parsers.markdown import CodeBlockParser, PythonCodeBlockParser
from sybil.parsers.myst.lexers import DirectiveLexer

from tests.support.requirements import require_solver

BOOK = Path(__file__).parent
REFRESH = "REFRESH_BOOK"
END = "--- end of what this command printed ---"
PLAYS = ("arena play", "arena gops explore")  # where somebody types
SOLVED = re.compile(r"arena gops|arena_gops_solver|Solve GOPS|\bnash\b")  # by the solver
ECHOES = "arena gops explore"  # and what is typed is shown by the command itself
PROMPT = "> "
TIMEOUT = 600  # seconds that the commands of a block may take
SURROUNDINGS = {
    "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",  # where the arena is
    "COLUMNS": "100",
    "NO_COLOR": "1",
    "PYTHONUTF8": "1",
}
MEASURED = (
    (re.compile(r"""(['"](?:seconds|latency)['"]: ?)[-0-9.e]+"""), r"\1#"),
    (re.compile(r"\b(seconds|latency)=[-0-9.e]+"), r"\1=#"),
    (re.compile(r"\b\d+\.\d{3,}\b"), "#"),
    (re.compile(r"\b\d+(\.\d+)?e-\d+\b"), "#"),
    (re.compile(r"[-+.e\d]+ a second"), "# a second"),
    (re.compile(r"\d{4}-\d\d-\d\dT[0-9:.]+Z"), "TIME"),
    (re.compile(r'("versions": ?)\{[^}]*\}'), r"\1{}"),
)
TIMELY = (  # lines that a command prints after some seconds: on a busy machine they are more
    re.compile(r"^\d+ of \d+ matches(, .* left)?\n", re.MULTILINE),
    re.compile(r"^\d+ matches are over.*\n(?=\d+ matches are over)", re.MULTILINE),
    re.compile(r"^(.+ vs .+: )\d+ games, .*\n(?=\1\d+ games, )", re.MULTILINE),
)


@frozen
class Command:
    """A command of a console block, and what the page says it prints."""

    line: str
    shown: str

    @property
    def script(self) -> str:
        """Return the lines for a shell, with what is typed."""
        typed = "\n".join(self.typed)
        text = f"{self.line} <<'TYPED'\n{typed}\nTYPED" if self.plays else self.line
        return f"{text}\nstatus=$?; printf '\\n{END}\\n'; (exit $status)\n"

    @property
    def plays(self) -> bool:
        """Whether somebody types while the command runs."""
        return self.line.startswith(PLAYS)

    @property
    def typed(self) -> list[str]:
        """Return what is typed at the prompts."""
        return re.findall(f"^{PROMPT}(.+)$", self.shown, re.MULTILINE)

    def printed(self, found: str) -> str:
        """Return what a terminal shows when it prints this: what is typed stands in it."""
        for timely in TIMELY:
            found = timely.sub("", found)
        if not self.plays or self.line.startswith(ECHOES):
            return trimmed(found)
        typed = iter(self.typed)
        prompt = re.compile(f"^{PROMPT}", re.MULTILINE)
        return trimmed(prompt.sub(lambda _: f"{PROMPT}{next(typed, '')}\n", found))

    def holds(self, found: str) -> bool:
        """Return whether the output is as expected."""
        expected, found = same_figures(self.shown), same_figures(self.printed(found))
        return OutputChecker().check_output(expected, found, ELLIPSIS)


def same_figures(text: str) -> str:
    """Put the same in place of all that is measured; blanks at the ends do not matter."""
    for measured, instead in MEASURED:
        text = measured.sub(instead, text)
    return trimmed(text)


def trimmed(text: str) -> str:
    """Leave out empty lines around, and blanks behind the lines."""
    lines = "\n".join(line.rstrip() for line in text.splitlines()).strip("\n")
    return f"{lines}\n" if lines else ""


def commands(block: str) -> list[Command]:
    """Return the commands of a console block; a backslash continues one on the next line."""
    parts = re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]
    lines = [re.match(r"(?:.*\\\n)*.*", part) for part in parts]
    return [
        Command(line[0], trimmed(part[line.end() :]))
        for line, part in zip(lines, parts, strict=True)
        if line
    ]


def run(example: Example) -> str | None:
    """Run the commands of a console block; say what they print instead."""
    asked = commands(example.parsed)
    found = output("".join(command.script for command in asked)).split(f"\n{END}\n")
    pairs = [*zip(asked, found, strict=False)]
    wrong = [pair for pair in pairs if not pair[0].holds(pair[1])]
    if wrong and REFRESH in os.environ:
        refresh(example, pairs)
        return None
    return "\n".join(f"$ {each.line}\n{each.printed(said)}" for each, said in wrong) or None


def output(script: str) -> str:
    """Return what a shell prints for this script."""
    done = subprocess.run(
        ["bash"], input=script, text=True, timeout=TIMEOUT, check=False,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
    )  # fmt: skip
    return done.stdout


def refresh(example: Example, pairs: list[tuple[Command, str]]) -> None:
    """Write what the commands print into the page, where it is not what stands there."""
    block = ""
    for each, said in pairs:
        block += f"$ {each.line}\n{each.shown if each.holds(said) else each.printed(said)}"
    page = Path(example.path)
    begin, end = "```console\n", "```\n"  # what is in one block may be part of another
    before, after = (begin + text + end for text in (example.parsed, block))
    text = page.read_text("utf-8").replace(before, after, 1)
    page.write_text(text, "utf-8")


def files(document: Document) -> Iterator[Region]:
    """Find the blocks that are files."""
    for region in DirectiveLexer("code-block")(document):
        if name := region.lexemes["options"].get("caption"):
            region.parsed = name, region.lexemes["source"]
            region.evaluator = write
            yield region


def write(example: Example) -> None:
    """Write a file of the page."""
    name, source = example.parsed
    path = Path(name)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(source, "utf-8")


PAGES = Sybil(
    parsers=[
        PythonCodeBlockParser(future_imports=["annotations"], doctest_optionflags=ELLIPSIS),
        CodeBlockParser("console", run),
        files,
    ],
    patterns=["*.md"],
)


@frozen
class Scene:
    """Where the examples of a page run: a folder with what readers have, a module's names."""

    document: Document
    module: ModuleType = field(factory=lambda: ModuleType("page"))

    def play(self) -> None:
        """Run all examples."""
        sys.modules["page"] = self.module  # where classes look their annotations up
        self.document.namespace = self.module.__dict__
        with (
            TemporaryDirectory() as folder,
            chdir(folder),
            patch.dict(os.environ, SURROUNDINGS, XDG_CACHE_HOME=f"{folder}/.cache"),
            patch.object(sys, "path", [folder, *sys.path]),
        ):
            for thing in (BOOK.parent / "examples", *(BOOK / "files").iterdir()):
                Path(thing.name).symlink_to(thing)
            for example in self.document.examples():
                example.evaluate()


class Page(pytest.File):
    """A page of the book."""

    def collect(self) -> Iterator[pytest.Item]:
        """Return its one test, if there is anything to run."""
        document = PAGES.parse(self.path)
        if [*document.examples()]:
            yield Examples.from_parent(self, name="examples", document=document)


class Examples(pytest.Item):
    """All examples of a page, in order, since each may build on those before it."""

    def __init__(self, *, document: Document, **settings: Any) -> None:
        super().__init__(**settings)
        self.document = document

    def runtest(self) -> None:
        """Run them, up to the first that is wrong."""
        if any(SOLVED.search(str(example.parsed)) for example in self.document.examples()):
            require_solver()
        Scene(self.document).play()

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> str:
        """Say where it is wrong, in lines of the page."""
        problem = excinfo.value
        if isinstance(problem, SybilFailure):
            return str(problem)
        lines = [line for file, line, *_ in extract_tb(excinfo.tb) if file == str(self.path)]
        return f"{self.path}, line {lines[-1] if lines else '?'}\n{excinfo.exconly()}"


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    """Collect the pages of the book."""
    if file_path.suffix == ".md" and "_build" not in file_path.parts:
        return Page.from_parent(parent, path=file_path)
    return None
