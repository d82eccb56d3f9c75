"""What all pages of a tournament show: how far it has come."""

from __future__ import annotations

from attrs import frozen

from arena_web.tournaments.snapshots import TournamentSnapshot


@frozen(kw_only=True)
class TournamentHeading:
    """How far a tournament has come."""

    game: str  #: its name
    stored: int  #: matches
    planned: int  #: matches
    counted: int  #: matches on which the standings are based
    measure: str  #: by which bots are ranked
    has_opponents: bool  #: not in a cooperative game
    over: bool  #: whether all is played that was planned
    started: str | None  #: when the first match ended, in ISO 8601
    last_match: str | None  #: when the last one did


@frozen
class MatchTimes:
    """The times at which a tournament's first and last match ended, in ISO 8601."""

    started: str | None = None  #: None before the first match has ended
    last_match: str | None = None


def build_heading(snapshot: TournamentSnapshot) -> TournamentHeading:
    """Return what all pages of a tournament show."""
    times = get_match_times(snapshot)
    return TournamentHeading(
        game=snapshot.summary.game,
        stored=snapshot.stored,
        planned=snapshot.planned,
        counted=snapshot.summary.matches,
        measure=snapshot.summary.ratings.measure,
        has_opponents=snapshot.summary.has_opponents,
        over=snapshot.over,
        started=times.started,
        last_match=times.last_match,
    )


def get_match_times(snapshot: TournamentSnapshot | None) -> MatchTimes:
    """Return the times of a tournament's matches; the snapshot is None before its start."""
    return MatchTimes(*snapshot.span) if snapshot and snapshot.span else MatchTimes()
