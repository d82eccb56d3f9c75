"""Signing in with an account at an OAuth 2 provider.

Only the browser has the secret of a sign-in that has begun, in a cookie that no other site can set.
From it come the state and the code challenge (PKCE) that the provider is told. So only the browser
that began a sign-in can finish it, and sign-ins take no memory here. The provider accepts a code
once.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from functools import partial
from hashlib import sha256
from pathlib import Path
from secrets import token_urlsafe
from typing import TYPE_CHECKING, Any, Self

import structlog
from attrs import field, frozen
from starlette.responses import RedirectResponse, Response
from starlette.routing import BaseRoute

from arena import UserError
from arena.rules import describe_error
from arena.tournament.file.contents import OAuth
from arena_hill.db.accounts import NameTakenError
from arena_hill.web.account import LoginErrorPage
from arena_hill.web.hill_routes import build_page_route
from arena_hill.web.identity import set_session_cookie
from arena_hill.web.page_context import PageContext
from arena_hill.web.served_hill import ServedHill
from arena_web.http.worker_threads import WorkerThreads

if TYPE_CHECKING:
    from authlib.integrations.requests_client import OAuth2Session

MAX_TEXT_LENGTH = 100  # characters of what is kept
STABLE_KEYS = ("sub", "id")
"""Keys of what stays when an account is renamed, as providers call it."""
BAD_NAME_MESSAGE = "The name of your account there cannot be used as a name here"

LOGIN_SECONDS = 600  # that a browser may be away
SECRET_VARIABLE = "ARENA_OAUTH_SECRET"  # noqa: S105  # where it is, in the environment
PROVIDER_TIMEOUT_SECONDS = 10.0  # for each word of the provider
NOT_BEGUN_MESSAGE = "This sign-in was started in another browser, or has expired"
ERROR_CODE_PATTERN = "[a-z_]{1,40}"  # of an error, as the standard has them

log = structlog.get_logger()


class LoginRefusedError(UserError):
    """A sign-in that failed; the message gives the reason in one line."""

    def __init__(self, reason: str, status: int = 403) -> None:
        super().__init__(reason)
        self.status = status


def build_routes(served: ServedHill) -> list[BaseRoute]:
    """Return the sign-in pages of a hill; none without a provider."""
    if served.access.hill.config.oauth is None:
        return []
    login = OAuthLogin.of(served.access.hill.spec.home, served.access.hill.config.oauth)
    return [
        build_page_route(served, "sign-in", PageContext.by_visitor, login.begin),
        build_page_route(served, "signed-in", PageContext.by_visitor, login.finish),
    ]


@frozen
class OAuthLogin:
    """Sign-in at a hill for authors without an invitation."""

    config: OAuth
    _secret: str = field(repr=False)
    _threads: WorkerThreads = field(factory=WorkerThreads)  # its own: a provider may be slow

    @classmethod
    def of(cls, home: Path, config: OAuth) -> Self:
        """Create the sign-in of a hill whose file is in this folder.

        Raises:
            UserError: if a library or the secret is missing.
        """
        try:
            import authlib.integrations.requests_client  # noqa: F401  # seldom needed
        except ImportError:
            raise UserError(
                '[hill.oauth] needs an extra package: pip install "arena-hill[oauth]"'
            ) from None
        return cls(config, _read_secret(home, config))

    async def begin(self, context: PageContext) -> Response:
        """Redirect a browser to the provider, with a secret that only the browser keeps."""
        verifier = token_urlsafe(48)
        with self._open_session(context) as session:
            address, _ = session.create_authorization_url(
                self.config.authorize, state=derive_state(verifier), code_verifier=verifier
            )
        answer = RedirectResponse(address, 303, {"Cache-Control": "no-store"})
        name = get_login_cookie_name(context.served.name)
        answer.set_cookie(name, verifier, LOGIN_SECONDS, secure=True, httponly=True, samesite="lax")
        return answer

    async def finish(self, context: PageContext) -> Response:
        """Sign in a browser that returns from the provider, or show the reason why not."""
        try:
            answer = set_session_cookie(
                context.redirect(""), context.served, await self._create_session(context)
            )
        except LoginRefusedError as problem:
            answer = context.render(LoginErrorPage(problem=str(problem)), problem.status)
        answer.headers["Cache-Control"] = "no-store"
        name = get_login_cookie_name(context.served.name)
        answer.delete_cookie(name, secure=True, httponly=True, samesite="lax")
        return answer

    async def _create_session(self, context: PageContext) -> str:
        """Return the token of a new session of a user who comes back; raise LoginRefusedError."""
        parameters = context.request.query_params
        verifier = context.request.cookies.get(get_login_cookie_name(context.served.name))
        if not verifier or parameters.get("state") != derive_state(verifier):
            raise LoginRefusedError(NOT_BEGUN_MESSAGE)
        if "code" not in parameters:
            raise LoginRefusedError(
                self._describe_failure("did not sign you in", parameters.get("error", ""))
            )
        fetch = partial(self._fetch_user, self._open_session(context), parameters["code"], verifier)
        user = await self._threads.ask(fetch)
        name = parse_author_name(user, self.config.name)
        source = f"oauth:{parse_account(user, self.config.name)}"
        try:
            token = await context.ask(lambda store: store.accounts.sign_in(name, source))
        except NameTakenError as problem:
            raise LoginRefusedError(str(problem)) from None
        if token is None:
            raise LoginRefusedError(f"{name} is banned here")
        return token

    def _fetch_user(self, session: OAuth2Session, code: str, verifier: str) -> Mapping[str, Any]:
        """Return the provider's data on the user with this code; raise LoginRefusedError."""
        from authlib.common.errors import AuthlibBaseError
        from requests import RequestException

        config = self.config
        bounds: Mapping[str, Any] = {"timeout": PROVIDER_TIMEOUT_SECONDS, "allow_redirects": False}
        try:
            with session:
                session.fetch_token(config.token, code=code, code_verifier=verifier, **bounds)
                headers = {"Accept": "application/json"}
                answer = session.get(config.user, headers=headers, **bounds)
                answer.raise_for_status()
                return {**answer.json()}
        except AuthlibBaseError as problem:
            reason = self._describe_failure("did not confirm who you are", str(problem.error))
        except RequestException as problem:
            reason = self._describe_failure(
                "could not be asked who you are", type(problem).__name__
            )
        except (AttributeError, RecursionError, TypeError, ValueError) as problem:
            reason = self._describe_failure("sent an invalid answer", type(problem).__name__)
        log.warning("sign-in failed", why=reason)
        raise LoginRefusedError(reason, 502)

    def _open_session(self, context: PageContext) -> OAuth2Session:
        from authlib.integrations.requests_client import OAuth2Session

        return OAuth2Session(
            self.config.client,
            self._secret,
            scope=self.config.scope or None,
            redirect_uri=f"{context.address}signed-in",
            code_challenge_method="S256",
        )

    def _describe_failure(self, what: str, why: str) -> str:
        """Describe a failure of the provider, with its error code if that is a plain word."""
        is_code = re.fullmatch(ERROR_CODE_PATTERN, why, re.IGNORECASE)
        return f"{self.config.provider} {what}" + (f" ({why})" if is_code else "")


def _read_secret(home: Path, config: OAuth) -> str:
    """Return the hill's client secret; raise UserError if it is missing."""
    if config.secret_file is None:
        secret, where = (
            os.environ.get(SECRET_VARIABLE, ""),
            f"set `secret_file` or the variable {SECRET_VARIABLE}",
        )
    else:
        path = home / config.secret_file
        try:
            secret, where = path.read_text().strip(), f"{path} is empty"
        except (OSError, UnicodeDecodeError) as problem:
            raise UserError(
                f"hill.oauth: {path} cannot be read: {describe_error(problem)}"
            ) from None
    if not secret:
        raise UserError(f"hill.oauth: the secret is missing: {where}")
    return secret


def get_login_cookie_name(hill: str) -> str:
    """Return the name of the cookie with the secret of a sign-in that has begun at a hill.

    Each hill has a name of its own, as for the cookies of sessions.
    """
    return f"__Host-arena-login-{hill}"


def derive_state(verifier: str) -> str:
    """Return the state of a sign-in; its secret cannot be computed from it."""
    return sha256(f"state {verifier}".encode()).hexdigest()


def parse_author_name(user: Mapping[str, object], name: str) -> str:
    """Return the author's name for an account at a provider; raise LoginRefusedError.

    >>> parse_author_name({"login": "Ada-L."}, "login")
    'Ada_L'
    """
    author = re.sub("[^A-Za-z0-9_]", "", _read_text(user.get(name)).replace("-", "_"))[:32]
    if not author:
        raise LoginRefusedError(BAD_NAME_MESSAGE)
    return author


def parse_account(user: Mapping[str, object], name: str) -> str:
    """Return the identifier of an account, unique per author; raise LoginRefusedError.

    >>> parse_account({"login": "ada", "id": 17}, "login")
    'id=17'
    >>> parse_account({"login": "ada"}, "login")
    'login=ada'
    """
    key = next((stable for stable in STABLE_KEYS if stable in user), name)
    return f"{key}={_read_text(user.get(key))}"


def _read_text(value: object) -> str:
    """Return a text or a number as a text; raise LoginRefusedError for any other value."""
    text = str(value) if isinstance(value, str | int) else ""
    if not 0 < len(text) <= MAX_TEXT_LENGTH or not text.isprintable():
        raise LoginRefusedError(BAD_NAME_MESSAGE)
    return text
