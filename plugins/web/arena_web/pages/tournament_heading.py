"""What all pages of a tournament show: how far it has come."""

from __future__ import annotations

from typing import Any

from arena_web.tournament_snapshots import TournamentSnapshot


def build_heading(snapshot: TournamentSnapshot) -> dict[str, Any]:
    """Return the values that all pages of a tournament show."""
    return {
        "game": snapshot.summary.game,
        "stored": snapshot.stored,
        "planned": snapshot.planned,
        "counted": snapshot.summary.matches,
        "measure": snapshot.summary.ratings.measure,
        "over": snapshot.over,
        **build_times(snapshot),
    }


def build_times(snapshot: TournamentSnapshot | None) -> dict[str, str | None]:
    """Return the times at which a tournament's first and last match ended, in ISO 8601."""
    start, last_match = (snapshot and snapshot.span) or (None, None)
    return {"started": start, "last_match": last_match}
