"""What the host of a hill asks for: who is there, and that a bot be forgotten."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from attrs import asdict

from arena.tournament import copy_of, discard
from arena_web.hill.disk_usage import BotUsage, usage_by_bot
from arena_web.hill.office import Office
from arena_web.hill.places import copies_of


def listed(file: Path) -> list[dict[str, Any]]:
    """Return each author, and each bot with where the newest submission of it stands.

    `upload_bytes` and `copy_bytes` are what is kept of all its versions.
    """
    office = Office.open(file)
    usage = usage_by_bot(office.register, office.spec)
    return [row | asdict(usage.get(row["bot"], BotUsage())) for row in _rows(office)]


def _rows(office: Office) -> Iterator[dict[str, Any]]:
    for author in office.register.everybody():
        whose = {"author": author.name, "banned": author.banned}
        if not author.bots:
            yield {**whose, "bot": "", "version": "", "state": "", "why": ""}
        for bot in author.bots:
            (newest,) = office.register.submissions(bot=bot, limit=1)
            standing = office.standing(newest)
            yield {
                **whose,
                "bot": bot,
                "version": newest.version,
                "state": standing.state,
                "why": standing.why,
                "hidden": newest.hidden,
                "public": newest.public,
                "submission": newest.id,
            }


def forgotten(file: Path, bot: str, why: str) -> tuple[int, int]:
    """Have a bot forgotten; return how many uploads and copies were deleted.

    Copies stay that somebody else plays with, or that the host has entered.
    """
    office = Office.open(file)
    with office.uploads.held():
        gone = office.register.forget(bot, why)
        for digest in gone.uploads:
            office.uploads.drop(digest)
    others = [one for one in office.entries() if one.name.casefold() != bot.casefold()]
    mine = {*map(copy_of, gone.versions)} - {copy_of(one.version) for one in others}
    copies = sum(discard(copies_of(office.spec), version) for version in mine)
    return len(gone.uploads), copies
