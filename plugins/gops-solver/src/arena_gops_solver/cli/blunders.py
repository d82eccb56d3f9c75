"""The costliest bids, as `arena gops analyse` lists them for people."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path
from textwrap import fill

from rich.table import Table
from rich.text import Text

from arena.records import SUFFIX
from arena.wires import printable
from arena_gops_solver.cli.figures import plain, table_of
from arena_gops_solver.cli.screen import UNBROKEN, sign
from arena_gops_solver.matches.analysis import Blunder

LIKELIEST = 2  # bids of the solution that are shown
PER_CENT = 100


def costliest(by: str, blunders: Sequence[Blunder], matches: Sequence[str]) -> Table:
    """Return the table of them; which match it was is said if there are several."""
    score = ["score"] if by == "win" else []
    match = ["match"] if len(matches) > 1 else []
    words = [*match, "bot", "hand", "theirs", "prizes", "the solution\nbids (%)"]
    table = table_of(f"the costliest bids ({by})", [*score, "bid", "cost"], *words)
    table.columns[len(match)].no_wrap = True
    called = labels(matches)
    for one in blunders:
        place = one.place
        where = [Text(printable(called[one.match.where]))] if match else []
        ahead = [f"{place.difference:+}" if place.difference else "0"] if score else []
        table.add_row(
            *where,
            Text(fill(printable(one.match.names[one.seat]), UNBROKEN)),
            *map(runs, (place.mine, place.theirs, place.prizes)),
            _mix(one.solution),
            *ahead,
            f"{one.bid} for {one.step.round.prize}",
            plain(by, one.loss),
        )
    return table


def labels(places: Sequence[str]) -> dict[str, str]:
    """Say where matches are from as briefly as still tells one from the other."""
    ways = ({place: say(place) for place in places} for say in (_number, _name, str))
    return next(found for found in ways if len(set(found.values())) == len(found))


def _number(place: str) -> str:
    """Return the key of a tournament's match, or the number that a file's name begins with."""
    name = _name(place).rpartition(": match ")[2]
    return re.sub(r"^(\d+)-.*", r"\1", name)


def _name(place: str) -> str:
    return Path(place).name.removesuffix(SUFFIX)


def runs(cards: Sequence[int]) -> str:
    """Write cards in ascending order; three or more in a row as `3-5`.

    >>> runs((1, 2, 4, 5, 6, 8))
    '1 2 4-6 8'
    """
    return " ".join(chain.from_iterable(map(_run, _consecutive(cards))))


def _consecutive(cards: Sequence[int]) -> Iterator[Sequence[int]]:
    first = 0
    for at in range(1, len(cards) + 1):
        if at == len(cards) or cards[at] > cards[at - 1] + 1:
            yield cards[first:at]
            first = at


def _run(cards: Sequence[int]) -> list[str]:
    return [f"{cards[0]}-{cards[-1]}"] if len(cards) > 2 else [*map(str, cards)]  # noqa: PLR2004


def _mix(solution: Mapping[int, float]) -> str:
    """Write the likeliest bids, with their probabilities."""
    likeliest = sorted(solution.items(), key=lambda bid: -bid[1])
    words = [f"{card}: {PER_CENT * chance:.0f}" for card, chance in likeliest[:LIKELIEST]]
    return ", ".join(words) + (f" {sign('…', '..')}" if len(likeliest) > LIKELIEST else "")


def command(by: str, one: Blunder, table: Path | None) -> str:
    """Return the command that shows where it was bid."""
    place, cards = one.place, one.match.variant.cards
    hands = {"mine": place.mine, "theirs": place.theirs, "prizes": place.prizes}
    words = ["arena", "gops", "explore"]
    for name, some in hands.items():
        words += [f"--{name}", ",".join(map(str, some))]
    words += ["--prize", str(one.step.round.prize)]
    if place.difference:
        words += ["--difference", str(place.difference)]
    if by == "win":  # of so many cards, or the difference could not be
        words += ["--objective", by, "--cards", str(cards)]
    return shlex.join([*words, "--table", str(table)] if table else words)
