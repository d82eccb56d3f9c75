"""The end of a match, as players and spectators are told of it."""

from __future__ import annotations

from attrs import evolve

from arena import End, Seat
from arena.wires import to_printable
from arena_web.matches.finish import MatchFinish
from arena_web.protocol.messages import MatchEnd, PlayerResult

VOID_END = MatchEnd(End.VOID, "The match is void.")
"""The end of a match that could not be finished."""


def build_void_end(why: str) -> MatchEnd:
    """Return the end of a match that could not be finished, with the reason."""
    return evolve(VOID_END, said=f"The match is void: {to_printable(why)}")


def build_finished_end(end: str, finish: MatchFinish, seat: Seat | None = None) -> MatchEnd:
    """Return the end of a match with places, for a seat or for spectators: best players first."""
    rows = list[PlayerResult]()
    for number, player in enumerate(finish.players):
        assert player.place is not None
        counted = "" if player.score is None else finish.count.describe(player.score)
        rows.append(
            PlayerResult(
                player.place,
                player.name,
                player.score,
                counted,
                player.verdict,
                number,
                you=number == seat,
            )
        )
    rows.sort(key=lambda row: row.place)
    if seat is None:
        return MatchEnd(end, f"{finish.describe()}.", None, rows)
    return MatchEnd(end, finish.describe_for(seat), finish.find_outcome(seat), rows)
