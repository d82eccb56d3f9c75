"""The actions of an author on bots; each checks in its transaction that the bot is its own."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import AbstractContextManager

from attrs import frozen

from arena import UserError
from arena.tournament.file.contents import HillConfig
from arena.tournament.reasons import BY_AUTHOR
from arena_hill.api_format import AuthorUsage
from arena_hill.db.accounts import Accounts, Principal
from arena_hill.db.bots import Bot
from arena_hill.db.denials import Denial, SubmissionDeniedError
from arena_hill.db.quotas import Quotas
from arena_hill.db.submission_terms import SubmissionTerms
from arena_hill.db.submissions import (
    NEWEST_FIRST,
    SELECT_SUBMISSIONS,
    SUPERSEDED,
    Receipt,
    Submission,
    match_states,
)
from arena_hill.db.taken_names import TakenNames
from arena_hill.db.transactions import HillSnapshot, HillTransaction
from arena_hill.submission_states import CURRENT_STATES, OPEN_STATES, SubmissionState


class NotOwnedError(UserError):
    """A bot or a submission that is not the author's own; the message says so in one line."""

    def __init__(self, message: str, *, is_others: bool = False) -> None:
        super().__init__(message)
        self.is_others = is_others  #: whether it is known to be another author's


@frozen
class AuthorActions:
    """The actions of an author on its own bots and submissions, and what it finds of them.

    Each raises NotOwnedError for what is not the author's own, and each that changes something
    raises TokenRevokedError if the author's token was revoked since the author was identified.
    """

    accounts: Accounts
    author: Principal

    def submit(
        self,
        name: str,
        sha256: str,
        size: int,
        terms: SubmissionTerms,
    ) -> Receipt:
        """Queue an upload, unless the bot's current submission has the same files.

        It takes the place of one that the host could not check so far, which counts nothing.
        Raises SubmissionDeniedError with what is allowed, and when more is.
        """
        with self._begin_write() as transaction:
            bot = self._find_bot_to_submit(transaction, name, terms)
            if bot and (before := self._find_last(transaction, bot)):
                is_current = before.state in OPEN_STATES or before.entrant not in terms.inactive
                if before.sha256 == sha256 and is_current:
                    return Receipt(before, is_new=False)
                if before.state is SubmissionState.QUEUED and before.tries:
                    transaction.set_submission_state(before.id, SubmissionState.FAILED, SUPERSEDED)
                elif before.state in OPEN_STATES:
                    raise SubmissionDeniedError(
                        Denial.CONFLICT, f"{name}: submission {before.id} is still being checked"
                    )
            quotas = Quotas(transaction, self.author.id, terms.config, terms.copies)
            quotas.check(bot, sha256, size)
            bot = bot or self._create_bot(transaction, name)
            (new,) = transaction.connection.read_column(
                "INSERT INTO submissions (bot, sha256, size, state, why, version, log, received,"
                " state_since, tries) VALUES (?, ?, ?, ?, '', '', '', ?, ?, 0) RETURNING id",
                (
                    bot.id,
                    sha256,
                    size,
                    str(SubmissionState.QUEUED),
                    transaction.now,
                    transaction.now,
                ),
            )
            return Receipt(transaction.get_submission(new), is_new=True)

    def _find_bot_to_submit(
        self, snapshot: HillSnapshot, name: str, terms: SubmissionTerms
    ) -> Bot | None:
        """Return the author's bot of a name, or None if it is a good name for a new one.

        Raises SubmissionDeniedError.
        """
        bot = snapshot.find_named_bot(name)
        if bot is None:
            TakenNames.read(snapshot, self.author.id, terms.reserved).check_name(name)
        elif bot.author != self.author.id:
            raise SubmissionDeniedError(
                Denial.CONFLICT, f"{name} belongs to another author: choose another name"
            )
        return bot

    def _create_bot(self, transaction: HillTransaction, name: str) -> Bot:
        insert = "INSERT INTO bots (name, folded_name, author) VALUES (?, ?, ?) RETURNING id"
        values = (name, name.casefold(), self.author.id)
        (number,) = transaction.connection.read_column(insert, values)
        return Bot(number, name, self.author.id, hidden=False, public=False)

    def measure_usage(self, config: HillConfig, copies: Mapping[str, int]) -> AuthorUsage:
        """Return the usage of the author's quotas; `copies` are as in `SubmissionTerms`."""
        with self.accounts.transactions.begin_read() as snapshot:
            return Quotas(snapshot, self.author.id, config, copies).measure_usage()

    @staticmethod
    def _find_last(snapshot: HillSnapshot, bot: Bot) -> Submission | None:
        """Return the last submission of a bot that is in progress or accepted, or None."""
        states = match_states(CURRENT_STATES)
        query = f"{SELECT_SUBMISSIONS} WHERE bots.id = ? AND {states}{NEWEST_FIRST} LIMIT 1"
        row = snapshot.connection.read_row(query, (bot.id,))
        return None if row is None else Submission.of_row(row)

    def find_bot(self, name: str) -> Bot:
        """Return the author's bot of this name, whatever its case."""
        with self.accounts.transactions.begin_read() as snapshot:
            return self._find_bot(snapshot, name)

    def find_submission(self, number: int) -> Submission:
        """Return the author's submission of this number."""
        with self.accounts.transactions.begin_read() as snapshot:
            return self._find_submission(snapshot, number)

    def withdraw(self, name: str) -> Bot:
        """Withdraw a bot; return it."""
        with self._begin_write() as transaction:
            bot = self._find_bot(transaction, name)
            transaction.withdraw_bot(bot, BY_AUTHOR.fill())
            return bot

    def set_source_visibility(self, name: str, *, public: bool) -> Bot:
        """Make the source of a bot's version that takes part public, or private; return the bot."""
        update = "UPDATE bots SET public = ? WHERE id = ?"
        with self._begin_write() as transaction:
            bot = self._find_bot(transaction, name)
            transaction.connection.execute(update, (public, bot.id))
            return bot

    def set_submission_visibility(self, number: int, *, public: bool) -> None:
        """Make the source of one submission public, whichever version takes part, or undo that."""
        update = "UPDATE submissions SET public = ? WHERE id = ?"
        with self._begin_write() as transaction:
            submission = self._find_submission(transaction, number)
            transaction.connection.execute(update, (public, submission.id))

    def _begin_write(self) -> AbstractContextManager[HillTransaction]:
        return self.accounts.begin_write_as(self.author)

    def _find_bot(self, snapshot: HillSnapshot, name: str) -> Bot:
        bot = snapshot.find_named_bot(name)
        if bot is None:
            raise NotOwnedError(f"there is no bot called {name}")
        if bot.author != self.author.id:
            raise NotOwnedError(f"{name} belongs to another author", is_others=True)
        return bot

    def _find_submission(self, snapshot: HillSnapshot, number: int) -> Submission:
        query = f"{SELECT_SUBMISSIONS} WHERE submissions.id = ? AND bots.author = ?"
        row = snapshot.connection.read_row(query, (number, self.author.id))
        if row is None:  # of no author, or of another one, who is nobody's business
            raise NotOwnedError("you have no such submission")
        return Submission.of_row(row)
