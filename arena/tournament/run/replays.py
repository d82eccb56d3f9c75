"""Matches that are played again: void ones, and those that the host names.

A match that is played again is open as if it had never been played; its old result is kept in the
store. In a format with a ranking of its own, such as Swiss or elimination, each round is drawn from
the results of those before. So there only the matches that were planned last are played again.
"""

from __future__ import annotations

from collections.abc import Iterable

from arena.rules import UserError
from arena.tournament.models.records import VoidCause
from arena.tournament.models.schedule import Deal, Format, get_name
from arena.tournament.monitor import Monitor
from arena.tournament.store import LAST_PLAN, Key, Store
from arena.tournament.store.schema import CANCELLED

HOST_CAUSES = (VoidCause.HOST, VoidCause.WORKER)
"""The causes with which a void match is played again when its tournament is continued.

Who made a worker die is not known: it may have been the host.
"""


def reopen_void_matches(store: Store, form: Format, monitor: Monitor, *, every: bool) -> None:
    """Reopen void matches of the host's making, or all, whose entrants still take part."""
    active = {entry.id for entry in store.list_active()}
    void = [
        (deal, rotation)
        for deal, rotation in store.list_void([*VoidCause] if every else HOST_CAUSES)
        if active.issuperset(deal.seats)
    ]
    keys = [(deal.number, rotation) for deal, rotation in void if not _is_final(store, form, deal)]
    if len(keys) < len(void):
        number = len(void) - len(keys)
        monitor.on_message(f"{number} void matches stay void: later rounds were drawn from them")
    if keys:
        monitor.on_message(f"{len(keys)} void matches are played again")
        _reopen(store, keys, monitor)


def reopen_matches(store: Store, form: Format, monitor: Monitor, keys: Iterable[Key]) -> None:
    """Reopen matches.

    Raises:
        UserError: if one of them cannot be played again; then none is reopened.
    """
    wanted = [*dict.fromkeys(keys)]
    for key in wanted:
        _check_match(store, form, key)
    _reopen(store, wanted, monitor)


def _reopen(store: Store, keys: list[Key], monitor: Monitor) -> None:
    store.reopen(keys)
    monitor.on_reopen(len(keys))


def _check_match(store: Store, form: Format, key: Key) -> None:
    """Raise UserError unless a match is over and can be played again."""
    match, deal = store.find_match(*key), store.find_deal(key[0])
    assert deal is not None
    why = ""
    active = {entry.id for entry in store.list_active()}
    gone = [get_name(entrant) for entrant in deal.seats if entrant not in active]
    if match["outcome"] == CANCELLED:
        why = f"it was cancelled, since {match['detail']}"
    elif gone:
        why = f"{gone[0]} no longer takes part in this version"
    elif _is_final(store, form, deal):
        why = "later rounds were drawn from its result"
    if why:
        raise UserError(f"match {key[0]}.{key[1]} cannot be played again: {why}")


def _is_final(store: Store, form: Format, deal: Deal) -> bool:
    """Whether later rounds were drawn from a deal's results."""
    return hasattr(form, "ranking") and deal.number < (store.get_fact(LAST_PLAN) or 0)
