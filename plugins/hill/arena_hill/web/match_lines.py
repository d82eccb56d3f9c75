"""The matches of a hill as lines of JSON, in the order of their keys."""

from __future__ import annotations

from collections.abc import AsyncIterator
from functools import partial
from typing import Any

from attrs import frozen

from arena.records import pack_match
from arena.tournament.deals import Key
from arena.tournament.store import MatchFilter, Store
from arena.wires import dump
from arena_web.matches.keys import split_key
from arena_web.matches.summaries import MatchSummary, VisiblePlayer
from arena_web.tournaments.sources import TournamentSource
from arena_web.tournaments.views import summarize_matches

CHUNK_MATCHES = 500  # that are read at once


async def stream_lines(tournament: TournamentSource, after: Key | None) -> AsyncIterator[str]:
    """Yield the matches after a key up to the first that is still to be played, in chunks."""
    end = await tournament.ask_in_turn(_find_first_open)
    is_last = False
    while not is_last:
        read = partial(_read_chunk, after=after, end=end)
        chunk = await tournament.ask_in_turn(read)
        after, is_last = chunk.last_match, chunk.is_last
        yield chunk.lines


@frozen
class MatchChunk:
    """Consecutive matches as lines of JSON."""

    lines: str
    last_match: Key | None  #: after which the next chunk begins
    is_last: bool


def _read_chunk(store: Store, *, after: Key | None, end: Key | None) -> MatchChunk:
    """Return the matches between two keys, up to as many as are read at once."""
    matches = summarize_matches(store, MatchFilter(limit=CHUNK_MATCHES, after=after))
    public = [match for match in matches if end is None or split_key(match.key) < end]
    text = "".join(f"{dump(_serialize_match(match))}\n" for match in public)
    last_match = split_key(public[-1].key) if public else after
    return MatchChunk(text, last_match, is_last=len(public) < CHUNK_MATCHES)


def _find_first_open(store: Store) -> Key | None:
    """Return the key of the first match that has not been played."""
    return next(((deal.number, rotation) for deal, rotation in store.deals.list_todo()), None)


def _serialize_match(match: MatchSummary) -> dict[str, Any]:
    """Return the immediately public part of a match, as `arena matches` prints it."""
    seats = map(_serialize_seat, match.players)
    rest = {"stage": match.stage, "when": match.when}
    return pack_match(match.key, match.end, match.rounds, seats, **rest)


def _serialize_seat(player: VisiblePlayer) -> dict[str, Any]:
    """Return a seat without the details of its verdict, which may quote a hand."""
    return {
        "seat": player.seat,
        "name": player.name,
        "version": player.version,
        "score": player.score,
        "place": player.place,
        "verdict": {"kind": player.verdict} if player.verdict else None,
        "seconds": player.seconds,
    }
