"""Who has killed the workers: the fewest entrants that explain all their deaths.

A worker that was killed does not know by whom, and two at a table cannot be told apart. But
who kills is seated at each death, whoever else sits there, and the others are not. An
entrant is told once the deaths without its doing would take two killers more than with it;
so neither one opponent that kills beside it, nor two, make an innocent look like that.
Deaths beside somebody who has never ended a match do not count against it: those may all be
the other's doing.
"""

from __future__ import annotations

from collections.abc import Collection
from math import comb, log

from arena.tournament.plan import Id

Table = frozenset[Id]  # who sat in a match whose worker was killed each time it was played

DEATHS = 3  # different tables that it takes, where there are so many
MARGIN = 2  # killers more, were it innocent
EFFORT = 100_000  # sets of killers that are tried


def told(tables: Collection[Table], field: Collection[Id], sound: Collection[Id]) -> Id | None:
    """Return who has killed, if that can be told among those who take part.

    Those who are sound have ended a match. Where few take part, nobody can be met but those
    who were: one killer more is enough then.
    """
    fewest = _fewest(tables)
    for one in sorted(set().union(*tables) & {*field}):
        with_it = {table for table in tables if one in table and table <= {*sound, one}}
        if not with_it:
            continue
        met = set().union(*with_it)
        possible = comb(len(field) - 1, min(map(len, with_it)) - 1)
        margin = _fewest([table - {one} for table in tables]) - fewest
        wanted = MARGIN - (met >= {*field})
        if len(with_it) >= min(DEATHS, possible) and margin >= wanted:
            return one
    return None


def _fewest(tables: Collection[Table]) -> int:
    """Return how few killers explain these deaths; one more than can be tried, where it is more."""
    different = sorted({*tables}, key=sorted)
    widest = max(map(len, different), default=2)
    most = int(log(EFFORT, max(2, widest)))
    return next((size for size in range(most) if _explained(different, size)), most)


def _explained(tables: Collection[Table], size: int) -> bool:
    """Say whether so many killers are enough: one of the first table's, and the rest's."""
    if not tables:
        return True
    if not size:
        return False
    first = next(iter(tables))
    return any(
        _explained([one for one in tables if killer not in one], size - 1) for killer in first
    )
