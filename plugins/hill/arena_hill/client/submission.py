"""Submitting a bot to a hill: check it here, upload it, follow it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from time import sleep
from typing import Any

from attrs import frozen

from arena import UserError
from arena.extend import (
    CheckReport,
    ValidationError,
    check,
    get_plugins,
    read,
    show_nothing,
    show_part,
    to_printable,
)
from arena.host import Limits, parse_entrant
from arena_hill.client.http_client import UNKNOWN_SERVER, HillClient, RequestRejectedError

ZIP_TYPE = "application/zip"
ACCEPTED_STATUS = 202
TRANSIENT_STATUSES = (
    429,
    500,
    502,
    503,
    504,
)  # what a site says that begins again, or has much to do
STATUS_KEYS = ("state", "why", "position", "over")  # keys of what a stream tells
RETRY_SECONDS = 3.0  # seconds until it is asked again when a stream has ended
MAX_RETRY_SECONDS = 30.0  # the same, after some tries: the wait doubles
MAX_SILENT_TRIES = 12  # without a word, until it is given up: about five minutes


@frozen
class HillMatchSettings:
    """The match settings of a hill, as its site reports them."""

    name: str
    game: str
    options: Mapping[str, Any]
    table: int
    time: Limits

    @classmethod
    def of(cls, told: Mapping[str, Any]) -> HillMatchSettings:
        """Parse the settings; raise UserError if they are not valid."""
        try:
            wanted = {name: told[name] for name in ("name", "game", "options", "table", "time")}
        except (KeyError, TypeError):
            raise UserError(UNKNOWN_SERVER) from None
        try:
            return read(wanted, cls)
        except ValidationError as problem:
            raise UserError(f"{UNKNOWN_SERVER}: {problem.lines[0]}") from None


def choose_hill(client: HillClient) -> HillMatchSettings:
    """Return the named hill, or the only one; raise UserError."""
    told = client.get("/hills").get("hills")
    if not isinstance(told, list):
        raise UserError(UNKNOWN_SERVER)
    hills = [*map(HillMatchSettings.of, told)]
    named = client.address.hill
    known = ", ".join(to_printable(hill_settings.name) for hill_settings in hills) or "none"
    if named is None and len(hills) != 1:
        raise UserError(f"name a hill ({known}): end the address with /hill/NAME")
    found = next(
        (hill_settings for hill_settings in hills if named in {None, hill_settings.name}), None
    )
    if found is None:
        raise UserError(f"there is no hill called {named} (available: {known})")
    return found


def check_bot(folder: Path, hill: HillMatchSettings, *, quiet: bool) -> CheckReport:
    """Run a quick check of a bot with a hill's settings; raise UserError if that fails."""
    game = get_plugins().find_game(hill.game)
    variant = game.read_variant(hill.options)
    return check(
        game,
        parse_entrant(game, str(folder)),
        variant,
        sizes=[hill.table],
        limits=hill.time,
        quick=True,
        show=show_nothing if quiet else show_part,
    )


def send_archive(
    client: HillClient, hill: HillMatchSettings, bot: str, data: bytes
) -> tuple[int, bool]:
    """Upload an archive; return the submission's number and whether it is new.

    Raises UserError, RequestRejectedError where it is not taken.
    """
    status, said = client.put(f"/hills/{hill.name}/bots/{bot}", data, ZIP_TYPE)
    number = said.get("submission")
    if not isinstance(number, int):
        raise UserError(UNKNOWN_SERVER)
    return number, status == ACCEPTED_STATUS


def follow_submission(client: HillClient, number: int) -> Iterator[Mapping[str, Any]]:
    """Yield the status of a submission each time that it changes, until it is final.

    Where the hill has no place for a stream, or the stream breaks, the hill is asked now and then.
    Raises UserError where the site says no more; the submission goes on there all the same.
    """
    told: Mapping[str, Any] | None = None
    silent, wait = 0, RETRY_SECONDS
    while silent < MAX_SILENT_TRIES:
        silent += 1
        for answer in _read_answers(client, f"/submissions/{number}"):
            event = {key: answer[key] for key in STATUS_KEYS if key in answer}
            if "state" not in event:
                continue
            silent = 0
            if event != told:
                told, wait = event, RETRY_SECONDS
                yield event
            if event.get("over"):
                return
        sleep(wait)
        wait = min(2 * wait, MAX_RETRY_SECONDS)
    raise UserError(
        f"the site no longer answers; submission {number} is still being processed there"
    )


def _read_answers(client: HillClient, path: str) -> Iterator[Mapping[str, Any]]:
    """Yield what a submission's stream brings until it ends or breaks, and then what it is."""
    with _pass_over_outage():
        yield from client.stream_events(f"{path}/events")
    with _pass_over_outage():
        yield client.get(path)


@contextmanager
def _pass_over_outage() -> Iterator[None]:
    """Suppress the errors of a site that cannot be reached, or has too much to do."""
    try:
        yield
    except RequestRejectedError as problem:
        if problem.status not in TRANSIENT_STATUSES:
            raise
    except UserError:
        return
