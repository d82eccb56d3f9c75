"""The built-in tournament formats, by the names that a tournament file uses.

Each is a pure function from the field, the past and a random generator to the next deals
(`Format` in `format_protocol`). Swiss and Elimination (`RankedFormat`) also rank: their
`ranking(field, past, terms)` returns a `FormatStanding` for each entrant, the best first: its
points, or its round of elimination. The others leave it to ratings.
"""

from __future__ import annotations

from collections.abc import Mapping

from arena.tournament.format_protocol import Format
from arena.tournament.formats.elimination import Elimination
from arena.tournament.formats.king_of_the_hill import KingOfTheHill
from arena.tournament.formats.ladder import Ladder
from arena.tournament.formats.round_robin import Gauntlet, RoundRobin
from arena.tournament.formats.swiss import Swiss

FORMATS: Mapping[str, type[Format]] = {
    "round-robin": RoundRobin,
    "king-of-the-hill": KingOfTheHill,
    "gauntlet": Gauntlet,
    "swiss": Swiss,
    "elimination": Elimination,
    "ladder": Ladder,
}
