"""Where solved games are found: in a file that is named, in the user's cache, or solved now."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from arena import UserError
from arena_gops_solver.drafts import lock
from arena_gops_solver.layers import PRECISIONS, Kind
from arena_gops_solver.positions import Solved
from arena_gops_solver.solving import MOST_CARDS, solve
from arena_gops_solver.tables import in_words, opened, read_header

AT_ONCE = {"points": 11, "win": 9}  # cards up to which a game is solved when it is asked for
IN_MINUTES = {"points": 14, "win": 12}  # cards up to which it is worth a command


def cache() -> Path:
    """Return the folder of the user's cache."""
    home = os.path.expanduser("~")  # noqa: PTH111  # where there is no home, it fails later
    return Path(os.environ.get("XDG_CACHE_HOME") or f"{home}/.cache") / "arena"


def place_of(kind: Kind) -> Path:
    """Return where the cache keeps the table of a game."""
    narrow = "" if kind.precision == "float64" else f"-{kind.precision}"
    return cache() / f"gops-{kind.objective}-{kind.cards}{narrow}.table"


def solved(objective: str, cards: int, file: Path | None = None) -> Solved:
    """Return a solved game with at least `cards` cards; a small one is solved now, into the cache.

    Raises UserError where the file is no such table, or the game is too large to be solved now.
    """
    if file is not None:
        return _named(file, objective, cards)
    for path in _finished(objective, cards):
        return Solved(opened(path))
    if cards > AT_ONCE[objective]:
        raise UserError(f"GOPS with {cards} cards ({objective}) {_why_not(objective, cards)}")
    return Solved(opened(_solved_now(Kind(cards, objective))))


def finished(objective: str, cards: int) -> Solved | None:
    """Return a game of at least `cards` cards that was solved before, if there is one."""
    return next((Solved(opened(path)) for path in _finished(objective, cards)), None)


def _why_not(objective: str, cards: int) -> str:
    if cards > IN_MINUTES[objective]:
        return f"is not solved; {IN_MINUTES[objective]} cards are the most that takes minutes"
    return f"is not solved yet: arena gops solve --cards {cards} --objective {objective}"


def _named(file: Path, objective: str, cards: int) -> Solved:
    table = opened(file)
    kind = table.kind
    if kind.objective != objective:
        raise UserError(f"{file}: solved for {kind.objective}, not for {objective}")
    if kind.cards < cards:
        raise UserError(f"{file}: solved for {kind.cards} cards, not for {cards}")
    return Solved(table)


def _finished(objective: str, cards: int) -> Iterator[Path]:
    """Return the finished tables in the cache that will do, the smallest first."""
    for size in range(cards, MOST_CARDS + 1):
        for precision in PRECISIONS:
            kind = Kind(size, objective, precision)
            if _is_there(kind):
                yield place_of(kind)


def _is_there(kind: Kind) -> bool:
    """Has the cache this game's table? What is damaged or of an older format is passed by."""
    with suppress(UserError):
        header = read_header(place_of(kind))
        return header.finished and header.kind == kind
    return False


def _solved_now(kind: Kind) -> Path:
    """Solve a small game into the cache; of several who want it at once one does, the others wait.

    What lies there that is no such table is replaced: the cache is ours.
    """
    path = place_of(kind)
    with in_words(path.parent):
        path.parent.mkdir(parents=True, exist_ok=True)
        with (path.parent / "solving.lock").open("ab") as file:
            lock(file, wait=True)
            if not _is_there(kind):
                path.unlink(missing_ok=True)
                solve(kind, path)
    return path
