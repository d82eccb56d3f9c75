"""The book is tested as it stands: each page is one test, its examples run in order.

In a page, and in a folder of its own that the page's examples share:

- ```` ```python ```` is run, or compared line by line where it begins with `>>>`;
- ```` ```{code-block} ```` or ```` ```{literalinclude} ```` with a caption is a file, written
  under that name;
- ```` ```console ```` holds commands behind `$ `, which are run, and their output. `...` stands
  for anything, and measurements (seconds, times of day, versions) may differ. The progress that a
  long command reports every few seconds is left out. After a command that plays at the terminal,
  the text behind the prompt `> ` is typed.

A picture that a page's examples draw, and that the page shows from `_static`, is the same to the
byte, since what it shows has a seed.

Other blocks are only shown. `REFRESH=1 pytest docs` writes what the commands print now
into the pages and pictures instead of complaining, but for what `...` leaves out; look at what
it did.
"""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, chdir
from difflib import SequenceMatcher
from doctest import ELLIPSIS, OutputChecker
from pathlib import Path
from tempfile import TemporaryDirectory, TemporaryFile
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

from arena.sandbox import LANDLOCK, NAMESPACES
from tests.support.command import leave_out_progress
from tests.support.command_forks import start_forks
from tests.support.programs import TIMEOUT
from tests.support.refresh import explain_refresh, is_refreshing
from tests.support.requirements import require_solver, require_tier

BOOK = Path(__file__).parent
END = "--- end of what this command printed ---"
LEFT_OUT = re.compile(r"(^ *\.\.\.\n)", re.MULTILINE)
INTERACTIVE = ("arena play", "arena gops explore")  # commands that read typed lines
NEEDS_SOLVER = re.compile(r"arena gops|arena_gops_solver|Solve GOPS|\bnash\b")
NEEDS_SANDBOX = re.compile(r"^\$ arena doctor", re.MULTILINE)
ECHOING = "arena gops explore"  # the one that prints the typed lines itself
PROMPT = "> "
PLAIN_ARENA = re.compile(r"arena ([^&|;<>$`*]+?)((?: 2?> \S+)*)")
REDIRECTION = re.compile(r" (2?)> (\S+)")
SURROUNDINGS = {
    "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",  # where the arena is
    "COLUMNS": "100",
    "NO_COLOR": "1",
    "PYTHONUTF8": "1",
    "PYTEST_ADDOPTS": "-p docs.few_games",
}
MEASURED = (
    (re.compile(r"""(['"](?:seconds|latency)['"]: ?)[-0-9.e]+"""), r"\1#"),
    (re.compile(r"\b(seconds|latency)=[-0-9.e]+"), r"\1=#"),
    (re.compile(r" *\b\d+\.\d{3,}\b"), " #"),  # a larger one has fewer blanks before it
    (re.compile(r"\b\d+(\.\d+)?e-\d+\b"), "#"),
    (re.compile(r"[-+.e\d]+ a second"), "# a second"),
    (re.compile(r"\d{4}-\d\d-\d\dT[0-9:.]+Z"), "TIME"),
    (re.compile(r'("versions": ?)\{[^}]*\}'), r"\1{}"),
)


@frozen
class ConsoleCommand:
    """A command of a console block, and what the page says it prints."""

    line: str
    shown: str

    @property
    def script(self) -> str:
        """The lines for a shell, with the input that is typed."""
        typed = "\n".join(self.inputs)
        text = f"{self.line} <<'TYPED'\n{typed}\nTYPED" if self.is_interactive else self.line
        return f"{text}\nstatus=$?; printf '\\n{END}\\n'; (exit $status)\n"

    @property
    def is_interactive(self) -> bool:
        """Whether lines are typed while the command runs."""
        return self.line.startswith(INTERACTIVE)

    @property
    def inputs(self) -> list[str]:
        """The lines that are typed at the prompts."""
        return re.findall(f"^{PROMPT}(.+)$", self.shown, re.MULTILINE)

    def render_terminal(self, found: str) -> str:
        """Return the output as a terminal shows it, with the typed lines in it."""
        found = leave_out_progress(found)
        if not self.is_interactive or self.line.startswith(ECHOING):
            return trim(found)
        typed = iter(self.inputs)
        prompt = re.compile(f"^{PROMPT}", re.MULTILINE)
        return trim(prompt.sub(lambda _: f"{PROMPT}{next(typed, '')}\n", found))

    def matches(self, found: str) -> bool:
        """Whether this output is the expected one."""
        return is_as_shown(self.shown, self.render_terminal(found))

    def rewrite(self, found: str) -> str:
        """Return the text of the page for this output: what it shows now, with new lines.

        Lines between two `...` become the lines of the output that resemble them most.
        """
        printed, rewritten = self.render_terminal(found).splitlines(), ""
        if not LEFT_OUT.search(self.shown):
            return "".join(f"{line}\n" for line in keep_shown(self.shown.splitlines(), printed))
        for piece in LEFT_OUT.split(self.shown):
            shown = piece.splitlines()
            if LEFT_OUT.fullmatch(piece):
                rewritten += piece
                continue
            at = find_similar(printed, shown)
            lines, printed = printed[at : at + len(shown)], printed[at + len(shown) :]
            rewritten += "".join(f"{line}\n" for line in keep_shown(shown, lines))
        return rewritten


def is_as_shown(shown: str, found: str) -> bool:
    """Whether an output is what a page shows, but for measurements and what `...` leaves out."""
    return OutputChecker().check_output(mask_figures(shown), mask_figures(found), ELLIPSIS)


def find_similar(lines: list[str], shown: list[str]) -> int:
    """Return the index of the first of the lines in a row that resemble those shown most."""

    def compare(at: int) -> float:
        window = "\n".join(lines[at : at + len(shown)])
        return SequenceMatcher(None, "\n".join(shown), window, autojunk=False).ratio()

    return max(range(max(1, len(lines) - len(shown) + 1)), key=compare)


def keep_shown(shown: list[str], printed: list[str]) -> list[str]:
    """Return the printed lines, as the page shows them where they do not differ from it."""
    if len(shown) != len(printed):
        return printed
    pairs = zip(shown, printed, strict=True)
    return [old if is_as_shown(old, new) else new for old, new in pairs]


def mask_figures(text: str) -> str:
    """Replace measurements by placeholders, and remove blanks at the ends of lines."""
    for measured, instead in MEASURED:
        text = measured.sub(instead, text)
    return trim(text)


def trim(text: str) -> str:
    """Remove empty lines around a text, and blanks at the ends of its lines."""
    lines = "\n".join(line.rstrip() for line in text.splitlines()).strip("\n")
    return f"{lines}\n" if lines else ""


def parse_commands(block: str) -> list[ConsoleCommand]:
    """Parse the commands of a console block; a backslash continues a command on the next line."""
    parts = re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]
    lines = [re.match(r"(?:.*\\\n)*.*", part) for part in parts]
    return [
        ConsoleCommand(line[0], trim(part[line.end() :]))
        for line, part in zip(lines, parts, strict=True)
        if line
    ]


def run(example: Example) -> str | None:
    """Run the commands of a console block; return the output that is not as expected."""
    commands = parse_commands(example.parsed)
    pairs = [*zip(commands, run_commands(commands), strict=False)]
    wrong = [pair for pair in pairs if not pair[0].matches(pair[1])]
    if wrong and is_refreshing():
        refresh(example, pairs)
        return None
    if not wrong:
        return None
    shown = (f"$ {each.line}\n{each.render_terminal(text)}" for each, text in wrong)
    return "\n".join([*shown, explain_refresh(example.path)])


def run_commands(commands: list[ConsoleCommand]) -> list[str]:
    """Run the commands of a block, and return what each of them prints.

    `arena` alone is run in a fork (tests/support/command_forks.py), all else by shells, which are
    one for the block where something goes on in the background.
    """
    if any(command.line.endswith("&") for command in commands):
        return run_script("".join(command.script for command in commands)).split(f"\n{END}\n")
    printed, status = [], 0
    for command in commands:
        if plain := PLAIN_ARENA.fullmatch(command.line.replace("\\\n", "")):
            words, redirections = plain.groups()
            status, text = run_arena(words, redirections, command.inputs)
        else:  # it may ask for the status of the one before
            text = run_script(f"(exit {status})\n{command.script}").partition(f"\n{END}\n")[0]
        printed.append(text)
    return printed


def run_arena(words: str, redirections: str, inputs: list[str]) -> tuple[int, str]:
    """Run `arena` with these words; return its status, and what it prints on the terminal."""
    with ExitStack() as files:
        typed = files.enter_context(TemporaryFile("w+"))
        typed.write("".join(f"{line}\n" for line in inputs))
        typed.seek(0)
        printed = files.enter_context(TemporaryFile("w+"))
        streams = [typed, printed, printed]
        for number, name in REDIRECTION.findall(redirections):
            streams[int(number or 1)] = files.enter_context(Path(name).open("w"))
        status = start_forks().run(
            shlex.split(words), Path.cwd(), os.environ, [file.fileno() for file in streams], TIMEOUT
        )
        printed.seek(0)
        return status, printed.read()


def run_script(script: str) -> str:
    """Run a script in a shell, and return its output."""
    done = subprocess.run(
        ["bash"], input=script, text=True, timeout=TIMEOUT, check=False,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
    )  # fmt: skip
    return done.stdout


def refresh(example: Example, pairs: list[tuple[ConsoleCommand, str]]) -> None:
    """Write the output of the commands into the page, where the page has another."""
    block = ""
    for each, printed in pairs:
        text = each.shown if each.matches(printed) else each.rewrite(printed)
        block += f"$ {each.line}\n{text}"
    page = Path(example.path)
    begin, end = "```console\n", "```\n"  # what is in one block may be part of another
    before, after = (begin + text + end for text in (example.parsed, block))
    text = page.read_text("utf-8").replace(before, after, 1)
    page.write_text(text, "utf-8")


def find_files(document: Document) -> Iterator[Region]:
    """Find the blocks with a caption, which are files."""
    for region in DirectiveLexer("code-block|literalinclude")(document):
        if name := region.lexemes["options"].get("caption"):
            included = Path(document.path).parent / region.lexemes["arguments"]
            source = region.lexemes["source"] or included.read_text("utf-8")
            region.parsed = name, source
            region.evaluator = write_file
            yield region


def write_file(example: Example) -> None:
    """Write a file of the page."""
    name, source = example.parsed
    path = Path(name)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(source, "utf-8")


PAGES = Sybil(
    parsers=[
        PythonCodeBlockParser(future_imports=["annotations"], doctest_optionflags=ELLIPSIS),
        CodeBlockParser("console", run),
        find_files,
    ],
    patterns=["*.md"],
)


@frozen
class Scene:
    """Where the examples of a page run: a folder with the files that readers have, and a module."""

    document: Document
    module: ModuleType = field(factory=lambda: ModuleType("page"))

    def run(self) -> None:
        """Run all examples."""
        sys.modules["page"] = self.module  # where classes look their annotations up
        self.document.namespace = self.module.__dict__
        with (
            TemporaryDirectory() as folder,
            chdir(folder),
            patch.dict(os.environ, SURROUNDINGS, XDG_CACHE_HOME=f"{folder}/.cache"),
            patch.object(sys, "path", [folder, *sys.path]),
        ):
            for path in (BOOK.parent / "examples", *(BOOK / "files").iterdir()):
                Path(path.name).symlink_to(path)
            for example in self.document.examples():
                example.evaluate()
            for drawn in Path.cwd().glob("*.svg"):
                if f"_static/{drawn.name}" in self.document.text:
                    compare_picture(drawn)


def compare_picture(drawn: Path) -> None:
    """Compare a picture that a page has drawn with the one that it shows."""
    picture = BOOK / "_static" / drawn.name
    if is_refreshing():
        picture.write_bytes(drawn.read_bytes())
    assert picture.read_bytes() == drawn.read_bytes(), (
        f"{picture} is not what is drawn now; {explain_refresh(BOOK)}"
    )


class Page(pytest.File):
    """A page of the book."""

    def collect(self) -> Iterator[pytest.Item]:
        """Yield the one test of the page, if there is anything to run."""
        document = PAGES.parse(self.path)
        if [*document.examples()]:
            yield Examples.from_parent(self, name="examples", document=document)


class Examples(pytest.Item):
    """All examples of a page, in order, since each may build on those before it."""

    def __init__(self, *, document: Document, **settings: Any) -> None:
        super().__init__(**settings)
        self.document = document
        self.add_marker(pytest.mark.slow)

    def runtest(self) -> None:
        """Run the examples, up to the first that fails."""
        blocks = [str(example.parsed) for example in self.document.examples()]
        if any(map(NEEDS_SOLVER.search, blocks)):
            require_solver()
        if any(map(NEEDS_SANDBOX.search, blocks)):
            require_tier(NAMESPACES)
        if any("$ arena doctor" in block for block in blocks):
            require_tier(LANDLOCK)  # each sandbox is shown
        Scene(self.document).run()

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> str:
        """Return the problem, with the line of the page where it is."""
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
