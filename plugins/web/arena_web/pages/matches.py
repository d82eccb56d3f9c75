"""Pages of matches: the lists of a tournament or a folder of transcripts, and single matches."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import get_args

from attrs import frozen

from arena import End, Fault
from arena.tournament.store import MatchFilter
from arena.tournament.store.match_filter import MatchResult
from arena_web.http.refusals import NotFoundError
from arena_web.matches.keys import parse_key
from arena_web.matches.replay_steps import list_eyes
from arena_web.matches.summaries import MatchSummary
from arena_web.page_templates import PageValues
from arena_web.pages.bot_choices import list_selectable
from arena_web.pages.bot_matches import BotMatch, list_bot_matches
from arena_web.pages.page_query import PageQuery
from arena_web.protocol.replies import Eye
from arena_web.sources import MatchView
from arena_web.tournaments.views import TournamentView
from arena_web.transcript_folders import TranscriptFolder

RESULTS: Sequence[MatchResult] = get_args(MatchResult)
"""What a list of a bot's matches can be limited to."""
VERDICTS = tuple(str(fault) for fault in Fault)
ENDS = (*(str(end) for end in End), "cancelled")
PAGE_MATCHES = 50  # matches
FILTERS = ("bot", "against", "result", "verdict", "end")


@frozen(kw_only=True)
class MatchListPage(PageValues):
    """The values of a page of a tournament's matches."""

    template = "matches.html"

    game: str
    matches: Sequence[MatchSummary]
    own: Sequence[BotMatch]  #: the same from the side of a bot, if they are one bot's
    filters: Mapping[str, str]  #: the filters, by name; empty for none
    results: Sequence[str]  #: the results by which matches can be filtered
    bots: Sequence[str]  #: the bots by which matches can be filtered
    labels: Mapping[str, str]  #: the labels of these bots, by name
    verdicts: Sequence[str]  #: the verdicts by which matches can be filtered
    ends: Sequence[str]  #: the ends by which matches can be filtered
    more: str  #: the key after which the next page begins; empty for none
    paged: bool  #: whether it is another page than the first


@frozen(kw_only=True)
class TranscriptListPage(PageValues):
    """The values of a page of a folder's transcripts."""

    template = "transcripts.html"

    text: str  #: that is looked for in names
    matches: Sequence[MatchSummary]
    more: str  #: the name after which the next page begins; empty for none
    count: int  #: of all transcripts


@frozen(kw_only=True)
class MatchPage(PageValues):
    """The values of the page of one match."""

    template = "match.html"

    game: str
    match: MatchSummary
    said: str  #: a sentence on who won
    eyes: Sequence[Eye]  #: through which its replay can be seen


async def show_matches(tournament: TournamentView, query: PageQuery) -> MatchListPage:
    """Return a page of a tournament's matches, the newest first."""
    snapshot = tournament.snapshot
    filters = {name: query.get(name) for name in FILTERS}
    names = {standing.entry.name for standing in snapshot.summary.standings}
    ids = {standing.entry.id for standing in snapshot.summary.standings}
    if {filters["bot"], filters["against"]} - names - ids - {""}:
        raise NotFoundError
    result = next((result for result in RESULTS if result == filters["result"]), None)
    if filters["result"] and result is None:
        raise NotFoundError
    texts = {name: value or None for name, value in filters.items() if name != "result"}
    after = query.get("after") or _find_start(query.get("deal"))
    which = MatchFilter(
        **texts, result=result, after=parse_key(after), limit=PAGE_MATCHES + 1, newest=True
    )
    matches = await tournament.summarize_matches(which)
    more = matches[PAGE_MATCHES - 1].key if len(matches) > PAGE_MATCHES else ""
    labels = list_selectable(snapshot.summary, [filters["bot"], filters["against"]])
    return MatchListPage(
        game=snapshot.summary.game,
        matches=matches[:PAGE_MATCHES],
        own=list_bot_matches(matches[:PAGE_MATCHES], filters["bot"]) if filters["bot"] else [],
        filters=filters,
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


async def show_transcripts(folder: TranscriptFolder, query: PageQuery) -> TranscriptListPage:
    """Return a page of a folder's transcripts."""
    number, text = query.get("number"), query.get("text").strip()
    first = int(number) if re.fullmatch(r"[0-9]{1,8}", number) else 1
    matches = await folder.summarize_matches(query.get("after"), PAGE_MATCHES + 1, first, text)
    return TranscriptListPage(
        text=text,
        matches=matches[:PAGE_MATCHES],
        more=matches[PAGE_MATCHES - 1].key if len(matches) > PAGE_MATCHES else "",
        count=await folder.count_files(),
    )


async def show_match(source: MatchView, query: PageQuery) -> MatchPage:
    """Return the page of one match."""
    summary = await source.find_match(query.path["key"])
    return MatchPage(
        game=summary.game,
        match=summary,
        said=summary.finish.describe(),
        eyes=list_eyes(summary.labels),
    )
