"""An author who submits as much as there is place for; run by itself, it begins when it is told to.

It imports no more of a hill than the database, since each start would take as long again.
"""

from __future__ import annotations

import sys

from arena.tournament.file.contents import HillConfig
from arena.tournament.store.connection import DatabaseAddress
from arena_hill.db.accounts import Principal, TokenScope
from arena_hill.db.store import HillStore
from arena_hill.denials import SubmissionDeniedError
from tests.support.hill.submission_terms import build_terms


def submit_three_bots(store: HillStore, author: Principal, prefix: str) -> list[str]:
    """Submit three bots of an author, whose limit is three; return "taken" or the error of each."""
    results, terms = [], build_terms(HillConfig(bots=3))
    for number in range(3):
        try:
            store.act_as(author).submit(f"{prefix}{number}", "1", 1, terms)
            results.append("taken")
        except SubmissionDeniedError as error:
            results.append(error.denial.name)
    return results


if __name__ == "__main__":
    address, number, name, scope, token = sys.argv[1:]
    store = HillStore.open(DatabaseAddress.of(address))
    print(flush=True)  # noqa: T201
    sys.stdin.readline()
    author = Principal(int(number), name, TokenScope(scope), token)
    print(*submit_three_bots(store, author, "b"))  # noqa: T201
