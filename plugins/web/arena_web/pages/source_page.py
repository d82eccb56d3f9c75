"""A page of a source as a value: its address, what makes it, and how long an answer holds."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Hashable, Mapping
from typing import Generic, TypeVar

from attrs import asdict, frozen
from starlette.responses import Response

from arena_web.page_templates import PageValues
from arena_web.pages.page_query import PageQuery
from arena_web.pages.tournament_heading import TournamentHeading
from arena_web.sources import MatchView
from arena_web.tournaments.views import STANDINGS, TournamentView, ViewParts

V_contra = TypeVar("V_contra", contravariant=True)  # the kind of view that a page is handed


@frozen(kw_only=True)
class TournamentPageValues(PageValues):
    """The values of a template that shows how far a tournament has come."""

    heading: TournamentHeading  #: whose fields have their own names in the template

    def to_template(self) -> Mapping[str, object]:
        """Return the values by their names in the template, with those of the heading."""
        return {**asdict(self.heading), **super().to_template()}


@frozen
class SourcePage(Generic[V_contra]):
    """A page, which is handed a view of its source and what its address asks for."""

    path: str  #: below that of the source
    make: Callable[[V_contra, PageQuery], Awaitable[Response | PageValues]]
    part: str = ""  #: that the page loads again by itself, a template in `parts/`
    needs: ViewParts = STANDINGS  #: what the page shows of a tournament
    cached_by: Callable[[V_contra, PageQuery], Hashable] | None = None
    """What an answer depends on besides its address; None: it is not kept."""


def by_figures(view: TournamentView, _: PageQuery) -> Hashable:
    """Return the key of all that is shown of a tournament."""
    return view.cache_key


def by_transcript(view: MatchView, query: PageQuery) -> Hashable:
    """Return the key of the transcript that a page shows."""
    return view.get_transcript_key(query.path["key"])
