"""The pages of an open hill by their addresses."""

from __future__ import annotations

from functools import partial

from starlette.routing import BaseRoute

from arena_hill.web import account, front, match_download, oauth, own_bots, sources
from arena_hill.web.hill_routes import build_page_route
from arena_hill.web.served_hill import ServedHill


def build_routes(served: ServedHill) -> list[BaseRoute]:
    """Return the routes of the pages of this hill."""
    at = partial(build_page_route, served)
    return [
        at("", front.show_front),
        at("languages", front.show_languages),
        at("sources", sources.show_sources),
        *oauth.build_routes(served),
        at("join/{secret}", account.show_invitation),
        at("join/{secret}", account.join, "POST"),
        at("leave", account.sign_out, "POST"),
        at("author", account.set_author_visibility, "POST"),
        at("tokens", account.show_tokens),
        at("tokens", account.create_token, "POST"),
        at("tokens/{number}/revoke", account.revoke_token, "POST"),
        at("submissions/{number}", own_bots.show_submission),
        at("submissions/{number}/source", sources.download_source),
        at("submissions/{number}/publish", own_bots.set_submission_visibility, "POST"),
        at("bots/{bot}", own_bots.show_bot),
        at("bots/{bot}/matches.zip", match_download.download_matches),
        at("bots/{bot}/withdraw", own_bots.withdraw_bot, "POST"),
        at("bots/{bot}/publish", own_bots.set_source_visibility, "POST"),
    ]
