"""The settings of a hill's site, which one command passes on to another by its options."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import wraps
from typing import Any, NamedTuple

import click

from arena_web.cli import PORT, hosts_option, keep_option, proxies_option

port_option = click.option("--port", type=click.IntRange(1, 65535), default=PORT, show_default=True,
                           help="Port to listen on.")  # fmt: skip


class SiteSettings(NamedTuple):
    """The settings of a hill's site; a light class, since each command of `arena` loads it."""

    port: int  #: at which it listens
    hosts: Sequence[str]  #: the names by which it may be called beside this machine's own
    proxies: Sequence[str]  #: the addresses of trusted reverse proxies
    days: int  #: for which the games of visitors are kept

    def to_words(self) -> tuple[str, ...]:
        """Return the options of a command with these settings."""
        hosts = [word for host in self.hosts for word in ("--host-name", host)]
        proxies = [word for proxy in self.proxies for word in ("--proxy", proxy)]
        return ("--port", str(self.port), "--keep-games", str(self.days), *hosts, *proxies)


def site_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command the options of a site, which it takes as `site`."""

    @wraps(command)
    def run(
        *, port: int, hosts: tuple[str, ...], proxies: tuple[str, ...], days: int, **others: Any
    ) -> Any:
        return command(site=SiteSettings(port, hosts, proxies, days), **others)

    return port_option(hosts_option(proxies_option(keep_option(run))))
