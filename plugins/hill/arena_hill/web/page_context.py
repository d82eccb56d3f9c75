"""The context of a request for a page of a hill, perhaps by one of its authors."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from urllib.parse import parse_qs

from attrs import frozen
from jinja2 import ChoiceLoader, PackageLoader
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from arena.tournament.file.contents import HillConfig
from arena_hill.db.accounts import Principal
from arena_hill.denials import format_wait
from arena_hill.web.hill_requests import NOT_YOURS_MESSAGE, AuthorRequest, HillRequest
from arena_hill.web.identity import identify_session
from arena_hill.web.served_hill import ServedHill
from arena_web.addresses import Links, find_root
from arena_web.page_templates import TEMPLATES, PageValues, SourceFrame
from arena_web.pages.standings_rows import StandingsRow, build_rows
from arena_web.static_files import read_files
from arena_web.tournaments.views import TournamentView

FILES = read_files(Path(__file__).parents[1] / "static")
"""The static files of a hill's pages by name, besides those of all pages."""
MAX_FORM_FIELDS = 20  # of a form


@frozen(kw_only=True)
class HillFrame(SourceFrame):
    """What the templates around a page of a hill are given."""

    at: Links  #: the addresses of the hill's pages
    config: HillConfig
    game: str  #: its name
    author: Principal | None  #: who is signed in


@frozen
class PageContext(HillRequest):
    """A request for a page of a hill, perhaps by an author whose browser is signed in."""

    @classmethod
    async def by_visitor(cls, served: ServedHill, request: Request) -> PageContext:
        """Return a request of a browser, whose session says who is the author, if anybody is."""
        return PageContext(request, served, await identify_session(request, served))

    @property
    def address(self) -> str:
        """The full address of the hill's page."""
        return f"{self.request.base_url}hill/{self.served.name}/"

    def build_git_url(self, user: str = "") -> str:
        """Return the git URL of a bot; `user` is put before the host and includes the `@`."""
        site = self.request.base_url
        return f"{site.scheme}://{user}{site.netloc}{site.path}git/my_bot.git"

    async def read_form(self) -> Mapping[str, str]:
        """Return the fields of the submitted form; raise 400 if it is not valid."""
        try:
            text = (await self.request.body()).decode()
            fields = parse_qs(text, keep_blank_values=True, max_num_fields=MAX_FORM_FIELDS)
        except ValueError:
            raise HTTPException(400, "this form does not belong to this page") from None
        return {name: values[0] for name, values in fields.items()}

    def render(self, page: PageValues, status: int = 200) -> Response:
        """Render a page, which no cache keeps: it may be for one author."""
        template = HILL_TEMPLATES.get_template(page.template)
        text = template.render(self._build_frame().to_template(), **page.to_template())
        return HTMLResponse(text, status, {"Cache-Control": "no-store"})

    def _build_frame(self) -> HillFrame:
        root, tournament = find_root(self.request), self.served.tournament
        return HillFrame(
            root=root,
            to=Links(f"{root}t/{tournament.name}/"),
            at=Links(f"{root}hill/{self.served.name}/"),
            source=self.served.name,
            of_tournament=True,
            hill_path=tournament.hill_path,
            title=tournament.title,
            about=self.access.hill.config,
            config=self.access.hill.config,
            game=self.access.hill.spec.game.name,
            author=self.author,
        )

    def redirect(self, where: str) -> Response:
        """Redirect to a page of the hill after an action."""
        root = find_root(self.request)
        return RedirectResponse(f"{root}hill/{self.served.name}/{where}", 303)


@frozen
class AuthorPage(AuthorRequest, PageContext):
    """A request for a page of an author, whose browser is signed in."""

    @classmethod
    async def by_session(cls, served: ServedHill, request: Request) -> AuthorPage:
        """Return a request of a browser that is signed in; raise 404."""
        author = await identify_session(request, served)
        if author is None:
            raise HTTPException(404, NOT_YOURS_MESSAGE)
        return AuthorPage(request, served, author)


def index_rows(view: TournamentView | None) -> Mapping[str, StandingsRow]:
    """Return the rows of the standings by ids; none before the tournament starts."""
    return {row.id: row for row in build_rows(view.summary)} if view else {}


def format_time(seconds: float) -> tuple[str, str]:
    """Format a time for people and for programs; `seconds` since 1970.

    >>> format_time(0)
    ('1 Jan 1970, 00:00:00 UTC', '1970-01-01T00:00:00Z')
    """
    at = datetime.fromtimestamp(seconds, UTC)
    return f"{at.day} {at:%b %Y, %H:%M:%S} UTC", f"{at:%Y-%m-%dT%H:%M:%SZ}"


HILL_TEMPLATES = TEMPLATES.overlay(
    loader=ChoiceLoader(
        [loader for loader in (PackageLoader("arena_hill"), TEMPLATES.loader) if loader]
    )
)
HILL_TEMPLATES.globals = {
    **TEMPLATES.globals, "format_time": format_time, "format_wait": format_wait
}  # fmt: skip
"""The templates of a hill's pages, which extend those of all pages."""
