"""The pages of an open hill by their addresses."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from arena_hill.web import account, front, match_download, oauth, own_bots, sources
from arena_hill.web.page_context import PageContext
from arena_hill.web.served_hill import ServedHill

PageFunction = Callable[[PageContext], Awaitable[Response]]


def build_routes(hills: Mapping[str, ServedHill]) -> list[BaseRoute]:
    """Return the routes of the pages of these hills."""

    def at(path: str, make: PageFunction, method: str = "GET") -> Route:
        async def answer(request: Request) -> Response:
            return await make(await PageContext.of(hills, request))

        return Route(f"/hill/{{hill}}/{path}", answer, methods=[method])

    return [
        at("", front.show_front),
        at("languages", front.show_languages),
        at("sources", sources.show_sources),
        *oauth.build_routes(hills),
        at("join/{secret}", account.show_invitation),
        at("join/{secret}", account.join, "POST"),
        at("leave", account.sign_out, "POST"),
        at("author", account.set_author_visibility, "POST"),
        at("tokens", account.show_tokens),
        at("tokens", account.create_token, "POST"),
        at("tokens/{number:int}/revoke", account.revoke_token, "POST"),
        at("submissions/{number:int}", own_bots.show_submission),
        at("submissions/{number:int}/source", sources.download_source),
        at("submissions/{number:int}/publish", own_bots.set_submission_visibility, "POST"),
        at("bots/{bot}", own_bots.show_bot),
        at("bots/{bot}/matches.zip", match_download.download_matches),
        at("bots/{bot}/withdraw", own_bots.withdraw_bot, "POST"),
        at("bots/{bot}/publish", own_bots.set_source_visibility, "POST"),
    ]
