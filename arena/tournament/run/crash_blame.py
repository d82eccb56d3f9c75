"""Finding the entrant that kills workers: the fewest entrants that explain all deaths.

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

from arena.tournament.models.schedule import Id

Table = frozenset[Id]  # who sat in a match whose worker was killed each time it was played

MIN_TABLES = 3  # different tables that it takes, where there are so many
MIN_MARGIN = 2  # killers more, were it innocent
MAX_SETS = 100_000  # sets of killers that are tried


def find_killer(
    tables: Collection[Table], field: Collection[Id], sound: Collection[Id]
) -> Id | None:
    """Return the entrant that killed its workers, or None if it cannot be identified.

    Those who are sound have ended a match. Where few take part, nobody can be met but those
    who were: one killer more is enough then.
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
