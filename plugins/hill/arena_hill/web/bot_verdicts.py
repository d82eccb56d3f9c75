"""The verdicts against a bot, for its author, without the details of open deals."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from heapq import nlargest
from itertools import islice
from typing import Any

from attrs import frozen

from arena import Fault
from arena.extend import MatchFilter, Store, TournamentSpec, UnknownNameError, dump
from arena_hill.path_redaction import redact_paths
from arena_web.sources import split_key
from arena_web.visibility import is_public

MAX_VERDICTS = 20


@frozen
class BotVerdict:
    """A verdict; its quotes may reveal hands, so they are empty until the deal is over."""

    match: str  #: its key
    kind: str
    public: bool  #: is the deal over?
    detail: str = ""
    question: str = ""  #: as on the JSON wire
    line: str = ""  #: what came
    seconds: float = 0.0
    limit: float | None = None
    stderr: str = ""  #: the end of it


def list_verdicts(store: Store, *, bot: str, spec: TournamentSpec) -> list[BotVerdict]:
    """Return the latest verdicts against a bot, the newest first."""
    keys = {
        split_key(match["match"]) for kind in Fault for match in _list_matches(store, bot, kind)
    }
    newest = nlargest(MAX_VERDICTS, keys)
    found = (verdict for key in newest for verdict in _list_verdicts_in(store, key, bot, spec))
    return [*islice(found, MAX_VERDICTS)]


def _list_matches(store: Store, bot: str, kind: Fault) -> Iterator[Mapping[str, Any]]:
    try:
        yield from store.find_matches(
            MatchFilter(bot=bot, verdict=kind, limit=MAX_VERDICTS, newest=True)
        )
    except UnknownNameError:  # it has not come in yet
        return


def _list_verdicts_in(
    store: Store, key: tuple[int, int], bot: str, spec: TournamentSpec
) -> Iterator[BotVerdict]:
    """Yield the verdicts of a bot in a match, one for each seat that failed."""
    whole, public = store.find_match(*key), is_public(store, key[0])
    for seat in whole["seats"]:
        verdict = seat["verdict"]
        if seat["name"] != bot or verdict is None:
            continue
        if not public:
            yield BotVerdict(whole["match"], verdict["kind"], public=False)
            continue
        yield BotVerdict(
            whole["match"],
            verdict["kind"],
            public=True,
            detail=redact_paths(verdict["detail"], spec),
            question=dump(verdict["question"]) if verdict["question"] else "",
            line=verdict["line"],
            seconds=verdict["seconds"],
            limit=verdict["limit"],
            stderr=redact_paths(seat["stderr"] or "", spec),
        )
