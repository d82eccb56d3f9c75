"""The database of a hill that an older version of arena made; in either kind of database."""

from __future__ import annotations

from pathlib import Path

import pytest
from attrs import evolve

from arena.tournament.store.connection import DatabaseAddress
from arena_hill.db.judging_queue import HOST_PROBLEM, OTHERS_FIRST
from arena_hill.db.store import HillStore
from arena_hill.db.transactions import HillDatabase
from arena_hill.submission_states import SubmissionState
from tests.support.hill.hill_access import sign_in

pytest_plugins = "tests.support.tournaments.databases"


def test_an_older_database_knows_who_has_given_way(
    address: str | Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An older database, in which only the sentence to the author says that a submission gave way, is upgraded with that."""
    first = dict(list(HillDatabase.schema.steps.items())[:1])
    with monkeypatch.context() as older:
        older.setattr(HillDatabase, "schema", evolve(HillDatabase.schema, steps=first))
        database = HillStore.open(DatabaseAddress.of(address))
        author = sign_in(database)
        with database.transactions.begin_write() as transaction:
            for name, state, why in (
                ("slow", SubmissionState.QUEUED, OTHERS_FIRST),
                ("interrupted", SubmissionState.QUEUED, HOST_PROBLEM),
                ("withdrawn", SubmissionState.WITHDRAWN, OTHERS_FIRST),
            ):
                (bot,) = transaction.connection.read_column(
                    "INSERT INTO bots (name, folded, author) VALUES (?, ?, ?) RETURNING id",
                    (name, name, author.id),
                )
                transaction.connection.execute(
                    "INSERT INTO submissions (bot, sha256, size, state, why, version, log,"
                    " received, moved, tries) VALUES (?, '', 0, ?, ?, '', '', 0, 0, 0)",
                    (bot, str(state), why),
                )
    submissions = HillStore.open(DatabaseAddress.of(address)).submissions.select()
    assert {submission.bot.name: submission.gave_way for submission in submissions} == {
        "slow": True, "interrupted": False, "withdrawn": False,
    }  # fmt: skip
