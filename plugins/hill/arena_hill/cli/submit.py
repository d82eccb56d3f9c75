"""`arena submit`: submit a bot to a hill, and follow it until it is accepted."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import click

from arena import UserError
from arena.cli.support.commands import ExampleCommand, json_option, require_tournament_extra

if TYPE_CHECKING:
    from arena_hill.api_format import SubmissionStatus
    from arena_hill.client import HillClient
    from arena_hill.submission_states import SubmissionState

FAILURE_STATUS = 1
USAGE_STATUS = 2
REJECTED_STATUSES = (409, 413, 415, 422, 429)  # of what was sent, and not of how


@click.command(
    cls=ExampleCommand,
    short_help="Submit a bot to an open hill.",
    examples=(
        "submit bots/mine --to https://HOST/hill/NAME",
        "submit bots/mine --to https://HOST --name mine2 --token-file token",
    ),
)
@click.argument("folder", type=click.Path(path_type=Path))
@click.option("--to", "url", required=True, metavar="URL", help="Address of the hill or its site.")
@click.option("--name", metavar="BOT", help="Name of the bot. Default: as in bot.toml.")
@click.option("--token-file", type=click.Path(path_type=Path), metavar="FILE",
              help="File with your token. Default: the variable ARENA_TOKEN.")  # fmt: skip
@click.option("--no-check", is_flag=True, help="Submit the bot without checking it here.")
@json_option
@require_tournament_extra
def submit(
    folder: Path,
    url: str,
    name: str | None,
    token_file: Path | None,
    no_check: bool,
    as_json: bool,
) -> int:
    """Submit the bot in FOLDER to the hill at URL: check it here, upload it, follow its progress.

    Create a token on the hill's page. With --json, print an object each time the state of the
    submission changes, and the whole submission at the end. Exit status: 0 if the bot takes part, 1
    if it was rejected here or on the hill, 2 for usage errors.
    """
    from arena.cli.support.commands import print_error
    from arena_hill.client import HillAddress, HillClient, RequestRejectedError, read_token

    client = HillClient(HillAddress.parse(url), read_token(token_file))
    try:
        return _submit(client, folder, name, unchecked=no_check, as_json=as_json)
    except RequestRejectedError as problem:
        print_error(str(problem))
        return FAILURE_STATUS if problem.status in REJECTED_STATUSES else USAGE_STATUS


def _submit(
    client: HillClient, folder: Path, name: str | None, *, unchecked: bool, as_json: bool
) -> int:
    from arena.host import load_bot_file
    from arena_hill.bot_archive import pack_bot
    from arena_hill.cli.bot_reports import check_bot
    from arena_hill.submission_states import SubmissionState

    data = pack_bot(folder)  # first: a build may leave files that are nobody's business
    bot = name or load_bot_file(folder).name
    client.check_token()
    hill = client.find_hill()
    if not unchecked:
        report = check_bot(folder, hill, quiet=as_json)
        if not report.passed:
            if as_json:
                click.echo(json.dumps(report.pack()))
            return FAILURE_STATUS
    receipt = client.send_archive(hill.name, bot, data)
    submission_id = receipt.submission
    if not as_json:
        outcome = "received" if receipt.is_new else "unchanged"
        click.echo(f"{bot}: {outcome}, submission {submission_id} of the hill {hill.name}")
    state = _follow(client, submission_id, as_json=as_json)
    _show_result(client, submission_id, as_json=as_json)
    return 0 if state is SubmissionState.IN else FAILURE_STATUS


def _follow(client: HillClient, submission_id: int, *, as_json: bool) -> SubmissionState | None:
    """Print each state of a submission; return the last one."""
    state = None
    for status in client.follow_submission(submission_id):
        state = status.state
        click.echo(json.dumps(status.json) if as_json else _format_status(status))
    return state


def _format_status(status: SubmissionStatus) -> str:
    from arena.wires import to_printable

    ahead = f", {status.position} ahead of it" if status.position else ""
    why = f": {status.why}" if status.why else ""
    return to_printable(f"  {status.state}{ahead}{why}")


def _show_result(client: HillClient, submission_id: int, *, as_json: bool) -> None:
    """Print the result of a submission: the end of its build log, and its check report.

    Its state is known by then. So a site that does not answer is an error that is printed, and
    changes nothing.
    """
    from arena.cli.support.commands import print_error
    from arena.wires import converter, to_printable
    from arena_hill.cli.bot_reports import show_hill_report

    try:
        submission = client.get_submission(submission_id)
        if as_json:
            click.echo(json.dumps(converter.unstructure(submission)))
            return
        for line in submission.log.splitlines():
            click.echo(f"    {to_printable(line)}")
        if submission.report:
            click.echo()
            show_hill_report(submission.report)
    except UserError as problem:
        print_error(f"the result of submission {submission_id} cannot be shown: {problem}")
