"""`arena submit`: send a bot to a hill, and follow it until it is in."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from arena.cli.common import json_option, with_numbers
from arena.cli.lazy import Examples

if TYPE_CHECKING:
    from collections.abc import Mapping

    from arena_web.hill.client import Client

WRONG = 1
USAGE = 2
IN = "in"
NOT_TAKEN = (409, 413, 415, 422, 429)  # of what was sent, and not of how


@click.command(
    cls=Examples,
    short_help="Submit a bot to an open hill.",
    examples=(
        "submit bots/mine --to https://HOST/hill/NAME",
        "submit bots/mine --to https://HOST --name mine2 --token-file token",
    ),
)
@click.argument("folder", type=click.Path(path_type=Path))
@click.option("--to", "url", required=True, metavar="URL", help="A hill's page, or its site.")
@click.option("--name", metavar="BOT", help="Name of the bot there, if not as in its bot.toml.")
@click.option("--token-file", type=click.Path(path_type=Path), metavar="FILE",
              help="File that holds your token, if it is not in ARENA_TOKEN.")  # fmt: skip
@click.option("--no-check", is_flag=True, help="Submit it without checking it here.")
@json_option
@with_numbers
def submit(  # noqa: PLR0917  # by click, by their names
    folder: Path,
    url: str,
    name: str | None,
    token_file: Path | None,
    no_check: bool,
    as_json: bool,
) -> int:
    """Submit the bot in FOLDER to the hill at URL: check it here, upload it, wait until it is in.

    Create a token on the hill's page. With --json, print an object each time that the state of the
    submission changes, and all of it at the end.
    Exit status: 0 the bot is in, 1 it was refused here or there, 2 usage.
    """
    from arena.cli.complaints import complain
    from arena_web.hill.client import Client, Place, Refused, key_from

    client = Client(Place.of(url), key_from(token_file))
    try:
        return _submit(client, folder, name, unchecked=no_check, as_json=as_json)
    except Refused as problem:
        complain(str(problem))
        return WRONG if problem.status in NOT_TAKEN else USAGE


def _submit(
    client: Client, folder: Path, name: str | None, *, unchecked: bool, as_json: bool
) -> int:
    from arena.host import load
    from arena_web.hill.archive import pack
    from arena_web.hill.sending import chosen, sent

    data = pack(folder)  # first: a build may leave files that are nobody's business
    bot = name or load(folder).name
    client.get("/me")  # is the key good?
    hill = chosen(client)
    if not (unchecked or _passes(folder, hill, quiet=as_json)):
        return WRONG
    number, new = sent(client, hill, bot, data)
    if not as_json:
        said = "received" if new else "already there, unchanged"
        click.echo(f"{bot}: {said}, submission {number} of the hill {hill.name}")
    return 0 if _follow(client, number, as_json=as_json) == IN else WRONG


def _passes(folder: Path, hill: Any, *, quiet: bool) -> bool:
    """Check it here, and show what was found, as `arena check` does."""
    import json

    from arena.cli.findings import show_rest
    from arena_web.hill.sending import checked

    report = checked(folder, hill, quiet=quiet)
    if not quiet:
        show_rest(report)
        click.echo()
    elif not report.passed:
        click.echo(json.dumps(report.pack()))
    return report.passed


def _follow(client: Client, number: int, *, as_json: bool) -> str:
    """Show each state of a submission, and at last what is known of it; return the last one."""
    import json

    from arena_web.hill.sending import followed

    state = ""
    for one in followed(client, number):
        state = str(one["state"])
        click.echo(json.dumps(one) if as_json else _line(one))
    told = client.get(f"/submissions/{number}")
    if as_json:
        click.echo(json.dumps(told))
    else:
        _show(told)
    return state


def _line(one: Mapping[str, Any]) -> str:
    from arena.wires import printable

    before = one.get("position")
    more = f", {before} ahead of it" if before else ""
    why = f": {one['why']}" if one.get("why") else ""
    return printable(f"  {one['state']}{more}{why}")


def _show(told: Mapping[str, Any]) -> None:
    """Show what came of a submission: the end of its build's log, and its report."""
    from arena.wires import printable
    from arena_web.hill.reporting import show_report

    for line in str(told.get("log") or "").splitlines():
        click.echo(f"    {printable(line)}")
    if told.get("report"):
        click.echo()
        show_report(told["report"])
