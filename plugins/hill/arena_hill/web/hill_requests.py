"""A request to a hill: what it asks for, and who asks."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial
from typing import TypeVar

from attrs import frozen
from starlette.exceptions import HTTPException
from starlette.requests import Request

from arena_hill.db.accounts import Principal
from arena_hill.db.author_actions import AuthorActions, NotOwnedError
from arena_hill.db.bots import Bot
from arena_hill.db.store import HillStore
from arena_hill.db.submissions import Submission
from arena_hill.hill_access import HillAccess
from arena_hill.submission_status import StatusReading
from arena_hill.web.identity import READ_ONLY_MESSAGE, identify
from arena_hill.web.served_hill import ServedHill

NUMBER_PATTERN = "[0-9]{1,9}"  # of what databases number
NOT_YOURS_MESSAGE = (
    "there is no such page, or only its author can see it: is this browser signed in?"
)
T = TypeVar("T")


@frozen
class HillRequest:
    """A request to a hill, perhaps by one of its authors."""

    request: Request
    served: ServedHill
    author: Principal | None  #: None where nobody is signed in, or it makes no difference

    @classmethod
    async def by_anybody(cls, served: ServedHill, request: Request) -> HillRequest:
        """Return a request that does not depend on who asks."""
        return HillRequest(request, served, None)

    @property
    def access(self) -> HillAccess:
        """The hill itself; its methods may block."""
        return self.served.access

    @property
    def number(self) -> int:
        """The number in the address; NotOwnedError unless a database may have it."""
        number = str(self.request.path_params["number"])
        if not re.fullmatch(NUMBER_PATTERN, number):
            raise NotOwnedError(f"there is no number {number}")
        return int(number)

    @property
    def bot(self) -> str:
        """The bot in the address, whosever it is."""
        return str(self.request.path_params["bot"])

    async def ask(self, question: Callable[[HillStore], T]) -> T:
        """Query the database in a thread."""
        return await self.served.ask(partial(question, self.access.store))

    async def read_statuses(self) -> StatusReading:
        """Read what the statuses of submissions depend on, once for all of a page; StorageError."""
        return await self.served.ask(self.access.read_statuses)


@frozen
class AuthorRequest(HillRequest):
    """A request by an author of a hill."""

    author: Principal

    @classmethod
    async def by_author(cls, served: ServedHill, request: Request) -> AuthorRequest:
        """Return a request by an author, whatever the token is for; raise 401."""
        return AuthorRequest(request, served, await identify(request, served))

    @classmethod
    async def by_submitter(cls, served: ServedHill, request: Request) -> AuthorRequest:
        """Return a request by an author whose token may submit; raise 401 or 403."""
        author_request = await cls.by_author(served, request)
        author_request.check_can_submit()
        return author_request

    def check_can_submit(self) -> None:
        """Raise 403 if the author's token can only read."""
        if not self.author.can_submit:
            raise HTTPException(403, READ_ONLY_MESSAGE)

    async def ask_owner(self, act: Callable[[AuthorActions], T]) -> T:
        """Return the result of an act of the author, in a thread; raise NotOwnedError."""
        own = self.access.store.act_as(self.author)
        return await self.served.ask(partial(act, own))

    async def find_own_bot(self) -> Bot:
        """Return the bot in the address; raise NotOwnedError if it is another's."""
        return await self.ask_owner(lambda own: own.find_bot(self.bot))

    async def find_own_submission(self) -> Submission:
        """Return the submission in the address; raise NotOwnedError unless it is the author's."""
        return await self.ask_owner(lambda own: own.find_submission(self.number))
