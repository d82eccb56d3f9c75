"""The pages of explorers, by which plugins let people walk through the positions of a game."""

from __future__ import annotations

from functools import partial

from attrs import evolve, frozen
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import BaseRoute, Route

from arena import Explorer, ExplorerPage, UserError
from arena.wires import to_printable
from arena_web.addresses import find_root
from arena_web.http.refusals import NotFoundError
from arena_web.page_templates import PageFrame, PageValues, render_page
from arena_web.preparations import Preparation, Preparations
from arena_web.texts import find_explorer


@frozen(kw_only=True)
class PositionPage(PageValues):
    """The values of the page of a position."""

    template = "explorer.html"

    explorer: Explorer
    study: ExplorerPage
    problem: str = ""  #: why it is the start, and not the position that was asked for
    prepares: bool = False  #: whether visitors may have computed what is missing
    preparation: Preparation | None = None  #: that was begun, if any was
    waits: bool = False  #: whether it goes on


@frozen
class ExplorerPages:
    """The pages of all explorers; with `preparations` visitors may have them compute."""

    preparations: Preparations | None = None

    @property
    def routes(self) -> list[BaseRoute]:
        """The routes of the pages."""
        return [
            Route("/study/{game}", self.show_position),
            Route("/study/{game}/prepare", self.prepare, methods=["POST"]),
            Route("/study/{game}/prepare", self.get_progress, methods=["GET"]),
        ]

    def show_position(self, request: Request) -> Response:
        """Return the page of a position, or of the start with an error message."""
        return self._show(request, dict(request.query_params))

    async def prepare(self, request: Request) -> Response:
        """Begin to compute what a position lacks, and lead there."""
        explorer, query = _find(request), dict(request.query_params)
        if not self.preparations or not explorer.prepare:
            raise NotFoundError
        preparation = Preparation(explorer.game, "")
        try:
            self.preparations.start(preparation, partial(explorer.prepare, query))
        except UserError as problem:
            return await run_in_threadpool(self._show, request, {}, problem.message)
        return RedirectResponse(f"../{explorer.game}?{request.url.query}", 303)

    def get_progress(self, request: Request) -> Response:
        """Return the progress of what is computed for an explorer."""
        preparation = self._find_preparation(_find(request))
        if preparation is None:
            raise NotFoundError
        return preparation.build_progress()

    def _find_preparation(self, explorer: Explorer) -> Preparation | None:
        return self.preparations.find(explorer.game) if self.preparations else None

    def _show(self, request: Request, query: dict[str, str], problem: str = "") -> Response:
        explorer = _find(request)
        preparation = self._find_preparation(explorer)
        waits = preparation is not None and not preparation.over  # which may end meanwhile
        page = _build_page(explorer, query)
        page = evolve(
            page,
            problem=problem or ("" if waits else page.problem),  # who waits knows what is missing
            preparation=preparation,
            waits=waits,
            prepares=bool(self.preparations and explorer.prepare),
        )
        frame = PageFrame(root=find_root(request))
        return render_page(page, frame, 400 if page.problem else 200)


def _find(request: Request) -> Explorer:
    """Return the explorer of a request; raise NotFoundError if there is none."""
    explorer = find_explorer(request.path_params["game"])
    if explorer is None:
        raise NotFoundError
    return explorer


def _build_page(explorer: Explorer, query: dict[str, str]) -> PositionPage:
    """Return the values of the page of a position, or of the start with an error message."""
    try:
        return PositionPage(explorer=explorer, study=explorer.find_page(query))
    except UserError as problem:
        return PositionPage(
            explorer=explorer,
            study=explorer.find_page({}),
            problem=to_printable(problem.message),
        )
