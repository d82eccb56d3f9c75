"""Options of every command that serves pages."""

from __future__ import annotations

import click

PORT = 8642

hosts_option = click.option(
    "--host-name", "hosts", multiple=True, metavar="NAME",
    help="A name by which it may be called, behind a proxy; repeatable.",
)  # fmt: skip
proxies_option = click.option(
    "--proxy", "proxies", multiple=True, metavar="ADDRESS",
    help="A proxy whose word is taken for whom it asks; repeatable.",
)  # fmt: skip
