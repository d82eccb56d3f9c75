"""Waiting for replies, and where one answer ends the ask (`Table.ask_first`): a part of the match.

Time runs on all clocks until the ask is over, for whoever has not answered, too. Each
question is owed one line by a program, also when it was taken back: the line is dropped when
it comes, and the next question's whole limit counts from then.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from arena.host.clock import SeatClock
from arena.players import NOT_YET, Player, now
from arena.rules import Play, Seat

Replies = list[tuple[Seat, object]]
FOREVER = float("inf")
HEAD_START_SECONDS = 0.05  # seconds that programs get before a bot in this process may be first


def collect_replies(
    players: Sequence[Player], waiting: Sequence[Seat]
) -> tuple[Replies, list[Seat]]:
    """Return the replies that are there, and who is still waited for."""
    found: Replies = []
    still: list[Seat] = []
    for seat in waiting:
        reply = players[seat].answer()
        if reply is NOT_YET:
            still.append(seat)
        else:
            found.append((seat, reply))
    return found, still


def await_first(
    play: Play,
    players: Sequence[Player],
    replies: Mapping[Seat, object],
    wait: Callable[[Sequence[Seat], float], tuple[Replies, list[Seat]]],
    take: Callable[[Replies], None],
) -> None:
    """Take replies as they come, until one of them ends the ask.

    Those that are there at once wait for the first look that finds something: for programs a
    moment, so that a bot in this process is not ahead of them; for a person without end.
    """
    ready = [pair for pair in replies.items() if pair[1] is not NOT_YET]
    waiting = [seat for seat, reply in replies.items() if reply is NOT_YET]
    hurried = ready and all(players[seat].timed for seat in waiting)
    closed, start = play.closed, now() + HEAD_START_SECONDS if hurried else FOREVER
    while play.closed == closed:
        found, waiting = wait(waiting, start) if waiting else ([], waiting)
        if found or not waiting or now() >= start:
            take(ready + found)
            ready, start = [], FOREVER


def withdraw_questions(play: Play, players: Sequence[Player], clocks: Sequence[SeatClock]) -> None:
    """Withdraw the questions of the slower seats, and charge their clocks up to now."""
    for seat in sorted(play.withdrawn):
        player = players[seat]
        replied = player.withdraw()
        if player.timed:
            clocks[seat].spend(player.answered - player.asked, started=replied)
