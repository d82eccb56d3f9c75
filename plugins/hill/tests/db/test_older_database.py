"""The database of a hill that an older version of arena made; in either kind of database."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from attrs import evolve

from arena.tournament.commands import WithdrawalCommand
from arena.tournament.entries import Entry
from arena.tournament.store.connection import Connection, DatabaseAddress
from arena.wires import converter, dump
from arena_hill.db.accounts import TokenScope, hash_secret
from arena_hill.db.judging_queue import HOST_PROBLEM_MESSAGE, OTHERS_FIRST_MESSAGE
from arena_hill.db.store import HillStore
from arena_hill.db.transactions import HillDatabase, HillTransactions
from arena_hill.submission_states import SubmissionState

pytest_plugins = "tests.support.tournaments.databases"


@contextmanager
def create_older(address: DatabaseAddress, revisions: int) -> Iterator[Connection]:
    """Create a database of the first revisions, with an author; yield its connection."""
    steps = dict(list(HillDatabase.schema.steps.items())[:revisions])
    with pytest.MonkeyPatch.context() as older:
        older.setattr(HillDatabase, "schema", evolve(HillDatabase.schema, steps=steps))
        with HillTransactions.open(address).begin_write() as transaction:
            transaction.connection.execute(
                "INSERT INTO authors (name, folded, joined, source)"
                " VALUES ('Ada', 'ada', 0, 'invited')"
            )
            yield transaction.connection


def insert_submission(connection: Connection, bot: str, state: SubmissionState, why: str) -> None:
    """Insert a submission as the first version of arena did."""
    (number,) = connection.read_column(
        "INSERT INTO bots (name, folded, author) VALUES (?, ?, 1) RETURNING id", (bot, bot)
    )
    connection.execute(
        "INSERT INTO submissions (bot, sha256, size, state, why, version, log,"
        " received, moved, tries, opened) VALUES (?, '', 0, ?, ?, '', '', 3, 7, 0, TRUE)",
        (number, str(state), why),
    )


def test_an_older_database_knows_who_has_given_way(address: str | Path) -> None:
    """An older database, in which only the sentence to the author says that a submission gave way, is upgraded with that."""
    place = DatabaseAddress.of(address)
    with create_older(place, 1) as connection:
        insert_submission(connection, "slow", SubmissionState.QUEUED, OTHERS_FIRST_MESSAGE)
        insert_submission(connection, "interrupted", SubmissionState.QUEUED, HOST_PROBLEM_MESSAGE)
        insert_submission(connection, "withdrawn", SubmissionState.WITHDRAWN, OTHERS_FIRST_MESSAGE)
    submissions = HillStore.open(place).submissions.select()
    assert {submission.bot.name: submission.gave_way for submission in submissions} == {
        "slow": True, "interrupted": False, "withdrawn": False,
    }  # fmt: skip


def test_an_older_database_knows_what_was_accepted_before_it_was_withdrawn(
    address: str | Path,
) -> None:
    """A submission whose version was let in is accepted, as the tournament tells what became of it; others stay withdrawn."""
    place = DatabaseAddress.of(address)
    with create_older(place, 1) as connection:
        for bot, version in (("played", "ab12"), ("built", "cd34"), ("sent", "")):
            insert_submission(connection, bot, SubmissionState.WITHDRAWN, "by its author")
            connection.execute("UPDATE submissions SET version = ? WHERE version = ''", (version,))
        for bot, version in (("played", "ab12"), ("built", "0000")):
            entry = dump(converter.unstructure(Entry(bot, version, "copy")))
            connection.execute(
                "INSERT INTO orders (bot, entry, state, why, alias)"
                " VALUES (?, ?, 'active', '', ''), (?, NULL, 'withdrawn', '', '')",
                (bot, entry, bot),
            )
    submissions = HillStore.open(place).submissions.select()
    assert {submission.bot.name: str(submission.state) for submission in submissions} == {
        "played": "accepted", "built": "withdrawn", "sent": "withdrawn",
    }  # fmt: skip


@pytest.mark.parametrize("revisions", [1, 2])
def test_an_older_database_keeps_what_it_calls_otherwise(
    address: str | Path, revisions: int
) -> None:
    """Tokens, invitations, submissions and commands are read under their new names, and new ones are added."""
    place = DatabaseAddress.of(address)
    with create_older(place, revisions) as connection:
        insert_submission(connection, "mine", SubmissionState.QUEUED, "")
        connection.execute(
            "INSERT INTO keys (hash, author, scope, label, made, used)"
            " VALUES (?, 1, 'submit', 'laptop', 5, 6)",
            (hash_secret("arena_x"),),
        )
        connection.execute(
            "INSERT INTO invitations (hash, name, made) VALUES (?, 'bob', 4e9)",
            (hash_secret("secret"),),
        )
        connection.execute(
            "INSERT INTO orders (bot, entry, state, why, alias)"
            " VALUES ('old', NULL, 'withdrawn', 'gone', '')"
        )
    store = HillStore.open(place)
    (submission,) = store.submissions.select(bot="MINE")
    assert (submission.received, submission.state_since, submission.public) == (3, 7, True)
    assert store.accounts.find_invited_name("secret") == "bob"
    (token,) = store.accounts.list_tokens(1)
    assert (token.scope, token.created, token.last_used) == (TokenScope.SUBMIT, 5, 6)
    author = store.accounts.identify("arena_x")
    assert author
    store.act_as(author).withdraw("mine")
    assert store.commands.fetch(0) == [
        WithdrawalCommand(1, "old", "gone"), WithdrawalCommand(2, "mine", "by its author"),
    ]  # fmt: skip
