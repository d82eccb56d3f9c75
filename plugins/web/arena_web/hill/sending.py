"""Sending a bot to a hill: checked here first, then sent, then followed until it is in."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from time import sleep
from typing import Any

from attrs import frozen

from arena.check import Report, check
from arena.cli.findings import nothing, show_part
from arena.host import Limits, entrant
from arena.plugins import plugins
from arena.rules import UserError
from arena.wires import Wrong, printable, read
from arena_web.hill.client import STRANGE, Client, Refused

ZIP = "application/zip"
ACCEPTED = 202
PASSING = (429, 500, 502, 503, 504)  # what a site says that begins again, or has much to do
AGAIN = 3.0  # seconds until it is asked again when a stream has ended
TRIES = 20  # without a word, until it is given up


@frozen
class HillTerms:
    """What is played at a hill, as its site says it."""

    name: str
    game: str
    options: Mapping[str, Any]
    table: int
    time: Limits

    @classmethod
    def of(cls, told: Mapping[str, Any]) -> HillTerms:
        """Read it; raise UserError where it is something else."""
        try:
            wanted = {one: told[one] for one in ("name", "game", "options", "table", "time")}
        except (KeyError, TypeError):
            raise UserError(STRANGE) from None
        try:
            return read(wanted, cls)
        except Wrong as problem:
            raise UserError(f"{STRANGE}: {problem.lines[0]}") from None


def chosen(client: Client) -> HillTerms:
    """Return the hill that was named, or the only one that there is; raise UserError."""
    told = client.get("/hills").get("hills")
    if not isinstance(told, list):
        raise UserError(STRANGE)
    hills = [*map(HillTerms.of, told)]
    named = client.place.hill
    known = ", ".join(printable(one.name) for one in hills) or "none"
    if named is None and len(hills) != 1:
        raise UserError(f"name a hill ({known}): end the address with /hill/NAME")
    found = next((one for one in hills if named in {None, one.name}), None)
    if found is None:
        raise UserError(f"there is no hill called {named} (there is: {known})")
    return found


def checked(folder: Path, hill: HillTerms, *, quiet: bool) -> Report:
    """Check a bot as quickly as can be, at a hill's table; raise UserError where it cannot be."""
    game = plugins().game(hill.game)
    variant = game.read_variant(hill.options)
    return check(
        game,
        entrant(game, str(folder)),
        variant,
        sizes=[hill.table],
        limits=hill.time,
        quick=True,
        show=nothing if quiet else show_part,
    )


def sent(client: Client, hill: HillTerms, bot: str, data: bytes) -> tuple[int, bool]:
    """Send an archive; return the submission's number, and whether it is new.

    Raises UserError, Refused where it is not taken.
    """
    status, said = client.put(f"/hills/{hill.name}/bots/{bot}", data, ZIP)
    number = said.get("submission")
    if not isinstance(number, int):
        raise UserError(STRANGE)
    return number, status == ACCEPTED


def followed(client: Client, number: int) -> Iterator[Mapping[str, Any]]:
    """Yield where a submission stands, each time that it has moved, until nothing more comes.

    Raises UserError where the site says no more; the submission goes on there all the same.
    """
    told, silent = None, 0
    while silent < TRIES:
        try:
            for one in client.events(f"/submissions/{number}/events"):
                silent = 0
                if "state" in one and one != told:
                    told = one
                    yield one
                if one.get("over"):
                    return
        except Refused as problem:
            if problem.status not in PASSING:
                raise
        silent += 1
        sleep(AGAIN)
    raise UserError(f"the site no longer answers; submission {number} goes on there all the same")
