"""Every game beside every other: `python -m benchmarks.games` prints the table of the book.

Lines of rules are lines of code that the variant needs: its own, and those of all classes,
functions and values of its package that it names. Games a second are whole matches of two
and more bots that draw, in one process.
"""

from __future__ import annotations

import ast
import importlib
import inspect
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

from arena import Game, Play
from arena.host import Match
from arena.players import BotPlayer, RandomBot
from arena.plugins import get_plugins
from arena.rules import format_choices
from benchmarks.ratios import measure_rate

ROOT = Path(__file__).resolve().parents[1]
GAMES = 150  # of each game
SHORT = {"hearts": {"deals": 1}}  # one deal of what else goes on to a limit
HEAD = """| game | players | lines of rules | games a second | of GOPS | contract | golden files |
| --- | --- | --- | --- | --- | --- | --- |"""

Place = tuple[str, str]
"""A module, and a name in it."""


def count_rule_lines(game: Game) -> int:
    """Count the lines of code that a game's variant needs."""
    needed, waiting = set[Place](), [(game.variant.__module__, game.variant.__name__)]
    package = game.variant.__module__.partition(".")[0]
    while waiting:
        place = waiting.pop()
        if place not in needed and _find_node(place):
            needed.add(place)
            waiting += _find_names(place, package)
    return len({line for place in needed for line in _find_code_lines(place)})


@cache
def _parse_module(module: str) -> ast.Module:
    return ast.parse(inspect.getsource(importlib.import_module(module)))


def _find_node(place: Place) -> ast.stmt | None:
    """Return the statement that defines a name, or None."""
    module, name = place
    for node in _parse_module(module).body:
        match node:
            case ast.ClassDef() | ast.FunctionDef() | ast.AsyncFunctionDef() if node.name == name:
                return node
            case (
                ast.Assign(targets=[ast.Name(id=found)]) | ast.AnnAssign(target=ast.Name(id=found))
            ) if found == name:
                return node
    return None


def _find_names(place: Place, package: str) -> Iterator[Place]:
    """Yield the places of the names that a definition uses, if they are defined in its package."""
    module, _ = place
    node = _find_node(place)
    assert node is not None
    sources = {
        name.asname or name.name: (each.module, name.name)
        for each in _parse_module(module).body
        if isinstance(each, ast.ImportFrom) and (each.module or "").startswith(package)
        for name in each.names
        if each.module
    }
    for each in ast.walk(node):
        if isinstance(each, ast.Name):
            yield sources.get(each.id, (module, each.id))


def _find_code_lines(place: Place) -> Iterator[tuple[str, int]]:
    """Yield the module and number of each line of code: no blank lines, comments or docstrings."""
    module, _ = place
    node = _find_node(place)
    assert node is not None
    text = inspect.getsource(importlib.import_module(module)).splitlines()
    words = {line for each in ast.walk(node) for line in _find_docstring_lines(each)}
    begin = min(
        [node.lineno, *(decorator.lineno for decorator in getattr(node, "decorator_list", ()))]
    )
    for line in range(begin, (node.end_lineno or begin) + 1):
        if line not in words and text[line - 1].strip() and text[line - 1].strip()[0] != "#":
            yield module, line


def _find_docstring_lines(node: ast.AST) -> Iterable[int]:
    match node:
        case ast.Expr(value=ast.Constant(value=str())):
            return range(node.lineno, (node.end_lineno or node.lineno) + 1)
    return ()


def measure_speed(game: Game) -> float:
    """Return the matches per second of random bots, with as few seats as the game has."""
    variant, seats = game.read_variant(SHORT.get(game.name, {})), max(2, game.seats[0])

    def play(games: int) -> None:
        for at in range(games):
            Match(
                Play.deal(variant, seats, f"{at}"),
                [BotPlayer(RandomBot()) for _ in range(seats)],
            ).run()

    play(5)
    return measure_rate(play, GAMES)


def find_folder(game: Game) -> Path:
    """Return the folder of a game's distribution."""
    module = importlib.import_module(game.variant.__module__.partition(".")[0])
    return Path(str(module.__file__)).parents[1]


def describe_game(game: Game) -> list[str]:
    """Return the cells that are the same on every machine, from the name to the contract."""
    tests = find_folder(game) / "tests"
    kept = "kept" if [*tests.glob("test_*_contract.py")] else "none"
    files = len([*(tests / "golden").glob("*.txt")])
    players = format_choices(game.seats)
    return [f"`{game.name}`", players, str(count_rule_lines(game)), kept, str(files)]


def render_table() -> str:
    """Return the table in Markdown, GOPS first."""
    games = sorted(get_plugins().games.values(), key=lambda game: (game.name != "gops", game.name))
    rates = {game.name: measure_speed(game) for game in games}
    rows = [HEAD]
    for game in games:
        name, players, lines, kept, files = describe_game(game)
        speed = rates[game.name]
        ratio = f"{speed / rates['gops']:.2f}"
        rows.append(f"| {' | '.join([name, players, lines, f'{speed:.0f}', ratio, kept, files])} |")
    return "\n".join(rows)


if __name__ == "__main__":
    print(render_table())
