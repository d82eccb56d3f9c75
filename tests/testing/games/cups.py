"""The dice game of the book: its very code, a wire for it, and what can be changed in either."""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType

from tests.support.checkout import ROOT

PAGE = ROOT / "docs" / "tutorials" / "dice.md"
GAME, TESTS = "python", "{code-block} python\n:caption: test_cups_rules.py\n"

WIRE = '''
from arena import MalformedLineError, Wire


class Lines:
    """A text wire that says the last bid again."""

    def __init__(self, seat: Seat) -> None:
        self.seat, self.bid = seat, "none"

    def tell(self, event: Any) -> Sequence[str]:
        match event:
            case Rolled(dice):
                return (f"dice {shown(dice)}",)
            case Spoke(seat, what):
                self.bid = what
                return (f"said {seat} {what}",)
            case Shown(dice):
                self.bid = "none"
                return (f"shown {' | '.join(map(shown, dice))}",)
            case Lost(seat):
                return (f"lost {seat}",)
        return ()

    def ask(self, question: Question[Any]) -> Sequence[str]:
        return (f"say {self.bid}",)

    def read(self, question: Question[Any], line: str) -> object:
        if len(line) > 9:
            raise MalformedLineError("too long")
        return line

    def say(self, question: Question[Any], answer: Any) -> str:
        return str(answer)


GAME = evolve(GAME, wires={"text": Wire(Lines, silent=())})
'''


def blocks(kind: str, text: str) -> list[str]:
    return re.findall(rf"^```{re.escape(kind)}\n(.*?)^```", text, re.MULTILINE | re.DOTALL)


def source() -> str:
    return "\n\n".join([*code_before_leak(PAGE), WIRE])


def code_before_leak(page: Path) -> list[str]:
    """Return the code blocks of a tutorial, up to the section in which the game leaks if it has one."""
    text = page.read_text("utf-8").partition("## A leak")[0]
    return [block for block in blocks(GAME, text) if not block.startswith(">>>")]


def tests() -> str:
    """Return the tests of its rules, which no law of the contract can know."""
    (block,) = blocks(TESTS.rstrip("\n"), PAGE.read_text("utf-8"))
    return block


def module(name: str, code: str, folder: Path) -> ModuleType:
    """Return a module of this code, which other interpreters find, too."""
    file = folder / f"{name}.py"
    file.write_text(code, "utf-8")
    spec = spec_from_file_location(name, file)
    assert spec is not None
    assert spec.loader is not None
    made = sys.modules[name] = module_from_spec(spec)
    spec.loader.exec_module(made)
    return made


def changed(code: str, edits: Mapping[str, str]) -> str:
    """Return the code with these lines changed; each has to be there."""
    for old, new in edits.items():
        assert old in code, old
        code = code.replace(old, new, 1)
    return code
