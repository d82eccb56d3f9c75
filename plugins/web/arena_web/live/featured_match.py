"""The match that the live page shows next: a live table, or the replay of a new match."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from math import isfinite

from arena.tournament import Summary
from arena.tournament.match_record import StoredMatch
from arena.tournament.store import MatchFilter, Store
from arena.wires import to_printable
from arena_web.live.tables import LiveTable
from arena_web.matches.visibility import is_public
from arena_web.protocol.replies import FeaturedMatch, NoFeaturedMatch

MAX_CANDIDATES = 100  # newest matches of which one is replayed
LATEST_MATCHES = 20  # matches whose length says whether tables can be followed
MIN_MATCH_SECONDS = 5.0
MAX_SEEN = 30  # keys that a page may say it has shown


def choose_featured_match(
    store: Store, summary: Summary, tables: Sequence[LiveTable], earlier: Collection[str]
) -> FeaturedMatch | NoFeaturedMatch:
    """Choose what the live page shows next: a live table, a replay of a public match, or nothing.

    The best is the one whose players have the highest ratings; the `earlier` keys come last.
    """
    names = {standing.entry.name: standing.rating.value for standing in summary.standings[::-1]}
    watchable = [table for table in tables if table.watchable and table.key not in earlier]
    if watchable and _is_slow_enough(store):
        table = max(watchable, key=lambda table: _rate_players(table.names, names))
        return FeaturedMatch("live", table.key, [*map(to_printable, table.labels)])
    replays = _list_replays(store)
    fresh = [match for match in replays if match.match not in earlier] or replays
    if not fresh:
        return NoFeaturedMatch()
    ids = {standing.entry.id: standing.rating.value for standing in summary.standings}
    best = max(fresh, key=lambda match: _rate_players(match.entrants, ids))
    labels = [to_printable(store.entrant_directory.label_name(seat.name)) for seat in best.seats]
    return FeaturedMatch("replay", best.match, labels)


def _is_slow_enough(store: Store) -> bool:
    """Whether the latest matches took long enough to be followed; so do the first ones."""
    latest = [
        match.seconds
        for match in store.matches.find_matches(MatchFilter(limit=LATEST_MATCHES, newest=True))
    ]
    return not latest or sum(latest) / len(latest) >= MIN_MATCH_SECONDS


def _list_replays(store: Store) -> Sequence[StoredMatch]:
    """Return the newest matches whose hands are public and whose transcript was kept."""
    public: dict[int, bool] = {}
    replays = []
    for match in store.matches.find_matches(MatchFilter(limit=MAX_CANDIDATES, newest=True)):
        if match.deal not in public:
            public[match.deal] = is_public(store, match.deal)
        if public[match.deal] and match.has_transcript:
            replays.append(match)
    return replays


def _rate_players(players: Sequence[str], ratings: Mapping[str, float]) -> float:
    """Return the mean rating of players; who has none counts as the mean of all, which is 0."""
    values = [ratings.get(player, 0.0) for player in players]
    return sum(value if isfinite(value) else 0.0 for value in values) / max(len(values), 1)
