"""The match that the live page shows: the best table that may be watched, or else a replay."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from math import isfinite
from typing import Any

from arena.extend import MatchFilter, Store, format_id, to_printable
from arena.tournament import Summary
from arena_web.sources.live_tables import LiveTable
from arena_web.sources.visibility import is_public

MAX_CANDIDATES = 100  # newest matches of which one is replayed
LATEST = 20  # matches whose length says whether tables can be followed
MIN_MATCH_SECONDS = 5.0
MAX_SEEN = 30  # keys that a page may say it has shown


def choose_match(
    store: Store, summary: Summary, tables: Sequence[LiveTable], seen: Collection[str]
) -> dict[str, Any]:
    """Choose what is shown next: a live table, a replay of a public match, or nothing.

    The best is the one whose players have the highest ratings; what was `seen` comes last.
    """
    names = {standing.entry.name: standing.rating.value for standing in summary.standings[::-1]}
    watchable = [table for table in tables if table.open and table.key not in seen]
    if watchable and _is_slow_enough(store):
        table = max(watchable, key=lambda table: _rate(table.names, names))
        return _build("live", table.key, table.names)
    replays = _list_replays(store)
    fresh = [match for match in replays if match["match"] not in seen] or replays
    if not fresh:
        return {"kind": "none"}
    ids = {standing.entry.id: standing.rating.value for standing in summary.standings}
    best = max(fresh, key=lambda match: _rate(_list_ids(match), ids))
    return _build("replay", best["match"], [seat["name"] for seat in best["seats"]])


def _is_slow_enough(store: Store) -> bool:
    """Whether the latest matches took long enough to be followed; so do the first ones."""
    latest = [
        match["seconds"] for match in store.find_matches(MatchFilter(limit=LATEST, newest=True))
    ]
    return not latest or sum(latest) / len(latest) >= MIN_MATCH_SECONDS


def _list_replays(store: Store) -> Sequence[Mapping[str, Any]]:
    """Return the newest matches whose hands are public and whose transcript was kept."""
    public: dict[int, bool] = {}
    found = []
    for match in store.find_matches(MatchFilter(limit=MAX_CANDIDATES, newest=True)):
        deal = int(match["match"].partition(".")[0])
        if deal not in public:
            public[deal] = is_public(store, deal)
        if public[deal] and match["transcript"]:
            found.append(match)
    return found


def _list_ids(match: Mapping[str, Any]) -> list[str]:
    return [format_id(seat["name"], seat["version"]) for seat in match["seats"]]


def _rate(players: Sequence[str], ratings: Mapping[str, float]) -> float:
    """Return the mean rating of players; who has none counts as the mean of all, which is 0."""
    known = [ratings.get(player, 0.0) for player in players]
    return sum(value if isfinite(value) else 0.0 for value in known) / max(len(known), 1)


def _build(kind: str, key: str, names: Sequence[str]) -> dict[str, Any]:
    return {"kind": kind, "key": key, "names": [to_printable(name) for name in names]}
