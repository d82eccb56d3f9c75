"""All matches of a tournament as columns, cut by the numbers of their deals.

A list is a script, too: `arena.list("l00003", {...})`. What was played with is not in it, so
matches stand in it as soon as they are stored.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import groupby
from sys import intern
from typing import Any

from attrs import frozen

from arena.tournament import Store, id_of
from arena.wires import dump
from arena_web.embargo import Shown, shown
from arena_web.site.shards import Key, name_of

DEALS = 2500  # in a list


@frozen
class Listed:
    """A match, as far as a list shows it."""

    key: Key
    end: str
    stage: str
    seats: tuple[tuple[str, float | None, int | None, str], ...]  # id, score, place, verdict
    recorded: bool

    @property
    def failed(self) -> bool:
        """Is there a verdict?"""
        return any(verdict for *_, verdict in self.seats)


def matches(store: Store) -> list[Listed]:
    """Return all matches that are stored, in the order of their keys."""
    game = store.fact("tournament")["game"]
    return [_listed(shown(one, game, public=False)) for one in store.matches()]


def _listed(one: Shown) -> Listed:
    deal, _, rotation = one.key.partition(".")
    seats = tuple(
        (intern(id_of(seat.name, seat.version)), seat.score, seat.place, seat.verdict)
        for seat in one.players
    )
    end, stage = intern(one.end), intern(one.stage)  # all are in memory at once
    return Listed((int(deal), int(rotation)), end, stage, seats, one.recorded)


def lists(found: Iterable[Listed], shard_of: Mapping[Key, int]) -> Iterator[tuple[int, bytes]]:
    """Return the numbers of lists, and their files; `shard_of` says which shard shows a match."""
    for number, group in groupby(found, lambda one: one.key[0] // DEALS):
        text = dump(_columns([*group], shard_of))
        yield number, f'arena.list("{name_of("l", number)}", {text});\n'.encode()


def _columns(some: list[Listed], shard_of: Mapping[Key, int]) -> dict[str, Any]:
    bots = sorted({seat[0] for one in some for seat in one.seats})
    at = {bot: index for index, bot in enumerate(bots)}
    return {
        "bots": bots,
        "keys": [f"{one.key[0]}.{one.key[1]}" for one in some],
        "ends": [one.end for one in some],
        "stages": [one.stage for one in some],
        "seats": [[at[seat[0]] for seat in one.seats] for one in some],
        "scores": [[seat[1] for seat in one.seats] for one in some],
        "places": [[seat[2] for seat in one.seats] for one in some],
        "verdicts": [[seat[3] for seat in one.seats] if one.failed else 0 for one in some],
        "shards": [shard_of.get(one.key, -1) for one in some],
    }
