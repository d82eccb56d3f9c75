"""The command `arena hill`; without the server, it says how to install it.

Authors install `arena-hill` for `arena submit` alone, which needs neither web server nor database.
"""

from __future__ import annotations

import click

from arena import UserError

__all__ = ["hill"]

SERVER_PACKAGES = (
    "arena_web",
    "prometheus_client",
    "starlette",
    "structlog",
)

try:
    from arena_hill.cli.hill import hill
except ModuleNotFoundError as error:
    if (error.name or "").partition(".")[0] not in SERVER_PACKAGES:
        raise

    @click.command("hill", context_settings={"ignore_unknown_options": True})
    @click.argument("arguments", nargs=-1)
    def hill(**_: object) -> None:
        """Run an open hill, which needs the server: pip install "arena-hill[server]"."""
        raise UserError('`arena hill` needs the server: pip install "arena-hill[server]"')
