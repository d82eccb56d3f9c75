"""The web application of a hill: its tournament's pages, its own, its API, tables to play at."""

from __future__ import annotations

from collections.abc import Sequence

from arena_hill.hill_access import HillAccess
from arena_hill.web import agents, git_push, health, pages
from arena_hill.web.api import UPLOAD_LIMITS, Api
from arena_hill.web.daily_bots import HillDailyBots
from arena_hill.web.errors import ERROR_HANDLERS
from arena_hill.web.page_context import FILES
from arena_hill.web.served_hill import ServedHill
from arena_web.app import GuardedApplication, build_application
from arena_web.explorers import ExplorerPages
from arena_web.http.sse import FollowerLimit
from arena_web.play.routes import PlayPages
from arena_web.play.tables import PlayTables
from arena_web.routes import SourcePages


def build_hill_application(
    access: HillAccess, hosts: Sequence[str], tables: PlayTables
) -> GuardedApplication:
    """Return the application of a site, which serves one hill; `hosts` are its other names."""
    followers, served = FollowerLimit(), ServedHill.of(access)
    tournament, api = SourcePages({served.name: served.tournament}, followers), Api(served)
    seats = PlayPages(
        tables, followers, [served.tournament], daily_guests=HillDailyBots(access.hill)
    )
    return build_application(
        [
            *tournament.routes,
            *pages.build_routes(served),
            *api.routes,
            *health.build_routes(access),
            *git_push.build_routes(served),
            *seats.routes,
            *agents.build_routes(served, tables),
            *ExplorerPages().routes,
        ],
        hosts=hosts,
        on_shutdown=[tournament.close, api.close, tables.close],
        uploads={**UPLOAD_LIMITS, **git_push.UPLOAD_LIMITS},
        renderers=git_push.RENDERERS,
        handlers=ERROR_HANDLERS,
        files=FILES,
        reserved_paths=health.PATHS,
        throttle=tables.store.log,
    )
