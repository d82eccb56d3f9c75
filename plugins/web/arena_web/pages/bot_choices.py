"""The bots from which the forms of a tournament let people choose."""

from __future__ import annotations

from collections.abc import Sequence

from arena.tournament import Summary

MAX_SELECTABLE = 500  # bots from which a form lets people choose


def list_selectable(summary: Summary, chosen: Sequence[str] = ()) -> dict[str, str]:
    """Return the labels of the bots that a form offers, by name: the best, and who is chosen."""
    names = [*dict.fromkeys(standing.entry.name for standing in summary.standings)]
    some = dict.fromkeys([*sorted(names[:MAX_SELECTABLE]), *filter(None, chosen)])
    return {name: summary.label_bot(name) for name in some}
