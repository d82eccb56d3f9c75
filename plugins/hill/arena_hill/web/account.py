"""The account of an author: invitations, sessions, tokens, and whether its name is shown."""

from __future__ import annotations

from collections.abc import Sequence

from attrs import frozen
from starlette.exceptions import HTTPException
from starlette.responses import Response

from arena_hill.db.accounts import NameTakenError, Token, TokenScope, TooManyTokensError
from arena_hill.web.identity import delete_session_cookie, end_session, set_session_cookie
from arena_hill.web.page_context import AuthorPage, PageContext
from arena_web.page_templates import PageValues


@frozen(kw_only=True)
class InvitationPage(PageValues):
    """The values of the page of an invitation."""

    template = "hill/invitation.html"

    name: str | None  #: of the author who is invited; None: the invitation is not valid


@frozen(kw_only=True)
class LoginErrorPage(PageValues):
    """The values of the page of somebody who could not sign in or join."""

    template = "hill/login_error.html"

    problem: str


@frozen(kw_only=True)
class TokensPage(PageValues):
    """The values of the page of an author's tokens and sessions."""

    template = "hill/tokens.html"

    tokens: Sequence[Token]
    problem: str  #: why none was created; empty if none was to be


@frozen(kw_only=True)
class NewTokenPage(PageValues):
    """The values of the page that shows a token once."""

    template = "hill/token.html"

    token: str
    scope: TokenScope
    address: str  #: of the hill
    push_url: str  #: to which a bot is pushed with the token


async def show_invitation(context: PageContext) -> Response:
    """Show an invitation without using it, since mail scanners open links, too."""
    name = await context.ask(
        lambda store: store.accounts.find_invited_name(context.request.path_params["secret"])
    )
    return context.render(InvitationPage(name=name), 200 if name else 410)


async def join(context: PageContext) -> Response:
    """Accept an invitation."""
    try:
        token = await context.ask(
            lambda store: store.accounts.join(context.request.path_params["secret"])
        )
    except NameTakenError as problem:
        return context.render(LoginErrorPage(problem=str(problem)), 409)
    if token is None:
        return context.render(InvitationPage(name=None), 410)
    return set_session_cookie(context.redirect(""), context.served, token)


async def sign_out(context: PageContext) -> Response:
    """End the session of this browser."""
    await end_session(context.request, context.served)
    return delete_session_cookie(context.redirect(""), context.served)


async def set_author_visibility(context: AuthorPage) -> Response:
    """Show or hide the author's name in the standings."""
    author, form = context.author, await context.read_form()
    public = form.get("public") == "yes"
    await context.ask(lambda store: store.accounts.set_author_visibility(author, public=public))
    return context.redirect("#mine")


async def show_tokens(context: AuthorPage) -> Response:
    """Show the author's tokens and sessions."""
    return await _render_tokens(context)


async def _render_tokens(context: AuthorPage, status: int = 200, problem: str = "") -> Response:
    author_id = context.author.id
    tokens = await context.ask(lambda store: store.accounts.list_tokens(author_id))
    return context.render(TokensPage(tokens=tokens, problem=problem), status)


async def create_token(context: AuthorPage) -> Response:
    """Create a token and show it once."""
    author, form = context.author, await context.read_form()
    scope = form.get("scope", "")
    if scope not in (TokenScope.SUBMIT, TokenScope.READ):
        raise HTTPException(422, "permissions: choose `submit` or `read`")
    label = form.get("label", "").strip() or "token"
    try:
        token = await context.ask(
            lambda store: store.accounts.create_token(author, TokenScope(scope), label)
        )
    except TooManyTokensError as problem:
        return await _render_tokens(context, 422, str(problem))
    push_url = context.build_git_url(f"{author.name}:$ARENA_TOKEN@")
    page = NewTokenPage(
        token=token, scope=TokenScope(scope), address=context.address, push_url=push_url
    )
    return context.render(page)


async def revoke_token(context: AuthorPage) -> Response:
    """Revoke a token, or a session in another browser."""
    author, token_id = context.author, context.number
    if not await context.ask(lambda store: store.accounts.revoke_token(author, token_id)):
        raise HTTPException(404)
    return context.redirect("tokens")
