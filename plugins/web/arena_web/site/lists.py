"""The list of all matches, in scripts with the columns of so many deals each."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import groupby
from sys import intern
from typing import Any

from attrs import frozen

from arena.tournament.deals import Key, format_match_key
from arena.tournament.match_record import MatchRecord
from arena.tournament.store import Store
from arena.wires import dump
from arena_web.site.files import name_data_file

DEALS_PER_LIST = 2500  # in a list


@frozen
class ListedMatch:
    """A match in a list."""

    key: Key
    end: str
    stage: str
    seats: tuple[tuple[str, float | None, int | None, str], ...]  #: id, score, place, verdict
    recorded: bool

    @property
    def has_verdict(self) -> bool:
        """Whether a player got a verdict."""
        return any(verdict for *_, verdict in self.seats)


def list_matches(store: Store) -> list[ListedMatch]:
    """Return all stored matches, in the order of their keys."""
    return [*map(_abridge, store.matches.find_matches())]


def _abridge(match: MatchRecord) -> ListedMatch:
    """Return the part of a match that a list shows: all matches are in memory at once."""
    seats = tuple(
        [(intern(seat.id), seat.score, seat.place, seat.verdict or "") for seat in match.seats]
    )
    return ListedMatch(match.key, intern(match.outcome), intern(match.stage), seats, match.recorded)


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
    return {
        "bots": bots,
        "keys": [format_match_key(match.key) for match in matches],
        "ends": [match.end for match in matches],
        "stages": [match.stage for match in matches],
        "seats": [[at[seat[0]] for seat in match.seats] for match in matches],
        "scores": [[seat[1] for seat in match.seats] for match in matches],
        "places": [[seat[2] for seat in match.seats] for match in matches],
        "verdicts": [
            [seat[3] for seat in match.seats] if match.has_verdict else 0 for match in matches
        ],
        "shards": [shard_of.get(match.key, -1) for match in matches],
    }
