"""What an author asks with: a token, a session, an upload; the context of a request for a page."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import ExitStack, asynccontextmanager
from datetime import UTC, datetime
from functools import partial
from math import ceil
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO, Any, Self, TypeVar
from urllib.parse import parse_qs

from attrs import frozen
from jinja2 import ChoiceLoader, PackageLoader
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from arena.rules import StorageError, describe_error
from arena.tournament.file import get_data_folder
from arena_hill.db.database import SESSION_SECONDS, HillDatabase, Principal, TokenScope
from arena_hill.db.submissions import Submission, SubmissionDeniedError, SubmissionStatus
from arena_hill.hill_access import INVALID_TOKEN_HEADERS, HillAccess
from arena_hill.redaction import redact_paths
from arena_web.addresses import Links, find_root
from arena_web.http.rate_limits import find_client
from arena_web.page_templates import TEMPLATES
from arena_web.pages.analysis import list_explorable_games
from arena_web.pages.standings import StandingsRow, build_rows
from arena_web.static_files import read_files
from arena_web.tournament_views import TournamentView

BEARER = "bearer "
READ_ONLY_MESSAGE = "this token can only read: create one that may submit"


def get_cookie_name(hill: str) -> str:
    """Return the name of the session cookie of a hill; each hill of a host has its own.

    By its first word no other site, and no plain connection, can set it.
    """
    return f"__Host-hill-{hill}"


def read_token(request: Request, access: HillAccess) -> str:
    """Return the token in a request to a hill; "" if there is none."""
    given = request.headers.get("authorization")
    if given is None:
        return request.cookies.get(get_cookie_name(access.name), "")
    return given[len(BEARER) :].strip() if given.lower().startswith(BEARER) else ""


async def identify(request: Request, access: HillAccess) -> Principal:
    """Return the author who sends a request; raise 401 if there is none."""
    key = read_token(request, access)
    found = await access.identify(key)
    if found is None:
        raise build_unauthorized_error(key)
    return found


async def identify_everywhere(
    request: Request, hills: Mapping[str, HillAccess]
) -> list[tuple[HillAccess, Principal]]:
    """Return the client's identity at each hill that knows its token; raise 401 if none."""
    shown, found = "", []
    for access in hills.values():
        key = read_token(request, access)
        shown = shown or key
        if author := await access.identify(key):
            found.append((access, author))
    if not found:
        raise build_unauthorized_error(shown)
    return found


async def identify_submitter(request: Request, access: HillAccess) -> Principal:
    """Return the author if the token may submit bots; else raise 401 or 403."""
    found = await identify(request, access)
    if not found.can_submit:
        raise HTTPException(403, READ_ONLY_MESSAGE)
    return found


def build_unauthorized_error(key: str) -> HTTPException:
    """Return the 401 error for a request whose token is missing or unknown."""
    if not key:
        said = "you are not signed in: send `Authorization: Bearer` with your token"
        return HTTPException(401, said, {"WWW-Authenticate": "Bearer"})
    said = "this token is unknown: create one on the hill's page"
    return HTTPException(401, said, INVALID_TOKEN_HEADERS)


async def identify_session(request: Request, access: HillAccess) -> Principal | None:
    """Return the author of a browser's session, or None."""
    found = await access.identify(request.cookies.get(get_cookie_name(access.name), ""))
    return found if found and found.scope is TokenScope.SESSION else None


async def end_session(request: Request, access: HillAccess) -> None:
    """End the session of a browser, if it has one."""
    if key := request.cookies.get(get_cookie_name(access.name)):
        await access.ask(partial(access.database.end_session, key))


def set_session_cookie(answer: Response, access: HillAccess, key: str) -> Response:
    """Return the response with the session cookie set; scripts cannot read the cookie."""
    name = get_cookie_name(access.name)
    answer.set_cookie(name, key, SESSION_SECONDS, secure=True, httponly=True, samesite="lax")
    return answer


def delete_session_cookie(answer: Response, access: HillAccess) -> Response:
    """Return the response with the session cookie deleted."""
    answer.delete_cookie(get_cookie_name(access.name), secure=True, httponly=True, samesite="lax")
    return answer


# Receiving uploads: what the author may is checked first, and then the body goes to the disk.


@frozen
class Upload:
    """The body of an upload, in a file that is deleted afterwards."""

    file: IO[bytes]  #: at its beginning
    count: Callable[[], object]  #: to be called when the upload was queued: it counts


@asynccontextmanager
async def receive_upload(
    request: Request, access: HillAccess, author: Principal
) -> AsyncIterator[Upload]:
    """Receive the body of an author's upload, without holding it in memory.

    Raises:
        HTTPException: where the author may not upload now, or denied what was done within.
        StorageError: where the body cannot be written.
    """
    try:
        with access.upload_rates.reserve(author.id, find_client(request.scope)) as count:
            await access.ask(access.check_disk_space)
            with await _receive_body(request, get_data_folder(access.spec)) as file:
                yield Upload(file, count)
    except ClientDisconnect:
        raise HTTPException(400, "the request body is incomplete") from None
    except SubmissionDeniedError as problem:
        wait = {"Retry-After": f"{ceil(problem.wait)}"} if problem.wait else None
        raise HTTPException(problem.status, str(problem), wait) from None


async def _receive_body(request: Request, folder: Path) -> IO[bytes]:
    """Return a request's body in a new file without a name; raise StorageError."""
    with ExitStack() as unfinished:
        try:
            file = unfinished.enter_context(TemporaryFile(dir=folder))
            async for piece in request.stream():
                file.write(piece)
            file.seek(0)
        except OSError as problem:
            raise StorageError(f"{folder}: {describe_error(problem)}") from None
        unfinished.pop_all()
        return file


# The context of a request for a page of a hill, perhaps by one of its authors.

HILL_TEMPLATES = TEMPLATES.overlay(
    loader=ChoiceLoader(
        [loader for loader in (PackageLoader("arena_hill"), TEMPLATES.loader) if loader]
    )
)
FILES = read_files(Path(__file__).parents[1] / "static")
"""The static files of a hill's pages by name, besides those of all pages."""
MAX_FORM_FIELDS = 20  # of a form
MAX_NUMBER = 2**31  # a number that no database has
NOT_YOURS_MESSAGE = (
    "there is no such page, or only its author can see it: is this browser signed in?"
)

T = TypeVar("T")


@frozen
class PageContext:
    """A request for a page of a hill, with the hill and the author."""

    request: Request
    access: HillAccess
    author: Principal | None

    @classmethod
    async def of(cls, hills: Mapping[str, HillAccess], request: Request) -> Self:
        """Return the context of a request; raise 404 if there is no such hill."""
        access = hills.get(request.path_params["hill"])
        if access is None:
            raise HTTPException(404)
        return cls(request, access, await identify_session(request, access))

    @property
    def identity(self) -> Principal:
        """The signed-in author; 404 if there is none."""
        if self.author is None:
            raise HTTPException(404, NOT_YOURS_MESSAGE)
        return self.author

    @property
    def number(self) -> int:
        """The number in the address; 404 if it is too large."""
        number = int(self.request.path_params["number"])
        if number >= MAX_NUMBER:
            raise HTTPException(404)
        return number

    @property
    def address(self) -> str:
        """The full address of the hill's page."""
        return f"{self.request.base_url}hill/{self.access.name}/"

    def build_git_url(self, user: str = "") -> str:
        """Return the git URL of a bot; `user` is put before the host and includes the `@`."""
        site = self.request.base_url
        return f"{site.scheme}://{user}{site.netloc}{site.path}git/my_bot.git"

    async def ask(self, question: Callable[[HillDatabase], T]) -> T:
        """Query the database in a thread."""
        return await self.access.ask(partial(question, self.access.database))

    async def compute_statuses(self, some: Sequence[Submission]) -> Mapping[int, SubmissionStatus]:
        """Return the statuses of submissions by their numbers."""
        return await self.access.ask(partial(self.access.compute_statuses, some))

    async def load_view(self) -> TournamentView | None:
        """Return what a page shows of the tournament, or None before it starts."""
        return await self.access.load_view()

    async def read_form(self) -> Mapping[str, str]:
        """Return the fields of the submitted form; raise 400 if it is not valid."""
        try:
            text = (await self.request.body()).decode()
            fields = parse_qs(text, keep_blank_values=True, max_num_fields=MAX_FORM_FIELDS)
        except ValueError:
            raise HTTPException(400, "this form does not belong to this page") from None
        return {name: values[0] for name, values in fields.items()}

    async def find_own_submission(self) -> Submission:
        """Return the submission in the address; raise 404 unless it is the author's own."""
        found = await self.ask(partial(HillDatabase.find_submission, number=self.number))
        if found is None or found.author != self.identity.id:
            raise HTTPException(404, NOT_YOURS_MESSAGE)
        return found

    async def find_own_bot(self) -> str:
        """Return the bot in the address; raise 404 unless it is the author's own."""
        bot = self.request.path_params["bot"]
        sent = await self.ask(
            lambda database: database.list_submissions(author=self.identity.id, bot=bot, limit=1)
        )
        if not sent:
            raise HTTPException(404, NOT_YOURS_MESSAGE)
        return sent[0].bot

    async def load_aliasing(self) -> Callable[[str], str]:
        """Return a function from a bot's name to its public name, which may be an alias."""
        hidden = await self.ask(HillDatabase.list_aliases)
        return lambda name: hidden.get(name, name)

    def render(self, template: str, status: int = 200, /, **values: Any) -> Response:
        """Render a page; pages for one author are not cached."""
        root = find_root(self.request)
        own = {
            "root": root,
            "to": Links(f"{root}t/{self.access.tournament.name}/"),
            "at": Links(f"{root}hill/{self.access.name}/"),
            "source": self.access.name,
            "of_tournament": True,
            "hill_path": self.access.tournament.hill_path,
            "title": self.access.tournament.title,
            "about": self.access.config,
            "config": self.access.config,
            "game": self.access.spec.game.name,
            "author": self.author,
            "walked": list_explorable_games(),
            "format_time": format_time,
            "masked": partial(redact_paths, spec=self.access.spec),
        }
        made = render_page(f"hill/{template}", status, **own, **values)
        made.headers["Cache-Control"] = "no-store"
        return made

    def redirect(self, where: str) -> Response:
        """Redirect to a page of the hill after an action."""
        root = find_root(self.request)
        return RedirectResponse(f"{root}hill/{self.access.name}/{where}", 303)


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


def render_page(name: str, status: int = 200, /, **values: object) -> Response:
    """Render a template as an HTML response."""
    return HTMLResponse(HILL_TEMPLATES.get_template(name).render(values), status)
