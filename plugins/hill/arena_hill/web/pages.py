"""The pages of an open hill by their addresses."""

from __future__ import annotations

from functools import partial

from starlette.routing import BaseRoute

from arena_hill.web import account, front, match_download, oauth, own_bots, sources
from arena_hill.web.hill_routes import build_page_route
from arena_hill.web.page_context import AuthorPage, PageContext
from arena_hill.web.served_hill import ServedHill


def build_routes(served: ServedHill) -> list[BaseRoute]:
    """Return the routes of the pages of this hill."""
    at = partial(build_page_route, served)
    visitor, author = PageContext.by_visitor, AuthorPage.by_session
    return [
        at("", visitor, front.show_front),
        at("languages", visitor, front.show_languages),
        at("sources", visitor, sources.show_sources),
        *oauth.build_routes(served),
        at("join/{secret}", visitor, account.show_invitation),
        at("join/{secret}", visitor, account.join, "POST"),
        at("leave", visitor, account.sign_out, "POST"),
        at("author", author, account.set_author_visibility, "POST"),
        at("tokens", author, account.show_tokens),
        at("tokens", author, account.create_token, "POST"),
        at("tokens/{number}/revoke", author, account.revoke_token, "POST"),
        at("submissions/{number}", author, own_bots.show_submission),
        at("submissions/{number}/source", visitor, sources.download_source),
        at("submissions/{number}/publish", author, own_bots.set_submission_visibility, "POST"),
        at("bots/{bot}", author, own_bots.show_bot),
        at("bots/{bot}/matches.zip", author, match_download.download_matches),
        at("bots/{bot}/withdraw", author, own_bots.withdraw_bot, "POST"),
        at("bots/{bot}/publish", author, own_bots.set_source_visibility, "POST"),
    ]
