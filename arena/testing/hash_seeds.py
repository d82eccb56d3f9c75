"""The same games in another interpreter, where sets come in another order.

`python -m arena.testing.hash_seeds` reads where a game is, and then cases line by line, and
prints for each what was told and asked; the law compares.
"""

from __future__ import annotations

import importlib
import json
import os
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from importlib.util import module_from_spec, spec_from_file_location
from subprocess import PIPE, Popen
from tempfile import TemporaryFile
from typing import Any, Self

from attrs import asdict

from arena.plugins import Game, load_game, plugins
from arena.testing.cases import Case, walk
from arena.testing.law import law

ORDERS = ("1", "2", "3")  # seeds of Python's hashes, each another order of sets

Home = tuple[str, str, str]
"""Where a game is to be found: a module, its file, and the name there."""


def told(game: Game, case: Case) -> list[str]:
    """Return all that is told and asked in a case, in lines."""
    lines = []
    for play in walk(game, case):
        for to, event in play.drain():
            lines.append(json.dumps([to, game.vocabulary.pack(event)]))
        for seat, question in sorted(play.pending.items()):
            lines.append(json.dumps([seat, game.vocabulary.pack(question)]))
    return lines


_open: dict[str, list[Interpreter]] = {}  # of each game, while they are kept


@contextmanager
def kept(game: Game) -> Iterator[None]:
    """Keep the other interpreters of a game for the laws that are tried in here."""
    if game.name in _open:
        yield
        return
    with ExitStack() as stack:
        where = home(game)
        assert where, f"no module has the game {game.name} under a name"
        _open[game.name] = [stack.enter_context(Interpreter(where, order)) for order in ORDERS]
        stack.callback(_open.pop, game.name)
        yield


@law(around=kept)
def the_order_of_sets_does_not_matter(game: Game, case: Case) -> None:
    """Other interpreters, whose hashes differ, tell and ask the same."""
    here = told(game, case)
    with kept(game):
        others = _open[game.name]
        for other in others:
            other.ask(case)
        for there in [other.told() for other in others]:
            assert here == there, (
                "another interpreter tells something else; does the order of a set,"
                " or a hash, decide?"
            )


class Interpreter:
    """Another interpreter that has the game, and plays one case after the other."""

    def __init__(self, home: Home, order: str) -> None:
        self._home, self._order = home, order

    def __enter__(self) -> Self:
        environment = {
            **os.environ, "PYTHONHASHSEED": self._order, "PYTHONPATH": os.pathsep.join(sys.path)
        }  # fmt: skip
        self._errors = TemporaryFile("w+")
        self._process = Popen(
            [sys.executable, "-m", "arena.testing.hash_seeds"], env=environment, text=True,
            stdin=PIPE, stdout=PIPE, stderr=self._errors,
        )  # fmt: skip
        self._write(self._home)
        return self

    def __exit__(self, *_: object) -> None:
        with suppress(BrokenPipeError), self._process:
            self._process.kill()
        self._errors.close()

    def ask(self, case: Case) -> None:
        """Have it play a case."""
        self._write(asdict(case))

    def told(self) -> list[str]:
        """Return what was told and asked there."""
        assert self._process.stdout
        line = self._process.stdout.readline()
        if not line:
            self._errors.seek(0)
            raise AssertionError(f"another interpreter fails: {self._errors.read()[-500:]}")
        lines: list[str] = json.loads(line)
        return lines

    def _write(self, value: object) -> None:
        assert self._process.stdin
        with suppress(BrokenPipeError):  # it has ended, and its last words say why
            print(json.dumps(value), file=self._process.stdin, flush=True)


def home(game: Game) -> Home | None:
    """Return the module, its file, and the name by which this game can be had again, if it can."""
    found = [
        (name, str(module.__file__), attribute)
        for name, module in [*sys.modules.items()]
        if name != "__main__" and getattr(module, "__file__", None)
        for attribute, value in [*vars(module).items()]
        if value is game
    ]
    if not found and plugins().games.get(game.name) is game:
        return "", "", game.name  # it is made in a hook
    return min(found, key=lambda where: len(where[0]), default=None)


def _game(module: str, file: str, attribute: str) -> Game:
    if not module:
        return load_game(attribute)
    try:
        loaded: Any = importlib.import_module(module)
    except ImportError:  # a test's own module, which pytest loads from its file
        spec = spec_from_file_location(module, file)
        assert spec is not None
        assert spec.loader is not None
        loaded = sys.modules[module] = module_from_spec(spec)
        spec.loader.exec_module(loaded)
    game: Game = getattr(loaded, attribute)
    return game


def main() -> None:
    """Play what standard input asks for: the game's home in its first line, then cases."""
    out, sys.stdout = sys.stdout, sys.stderr  # what rules print is no answer
    game = _game(*json.loads(sys.stdin.readline()))
    for line in sys.stdin:
        case = json.loads(line)
        lines = told(game, Case(**{**case, "moves": tuple(case["moves"])}))
        print(json.dumps(lines), file=out, flush=True)


if __name__ == "__main__":
    main()
