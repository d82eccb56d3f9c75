"""What one page shows of a tournament: a view, which is all that the page can reach."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from typing import TypeVar

import numpy as np
from attrs import field, frozen

from arena import UserError
from arena.records import Transcript
from arena.rules import StorageError
from arena.tournament import RatingHistory, Summary
from arena.tournament.deals import Key
from arena.tournament.file.contents import HillConfig
from arena.tournament.store import MatchFilter, Store
from arena_web.http.refusals import NotFoundError
from arena_web.matches.keys import parse_key
from arena_web.matches.summaries import MatchSummary, summarize_match
from arena_web.matches.visibility import explain_waiting, is_public, load_public_transcript
from arena_web.tournaments.news import TournamentNews
from arena_web.tournaments.playing_styles import PlayingStyleSource
from arena_web.tournaments.snapshots import TournamentSnapshot
from arena_web.tournaments.store_queries import StoreQueryRunner

T = TypeVar("T")
NO_HISTORY = RatingHistory((), np.empty(0, np.int64), *np.empty((3, 0, 0)))


@frozen
class ViewParts:
    """What a page shows of a tournament besides its standings: it is computed on the first wish."""

    history: bool = False  #: the history of the ratings
    news: bool = False  #: who leads, who came and went, records
    styles: bool = False  #: playing styles
    waits: bool = True  #: for what is computed for the first time; else a moment only


STANDINGS = ViewParts()


@frozen(eq=False)
class TournamentView:
    """All that one page shows of a tournament; a page is handed this, and can reach nothing else.

    Its parts may be of different ages: the standings are the newest, and have all entrants that the
    others have. The names that the host had hidden when the page was asked for are hidden in all of
    them, whatever their age, and in all that the page asks of the store.
    """

    name: str  #: of the tournament in addresses
    title: str  #: of its pages
    about: HillConfig  #: what its host says of it
    snapshot: TournamentSnapshot
    history: RatingHistory  #: of no deals before it was computed
    news: TournamentNews  #: nothing before it was computed
    styles: PlayingStyleSource
    cache_key: Hashable  #: is the same where all of the above is the same
    ask: StoreQueryRunner = field(repr=False)  #: a question reads one state of the tournament
    ask_in_turn: StoreQueryRunner = field(repr=False)
    """Asks one of many questions, for a download, without delaying pages."""

    @property
    def aliases(self) -> Mapping[str, str]:
        """What is shown in place of the names that are hidden."""
        return self.snapshot.aliases

    @property
    def summary(self) -> Summary:
        """The results, ratings and standings."""
        return self.snapshot.summary

    def get_transcript_key(self, _: str) -> Hashable:
        """Return a key that is equal while no match is played again and no name hidden."""
        return self.snapshot.replaced, tuple(sorted(self.aliases.items()))

    async def get_game(self) -> str:
        """Return the name of the game that is played."""
        return await self.ask(lambda store: store.settings.game)

    async def summarize_matches(self, which: MatchFilter) -> list[MatchSummary]:
        """Return the matches that pass a filter, without hands and quotes."""
        return await self.ask(lambda store: summarize_matches(store, which))

    async def find_match(self, key: str) -> MatchSummary:
        """Return a match; raise 404 if there is none."""
        return await self.ask(lambda store: _find_match(store, *_require_key(key)))

    async def load_transcript(self, key: str) -> Transcript:
        """Return the public transcript of a match; raise 404 if there is none."""
        return await self.load_with(key, lambda transcript: transcript)

    async def load_with(self, key: str, make: Callable[[Transcript], T]) -> T:
        """Return the result of a function of a transcript, called in the thread that reads it."""
        return await self.ask(lambda store: make(_load_transcript(store, *_require_key(key))))


def summarize_matches(
    store: Store, which: MatchFilter, *, quoting: bool = False
) -> list[MatchSummary]:
    """Return public summaries of matches, with details of verdicts (`quoting`) if public."""
    matches = [*store.matches.find_matches(which)]
    public = {
        deal: quoting and is_public(store, deal) for deal in {match.deal for match in matches}
    }
    return [summarize_match(store, match, public=public[match.deal]) for match in matches]


def _find_match(store: Store, deal: int, rotation: int) -> MatchSummary:
    try:
        record = store.matches.find_match(deal, rotation)
    except StorageError:
        raise
    except UserError:
        raise NotFoundError from None
    why = explain_waiting(store, deal)
    return summarize_match(store, record, public=not why, waiting=why)


def _load_transcript(store: Store, deal: int, rotation: int) -> Transcript:
    transcript = load_public_transcript(store, deal, rotation)
    if transcript is None:
        raise NotFoundError
    return transcript


def _require_key(key: str) -> Key:
    """Return the deal and rotation of a key; raise 404 if it is not valid."""
    match_key = parse_key(key)
    if match_key is None:
        raise NotFoundError
    return match_key
