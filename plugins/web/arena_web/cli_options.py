"""Options of all commands that serve pages."""

from __future__ import annotations

import click

PORT = 8642

hosts_option = click.option(
    "--host-name", "hosts", multiple=True, metavar="NAME",
    help="Public host name, when running behind a proxy; repeatable.",
)  # fmt: skip
proxies_option = click.option(
    "--proxy", "proxies", multiple=True, metavar="ADDRESS",
    help="Address of a trusted reverse proxy (its X-Forwarded-* headers are used); repeatable.",
)  # fmt: skip
