"""Signing in with an account elsewhere: a provider (OAuth 2) answers for who an author is."""

from __future__ import annotations

import os
import re
from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any, Self

import structlog
from attrs import field, frozen
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import BaseRoute, Route

from arena.rules import UserError, in_words
from arena.tournament import OAuth
from arena_web.hill.accounts import Refused, account_of, author_of
from arena_web.hill.away import LASTS, Away
from arena_web.hill.office import Office
from arena_web.hill.people import Taken
from arena_web.hill.sessions import signed_in
from arena_web.hill.visits import Visit
from arena_web.threads import Threads

if TYPE_CHECKING:
    from authlib.integrations.requests_client import OAuth2Session

COOKIE = "__Host-arena-state"  # of the browser that has begun to sign in
SECRET = "ARENA_OAUTH_SECRET"  # noqa: S105  # where it is, in the environment
PATIENCE = 10.0  # seconds for each word of the provider
NOT_BEGUN = "You began to sign in in another browser, more than ten minutes ago, or twice"
CODE = "[a-z_]{1,40}"  # of an error, as the standard has them

log = structlog.get_logger()


@frozen
class Door:
    """The way by which authors come to a hill whom nobody has invited."""

    config: OAuth
    _secret: str = field(repr=False)
    away: Away = field(factory=Away)
    _threads: Threads = field(factory=Threads)  # its own: a provider may be slow

    @classmethod
    def of(cls, office: Office, config: OAuth) -> Self:
        """Return a hill's; raise UserError where a library or the secret is missing."""
        try:
            import authlib.integrations.requests_client  # noqa: F401  # seldom needed
        except ImportError:
            raise UserError("[hill.oauth] needs more: pip install arena-web[oauth]") from None
        return cls(config, _secret_of(office, config))

    async def sign_in(self, visit: Visit) -> Response:
        """Send a browser to the provider; on this side nothing but the state is remembered."""
        state, verifier = self.away.begin()
        with self._session(visit) as session:
            there, _ = session.create_authorization_url(
                self.config.authorize, state=state, code_verifier=verifier
            )
        answer = RedirectResponse(there, 303, {"Cache-Control": "no-store"})
        answer.set_cookie(COOKIE, state, LASTS, secure=True, httponly=True, samesite="lax")
        return answer

    async def signed_in(self, visit: Visit) -> Response:
        """Take a browser that comes back for its author's, or say why not."""
        try:
            answer = signed_in(visit.back(""), visit.office, await self._key(visit))
        except Refused as problem:
            answer = visit.page("refused.html", problem.status, said=str(problem))
        answer.headers["Cache-Control"] = "no-store"
        answer.delete_cookie(COOKIE, secure=True, httponly=True, samesite="lax")
        return answer

    async def _key(self, visit: Visit) -> str:
        """Return the key of a session of who comes back; raise Refused."""
        given = visit.request.query_params
        state = given.get("state", "")
        own = visit.request.cookies.get(COOKIE) == state
        verifier = self.away.end(state) if own else None
        if verifier is None:
            raise Refused(NOT_BEGUN)
        if "code" not in given:
            raise Refused(self._says("did not sign you in", given.get("error", "")))
        ask = partial(self._ask, self._session(visit), given["code"], verifier)
        user = await self._threads.ask(ask)
        name = author_of(user, self.config.name)
        source = f"oauth:{account_of(user, self.config.name)}"
        try:
            key = await visit.ask(lambda register: register.sign_in(name, source))
        except Taken as problem:
            raise Refused(str(problem)) from None
        if key is None:
            raise Refused(f"{name} is banned here")
        return key

    def _ask(self, session: OAuth2Session, code: str, verifier: str) -> Mapping[str, Any]:
        """Return what the provider says of who has brought this code; raise Refused."""
        from authlib.common.errors import AuthlibBaseError
        from requests import RequestException

        config = self.config
        bounds: Mapping[str, Any] = {"timeout": PATIENCE, "allow_redirects": False}
        try:
            with session:
                session.fetch_token(config.token, code=code, code_verifier=verifier, **bounds)
                headers = {"Accept": "application/json"}
                answer = session.get(config.user, headers=headers, **bounds)
                answer.raise_for_status()
                return {**answer.json()}
        except AuthlibBaseError as problem:
            said = self._says("did not confirm who you are", str(problem.error))
        except RequestException as problem:
            said = self._says("could not be asked who you are", type(problem).__name__)
        except (AttributeError, RecursionError, TypeError, ValueError) as problem:
            said = self._says("did not say who you are", type(problem).__name__)
        log.warning("nobody is signed in", why=said)
        raise Refused(said, 502)

    def _session(self, visit: Visit) -> OAuth2Session:
        from authlib.integrations.requests_client import OAuth2Session

        return OAuth2Session(
            self.config.client,
            self._secret,
            scope=self.config.scope or None,
            redirect_uri=f"{visit.address}signed-in",
            code_challenge_method="S256",
        )

    def _says(self, what: str, why: str) -> str:
        """Return what the provider does, and why, if that is a word and no text of anybody's."""
        known = re.fullmatch(CODE, why, re.IGNORECASE)
        return f"{self.config.provider} {what}" + (f" ({why})" if known else "")


def _secret_of(office: Office, config: OAuth) -> str:
    """Return the secret that the provider has given the hill; raise UserError."""
    if config.secret_file is None:
        found, where = os.environ.get(SECRET, ""), f"neither `secret_file` nor {SECRET} is given"
    else:
        path = office.spec.home / config.secret_file
        try:
            found, where = path.read_text().strip(), f"{path} is empty"
        except (OSError, UnicodeDecodeError) as problem:
            raise UserError(f"hill.oauth: {path} cannot be read: {in_words(problem)}") from None
    if not found:
        raise UserError(f"hill.oauth: there is no secret: {where}")
    return found


def routes(offices: Mapping[str, Office]) -> list[BaseRoute]:
    """Return the pages by which one signs in, at those hills that have a provider."""
    doors = {
        name: Door.of(office, office.config.oauth)
        for name, office in offices.items()
        if office.config.oauth
    }

    def at(path: str, make: Callable[[Door, Visit], Awaitable[Response]]) -> Route:
        async def answer(request: Request) -> Response:
            visit = await Visit.of(offices, request)
            if visit.office.name not in doors:
                raise HTTPException(404)
            return await make(doors[visit.office.name], visit)

        return Route(f"/hill/{{hill}}/{path}", answer)

    return [at("sign-in", Door.sign_in), at("signed-in", Door.signed_in)] if doors else []
