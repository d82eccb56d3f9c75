"""The lists of all matches of a tournament as columns, split by deal numbers.

A list is a script, too: `arena.list("l00003", {...})`. What was played with is not in it, so
matches stand in it as soon as they are stored.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import groupby
from sys import intern
from typing import Any

from attrs import frozen

from arena.extend import Store, dump, format_id
from arena_web.site.replay_shards import Key, name_data_file
from arena_web.sources.visibility import MatchSummary, summarize_match

DEALS_PER_LIST = 2500  # in a list


@frozen
class ListedMatch:
    """A match in a list."""

    key: Key
    end: str
    stage: str
    seats: tuple[tuple[str, float | None, int | None, str], ...]  # id, score, place, verdict
    recorded: bool

    @property
    def has_verdict(self) -> bool:
        """Whether a player got a verdict."""
        return any(verdict for *_, verdict in self.seats)


def list_matches(store: Store) -> list[ListedMatch]:
    """Return all stored matches, in the order of their keys."""
    game = store.get_fact("tournament")["game"]
    return [
        _read_match(summarize_match(match, game, public=False)) for match in store.find_matches()
    ]


def _read_match(match: MatchSummary) -> ListedMatch:
    deal, _, rotation = match.key.partition(".")
    seats = tuple(
        (intern(format_id(seat.name, seat.version)), seat.score, seat.place, seat.verdict)
        for seat in match.players
    )
    end, stage = intern(match.end), intern(match.stage)  # all are in memory at once
    return ListedMatch((int(deal), int(rotation)), end, stage, seats, match.recorded)


def build_lists(
    found: Iterable[ListedMatch], shard_of: Mapping[Key, int]
) -> Iterator[tuple[int, bytes]]:
    """Yield the numbers of lists with their files; `shard_of` gives the shard of a match."""
    for number, group in groupby(found, lambda match: match.key[0] // DEALS_PER_LIST):
        text = dump(_build_columns([*group], shard_of))
        yield number, f'arena.list("{name_data_file("l", number)}", {text});\n'.encode()


def _build_columns(some: list[ListedMatch], shard_of: Mapping[Key, int]) -> dict[str, Any]:
    bots = sorted({seat[0] for match in some for seat in match.seats})
    at = {bot: index for index, bot in enumerate(bots)}
    return {
        "bots": bots,
        "keys": [f"{match.key[0]}.{match.key[1]}" for match in some],
        "ends": [match.end for match in some],
        "stages": [match.stage for match in some],
        "seats": [[at[seat[0]] for seat in match.seats] for match in some],
        "scores": [[seat[1] for seat in match.seats] for match in some],
        "places": [[seat[2] for seat in match.seats] for match in some],
        "verdicts": [
            [seat[3] for seat in match.seats] if match.has_verdict else 0 for match in some
        ],
        "shards": [shard_of.get(match.key, -1) for match in some],
    }
