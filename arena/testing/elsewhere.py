"""The same games in another interpreter, where sets come in another order.

`python -m arena.testing.elsewhere` reads where a game is and cases, and prints what was told
and asked; the contract compares.
"""

from __future__ import annotations

import importlib
import json
import os
import subprocess
import sys
from collections.abc import Sequence
from importlib.util import module_from_spec, spec_from_file_location
from typing import Any

from attrs import asdict

from arena.game import Game
from arena.testing.cases import Case, walk
from arena.testing.patience import patience

ORDERS = ("1", "2", "3")  # seeds of Python's hashes, each another order of sets


def told(game: Game, case: Case) -> list[str]:
    """Give all that is told and asked in a case, in lines."""
    lines = []
    for play in walk(game, case):
        for to, event in play.drain():
            lines.append(json.dumps([to, game.vocabulary.pack(event)]))
        for seat, question in sorted(play.pending.items()):
            lines.append(json.dumps([seat, game.vocabulary.pack(question)]))
    return lines


def other_interpreters_agree(game: Game, cases: Sequence[Case], seconds: float) -> None:
    """The same cases tell and ask the same in interpreters whose sets are ordered otherwise."""
    here = []
    for case in cases:
        with patience(seconds):
            here.append(told(game, case))
    for order in ORDERS:
        for case, one, other in zip(cases, here, _elsewhere(game, cases, order), strict=True):
            assert one == other, (
                f"{case}: another interpreter tells something else; does the order of a set,"
                " or a hash, decide?"
            )


def _elsewhere(game: Game, cases: Sequence[Case], order: str) -> list[list[str]]:
    asked = {"game": home(game), "cases": [asdict(case) for case in cases]}
    environment = {**os.environ, "PYTHONHASHSEED": order, "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run(
        [sys.executable, "-m", "arena.testing.elsewhere"],
        input=json.dumps(asked), env=environment, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, f"another interpreter fails: {done.stderr[-500:]}"
    lines: list[list[str]] = json.loads(done.stdout)
    return lines


def home(game: Game) -> tuple[str, str, str]:
    """Give the module, its file, and the name by which this game can be had again."""
    found = [
        (name, str(module.__file__), attribute)
        for name, module in [*sys.modules.items()]
        if name != "__main__" and getattr(module, "__file__", None)
        for attribute, value in [*vars(module).items()]
        if value is game
    ]
    assert found, f"no module has the game {game.name} under a name"
    return min(found, key=lambda where: len(where[0]))


def _game(module: str, file: str, attribute: str) -> Game:
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
    """Play what standard input asks for."""
    asked = json.load(sys.stdin)
    game = _game(*asked["game"])
    cases = [Case(**{**case, "moves": tuple(case["moves"])}) for case in asked["cases"]]
    json.dump([told(game, case) for case in cases], sys.stdout)


if __name__ == "__main__":
    main()
