"""A visit: somebody asks for a page of a hill, perhaps as one of its authors."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from functools import partial
from typing import Any, Self, TypeVar
from urllib.parse import parse_qs

from attrs import frozen
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from arena_web.app import page, root_of
from arena_web.explaining import walked
from arena_web.hill.office import Office
from arena_web.hill.paths import without_paths
from arena_web.hill.people import Visitor
from arena_web.hill.register import Register
from arena_web.hill.sessions import visitor
from arena_web.hill.standing import Standing
from arena_web.hill.submissions import Submission
from arena_web.links import Links
from arena_web.tables import Row, standing_rows

T = TypeVar("T")
FIELDS = 20  # of a form
HIGHEST = 2**31  # a number that no database has
NOT_YOURS = "there is no such page, or only its author can see it: is this browser signed in?"


@frozen
class Visit:
    """A request for a page of a hill: of which one, and as whom somebody has come."""

    request: Request
    office: Office
    author: Visitor | None

    @classmethod
    async def of(cls, offices: Mapping[str, Office], request: Request) -> Self:
        """Return the visit that a request is; 404 where there is no such hill."""
        office = offices.get(request.path_params["hill"])
        if office is None:
            raise HTTPException(404)
        return cls(request, office, await visitor(request, office))

    @property
    def me(self) -> Visitor:
        """Return who has come; 404 where nobody knows."""
        if self.author is None:
            raise HTTPException(404, NOT_YOURS)
        return self.author

    @property
    def number(self) -> int:
        """Return the number that stands in the address; 404 where it can be none."""
        number = int(self.request.path_params["number"])
        if number >= HIGHEST:
            raise HTTPException(404)
        return number

    @property
    def address(self) -> str:
        """Return where the hill is, for who is elsewhere."""
        return f"{self.request.base_url}hill/{self.office.name}/"

    def git_url(self, user: str = "") -> str:
        """Return where a bot is pushed by git; `user` is put before the host, with its `@`."""
        site = self.request.base_url
        return f"{site.scheme}://{user}{site.netloc}{site.path}git/my_bot.git"

    async def ask(self, question: Callable[[Register], T]) -> T:
        """Ask the register, in a thread."""
        return await self.office.ask(partial(question, self.office.register))

    async def standings(self, some: Sequence[Submission]) -> Mapping[int, Standing]:
        """Return where submissions stand, by their numbers."""
        return await self.office.ask(partial(self.office.standings, some))

    async def rows(self) -> Mapping[str, Row]:
        """Return how everybody stands, by ids; nobody does before the tournament has begun."""
        seen = await self.office.see()
        return {row.id: row for row in standing_rows(seen.figures)} if seen else {}

    async def form(self) -> Mapping[str, str]:
        """Return the fields of the form that was sent; 400 where it is none."""
        try:
            text = (await self.request.body()).decode()
            fields = parse_qs(text, keep_blank_values=True, max_num_fields=FIELDS)
        except ValueError:
            raise HTTPException(400, "this form does not belong to this page") from None
        return {name: values[0] for name, values in fields.items()}

    async def mine(self) -> Submission:
        """Return the submission of the address; 404 where it is not the visitor's own."""
        found = await self.ask(partial(Register.submission, number=self.number))
        if found is None or found.author != self.me.id:
            raise HTTPException(404, NOT_YOURS)
        return found

    async def my_bot(self) -> str:
        """Return the name of the bot of the address; 404 where it is not the visitor's own."""
        bot = self.request.path_params["bot"]
        sent = await self.ask(
            lambda register: register.submissions(author=self.me.id, bot=bot, limit=1)
        )
        if not sent:
            raise HTTPException(404, NOT_YOURS)
        return sent[0].bot

    async def shown_as(self) -> Callable[[str], str]:
        """Return what says how everybody sees a bot's name, which the host may have hidden."""
        hidden = await self.ask(Register.hidden)
        return lambda name: hidden.get(name, name)

    def page(self, template: str, status: int = 200, /, **values: Any) -> Response:
        """Return a page; what is made for one visitor alone is kept by no cache."""
        root = root_of(self.request)
        own = {
            "root": root,
            "to": Links(f"{root}t/{self.office.contest.name}/"),
            "at": Links(f"{root}hill/{self.office.name}/"),
            "source": self.office.name,
            "of_contest": True,
            "takes_part": self.office.contest.takes_part,
            "title": self.office.contest.title,
            "about": self.office.config,
            "config": self.office.config,
            "game": self.office.spec.game.name,
            "author": self.author,
            "walked": walked(),
            "moment": moment,
            "masked": partial(without_paths, spec=self.office.spec),
        }
        made = page(f"hill/{template}", status, **own, **values)
        made.headers["Cache-Control"] = "no-store"
        return made

    def back(self, where: str) -> Response:
        """Lead back to a page of the hill, when what was asked for is done."""
        root = root_of(self.request)
        return RedirectResponse(f"{root}hill/{self.office.name}/{where}", 303)


def moment(seconds: float) -> tuple[str, str]:
    """Return a time for people and for programs; `seconds` since 1970.

    >>> moment(0)
    ('1 Jan 1970, 00:00:00 UTC', '1970-01-01T00:00:00Z')
    """
    at = datetime.fromtimestamp(seconds, UTC)
    return f"{at.day} {at:%b %Y, %H:%M:%S} UTC", f"{at:%Y-%m-%dT%H:%M:%SZ}"
