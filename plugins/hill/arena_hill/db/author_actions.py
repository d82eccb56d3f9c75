"""The actions of an author on bots; each checks in its transaction that the bot is its own."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from contextlib import AbstractContextManager

from attrs import frozen

from arena import UserError
from arena.tournament.file.contents import HillConfig
from arena.tournament.reasons import BY_AUTHOR
from arena_hill.db.accounts import Accounts, Principal
from arena_hill.db.bots import Bot, add_bot, find_bot
from arena_hill.db.commands import is_withdrawn
from arena_hill.db.quotas import AuthorUsage, Quotas
from arena_hill.db.submissions import (
    StateChange,
    Submission,
    add_submission,
    change_state,
    find_current_submission,
    find_submission,
)
from arena_hill.db.taken_names import ReservedTexts, TakenNames
from arena_hill.db.transactions import HillSnapshot, HillTransaction
from arena_hill.db.withdrawals import withdraw_bot
from arena_hill.denials import Denial, SubmissionDeniedError
from arena_hill.submission_states import OPEN_STATES, SubmissionState

SUPERSEDED_MESSAGE = "a newer upload arrived before the hill could check this one"


class NotOwnedError(UserError):
    """A bot or a submission that is not the author's own; the message says so in one line."""

    def __init__(self, message: str, *, is_others: bool = False) -> None:
        super().__init__(message)
        self.is_others = is_others  #: whether it is known to be another author's


@frozen
class SubmissionTerms:
    """What decides beside the hill's database whether a submission is taken."""

    config: HillConfig  #: with the quotas
    reserved: ReservedTexts
    inactive: Collection[str]  #: the ids of the entrants that take part no more
    copies: Mapping[str, int]  #: the bytes of all copies of bots that are kept, by their names


@frozen
class Receipt:
    """What an author gets for an upload: its submission, which may be there already."""

    submission: Submission
    is_new: bool  #: whether it was queued; if not, the same files are in progress or take part


@frozen
class AuthorActions:
    """The actions of an author on its own bots and submissions, and what it finds of them.

    Each raises NotOwnedError for what is not the author's own, and each that changes something
    raises TokenRevokedError if the author's token was revoked since the author was identified.
    """

    accounts: Accounts
    author: Principal

    def submit(self, name: str, sha256: str, size: int, terms: SubmissionTerms) -> Receipt:
        """Queue an upload of `size` bytes, unless the bot's current submission has the same files.

        It takes the place of one that the host could not check so far, which counts nothing.
        Raises SubmissionDeniedError with what is allowed, and when more is.
        """
        with self._begin_write() as transaction:
            bot = self._find_bot_to_submit(transaction, name, terms)
            if bot and (current := find_current_submission(transaction, bot)):
                takes_part = not (
                    current.entrant in terms.inactive or is_withdrawn(transaction, bot.name)
                )
                if current.sha256 == sha256 and (current.state in OPEN_STATES or takes_part):
                    return Receipt(current, is_new=False)
                self._make_room(transaction, current)
            quotas = Quotas(transaction, self.author.id, terms.config, terms.copies)
            quotas.check(bot, sha256, size)
            bot = bot or add_bot(transaction, name, self.author.id)
            return Receipt(add_submission(transaction, bot, sha256, size), is_new=True)

    def _find_bot_to_submit(
        self, snapshot: HillSnapshot, name: str, terms: SubmissionTerms
    ) -> Bot | None:
        """Return the author's bot of a name, or None if it is a good name for a new one.

        Raises SubmissionDeniedError.
        """
        bot = find_bot(snapshot, name)
        if bot is None:
            TakenNames.read(snapshot, self.author.id, terms.reserved).check_name(name)
        elif bot.author_id != self.author.id:
            raise SubmissionDeniedError(
                Denial.CONFLICT, f"{name} belongs to another author: choose another name"
            )
        return bot

    @staticmethod
    def _make_room(transaction: HillTransaction, current: Submission) -> None:
        """End a submission that the host could not check; SubmissionDeniedError if it may yet."""
        if current.state is SubmissionState.QUEUED and current.tries:
            change_state(
                transaction, current.id, StateChange(SubmissionState.FAILED, SUPERSEDED_MESSAGE)
            )
        elif current.state in OPEN_STATES:
            raise SubmissionDeniedError(
                Denial.CONFLICT,
                f"{current.bot.name}: submission {current.id} is still being checked",
            )

    def measure_usage(self, config: HillConfig, copies: Mapping[str, int]) -> AuthorUsage:
        """Return the usage of the author's quotas; `copies` are as in `SubmissionTerms`."""
        with self.accounts.transactions.begin_read() as snapshot:
            return Quotas(snapshot, self.author.id, config, copies).measure_usage()

    def find_bot(self, name: str) -> Bot:
        """Return the author's bot of this name, whatever its case."""
        with self.accounts.transactions.begin_read() as snapshot:
            return self._find_bot(snapshot, name)

    def find_submission(self, submission_id: int) -> Submission:
        """Return the author's submission of this id."""
        with self.accounts.transactions.begin_read() as snapshot:
            return self._find_submission(snapshot, submission_id)

    def withdraw(self, name: str) -> Bot:
        """Withdraw a bot; return it."""
        with self._begin_write() as transaction:
            bot = self._find_bot(transaction, name)
            withdraw_bot(transaction, bot, BY_AUTHOR.fill())
            return bot

    def set_source_visibility(self, name: str, *, public: bool) -> Bot:
        """Make the source of a bot's version that takes part public, or private; return the bot."""
        update = "UPDATE bots SET public = ? WHERE id = ?"
        with self._begin_write() as transaction:
            bot = self._find_bot(transaction, name)
            transaction.connection.execute(update, (public, bot.id))
            return bot

    def set_submission_visibility(self, submission_id: int, *, public: bool) -> None:
        """Make the source of one submission public, whichever version takes part, or undo that."""
        update = "UPDATE submissions SET public = ? WHERE id = ?"
        with self._begin_write() as transaction:
            submission = self._find_submission(transaction, submission_id)
            transaction.connection.execute(update, (public, submission.id))

    def _begin_write(self) -> AbstractContextManager[HillTransaction]:
        return self.accounts.begin_write_as(self.author)

    def _find_bot(self, snapshot: HillSnapshot, name: str) -> Bot:
        bot = find_bot(snapshot, name)
        if bot is None:
            raise NotOwnedError(f"there is no bot called {name}")
        if bot.author_id != self.author.id:
            raise NotOwnedError(f"{name} belongs to another author", is_others=True)
        return bot

    def _find_submission(self, snapshot: HillSnapshot, submission_id: int) -> Submission:
        submission = find_submission(snapshot, submission_id)
        if submission is None or submission.bot.author_id != self.author.id:
            raise NotOwnedError("you have no such submission")  # whoever may have it
        return submission
