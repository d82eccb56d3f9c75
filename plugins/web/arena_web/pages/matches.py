"""Pages of matches: their lists, also of the matches of one bot, single ones, and a CSV file."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from functools import partial
from typing import Any

from attrs import frozen
from starlette.exceptions import HTTPException
from starlette.responses import Response, StreamingResponse

from arena import End, Fault, join_words
from arena.tables import escape_formula
from arena.tournament.exported_results import COLUMNS, build_rows
from arena.tournament.store import MatchFilter, Store
from arena_web.addresses import build_attachment_headers
from arena_web.match_announcements import describe_result
from arena_web.match_keys import Key, parse_key
from arena_web.match_summaries import MatchSummary, VisiblePlayer
from arena_web.pages.page_query import PageQuery
from arena_web.pages.replays import list_eyes
from arena_web.pages.source_page import PageValues
from arena_web.pages.standings import list_selectable
from arena_web.sources import MatchView
from arena_web.texts import find_count
from arena_web.tournament_views import TournamentView
from arena_web.transcript_folders import TranscriptFolder

RESULTS = ("won", "lost")
"""What a list of a bot's matches can be limited to."""
VERDICTS = tuple(str(fault) for fault in Fault)
ENDS = (*(str(end) for end in End), "cancelled")
PAGE_MATCHES = 50  # matches
FILTERS = ("bot", "against", "result", "verdict", "end")
CHUNK_MATCHES = 500  # matches of a file for programs, read at once


@frozen(kw_only=True)
class MatchListPage(PageValues):
    """The values of a page of a tournament's matches."""

    game: str
    matches: Sequence[MatchSummary]
    own: Sequence[BotMatch]  #: the same from the side of a bot, if they are one bot's
    asked: Mapping[str, str]  #: the filters, by name; empty for none
    results: Sequence[str]  #: by which they can be filtered
    bots: Sequence[str]  #: likewise
    labels: Mapping[str, str]  #: of these bots, by name
    verdicts: Sequence[str]  #: likewise
    ends: Sequence[str]  #: likewise
    more: str  #: the key after which the next page begins; empty for none
    paged: bool  #: whether it is another page than the first


@frozen(kw_only=True)
class TranscriptListPage(PageValues):
    """The values of a page of a folder's transcripts."""

    text: str  #: that is looked for in names
    matches: Sequence[MatchSummary]
    more: str  #: the name after which the next page begins; empty for none
    count: int  #: of all transcripts


@frozen(kw_only=True)
class MatchPage(PageValues):
    """The values of the page of one match."""

    game: str
    match: MatchSummary
    said: str  #: a sentence on who won
    eyes: Sequence[str]  #: through which its replay can be seen


async def list_matches(tournament: TournamentView, query: PageQuery) -> MatchListPage:
    """Return a page of a tournament's matches, the newest first."""
    snapshot = tournament.snapshot
    filters = {name: query.get(name) for name in FILTERS}
    names = {standing.entry.name for standing in snapshot.summary.standings}
    ids = {standing.entry.id for standing in snapshot.summary.standings}
    if {filters["bot"], filters["against"]} - names - ids - {""}:
        raise HTTPException(404)
    if filters["result"] not in ("", *RESULTS):
        raise HTTPException(404)
    some = {name: value or None for name, value in filters.items()}
    after = query.get("after") or _find_start(query.get("deal"))
    which = MatchFilter(**some, after=parse_key(after), limit=PAGE_MATCHES + 1, newest=True)
    matches = await tournament.list_matches(which)
    more = matches[PAGE_MATCHES - 1].key if len(matches) > PAGE_MATCHES else ""
    labels = list_selectable(snapshot.summary, [filters["bot"], filters["against"]])
    return MatchListPage(
        game=snapshot.summary.game,
        matches=matches[:PAGE_MATCHES],
        own=list_bot_matches(matches[:PAGE_MATCHES], filters["bot"]) if filters["bot"] else [],
        asked=filters,
        results=RESULTS if filters["bot"] else (),
        bots=[*labels],
        labels=labels,
        verdicts=VERDICTS,
        ends=ENDS,
        more=more,
        paged=bool(after),
    )


def _find_start(deal: str) -> str:
    """Return the key after which a list goes on with a deal, the newest first; empty for none.

    >>> _find_start("12"), _find_start("fish")
    ('13.0', '')
    """
    return f"{int(deal) + 1}.0" if re.fullmatch(r"[0-9]{1,8}", deal) else ""


@frozen
class BotMatch:
    """A match as one of its players sees it."""

    match: MatchSummary
    own: VisiblePlayer
    result: str  #: won, tied, lost, or void
    score: str  #: its own and the best other one
    others: tuple[VisiblePlayer, ...]


def list_bot_matches(matches: Iterable[MatchSummary], bot: str) -> list[BotMatch]:
    """Return matches from the side of a bot, given by its name or `NAME@VERSION`."""
    return [
        _build_bot_match(match, own)
        for match in matches
        for own in [next(iter(_find_players(match, bot)), None)]
        if own is not None
    ]


def _find_players(match: MatchSummary, bot: str) -> list[VisiblePlayer]:
    return [
        player
        for player in match.players
        if bot in (player.name, f"{player.name}@{player.version}")
    ]


def _build_bot_match(match: MatchSummary, own: VisiblePlayer) -> BotMatch:
    others = tuple(player for player in match.players if player.seat != own.seat)
    against = [player for side in match.sides if own not in side for player in side]
    result, score = _describe_result(own, against), _format_score(own, against, match.game)
    return BotMatch(match, own, result, score, others)


def _describe_result(own: VisiblePlayer, others: Iterable[VisiblePlayer]) -> str:
    if own.place is None:
        return "void"
    if own.place > 1:
        return "lost"
    return "tied" if any(other.place == 1 for other in others) else "won"


def _format_score(own: VisiblePlayer, others: Iterable[VisiblePlayer], game: str) -> str:
    scores: list[Any] = [other.score for other in others if other.score is not None]
    if own.score is None:
        return ""
    pair = [own.score, *([max(scores)] if scores else [])]
    return " : ".join(map(find_count(game).format, pair))


async def list_transcripts(folder: TranscriptFolder, query: PageQuery) -> TranscriptListPage:
    """Return a page of a folder's transcripts."""
    number, text = query.get("number"), query.get("text").strip()
    first = int(number) if re.fullmatch(r"[0-9]{1,8}", number) else 1
    matches = await folder.list_matches(query.get("after"), PAGE_MATCHES + 1, first, text)
    return TranscriptListPage(
        text=text,
        matches=matches[:PAGE_MATCHES],
        more=matches[PAGE_MATCHES - 1].key if len(matches) > PAGE_MATCHES else "",
        count=len(folder.list_files()),
    )


async def show_match(source: MatchView, query: PageQuery) -> MatchPage:
    """Return the page of one match."""
    summary = await source.find_match(query.path["key"])
    return MatchPage(
        game=summary.game,
        match=summary,
        said=describe_result(
            [join_words([player.label for player in side]) for side in summary.sides],
            [side[0].place for side in summary.sides],
            [side[0].score for side in summary.sides],
            find_count(summary.game),
            several=len(summary.sides) < len(summary.players),
        ),
        eyes=list_eyes(summary.names),
    )


async def download_csv(tournament: TournamentView, _: PageQuery) -> Response:
    """Stream all matches as CSV."""
    headers = build_attachment_headers(f"{tournament.name}-matches.csv")
    return StreamingResponse(iterate_csv(tournament), media_type="text/csv", headers=headers)


async def iterate_csv(tournament: TournamentView) -> AsyncIterator[str]:
    """Yield the parts of a CSV file with all matches, one line per seat."""
    after: Key | None = None
    yield _format_csv([], heading=True)
    while True:
        text, after = await tournament.ask_in_turn(partial(_read_chunk, after=after))
        yield text
        if after is None:
            return


def _read_chunk(store: Store, *, after: Key | None) -> tuple[str, Key | None]:
    """Return the next lines and the match to continue after; None after the last."""
    rows = [*build_rows(store.find_matches(MatchFilter(limit=CHUNK_MATCHES, after=after)))]
    return _format_csv(rows), (rows[-1]["deal"], rows[-1]["rotation"]) if rows else None


def _format_csv(rows: Iterable[Mapping[str, Any]], *, heading: bool = False) -> str:
    text = io.StringIO()
    writer = csv.DictWriter(text, COLUMNS, lineterminator="\n")
    if heading:
        writer.writeheader()
    writer.writerows({name: escape_formula(value) for name, value in row.items()} for row in rows)
    return text.getvalue()
