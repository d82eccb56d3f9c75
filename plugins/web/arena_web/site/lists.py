"""The list of all matches, in scripts with the columns of so many deals each.

Scripts fill in names; all other words on a result are those of the pages of a server, from here.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import groupby
from sys import intern
from typing import Any

from attrs import astuple, evolve, frozen

from arena.tournament.deals import Key, format_match_key
from arena.tournament.match_record import StoredMatch
from arena.tournament.store import Store
from arena.wires import dump
from arena_web.matches.summaries import MatchSummary, VisiblePlayer, summarize_match
from arena_web.pages.bot_matches import build_bot_match
from arena_web.site.files import name_data_file
from arena_web.texts import find_count

DEALS_PER_LIST = 2500  # in a list


@frozen
class SeatResult:
    """How a match ended for a seat, in words."""

    result: str  #: won, tied, lost, or void
    count: str  #: what is counted of its score; empty if it has none
    score: str  #: its own and the best other one
    place: str  #: among how many; empty if it has none


@frozen
class ListedResult:
    """How a match ended, in words."""

    said: str  #: a sentence on who won, with "{1}" for the name of seat 1
    seats: tuple[SeatResult, ...]


@frozen
class ListedMatch:
    """A match in a list."""

    key: Key
    end: str
    stage: str
    seats: tuple[tuple[str, str], ...]  #: id, verdict
    result: ListedResult
    recorded: bool

    @property
    def has_verdict(self) -> bool:
        """Whether a player got a verdict."""
        return any(verdict for _, verdict in self.seats)


def abridge_matches(store: Store) -> list[ListedMatch]:
    """Return all stored matches, in the order of their keys."""
    results: dict[ListedResult, ListedResult] = {}  # many matches end alike
    return [_abridge(store, match, results) for match in store.matches.find_matches()]


def _abridge(
    store: Store, match: StoredMatch, results: dict[ListedResult, ListedResult]
) -> ListedMatch:
    """Return the part of a match that a list shows: all matches are in memory at once."""
    seats = tuple([(intern(seat.id), seat.verdict or "") for seat in match.seats])
    result = _describe_result(summarize_match(store, match, public=False))
    result = results.setdefault(result, result)
    stage = intern(match.stage)
    return ListedMatch(
        match.key, intern(str(match.end)), stage, seats, result, match.has_transcript
    )


def _describe_result(match: MatchSummary) -> ListedResult:
    players = [evolve(player, label=f"{{{at}}}") for at, player in enumerate(match.players)]
    match = evolve(match, players=tuple(players))
    return ListedResult(
        match.finish.describe(), tuple([_describe_seat(match, player) for player in players])
    )


def _describe_seat(match: MatchSummary, player: VisiblePlayer) -> SeatResult:
    own = build_bot_match(match, player)
    count = "" if player.score is None else find_count(match.game).format(player.score)
    return SeatResult(own.result, count, own.score, own.place)


def build_lists(
    matches: Iterable[ListedMatch], shard_of: Mapping[Key, int]
) -> Iterator[tuple[int, bytes]]:
    """Yield the numbers of lists with their files; `shard_of` gives the shard of a match."""
    for number, group in groupby(matches, lambda match: match.key[0] // DEALS_PER_LIST):
        text = dump(_build_columns([*group], shard_of))
        yield number, f'arena.list("{name_data_file("l", number)}", {text});\n'.encode()


def _build_columns(matches: list[ListedMatch], shard_of: Mapping[Key, int]) -> dict[str, Any]:
    bots = sorted({seat[0] for match in matches for seat in match.seats})
    at = {bot: index for index, bot in enumerate(bots)}
    results = [*dict.fromkeys(match.result for match in matches)]
    result_at = {result: index for index, result in enumerate(results)}
    return {
        "bots": bots,
        "results": [astuple(result) for result in results],
        "keys": [format_match_key(match.key) for match in matches],
        "ends": [match.end for match in matches],
        "stages": [match.stage for match in matches],
        "seats": [[at[bot] for bot, _ in match.seats] for match in matches],
        "result_of": [result_at[match.result] for match in matches],
        "verdicts": [
            [verdict for _, verdict in match.seats] if match.has_verdict else 0 for match in matches
        ],
        "shards": [shard_of.get(match.key, -1) for match in matches],
    }
