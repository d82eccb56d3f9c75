"""The list of a hill's authors and bots, as `arena hill list` shows it to the host."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from attrs import asdict, frozen

from arena_hill.api_format import SubmissionStatus
from arena_hill.db.host_actions import AuthorSummary
from arena_hill.db.submissions import Submission
from arena_hill.disk_usage import BotUsage, measure_usage_by_bot
from arena_hill.hill_access import HillAccess
from arena_hill.units import MB

HEADINGS = ("author", "bot", "version", "state", "MB")
NO_USAGE = BotUsage()


@frozen
class ListedBot:
    """A bot with its author; or an author alone, who has submitted none."""

    author: AuthorSummary
    newest: Submission | None = None  #: of its submissions; None: there is no bot
    status: SubmissionStatus | None = None  #: of that submission
    usage: BotUsage = NO_USAGE  #: the disk space of all its versions

    @property
    def name(self) -> str:
        """The name of the bot, or an empty text."""
        return self.newest.bot.name if self.newest else ""

    @property
    def alias(self) -> str:
        """The name that is shown, if its own is hidden; else an empty text."""
        return self.newest.bot.alias if self.newest and self.newest.bot.hidden else ""

    @property
    def state(self) -> str:
        """The state of its newest submission."""
        return str(self.status.state) if self.status else ""

    @property
    def why(self) -> str:
        """The reason for the state."""
        return self.status.why if self.status else ""

    @property
    def version(self) -> str:
        """The version of its newest submission, once it is known."""
        return self.newest.version if self.newest else ""

    def pack(self) -> dict[str, Any]:
        """Return it as JSON; `upload_bytes` and `copy_bytes` are what is kept of all versions."""
        packed: dict[str, Any] = {
            "author": self.author.name, "banned": self.author.banned, "bot": self.name,
            "version": self.version, "state": self.state, "why": self.why,
        }  # fmt: skip
        if self.newest:
            packed |= {
                "hidden": self.newest.bot.hidden, "alias": self.alias,
                "public": self.newest.bot.public,
                "submission": self.newest.id,
            }  # fmt: skip
        return packed | asdict(self.usage)

    def format_cells(self) -> tuple[str, ...]:
        """Return the cells of its row, below `HEADINGS`."""
        author = self.author.name + (" (banned)" if self.author.banned else "")
        bot = self.name + (f" (shown as {self.alias})" if self.alias else "")
        size = self.usage.upload_bytes + self.usage.copy_bytes
        return author, bot, self.version, self.state, f"{size / MB:,.1f}" if self.name else ""


def list_bots(access: HillAccess) -> Iterator[ListedBot]:
    """Yield each bot of each author, with its newest submission, and each author without one."""
    usage = measure_usage_by_bot(access.store, access.hill)
    reading = access.read_statuses()
    authors = access.store.host_actions.list_authors()
    newest = {
        submission.bot.name: submission for submission in access.store.submissions.list_newest()
    }
    for author in authors:
        if not author.bots:
            yield ListedBot(author)
        for bot in author.bots:
            status = reading.compute(newest[bot])
            yield ListedBot(author, newest[bot], status, usage.get(bot, NO_USAGE))
