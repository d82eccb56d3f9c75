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

from arena.extend import SUFFIX, to_printable
from arena_gops_solver.cli.formatting import build_table, format_plain
from arena_gops_solver.cli.terminal_output import UNBROKEN, choose_sign
from arena_gops_solver.matches.analysis import Blunder

LIKELIEST = 2  # the number of the solution's bids to show
PER_CENT = 100


def build_blunders_table(by: str, blunders: Sequence[Blunder], matches: Sequence[str]) -> Table:
    """Return the table of the costliest bids, with a column for the match if there are several."""
    score = ["score"] if by == "win" else []
    match = ["match"] if len(matches) > 1 else []
    words = [*match, "bot", "hand", "theirs", "prizes", "the solution\nbids (%)"]
    table = build_table(f"the costliest bids ({by})", [*score, "bid", "cost"], *words)
    table.columns[len(match)].no_wrap = True
    called = label_matches(matches)
    for blunder in blunders:
        place = blunder.place
        where = [Text(to_printable(called[blunder.match.where]))] if match else []
        ahead = [f"{place.difference:+}" if place.difference else "0"] if score else []
        table.add_row(
            *where,
            Text(fill(to_printable(blunder.match.names[blunder.seat]), UNBROKEN)),
            *map(format_runs, (place.mine, place.theirs, place.prizes)),
            _format_mix(blunder.solution),
            *ahead,
            f"{blunder.bid} for {blunder.step.round.prize}",
            format_plain(by, blunder.loss),
        )
    return table


def label_matches(places: Sequence[str]) -> dict[str, str]:
    """Return the shortest labels that still distinguish the sources."""
    ways = ({place: say(place) for place in places} for say in (_get_number, _get_name, str))
    return next(found for found in ways if len(set(found.values())) == len(found))


def _get_number(place: str) -> str:
    """Return the key of a tournament's match, or the number at the start of a file name."""
    name = _get_name(place).rpartition(": match ")[2]
    return re.sub(r"^(\d+)-.*", r"\1", name)


def _get_name(place: str) -> str:
    return Path(place).name.removesuffix(SUFFIX)


def format_runs(cards: Sequence[int]) -> str:
    """Write cards in ascending order; three or more in a row as `3-5`.

    >>> runs((1, 2, 4, 5, 6, 8))
    '1 2 4-6 8'
    """
    return " ".join(chain.from_iterable(map(_format_run, _split_runs(cards))))


def _split_runs(cards: Sequence[int]) -> Iterator[Sequence[int]]:
    first = 0
    for at in range(1, len(cards) + 1):
        if at == len(cards) or cards[at] > cards[at - 1] + 1:
            yield cards[first:at]
            first = at


def _format_run(cards: Sequence[int]) -> list[str]:
    return [f"{cards[0]}-{cards[-1]}"] if len(cards) > 2 else [*map(str, cards)]  # noqa: PLR2004


def _format_mix(solution: Mapping[int, float]) -> str:
    """Write the likeliest bids, with their probabilities."""
    likeliest = sorted(solution.items(), key=lambda bid: -bid[1])
    words = [f"{card}: {PER_CENT * chance:.0f}" for card, chance in likeliest[:LIKELIEST]]
    return ", ".join(words) + (f" {choose_sign('…', '..')}" if len(likeliest) > LIKELIEST else "")


def format_command(by: str, blunder: Blunder, table: Path | None) -> str:
    """Return the command that shows the position of a bid."""
    place, cards = blunder.place, blunder.match.variant.cards
    hands = {"mine": place.mine, "theirs": place.theirs, "prizes": place.prizes}
    words = ["arena", "gops", "explore"]
    for name, some in hands.items():
        words += [f"--{name}", ",".join(map(str, some))]
    words += ["--prize", str(blunder.step.round.prize)]
    if place.difference:
        words += ["--difference", str(place.difference)]
    if by == "win":  # of so many cards, or the difference could not be
        words += ["--objective", by, "--cards", str(cards)]
    return shlex.join([*words, "--table", str(table)] if table else words)
