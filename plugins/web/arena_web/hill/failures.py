"""What was held against a bot, for its author: as much of it as the deals that go on allow."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from heapq import nlargest
from itertools import islice
from typing import Any

from attrs import frozen

from arena.rules import Fault, Unknown
from arena.tournament import Filter, Store, TournamentSpec
from arena.wires import dump
from arena_web.embargo import is_public
from arena_web.hill.paths import without_paths
from arena_web.served import keyed

LATEST = 20


@frozen
class Failure:
    """A verdict; what it quotes is a hand, so it is empty until the deal is over."""

    match: str  #: its key
    kind: str
    public: bool  #: is the deal over?
    detail: str = ""
    question: str = ""  #: as on the JSON wire
    line: str = ""  #: what came
    seconds: float = 0.0
    limit: float | None = None
    stderr: str = ""  #: the end of it


def failures(store: Store, *, bot: str, spec: TournamentSpec) -> list[Failure]:
    """Return the latest verdicts against a bot, the newest first."""
    keys = {keyed(one["match"]) for kind in Fault for one in _of(store, bot, kind)}
    newest = nlargest(LATEST, keys)
    found = (one for key in newest for one in _failed(store, key, bot, spec))
    return [*islice(found, LATEST)]


def _of(store: Store, bot: str, kind: Fault) -> Iterator[Mapping[str, Any]]:
    try:
        yield from store.matches(Filter(bot=bot, verdict=kind, limit=LATEST, newest=True))
    except Unknown:  # it has not come in yet
        return


def _failed(
    store: Store, key: tuple[int, int], bot: str, spec: TournamentSpec
) -> Iterator[Failure]:
    """Return what a bot did wrong in a match, on each of its seats."""
    whole, public = store.match(*key), is_public(store, key[0])
    for seat in whole["seats"]:
        verdict = seat["verdict"]
        if seat["name"] != bot or verdict is None:
            continue
        if not public:
            yield Failure(whole["match"], verdict["kind"], public=False)
            continue
        yield Failure(
            whole["match"],
            verdict["kind"],
            public=True,
            detail=without_paths(verdict["detail"], spec),
            question=dump(verdict["question"]) if verdict["question"] else "",
            line=verdict["line"],
            seconds=verdict["seconds"],
            limit=verdict["limit"],
            stderr=without_paths(seat["stderr"] or "", spec),
        )
