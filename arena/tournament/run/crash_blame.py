"""The identification of entrants that kill workers: the fewest that explain all deaths.

A killed worker does not reveal its killer, and two entrants at a table cannot be distinguished. But
a killer is present at each of its deaths, with changing opponents. An entrant is identified once
explaining the deaths without it takes two more killers than with it; so neither one nor two killers
among its opponents incriminate an innocent entrant. Deaths at a table with an entrant that has
never ended a match do not count, since that entrant may have caused all of them.
"""

from __future__ import annotations

from collections.abc import Collection
from math import comb, log

from arena.tournament.models.schedule import Id

Table = frozenset[Id]  # the entrants of a match that killed each of its workers

MIN_TABLES = 3  # different tables needed, if there are so many
MIN_MARGIN = 2  # additional killers needed if it were innocent
MAX_SETS = 100_000  # of killers to try


def find_killer(
    tables: Collection[Table], field: Collection[Id], sound: Collection[Id]
) -> Id | None:
    """Return the entrant that killed its workers, or None if it cannot be identified.

    The sound entrants have ended a match. If the entrant has met the whole field, one additional
    killer is enough.
    """
    fewest = _count_fewest_killers(tables)
    for entrant in sorted(set().union(*tables) & {*field}):
        with_it = {table for table in tables if entrant in table and table <= {*sound, entrant}}
        if not with_it:
            continue
        met = set().union(*with_it)
        possible = comb(len(field) - 1, min(map(len, with_it)) - 1)
        margin = _count_fewest_killers([table - {entrant} for table in tables]) - fewest
        wanted = MIN_MARGIN - (met >= {*field})
        if len(with_it) >= min(MIN_TABLES, possible) and margin >= wanted:
            return entrant
    return None


def _count_fewest_killers(tables: Collection[Table]) -> int:
    """Return the least number of killers that explains these deaths, or one above the limit."""
    different = sorted({*tables}, key=sorted)
    widest = max(map(len, different), default=2)
    most = int(log(MAX_SETS, max(2, widest)))
    return next((size for size in range(most) if _can_explain(different, size)), most)


def _can_explain(tables: Collection[Table], size: int) -> bool:
    """Return whether this number of killers can explain the deaths."""
    if not tables:
        return True
    if not size:
        return False
    first = next(iter(tables))
    return any(
        _can_explain([table for table in tables if killer not in table], size - 1)
        for killer in first
    )
