"""Copies of bots from which nobody plays any more, and which are deleted.

A copy is needed as long as its version takes part or sits at a deal that is not over; and before
that, from when it is made until the coordinator has let its version in. A version moves along that
way while it is looked for. So it is looked for from the beginning of the way to its end, and none
that is needed is missed. That no copy is made meanwhile is the caller's business.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator

from sqlalchemy import select

from arena.tournament import State, Store, TournamentSpec, copy_of, copy_sizes, discard
from arena_web.hill.places import copies_of
from arena_web.hill.register import Register
from arena_web.hill.schema import submissions
from arena_web.hill.submissions import OPEN

MAY_PLAY = (State.ACTIVE, State.UNFIT)
"""The states of who plays, or may do so again: what is unfit may be for the host to mend."""


def delete_unneeded(spec: TournamentSpec, register: Register) -> list[str]:
    """Delete the copies of submissions from which nobody plays any more; return their versions.

    Copies of the host's own entrants stay.

    Raises:
        StorageError: where a database does not say what is needed.
    """
    there = copy_sizes(copies_of(spec)).keys()
    if not there or not Store.exists(spec.database):
        return []
    needed = {copy_of(version) for version in _list_needed(spec, register)}
    sent = {copy_of(version) for version in _list_sent(register)}
    unneeded = sorted((there & sent) - needed)
    return [version for version in unneeded if discard(copies_of(spec), version)]


def _list_needed(spec: TournamentSpec, register: Register) -> Iterator[str]:
    """Return the versions from which somebody plays or may play soon."""
    yield from _list_sent(register, [str(step) for step in OPEN])
    with Store.open(spec.database, write=False) as store:
        last = store.carried_out()
        yield from (order.entry.version for order in register.orders(last) if order.entry)
        may_play = (entry for entry in store.entries() if entry.state in MAY_PLAY)
        yield from (entry.version for entry in may_play)
        yield from (seat.rpartition("@")[2] for deal, _ in store.todo() for seat in deal.seats)


def _list_sent(register: Register, states: Collection[str] = ()) -> set[str]:
    """Return the versions of submissions, of those in these states if any are named."""
    asked = select(submissions.c.version).where(submissions.c.version != "").distinct()
    if states:
        asked = asked.where(submissions.c.state.in_(states))
    with register.reading() as connection:
        return {*connection.scalars(asked)}
