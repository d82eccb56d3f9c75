"""The database of a hill: authors, submissions, quotas; in either kind of database."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import nullcontext
from pathlib import Path
from subprocess import PIPE, Popen
from time import time
from typing import Any

import pytest
from attrs import AttrsInstance, asdict, fields_dict

from arena.rules import UserError
from arena.tournament.commands import WithdrawalCommand
from arena.tournament.entries import Entry
from arena.tournament.file.contents import HillConfig
from arena.tournament.store.connection import Connection, DatabaseAddress
from arena_hill.db.accounts import (
    MAX_SESSIONS,
    MAX_TOKENS,
    SELECT_AUTHORS,
    SESSION_SECONDS,
    Author,
    Principal,
    TokenRevokedError,
    TokenScope,
)
from arena_hill.db.author_actions import SUPERSEDED_MESSAGE, NotOwnedError, Receipt
from arena_hill.db.judging_queue import (
    HOST_PROBLEM_MESSAGE,
    MAX_PAUSE_SECONDS,
    JudgingOrder,
    is_suspect,
)
from arena_hill.db.quotas import SubmissionQuota
from arena_hill.db.store import HillStore
from arena_hill.db.submissions import Findings, Submission, SubmissionResults
from arena_hill.denials import Denial, SubmissionDeniedError
from arena_hill.hill_access import HillAccess
from arena_hill.reserved_names import read_reserved_texts
from arena_hill.submission_states import SubmissionState
from arena_hill.units import DAY_SECONDS, MB
from tests.support.checkout import ROOT
from tests.support.hill.greedy_author import submit_three_bots
from tests.support.hill.hill_access import (
    Clock,
    enter_bots,
    find_author,
    open_hill_access,
    set_clock,
    sign_in,
    write_hill_file,
)
from tests.support.hill.submission_terms import build_terms
from tests.support.programs import TIMEOUT
from tests.support.tournaments.postgresql import Server
from tests.support.tournaments.statement_kills import assert_nothing_is_half

pytest_plugins = "tests.support.tournaments.databases"

TERMS = build_terms()


@pytest.fixture(scope="module")
def hosted(server: Server) -> Iterator[HillStore]:
    """A database on a server that keeps its connection: the server starts a process for each."""
    address = DatabaseAddress.of(server.create_empty_database())
    with address.connect() as kept, pytest.MonkeyPatch.context() as patch:
        connect, close = DatabaseAddress.connect, Connection.close
        patch.setattr(DatabaseAddress, "connect", lambda at: kept if at == address else connect(at))
        patch.setattr(Connection, "close", lambda one: None if one is kept else close(one))
        yield HillStore.open(address)
        patch.undo()


@pytest.fixture
def clock() -> Clock:
    return Clock(1_000_000.0)


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.slow)])
def store(request: pytest.FixtureRequest, tmp_path: Path, clock: Clock) -> HillStore:
    if request.param == "sqlite":
        return set_clock(HillStore.open(DatabaseAddress.of(tmp_path / "submissions.db")), clock)
    hosted: HillStore = request.getfixturevalue("hosted")
    with hosted.transactions.begin_write() as transaction:
        tables = ", ".join(transaction.connection.list_tables() - {"alembic_version"})
        transaction.connection.execute(f"TRUNCATE {tables} RESTART IDENTITY CASCADE")
    return set_clock(hosted, clock)


def send(
    store: HillStore, who: Principal, bot: str = "mine", data: str = "1", **more: Any
) -> Submission:
    terms = build_terms(HillConfig(**more))
    receipt = store.act_as(who).submit(bot, data, MB, terms)
    submission, new = receipt.submission, receipt.is_new
    assert new
    return submission


def reject(store: HillStore, number: int) -> None:
    assert store.queue.set_state(number, SubmissionState.REJECTED, "it does not build")


def read_positions(store: HillStore) -> Mapping[int, int]:
    with store.transactions.begin_read() as snapshot:
        return JudgingOrder.read(snapshot).compute_positions()


def build_entry(submission: Submission, version: str = "ab12") -> Entry:
    return Entry(submission.bot.name, version, "copy")


def test_rows_are_read_as_their_classes_say(store: HillStore) -> None:
    """A flag of a row is a bool, whichever kind of database it is read from."""
    submission = send(store, sign_in(store))
    with store.transactions.begin_read() as snapshot:
        author = Author(*snapshot.connection.read_rows(SELECT_AUTHORS)[0])
    records: list[AttrsInstance] = [
        submission,
        submission.bot,
        author,
        *store.submissions.list_uploads(),
    ]
    flags = {
        f"{type(record).__name__}.{name}": value
        for record in records
        for name, value in asdict(record).items()
        if str(fields_dict(type(record))[name].type) == "bool"
    }
    assert {*flags} >= {
        "Author.banned",
        "StoredUpload.forgotten",
        "Submission.public",
        "Bot.hidden",
    }
    assert all(value is False for value in flags.values()), flags


def test_an_invitation_is_good_once(store: HillStore) -> None:
    """The first to use an invitation has a session of its author, and nobody else has one after that."""
    secret = store.accounts.invite("ada")
    assert store.accounts.find_invited_name(secret) == "ada"
    key = store.accounts.join(secret)
    assert key
    known = store.accounts.identify(key)
    assert known
    assert (known.name, known.scope, known.can_submit) == ("ada", TokenScope.SESSION, True)
    assert store.accounts.join(secret) is None
    assert store.accounts.find_invited_name(secret) is None


def test_a_token_is_known_until_it_is_revoked(store: HillStore) -> None:
    """A token identifies its author and its scope until it is revoked, and an author has only a few."""
    ada = sign_in(store)
    key = store.accounts.create_token(ada, TokenScope.READ, "laptop")
    known = store.accounts.identify(key)
    assert known
    assert not known.can_submit
    assert [token.label for token in store.accounts.list_tokens(ada.id)] == ["browser", "laptop"]
    assert store.accounts.revoke_token(ada, store.accounts.list_tokens(ada.id)[1].id)
    assert store.accounts.identify(key) is None
    for _ in range(MAX_TOKENS - 1):
        store.accounts.create_token(ada, TokenScope.READ, "another")
    with pytest.raises(UserError, match="revoke one"):
        store.accounts.create_token(ada, TokenScope.READ, "one more")


def test_a_label_is_stored_without_control_characters(store: HillStore) -> None:
    """A label with a NUL, which PostgreSQL does not take, has a question mark in its place."""
    ada = sign_in(store)
    store.accounts.create_token(ada, TokenScope.READ, "lap\0top")
    assert store.accounts.list_tokens(ada.id)[-1].label == "lap?top"


def test_a_session_expires_and_a_token_does_not(store: HillStore, clock: Clock) -> None:
    """A session of a browser expires, while a token that its author has created does not and says when it was last used."""
    ada = sign_in(store)
    session, key = (
        store.accounts.sign_in("ada"),
        store.accounts.create_token(ada, TokenScope.READ, "laptop"),
    )
    assert session
    clock.now += SESSION_SECONDS - 1
    assert store.accounts.identify(session)
    assert store.accounts.identify(key)
    assert [token.last_used for token in store.accounts.list_tokens(ada.id)][1:] == [
        clock.now,
        clock.now,
    ]
    clock.now += 2
    assert store.accounts.identify(session) is None
    assert store.accounts.identify(key)
    store.accounts.sign_in("bob")
    assert [token.label for token in store.accounts.list_tokens(ada.id)] == ["laptop"]


def test_a_new_session_ends_the_oldest(store: HillStore) -> None:
    """Signing in again and again leaves only a few sessions, and takes no token away."""
    ada = sign_in(store, "ada")
    token = store.accounts.create_token(ada, TokenScope.READ, "laptop")
    sessions = [store.accounts.sign_in("ada") for _ in range(MAX_SESSIONS + 2)]
    known = [bool(session and store.accounts.identify(session)) for session in sessions]
    assert known == [False, False, *[True] * MAX_SESSIONS]
    assert len(store.accounts.list_tokens(ada.id)) == MAX_SESSIONS + 1
    assert store.accounts.identify(token)


def test_a_name_belongs_to_its_first_author(store: HillStore, tmp_path: Path) -> None:
    """Only the author of a bot can take what looks like its name or title, and nobody a name of the game or of a hidden bot."""
    hill = open_hill_access(tmp_path / "hill")
    ada, bob = sign_in(store), sign_in(store, "bob")
    send(store, ada, "Mine_1")
    enter_bots(hill, Entry("Mine_1", "ab12", "copy", title="Kingly"))
    terms = build_terms(reserved=read_reserved_texts(hill.hill))
    game = {
        "RANDOM": "RANDOM is a reserved name",
        "rand0m": "rand0m looks like 'random'",
        "Hard_patterned": "Hard_patterned looks like 'hard-patterned'",
        "Bot_17": "Bot_17 is a reserved name",
        "bot_I7": "bot_I7 is a reserved name",
        "bot0": "bot0 is a reserved name",
        "no name": "'no name' cannot be a name",
    }
    others = {
        "mINE_1": "mINE_1 belongs to another author",
        "Minel": "Minel looks like 'Mine_1': choose another name",
        "KINGLY": "KINGLY is a reserved name",
        "King_ly": "King_ly looks like 'Kingly'",
    }
    for author, refusals in ((ada, game), (bob, game | others)):
        for bot, said in refusals.items():
            with pytest.raises(SubmissionDeniedError, match=f"^{said}") as denied:
                store.act_as(author).submit(bot, "1", 1, terms)
            assert denied.value.denial is (Denial.INVALID if " " in bot else Denial.CONFLICT), bot
    for bot in ("Minel", "Kingly"):
        receipt = store.act_as(ada).submit(bot, "1", 1, terms)
        sent, new = receipt.submission, receipt.is_new
        assert (sent.bot.name, new) == (bot, True), "who has the one may have the other"


def test_an_unreadable_bot_frees_no_name_of_another(tmp_path: Path) -> None:
    """The names of a folder's other bots are reserved although a bot in it cannot be read."""
    for name in ("a", "b", "c"):
        (tmp_path / "bots" / name).mkdir(parents=True)
        text = "no TOML" if name == "b" else f'name = "house_{name}"\ncommand = "true"\n'
        (tmp_path / "bots" / name / "bot.toml").write_text(text)
    file = write_hill_file(tmp_path)
    file.write_text(f'{file.read_text()}[[entrant]]\nfolder = "bots"\n')
    reserved = read_reserved_texts(HillAccess.open(file).hill)
    assert {"house_a", "house_c"} <= {text.text for text in reserved.texts}


def test_a_title_belongs_to_the_first_bot_that_is_accepted_with_it(
    tmp_path: Path,
) -> None:
    """Of two bots that are judged at a time with the same title the second is rejected, before the first enters and afterwards."""
    hill = open_hill_access(tmp_path / "hill")
    store = hill.store
    ada, bob = sign_in(store), sign_in(store, "bob")
    first, second = send(store, ada), send(store, bob, "other")
    own = send(store, ada, "third")
    kingly = Entry("mine", "ab12", "copy", title="Kingly")
    accepted = store.queue.accept(first.id, kingly, read_reserved_texts(hill.hill))
    assert accepted
    assert accepted.state is SubmissionState.ACCEPTED
    for has_entered in (False, True):
        if has_entered:
            enter_bots(hill, kingly)
        entry = Entry("other", "cd34", "copy", title="KING-LY")
        rejected = store.queue.accept(second.id, entry, read_reserved_texts(hill.hill))
        assert rejected
        assert rejected.state is SubmissionState.REJECTED
        assert rejected.why.startswith("title: 'KING-LY' looks like 'Kingly', another bot")
        second = send(store, bob, "other", data="2")
        terms = build_terms(reserved=read_reserved_texts(hill.hill))
        with pytest.raises(SubmissionDeniedError, match="Kingly"):
            store.act_as(bob).submit("king_ly", "1", 1, terms)
    twin = Entry("third", "ef56", "copy", title="Kingly")
    same = store.queue.accept(own.id, twin, read_reserved_texts(hill.hill))
    assert same
    assert same.state is SubmissionState.ACCEPTED, "who has the one may have the other"


def test_an_unchanged_upload_is_not_queued_again(store: HillStore) -> None:
    """An upload that is in progress or in is not queued again, and another version waits until the first is checked."""
    ada = sign_in(store)
    first = send(store, ada)
    assert store.act_as(ada).submit("mine", "1", MB, TERMS) == Receipt(first, is_new=False)
    with pytest.raises(
        SubmissionDeniedError, match=f"submission {first.id} is still being checked"
    ):
        store.act_as(ada).submit("mine", "2", MB, TERMS)
    assert store.queue.accept(first.id, build_entry(first))
    receipt = store.act_as(ada).submit("mine", "1", MB, TERMS)
    again, new = receipt.submission, receipt.is_new
    assert (again.id, again.entrant, new) == (first.id, "mine@ab12", False)
    assert store.act_as(ada).submit("mine", "1", MB, build_terms(inactive=["mine@ab12"])).is_new


def test_going_back_to_the_version_that_is_in_is_no_new_submission(store: HillStore) -> None:
    """An author who uploads the version that is in uses up nothing, even after another one was rejected."""
    ada = sign_in(store)
    first = send(store, ada)
    store.queue.accept(first.id, build_entry(first))
    reject(store, send(store, ada, data="2").id)
    receipt = store.act_as(ada).submit("mine", "1", MB, TERMS)
    again, new = receipt.submission, receipt.is_new
    assert (again.id, new) == (first.id, False)
    assert send(store, ada, data="2")


def test_a_bot_has_only_so_many_submissions_a_day(store: HillStore, clock: Clock) -> None:
    """A rejected submission counts half and one that the host failed nothing, and the refusal says how long to wait."""
    ada, numbers = sign_in(store), []
    for number in range(3):
        numbers.append(send(store, ada, data=f"{number}", submissions=2).id)
        reject(store, numbers[-1])
        clock.now += 100
    said = r"1\.5 of 2 submissions of this bot .* submit again in 24 h"
    with pytest.raises(SubmissionDeniedError, match=said) as denied:
        store.act_as(ada).submit("mine", "9", MB, build_terms(HillConfig(submissions=2)))
    assert denied.value.wait == DAY_SECONDS - 300
    used = store.act_as(ada).measure_usage(HillConfig(submissions=2), {}).submissions["mine"]
    assert used == SubmissionQuota(1.5, 2, DAY_SECONDS - 300)
    clock.now += DAY_SECONDS - 300 + 1
    assert send(store, ada, data="9", submissions=2)


def test_an_author_has_only_so_many_bots_and_megabytes(store: HillStore) -> None:
    """A submission that exceeds a quota leaves no bot and no upload behind."""
    ada = sign_in(store)
    for bot in "ab":
        send(store, ada, bot, bot)
    with pytest.raises(SubmissionDeniedError, match="2 are allowed on this hill") as bots:
        send(store, ada, "c", "c", bots=2)
    with pytest.raises(SubmissionDeniedError, match=r"your uploads take 2\.0 MB") as kept:
        send(store, ada, "c", "c", uploads_mb=2)
    assert (bots.value.denial, kept.value.denial) == (Denial.LIMIT, Denial.TOO_LARGE)
    with pytest.raises(NotOwnedError, match="there is no bot called c"):
        store.act_as(ada).find_bot("c")
    assert store.act_as(ada).measure_usage(HillConfig(), {}).uploads_mb.used == 2.0


@pytest.mark.parametrize("bot", ["mine", "other"])
@pytest.mark.parametrize("data", ["rejected", "in", "forgotten", "another author's", "new"])
def test_an_upload_is_denied_only_for_what_would_be_stored_more(
    store: HillStore, bot: str, data: str
) -> None:
    """A submission is taken exactly if the uploads of its author are within the quota afterwards."""
    ada, eve = sign_in(store), sign_in(store, "eve")
    send(store, eve, "hers", "another author's")
    reject(store, send(store, ada, data="forgotten").id)
    store.submissions.forget_old(store.now() + 1, [], 0)
    reject(store, send(store, ada, data="rejected").id)
    accepted = send(store, ada, data="in")
    store.queue.accept(accepted.id, build_entry(accepted))

    def submit(uploads_mb: int) -> None:
        terms = build_terms(HillConfig(uploads_mb=uploads_mb), inactive=["mine@ab12"])
        store.act_as(ada).submit(bot, data, MB, terms)

    stored = {"rejected", "in", data}
    with pytest.raises(SubmissionDeniedError) as denied:
        submit(len(stored) - 1)
    assert denied.value.denial is Denial.TOO_LARGE
    submit(len(stored))
    assert store.act_as(ada).measure_usage(HillConfig(), {}).uploads_mb.used == len(stored)


def test_the_queue_takes_turns_between_authors(store: HillStore) -> None:
    """No author has two submissions judged at once, and whoever has submitted least today comes first."""
    ada, bob = sign_in(store), sign_in(store, "bob")
    first, second = (send(store, ada, bot, bot) for bot in "ab")
    third = send(store, bob, "c", "c")
    taken = [store.queue.take(), store.queue.take(), store.queue.take()]
    assert [submission and submission.id for submission in taken] == [third.id, first.id, None]
    assert len(read_positions(store)) == 3
    reject(store, first.id)
    after = store.queue.take()
    assert after
    assert after.id == second.id


def test_a_submission_waits_longer_after_each_attempt_without_a_result(
    store: HillStore, clock: Clock
) -> None:
    """A submission is retried after ever longer pauses, whether the host failed or a judge was killed, and is never given up."""
    number = send(store, sign_in(store)).id
    for tries in range(12):
        assert store.queue.take()
        if tries % 2:
            assert store.queue.recover() == 1
        else:
            store.queue.retry(number, "no room")
        found, before = store.submissions.find(number), clock.now
        assert found
        assert (found.state, found.tries) == (SubmissionState.QUEUED, tries + 1)
        pause = min(MAX_PAUSE_SECONDS, 2.0 ** (tries + 1))
        clock.now = before + pause - 1
        assert not store.queue.peek()
        clock.now = before + pause
        assert store.queue.peek()


def test_a_submission_without_a_result_comes_behind_all_others(
    store: HillStore, clock: Clock
) -> None:
    """A submission comes the later the more attempts had no result, and behind those that only gave way."""
    names = ("often", "once", "slow", "newcomer")
    numbers = {name: send(store, sign_in(store, name), name, name).id for name in names}
    for name, tries in (("often", 3), ("once", 1)):
        for _ in range(tries):
            store.queue.retry(numbers[name], "")
    assert store.queue.give_way(numbers["slow"])
    clock.now += MAX_PAUSE_SECONDS
    order = []
    while following := store.queue.take():
        order.append((following.bot.name, is_suspect(following)))
    assert order == [("newcomer", False), ("once", False), ("slow", False), ("often", True)]


def test_positions_are_those_in_which_the_queue_is_judged(store: HillStore, clock: Clock) -> None:
    """Whatever puts a submission before or behind others, its author is told its true position."""
    busy, ada = (sign_in(store, name) for name in ("busy", "ada"))
    numbers = {bot: send(store, busy, bot, bot).id for bot in "ab"}
    numbers |= {
        name: send(store, sign_in(store, name), name, name).id for name in ("often", "once", "slow")
    }
    numbers["newcomer"] = send(store, ada, "newcomer", "newcomer").id
    for name, tries in (("often", 3), ("once", 1)):
        for _ in range(tries):
            store.queue.retry(numbers[name], HOST_PROBLEM_MESSAGE)
    assert store.queue.give_way(numbers["slow"])
    clock.now += MAX_PAUSE_SECONDS
    while positions := read_positions(store):
        assert sorted(positions.values()) == [*range(len(positions))]
        following = store.queue.take()
        assert following
        assert positions[following.id] == 0
        waiting = {number: place for number, place in positions.items() if place}
        assert read_positions(store) == {following.id: 0, **waiting}
        reject(store, following.id)


def test_a_newer_upload_replaces_one_that_the_host_failed(store: HillStore) -> None:
    """A submission that the host failed counts nothing once it is replaced, and one that is being checked is not replaced."""
    ada = sign_in(store)
    before = send(store, ada)
    assert store.queue.take()
    with pytest.raises(SubmissionDeniedError, match="is still being checked"):
        send(store, ada, data="2")
    store.queue.retry(before.id, HOST_PROBLEM_MESSAGE)
    assert send(store, ada, data="2")
    found = store.submissions.find(before.id)
    assert found
    assert (found.state, found.why) == (SubmissionState.FAILED, SUPERSEDED_MESSAGE)
    assert store.act_as(ada).measure_usage(HillConfig(), {}).submissions["mine"].used == 1.0


def test_a_withdrawn_submission_is_not_accepted(store: HillStore) -> None:
    """A judge that is judging the submission changes nothing any more, and the coordinator gets the withdrawal."""
    one = send(store, sign_in(store))
    assert store.queue.take()
    store.host_actions.withdraw("MINE", "by its author")
    assert not store.queue.set_state(one.id, SubmissionState.CHECKING)
    assert not store.queue.accept(one.id, build_entry(one))
    (command,) = store.commands.fetch(0)
    assert command == WithdrawalCommand(command.number, "mine", "by its author")
    assert store.commands.fetch(command.number) == []


def test_a_bot_that_was_withdrawn_takes_part_again_with_the_same_files(store: HillStore) -> None:
    """Its files are judged again though the coordinator has not let it leave yet, and are there once they are accepted."""
    ada = sign_in(store)
    first = send(store, ada)
    assert store.queue.accept(first.id, build_entry(first))
    assert not store.act_as(ada).submit("mine", "1", MB, TERMS).is_new
    store.act_as(ada).withdraw("mine")
    found = store.submissions.find(first.id)
    assert found
    assert found.state is SubmissionState.ACCEPTED
    again = send(store, ada)
    assert store.act_as(ada).submit("mine", "1", MB, TERMS) == Receipt(again, is_new=False)
    assert store.queue.accept(again.id, build_entry(again))
    receipt = store.act_as(ada).submit("mine", "1", MB, TERMS)
    assert (receipt.submission.id, receipt.is_new) == (again.id, False)


def test_a_version_is_kept_if_it_was_accepted_since_its_bot_was_withdrawn(store: HillStore) -> None:
    """A withdrawal ends all versions of one bot that were accepted until then, and no later one."""
    ada = sign_in(store)

    def accept(bot: str, version: str) -> int:
        one = send(store, ada, bot, version)
        store.queue.accept(one.id, build_entry(one, version))
        return one.id

    def find_kept() -> list[int]:
        return [submission.id for submission in store.submissions.select_kept()]

    first, second, other = accept("mine", "ab12"), accept("mine", "cd34"), accept("other", "ab12")
    assert find_kept() == [other, second, first]
    assert [one.id for one in store.submissions.select_kept(ids=[first, other], limit=1)] == [other]
    store.act_as(ada).withdraw("mine")
    store.host_actions.hide("mine", "its name")
    assert find_kept() == [other]
    third = accept("mine", "ef56")
    assert find_kept() == [third, other]
    store.host_actions.ban("ada", "attacks")
    assert find_kept() == []


def test_a_ban_revokes_tokens_and_withdraws_bots(store: HillStore) -> None:
    """A banned author has no token and no bot any more, and nobody signs in or is invited under the name."""
    ada = sign_in(store)
    key = store.accounts.create_token(ada, TokenScope.SUBMIT, "laptop")
    one = send(store, ada)
    assert store.host_actions.ban("ADA", "attacks the host") == ["mine"]
    assert store.accounts.identify(key) is None
    assert store.accounts.sign_in("Ada") is None
    with pytest.raises(UserError, match="ada is banned"):
        store.accounts.invite("ada")
    found = store.submissions.find(one.id)
    assert found
    assert found.state is SubmissionState.WITHDRAWN
    assert [
        (writer.name, writer.banned, writer.bots) for writer in store.host_actions.list_authors()
    ] == [("ada", True, ["mine"])]


def list_acts(store: HillStore, author: Principal) -> dict[str, Callable[[], object]]:
    """Return all that an author can do to the hill, by name."""
    return {
        "submit": lambda: store.act_as(author).submit("mine", "9", MB, TERMS),
        "withdraw": lambda: store.act_as(author).withdraw("mine"),
        "publish": lambda: store.act_as(author).set_source_visibility("mine", public=True),
        "show": lambda: store.accounts.set_author_visibility(author, public=True),
        "create": lambda: store.accounts.create_token(author, TokenScope.SUBMIT, "another"),
        "revoke": lambda: store.accounts.revoke_token(author, 1),
    }


@pytest.mark.each("store", "act")
@pytest.mark.parametrize("act", ["submit", "withdraw", "publish", "show", "create", "revoke"])
def test_nobody_acts_by_a_token_that_was_revoked(store: HillStore, act: str) -> None:
    """An author who was identified before the token was revoked changes nothing, though a new token gets its number."""
    ada = sign_in(store)
    store.queue.accept((one := send(store, ada)).id, build_entry(one))
    laptop = store.accounts.identify(store.accounts.create_token(ada, TokenScope.SUBMIT, "laptop"))
    assert laptop
    assert store.accounts.revoke_token(ada, store.accounts.list_tokens(ada.id)[-1].id)
    # with the same number in SQLite
    store.accounts.create_token(ada, TokenScope.SUBMIT, "another")
    commands, tokens = store.commands.fetch(0), store.accounts.list_tokens(ada.id)
    with pytest.raises(TokenRevokedError, match="nothing has changed"):
        list_acts(store, laptop)[act]()
    assert (store.commands.fetch(0), store.accounts.list_tokens(ada.id)) == (commands, tokens)
    assert len(store.submissions.select()) == 1
    list_acts(store, ada)[act]()


@pytest.mark.each("store", "act")
@pytest.mark.parametrize("act", ["withdraw", "publish", "open", "find", "look"])
def test_nobody_acts_on_another_authors_bots(store: HillStore, act: str) -> None:
    """Whichever way an act is asked for, the database checks whose the bot is."""
    one, eve = send(store, sign_in(store)), store.act_as(sign_in(store, "eve"))
    acts: dict[str, Callable[[str, int], object]] = {
        "withdraw": lambda bot, _: eve.withdraw(bot),
        "publish": lambda bot, _: eve.set_source_visibility(bot, public=True),
        "open": lambda _, number: eve.set_submission_visibility(number, public=True),
        "find": lambda bot, _: eve.find_bot(bot),
        "look": lambda _, number: eve.find_submission(number),
    }
    with pytest.raises(NotOwnedError) as refused:
        acts[act](one.bot.name, one.id)
    assert refused.value.is_others == (act not in ("open", "look")), "which tell nobody"
    for bot in ("nobody", "bot_1", "\0"):
        with pytest.raises(NotOwnedError) as refused:
            acts[act](bot, 99)
        assert not refused.value.is_others
    assert store.submissions.select() == [one]


@pytest.mark.each("store", "act")
@pytest.mark.parametrize("act", ["submit", "withdraw", "publish", "show", "create", "revoke"])
def test_nobody_acts_after_a_ban(store: HillStore, act: str) -> None:
    """An author who was identified before the ban changes nothing, not even when the ban is lifted."""
    ada = sign_in(store)
    send(store, ada)
    store.host_actions.ban("ada", "attacks")
    store.host_actions.unban("ada", "has apologized")
    with pytest.raises(TokenRevokedError):
        list_acts(store, ada)[act]()
    assert (len(store.submissions.select()), store.accounts.list_tokens(ada.id)) == (1, [])


def test_forgetting_a_bot_names_the_uploads_to_delete(store: HillStore) -> None:
    """The uploads of a forgotten bot are to be deleted unless another bot uses them, and no log or report of it stays."""
    ada, bob = sign_in(store), sign_in(store, "bob")
    for data in ("shared", "own"):
        one = send(store, ada, data=data)
        store.queue.set_state(
            one.id, SubmissionState.CHECKING, findings=Findings(log="built", report={"line": "x"})
        )
        store.queue.accept(one.id, build_entry(one, data[:2] * 6))
    other = send(store, bob, "theirs", "shared")
    store.queue.accept(other.id, build_entry(other, "shshshshshsh"))
    assert store.host_actions.forget("mine", "its author asks for it") == {"own"}
    assert store.submissions.list_digests() == {"shared"}
    for submission in store.submissions.select(bot="mine"):
        assert (submission.bot.hidden, submission.bot.public_name) == (True, "bot_1")
        assert store.submissions.load_results(submission.id) == SubmissionResults("", None)


def test_only_uploads_of_current_bots_are_kept_for_long(store: HillStore, clock: Clock) -> None:
    """An old upload that is not in makes room in the quota, and no log or report of it stays."""
    ada = sign_in(store)
    for bot in "ab":
        one = send(store, ada, bot, bot)
        store.queue.set_state(
            one.id,
            SubmissionState.CHECKING,
            findings=Findings(log="built", report={"passed": True}),
        )
        store.queue.accept(one.id, build_entry(one, bot))
    send(store, ada, "c", "c")
    store.submissions.forget_old(clock.now + 1, ["a@a"], store.commands.get_last_number())
    kept = {
        submission.bot.name: store.submissions.load_results(submission.id)
        for submission in store.submissions.select()
    }
    nothing = SubmissionResults("", None)
    assert kept == {"a": SubmissionResults("built", '{"passed": true}'), "b": nothing, "c": nothing}
    assert store.submissions.list_digests() == {"a", "c"}
    assert store.act_as(ada).measure_usage(HillConfig(), {}).uploads_mb.used == 2.0


def test_an_old_upload_is_kept_until_its_bot_is_in(store: HillStore, clock: Clock) -> None:
    """However long the coordinator takes to let in an accepted version, its upload and its results stay."""
    one = send(store, sign_in(store))
    store.queue.set_state(one.id, SubmissionState.CHECKING, findings=Findings(log="built"))
    store.queue.accept(one.id, build_entry(one))
    store.submissions.forget_old(clock.now + 1, [], last_command=0)
    assert store.submissions.list_digests() == {one.sha256}
    assert store.submissions.load_results(one.id).log == "built"
    store.submissions.forget_old(clock.now + 1, [], store.commands.get_last_number())
    assert store.submissions.list_digests() == set()


def test_a_kill_at_any_statement_leaves_nothing_half(tmp_path: Path) -> None:
    """An act of an author, the judge or the host is stored with all that follows from it, or not at all."""
    secrets: list[str] = []
    assert_nothing_is_half(
        tmp_path / "hill.db",
        lambda path: nullcontext(HillStore.open(DatabaseAddress.of(path))),
        [
            lambda store: secrets.append(store.accounts.invite("ada")),
            lambda store: store.accounts.join(secrets[0]),
            lambda store: store.accounts.create_token(
                find_author(store), TokenScope.READ, "laptop"
            ),
            lambda store: send(store, find_author(store)),
            lambda store: store.queue.take(),
            lambda store: store.queue.retry(1, "no room"),
            lambda store: store.queue.accept(1, Entry("mine", "ab12", "copy")),
            lambda store: store.act_as(find_author(store)).withdraw("mine"),
            lambda store: send(store, find_author(store), "other"),
            lambda store: store.queue.set_state(
                2, SubmissionState.CHECKING, findings=Findings(log="x", report={})
            ),
            lambda store: store.queue.recover(),
            lambda store: store.submissions.forget_old(time() + 1, [], 2),
            lambda store: store.host_actions.hide("mine", "its name"),
            lambda store: store.host_actions.forget("mine", "asked for"),
            lambda store: store.host_actions.ban("ada", "attacks"),
            lambda store: store.host_actions.unban("ada", "has apologized"),
        ],
    )


@pytest.mark.slow
def test_two_processes_do_not_exceed_a_quota_together(store: HillStore) -> None:
    """Two processes that submit at once have together what one author may have."""
    ada = sign_in(store)
    address = store.transactions.address.path or store.transactions.address.url
    known = map(str, (address, ada.id, ada.name, ada.scope.value, ada.token_hash))
    words = [sys.executable, "-m", "tests.support.hill.greedy_author", *known]
    with Popen(words, cwd=ROOT, stdin=PIPE, stdout=PIPE, text=True) as other:
        assert other.stdout
        other.stdout.readline()
        assert other.stdin
        other.stdin.write("\n")
        other.stdin.flush()
        mine = submit_three_bots(store, ada, "a")
        theirs = other.communicate(timeout=TIMEOUT)[0].split()
    assert sorted([*mine, *theirs]) == ["LIMIT"] * 3 + ["taken"] * 3
