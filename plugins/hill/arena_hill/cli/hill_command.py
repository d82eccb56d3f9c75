"""The command `arena hill`; without the server, it says how to install it.

Authors install `arena-hill` for `arena submit` alone, which needs neither web server nor database.
"""

from __future__ import annotations

from importlib.util import find_spec

import click

from arena import UserError

__all__ = ["hill"]

SERVER_PACKAGES = ("arena_web", "dulwich", "prometheus_client")  # that nothing else brings

if all(map(find_spec, SERVER_PACKAGES)):
    from arena_hill.cli.hill import hill
else:

    @click.command("hill", context_settings={"ignore_unknown_options": True})
    @click.argument("arguments", nargs=-1)
    def hill(**_: object) -> None:
        """Run an open hill, which needs the server: pip install "arena-hill[server]"."""
        raise UserError('`arena hill` needs the server: pip install "arena-hill[server]"')
