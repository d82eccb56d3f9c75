"""The routes of all pages of tables, with what the pages share."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import date

from attrs import define, field
from starlette.responses import RedirectResponse
from starlette.routing import BaseRoute, Route

from arena_web.http.sse import FollowerLimit
from arena_web.matches.notes import annotate
from arena_web.matches.remembered import remember
from arena_web.pages.annotations import Annotator
from arena_web.play.daily import DailyDeals, DailyGuests, get_today
from arena_web.play.offers import load_pools
from arena_web.play.pages.daily import DailyPages
from arena_web.play.pages.my_games import MyGamesPages
from arena_web.play.pages.seat import SeatPages
from arena_web.play.pages.start import StartPages
from arena_web.play.pages.table import TablePages
from arena_web.play.pages.waiting import WaitingPages
from arena_web.play.table_setup import TableSetup
from arena_web.play.tables import PlayTables
from arena_web.play.visitors.tickets import Tickets
from arena_web.play.visitors.visitors import Visitors
from arena_web.preparations import Preparations
from arena_web.review.reviewer import Reviewer
from arena_web.tournaments.sources import TournamentSource


@define
class PlayPages:
    """The pages of the tables of a server, with what they share."""

    tables: PlayTables
    followers: FollowerLimit = field(factory=FollowerLimit)
    tournaments: Sequence[TournamentSource] = ()  #: to which the pages of tables lead back
    sources: Mapping[str, str] = field(factory=dict)  #: what else is served: kinds by name
    prepares: bool = False  #: whether visitors may have bots prepared, which takes the machine
    get_today: Callable[[], date] = get_today  #: the day whose deals are offered
    daily_guests: DailyGuests | None = None  #: who plays them besides people and bundled bots
    preparations: Preparations = field(factory=Preparations)
    routes: list[BaseRoute] = field(init=False)  #: of the pages

    def __attrs_post_init__(self) -> None:
        """Build the pages; who can be played against is read once."""
        tables, followers = self.tables, self.followers
        key, pools = tables.store.read_signing_key(), load_pools(tables.programs)
        visitors = Visitors(tables.store, Tickets(key))
        deals = DailyDeals(tables.store, pools, key, self.get_today, self.daily_guests)
        start = StartPages(tables, visitors, pools, self.sources, self.prepares, self.preparations)
        waiting = WaitingPages(tables, pools)
        seat = SeatPages(tables, followers, visitors, self.tournaments, start, waiting)
        find_notes = remember(annotate, self.preparations)
        annotator, games = Annotator(find_notes), MyGamesPages(tables, visitors)
        reviewer = Reviewer(find_notes, self.preparations)
        table = TablePages(tables, followers, visitors, annotator, reviewer)
        daily = DailyPages(tables, visitors, pools, deals, annotator)
        pages = (start, daily, games, waiting, seat, table)
        self.routes = [route for page in pages for route in page.routes]

    def find_path(self, game: str | None, setup: TableSetup | None) -> str:
        """Return the path of the first page: a new table's seat, or the form."""
        if setup is not None:
            return f"seat/{self.tables.open(setup).secrets[0]}"
        return f"play?game={game}" if game else ""

    @property
    def root_routes(self) -> list[BaseRoute]:
        """The route of the root, if nothing else is served."""
        return [Route("/", lambda _: RedirectResponse("play"))]
