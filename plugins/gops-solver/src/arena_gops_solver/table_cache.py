"""Finding solved games: in a given file, in the user's cache, or by solving them now."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from arena import UserError
from arena_gops_solver.solver import (
    MOST_CARDS,
    Report,
    SolvedGame,
    choose_subgame_size,
    ignore_progress,
    solve,
)
from arena_gops_solver.value_table import (
    OBJECTIVES,
    PRECISIONS,
    TableSpec,
    lock,
    open_table,
    read_header,
    translate_errors,
)

FEWEST_CARDS = 2  # of a game that can be solved
MAX_INSTANT_CARDS = {
    "points": 11,
    "win": 9,
}  # the most cards of a game that is solved on demand
MOST_CARDS_IN_DOUBLE = 12  # of a game that is solved to win; with 13 it would take 51 GB
SOLVING_TIMES = {"points": (13, 30, 5), "win": (12, 300, 7)}
"""The seconds that a game with so many cards takes, and how many times longer each further card."""
MAX_HOUR_CARDS = {"points": 14, "win": 13}  # the most cards of a game that the command solves


def get_cache_folder() -> Path:
    """Return the folder of the user's cache."""
    home = os.path.expanduser("~")  # noqa: PTH111  # where there is no home, it fails later
    return Path(os.environ.get("XDG_CACHE_HOME") or f"{home}/.cache") / "arena"


def get_table_path(kind: TableSpec) -> Path:
    """Return the path of a game's table in the cache."""
    narrow = "" if kind.precision == "float64" else f"-{kind.precision}"
    play = f"-from-{kind.lowest}" if kind.lowest > 1 else ""
    return get_cache_folder() / f"gops-{kind.objective}-{kind.cards}{narrow}{play}.table"


def choose_table(
    cards: int, objective: str, precision: str | None = None, *, play_only: bool = False
) -> TableSpec:
    """Choose the table of a game: by default the most precise that a machine has room for.

    With `play_only` it lacks the layers that are solved within seconds while one plays.
    """
    large = objective == "win" and cards > MOST_CARDS_IN_DOUBLE
    lowest = min(choose_subgame_size(objective, 1), cards - 1) if play_only else 1
    return TableSpec(cards, objective, precision or ("int16" if large else "float64"), lowest)


def find_solution(objective: str, cards: int, file: Path | None = None) -> SolvedGame:
    """Return a solved game with at least `cards` cards; solve a small one now, into the cache.

    Raises UserError if the file is not such a table, or the game is too large to solve now.
    """
    if file is not None:
        return _open_file(file, objective, cards)
    for play_only in (False, True):
        for path in _find_files(objective, cards, play_only=play_only):
            return SolvedGame(open_table(path))
    if cards > MAX_INSTANT_CARDS[objective]:
        raise explain_absence(objective, cards)
    return SolvedGame(open_table(_solve_now(TableSpec(cards, objective))))


def find_finished_solution(objective: str, cards: int) -> SolvedGame | None:
    """Return a game of at least `cards` cards from the cache, with all layers, or None."""
    return next((SolvedGame(open_table(path)) for path in _find_files(objective, cards)), None)


def find_largest_solution(objective: str) -> SolvedGame | None:
    """Return the game with the most cards from the cache, or None."""
    files = [*_find_files(objective, FEWEST_CARDS)]
    return SolvedGame(open_table(files[-1])) if files else None


def explain_absence(objective: str, cards: int) -> UserError:
    """Return the error for a game that the cache does not have: how long it takes to solve."""
    game = f"GOPS with {cards} cards ({objective})"
    if cards > MAX_HOUR_CARDS[objective]:
        most = MAX_HOUR_CARDS[objective]
        return UserError(f"{game} is not solved; at most {most} cards can be solved in an hour")
    unusual = f" --objective {objective}" if objective != OBJECTIVES[0] else ""
    return UserError(
        f"{game} is not solved yet; solving it takes {_estimate_time(objective, cards)}",
        command=f"arena gops solve --cards {cards}{unusual}",
    )


def _estimate_time(objective: str, cards: int) -> str:
    """Return in words how long two cores take to solve a game.

    >>> _estimate_time("points", 13), _estimate_time("win", 12)
    ('about 30 seconds', 'about 5 minutes')
    """
    most, seconds, factor = SOLVING_TIMES[objective]
    time = seconds * factor ** (cards - most)
    if time < 1.5:  # noqa: PLR2004
        return "about a second"
    return f"about {time:.0f} seconds" if time < 60 else f"about {time / 60:.0f} minutes"  # noqa: PLR2004


def _open_file(file: Path, objective: str, cards: int) -> SolvedGame:
    table = open_table(file)
    kind = table.kind
    if kind.objective != objective:
        raise UserError(f"{file}: solved for {kind.objective}, not for {objective}")
    if kind.cards < cards:
        raise UserError(f"{file}: solved for {kind.cards} cards, not for {cards}")
    return SolvedGame(table)


def _find_files(objective: str, cards: int, *, play_only: bool = False) -> Iterator[Path]:
    """Yield the suitable finished tables in the cache, the smallest first."""
    for size in range(cards, MOST_CARDS + 1):
        for precision in PRECISIONS if objective == "win" else PRECISIONS[:2]:
            kind = choose_table(size, objective, precision, play_only=play_only)
            if _has_table(kind):
                yield get_table_path(kind)


def _has_table(kind: TableSpec) -> bool:
    """Whether the cache has this game's table; damaged and outdated files do not count."""
    with suppress(UserError):
        header = read_header(get_table_path(kind))
        return header.is_complete and header.kind == kind
    return False


def solve_into_cache(objective: str, cards: int, report: Report) -> None:
    """Solve a game into the cache; raise UserError if that takes more than an hour."""
    if cards > MAX_HOUR_CARDS[objective]:
        raise explain_absence(objective, cards)
    _solve_now(choose_table(cards, objective), report)


def _solve_now(kind: TableSpec, report: Report = ignore_progress) -> Path:
    """Solve a game into the cache; only one process solves it, others wait.

    Other files of this name are replaced, since the cache belongs to this program.
    """
    path = get_table_path(kind)
    with translate_errors(path.parent):
        path.parent.mkdir(parents=True, exist_ok=True)
        with (path.parent / "solving.lock").open("ab") as file:
            lock(file, wait=True)
            if not _has_table(kind):
                path.unlink(missing_ok=True)
                solve(kind, path, report=report)
    return path
