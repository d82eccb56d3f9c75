"""The withdrawal of a bot, by its author or by the host: open submissions end, and it leaves."""

from __future__ import annotations

from arena_hill.db.bots import Bot
from arena_hill.db.commands import add_withdrawal_command
from arena_hill.db.submissions import withdraw_submissions
from arena_hill.db.transactions import HillTransaction


def withdraw_bot(transaction: HillTransaction, bot: Bot, why: str) -> None:
    """Withdraw a bot: its submissions in progress here, its versions by a command."""
    withdraw_submissions(transaction, bot, why)
    add_withdrawal_command(transaction, bot.name, why)
