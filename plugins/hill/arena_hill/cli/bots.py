"""Listing and forgetting bots for the host of a hill."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from attrs import asdict

from arena.extend import discard_copy, get_copy_name
from arena_hill.disk_usage import BotUsage, measure_usage_by_bot
from arena_hill.hill_paths import get_copies_folder
from arena_hill.service import HillService


def list_bot_rows(file: Path) -> list[dict[str, Any]]:
    """Return a row for each author and bot, with the status of its newest submission.

    `upload_bytes` and `copy_bytes` are what is kept of all its versions.
    """
    service = HillService.open(file)
    usage = measure_usage_by_bot(service.database, service.spec)
    return [row | asdict(usage.get(row["bot"], BotUsage())) for row in _build_rows(service)]


def _build_rows(service: HillService) -> Iterator[dict[str, Any]]:
    aliases = service.database.list_aliases()
    for author in service.database.list_authors():
        whose = {"author": author.name, "banned": author.banned}
        if not author.bots:
            yield {**whose, "bot": "", "version": "", "state": "", "why": ""}
        for bot in author.bots:
            (newest,) = service.database.list_submissions(bot=bot, limit=1)
            standing = service.compute_status(newest)
            yield {
                **whose,
                "bot": bot,
                "version": newest.version,
                "state": standing.state,
                "why": standing.why,
                "hidden": newest.hidden,
                "alias": aliases.get(bot, ""),
                "public": newest.public,
                "submission": newest.id,
            }


def forget_bot(file: Path, bot: str, why: str) -> tuple[int, int]:
    """Forget a bot, by its name or its alias; return the numbers of deleted uploads and copies.

    Copies stay that somebody else plays with, or that the host has entered.
    """
    service = HillService.open(file)
    with service.uploads.lock():
        gone = service.database.forget(bot, why)
        for digest in gone.uploads:
            service.uploads.delete(digest)
    others = [entry for entry in service.list_entries() if entry.name != gone.bot]
    mine = {*map(get_copy_name, gone.versions)} - {get_copy_name(entry.version) for entry in others}
    copies = sum(discard_copy(get_copies_folder(service.spec), version) for version in mine)
    return len(gone.uploads), copies
