"""The built-in tournament formats, by the names that a tournament file uses.

Each is a pure function from who takes part, what was planned before and a draw to what is
to be played next (`arena.tournament.models.schedule.Format`). Some can say more than that:

- `king_of_the_hill.evenness(past, field)` says how evenly everybody sat;
- `ranking(field, past, terms)` of Swiss and Elimination gives the entrants with what their
  own format makes of them, the best first: points, or where somebody went out. Others leave
  that to ratings, and have no such method.
"""

from __future__ import annotations

from collections.abc import Mapping

from arena.tournament.formats.elimination import Elimination
from arena.tournament.formats.gauntlet import Gauntlet
from arena.tournament.formats.king_of_the_hill import KingOfTheHill
from arena.tournament.formats.ladder import Ladder
from arena.tournament.formats.round_robin import RoundRobin
from arena.tournament.formats.swiss import Swiss
from arena.tournament.models.schedule import Format

FORMATS: Mapping[str, type[Format]] = {
    "round-robin": RoundRobin,
    "king-of-the-hill": KingOfTheHill,
    "gauntlet": Gauntlet,
    "swiss": Swiss,
    "elimination": Elimination,
    "ladder": Ladder,
}


def get_summary(kind: type[Format]) -> str:
    """Return the summary of a format: the first line of its docstring."""
    return (kind.__doc__ or "").strip().partition("\n")[0]
