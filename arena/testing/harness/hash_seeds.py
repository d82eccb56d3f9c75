"""The same games in another interpreter, where sets are ordered differently.

`python -m arena.testing.harness.hash_seeds` reads the location of a game, and then cases line by
line, and prints the messages of each; a law compares them (`arena.testing.laws.rules`).
"""

from __future__ import annotations

import importlib
import json
import os
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from importlib.util import module_from_spec, spec_from_file_location
from itertools import count
from subprocess import PIPE, Popen
from tempfile import TemporaryFile
from typing import Any, Self

from attrs import asdict

from arena.players import build_module_command
from arena.plugins import Game, get_plugins, load_game
from arena.rules import UndealtPosition
from arena.testing.harness.cases import Case, iterate_plays
from arena.testing.harness.messages import NARRATOR_KIND, build_codec, collect_lines
from arena.testing.harness.snapshots import list_messages, sample_seats

INTERPRETER_COUNT = 3  # beside this one

GameLocation = tuple[str, str, str]
"""The location of a game: a module, its file, and the name there."""


def record_messages(game: Game, case: Case) -> list[str]:
    """Return all messages and scores of a case, and what a seat reads of them on each wire."""
    lines = []
    for play in iterate_plays(game, case):
        for to, event in play.drain():
            lines.append(json.dumps([to, game.vocabulary.pack(event)]))
        for seat, question in sorted(play.pending.items()):
            lines.append(json.dumps([seat, game.vocabulary.pack(question)]))
        if not isinstance(play.position, UndealtPosition):
            lines.append(f"scores: {', '.join(map(str, play.scores))}")
    heard, reader = list_messages(game, case), sample_seats(case)[0]
    for kind in (*game.wires, NARRATOR_KIND):
        lines += collect_lines({reader: build_codec(game, case, kind, reader)}, reader, heard)
    return lines


_interpreters: dict[str, list[HashSeedInterpreter]] = {}  # by game, while they are kept
_hash_seeds = count(1)  # each gives another order of sets; two elements often have the same one


@contextmanager
def keep_interpreters(game: Game) -> Iterator[list[HashSeedInterpreter]]:
    """Keep the other interpreters of a game open inside the `with` block, and yield them.

    Each time they are opened they have other hash seeds.
    """
    if game.name in _interpreters:
        yield _interpreters[game.name]
        return
    with ExitStack() as stack:
        where = locate_game(game)
        assert where, f"no module defines the game {game.name} under a name"
        opened = [
            stack.enter_context(HashSeedInterpreter(where, str(next(_hash_seeds))))
            for _ in range(INTERPRETER_COUNT)
        ]
        _interpreters[game.name] = opened
        stack.callback(_interpreters.pop, game.name)
        yield opened


class HashSeedInterpreter:
    """Another interpreter that has loaded the game, and plays one case after the other."""

    def __init__(self, home: GameLocation, order: str) -> None:
        self._home, self._order = home, order

    def __enter__(self) -> Self:
        environment = {
            **os.environ, "PYTHONHASHSEED": self._order, "PYTHONPATH": os.pathsep.join(sys.path)
        }  # fmt: skip
        self._errors = TemporaryFile("w+")
        self._process = Popen(
            build_module_command("arena.testing.harness.hash_seeds"), env=environment, text=True,
            stdin=PIPE, stdout=PIPE, stderr=self._errors,
        )  # fmt: skip
        self._write(self._home)
        return self

    def __exit__(self, *_: object) -> None:
        with suppress(BrokenPipeError), self._process:
            self._process.kill()
        self._errors.close()

    def send_case(self, case: Case) -> None:
        """Send a case to play."""
        self._write(asdict(case))

    def read_messages(self) -> list[str]:
        """Return the messages of the next case that was sent."""
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


def locate_game(game: Game) -> GameLocation | None:
    """Return the place from which another interpreter can load this game, or None."""
    found = [
        (name, str(module.__file__), attribute)
        for name, module in [*sys.modules.items()]
        if name != "__main__" and getattr(module, "__file__", None)
        for attribute, value in [*vars(module).items()]
        if value is game
    ]
    if not found and get_plugins().games.get(game.name) is game:
        return "", "", game.name  # a plugin's hook creates it
    return min(found, key=lambda where: len(where[0]), default=None)


def _import_game(module: str, file: str, attribute: str) -> Game:
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
    """Play the cases on standard input; the first line is the game's location."""
    out, sys.stdout = sys.stdout, sys.stderr  # what rules print is no answer
    game = _import_game(*json.loads(sys.stdin.readline()))
    for line in sys.stdin:
        case = json.loads(line)
        lines = record_messages(game, Case(**{**case, "moves": tuple(case["moves"])}))
        print(json.dumps(lines), file=out, flush=True)


if __name__ == "__main__":
    main()
