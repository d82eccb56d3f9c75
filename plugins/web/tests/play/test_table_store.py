"""The store of tables: what it keeps, for how long, of whom, and what it says of a bad file."""

from __future__ import annotations

from pathlib import Path

import pytest
from attrs import evolve

from arena.rules import StorageError, UserError
from arena_web.play.seat_secrets import Secret
from arena_web.play.setup_requests import parse_setup
from arena_web.play.store.browser_lists import MAX_BROWSERS_PER_SEAT
from arena_web.play.store.retention import Retention
from arena_web.play.store.stored_tables import PersonResult, StoredBot, StoredResult
from arena_web.play.store.table_store import TableStore, get_store_path
from arena_web.play.table_setup import TableSetup
from arena_web.play.table_terms import PERSON
from arena_web.play.tables import PlayTables
from arena_web.protocol.messages import SeatOutcome
from tests.support.tournaments.statement_kills import assert_nothing_is_half
from tests.support.web.event_streams import run
from tests.support.web.seat_players import (
    build_setup,
    choose_first,
    find_match,
    get_ending,
    play_alone,
    resume_match,
)

SETUP = build_setup("gops", "easy").to_stored(["ann", "easy"], [PERSON, "easy"], [0, 1], "7")
SHARED = build_setup("gops", persons=2).to_stored(["ann", "bob"], [PERSON] * 2, [0, 1], "7")
RESULT = StoredResult(
    (1, 2), (3, 0), {}, (PersonResult.of("You won.", SeatOutcome.WON, {"easy": [1]}),)
)
EARLY_SETUP = (
    '{"game": "gops", "variant": {"cards": 3}, "persons": ["ann"], "others": [["easy", "easy"]],'
    ' "partners": [], "table": null, "clock": null, "seed": "7", "seating": [1, 0],'
    ' "names": ["easy", "ann"]}'
)
EARLY_RESULT = (
    '{"places": [2, 1], "scores": [0, null],'
    ' "persons": [{"said": "You won.", "won": 1, "against": {"easy": 1}}]}'
)


def add(store: TableStore, key: str, address: str = "192.0.2.1", *, over: bool = False) -> None:
    """Keep a table with one person, in the list of a browser with the ticket `mine`."""
    store.tables.add(key, address, SETUP, [Secret(f"seat-{key}")])
    store.browsers.add(Secret(f"seat-{key}"), "mine")
    if over:
        store.tables.finish(key, RESULT, "a transcript")


def list_keys(store: TableStore) -> list[str]:
    """Return the keys of the tables that are kept, the oldest first."""
    return store.connection.read_column("SELECT key FROM tables ORDER BY changed")


def test_what_is_kept_is_there_again(tmp_path: Path) -> None:
    """Answers, results, hints and the key of tickets; the file is for its owner only."""
    path = tmp_path / "new" / "tables.db"
    store = TableStore.open(path, 30)
    add(store, "one")
    store.tables.add_ask("one", 0, ["a\n", "b\n"])
    store.tables.add_ask("one", 0, ["c\n"])
    store.tables.count_hint(Secret("seat-one"))
    add(store, "two", over=True)
    key = store.read_signing_key()
    store.close()
    again = TableStore.open(path, 30)
    assert again.read_signing_key() == key != TableStore().read_signing_key()
    assert path.stat().st_mode & 0o077 == 0
    found = again.tables.find_by_secret(Secret("seat-one"))
    assert found
    assert (found.key, found.setup, found.result) == ("one", SETUP, None)
    assert [chair.hints for chair in found.chairs] == [1]
    assert again.tables.list_asks("one") == [["a", "b"]]
    assert again.tables.read_transcript("two") == "a transcript"
    assert again.tables.read_transcript("one") == again.tables.read_transcript("none") == ""
    assert [game.key for game in again.browsers.list_games("mine")] == ["two", "one"]


def test_what_earlier_versions_kept_is_read(tmp_path: Path) -> None:
    """They knew no invitations, deals of the day, sittings, counts of hints, and bots of seats."""
    store = TableStore(tmp_path / "tables.db")
    add(store, "one", over=True)
    change = "UPDATE tables SET setup = ?, result = ?"
    store.connection.execute(change, (EARLY_SETUP, EARLY_RESULT))
    stored = store.tables.find("one")
    assert stored
    assert (
        stored.setup.terms.invites,
        stored.setup.terms.daily,
        stored.setup.terms.sitting.matches,
    ) == (
        False,
        "",
        0,
    )
    setup = TableSetup.restore(stored.setup, ())
    assert [entrant.name for entrant in setup.others] == ["easy"]
    assert (stored.setup.find_seat(0), stored.setup.bots) == (1, ("easy", PERSON))
    person = PersonResult.of("You won.", SeatOutcome.WON, {"easy": [1]})
    assert stored.result == StoredResult((2, 1), (0, None), {}, (person,))


def test_tables_of_a_day_are_listed_with_their_seats() -> None:
    """Each has its people in their order, and no other day's or running one is among them."""
    store = TableStore()
    daily = evolve(SHARED, terms=evolve(SHARED.terms, daily="2026-03-01"))
    later = evolve(SHARED, terms=evolve(SHARED.terms, daily="2026-03-02"))
    for key, setup in (("one", daily), ("two", daily), ("running", daily), ("later", later)):
        store.tables.add(key, "", setup, [Secret(f"{key}-b"), Secret(f"{key}-a")])
        if key != "running":
            store.tables.finish(key, RESULT, "a transcript")
    store.tables.count_hint(Secret("two-a"))
    tables = store.tables.list_daily("2026-03-01", "gops")
    assert [table.secrets for table in tables] == [["one-b", "one-a"], ["two-b", "two-a"]]
    assert [chair.hints for chair in tables[1].chairs] == [0, 1]
    assert tables == [store.tables.find(key) for key in ("one", "two")]


def test_the_oldest_go_by_themselves(tmp_path: Path) -> None:
    """A table is kept for so many days after its last answer, running or not."""
    now = 1000.0
    store = TableStore(tmp_path / "tables.db", Retention(days=1), clock=lambda: now)
    add(store, "left")
    add(store, "over", over=True)
    add(store, "played")
    now = 86_000.0
    store.tables.add_ask("played", 0, ["answers"])
    now = 87_500.0
    add(store, "new")
    assert list_keys(store) == ["played", "new"]
    assert store.tables.find_by_secret(Secret("seat-left")) is None
    assert [game.key for game in store.browsers.list_games("mine")] == ["new", "played"]


def test_a_visitor_has_a_share() -> None:
    """Who has more loses the own oldest one, a finished one first, and never somebody else's."""
    store = TableStore(retention=Retention(max_tables=12, max_per_address=3))
    add(store, "other", "198.51.100.7")
    for number in range(9):
        add(store, str(number), over=number == 1)
    assert list_keys(store) == ["other", "6", "7", "8"]
    for number in range(20):
        add(store, f"v6-{number}", f"2001:db8:0:{number}::1")
    assert "other" in list_keys(store)
    assert len(list_keys(store)) <= 12


def test_the_oldest_of_all_goes_where_all_places_are_taken() -> None:
    """However many addresses a stranger has, the store does not grow."""
    store = TableStore(retention=Retention(max_tables=5))
    for number in range(9):
        add(store, str(number), f"192.0.2.{number}")
    assert list_keys(store) == ["4", "5", "6", "7", "8"]


def test_a_seat_is_in_so_many_lists() -> None:
    """The first browsers lose it."""
    store = TableStore()
    seat = Secret("seat")
    store.tables.add("one", "", SETUP, [seat])
    for number in range(MAX_BROWSERS_PER_SEAT + 1):
        store.browsers.add(seat, str(number))
    store.browsers.add(seat, str(MAX_BROWSERS_PER_SEAT))
    assert store.browsers.list_games("0") == []
    assert all(
        store.browsers.list_games(str(number + 1)) for number in range(MAX_BROWSERS_PER_SEAT)
    )


def test_a_game_goes_once_nobody_has_it() -> None:
    """Who deletes it takes it from no friend, and a running one stays."""
    store = TableStore()
    add(store, "running")
    add(store, "alone", over=True)
    ann, bob = Secret("ann"), Secret("bob")
    store.tables.add("shared", "", SHARED, [ann, bob])
    store.browsers.add(ann, "mine")
    store.browsers.add(bob, "yours")
    store.tables.finish("shared", RESULT, "a transcript")
    store.browsers.delete_games("mine")
    assert [game.key for game in store.browsers.list_games("mine")] == ["running"]
    assert list_keys(store) == ["running", "shared"]
    store.browsers.delete_games("yours", "shared")
    assert list_keys(store) == ["running"]


def test_a_file_has_one_server(tmp_path: Path) -> None:
    """Another one, such as a second `arena play --web`, keeps its tables in memory."""
    path = tmp_path / "tables.db"
    store = TableStore.open(path, 30)
    add(store, "one")
    other = TableStore.open(path, 30)
    assert other.path is None
    assert list_keys(other) == []
    assert TableStore.open(path, 0).path is None


@pytest.mark.parametrize("wrong", ["version", "text", "folder"])
def test_a_file_that_is_something_else_is_refused_in_a_line(tmp_path: Path, wrong: str) -> None:
    """It says which file, and what to do."""
    path = tmp_path / "tables.db"
    if wrong == "version":
        with TableStore(path) as store, store.begin_write() as connection:
            connection.execute("UPDATE alembic_version SET version_num = 'tables-9'")
    elif wrong == "text":
        path.write_text("this is no database, but a text that is long enough\n" * 100)
    else:
        path.mkdir()
    with pytest.raises(UserError, match=r"tables\.db: ") as refused:
        TableStore.open(path, 30)
    assert "\n" not in str(refused.value)


def test_what_cannot_be_written_stops_no_match(capsys: pytest.CaptureFixture[str]) -> None:
    """The match is played to its end, and the host is told once."""

    async def test() -> None:
        tables = PlayTables()
        table, _ = await play_alone(build_setup("gops", "easy", cards=3), choose_first, tables)
        result = get_ending(table).result
        assert result
        assert result.places
        tables.store.connection.execute("PRAGMA query_only = ON")
        table, _ = await play_alone(build_setup("gops", "easy", cards=3), choose_first, tables)
        result = get_ending(table).result
        assert result
        assert result.places

    run(test)
    assert capsys.readouterr().err.count("not kept") == 1


def test_who_deletes_games_is_told_where_that_fails(tmp_path: Path) -> None:
    """None of them is gone then."""
    store = TableStore(tmp_path / "tables.db")
    for key in ("one", "two"):
        add(store, key, over=True)
    store.connection.execute("PRAGMA query_only = ON")
    with pytest.raises(StorageError):
        store.browsers.delete_games("mine")
    assert [game.key for game in store.browsers.list_games("mine")] == ["two", "one"]
    store.connection.execute("PRAGMA query_only = OFF")
    store.browsers.delete_games("mine")
    assert store.browsers.list_games("mine") == []


def test_a_full_disk_is_told_of_once_by_its_own_error(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """What follows from a table or an ask that was not kept is not kept either, and is no error."""
    store = TableStore(tmp_path / "tables.db")
    add(store, "whole")
    (pages,) = store.connection.execute("PRAGMA page_count").fetchone()
    store.connection.execute(f"PRAGMA max_page_count = {pages}")
    lost = Secret("seat-lost")
    store.tables.add("lost", "192.0.2.1", evolve(SETUP, names=("x" * 100_000,)), [lost])
    store.tables.add_ask("whole", 0, ["x" * 100_000])
    store.connection.execute("PRAGMA max_page_count = 1000000")
    store.browsers.add(lost, "mine")
    store.tables.set_standing(lost, "pass")
    store.tables.count_hint(lost)
    store.tables.replace("lost", SETUP, [lost, Secret("seat-other")])
    store.tables.add_ask("lost", 0, ["a line\n"])
    store.tables.add_ask("whole", 1, ["a line\n"])
    store.tables.finish("lost", RESULT, "a transcript")
    assert list_keys(store) == ["whole"]
    assert store.tables.list_asks("whole") == []
    (line,) = capsys.readouterr().err.splitlines()
    assert line.endswith(f"are not kept: {tmp_path / 'tables.db'}: database or disk is full")


def test_a_kill_at_any_statement_leaves_nothing_half(tmp_path: Path) -> None:
    """Each table has all its seats, an ask counts as an answer, and no place is empty."""
    assert_nothing_is_half(
        tmp_path / "tables.db",
        lambda path: TableStore(path, Retention(max_tables=1)),
        [
            lambda store: store.tables.add("one", "", SHARED, ["a", "b"]),
            lambda store: store.tables.replace("one", SETUP, ["a", "c", "d"]),
            lambda store: store.tables.add("two", "", SHARED, ["e", "f"]),
            lambda store: store.browsers.add("e", "mine"),
            lambda store: store.tables.add_ask("two", 0, ["an answer\n"]),
            lambda store: store.tables.count_hint("e"),
            lambda store: store.tables.set_standing("f", "pass"),
            lambda store: store.tables.finish("two", RESULT, "a transcript"),
            lambda store: store.browsers.delete_games("mine"),
        ],
    )


def test_a_file_of_tables_that_had_no_revision_is_kept(tmp_path: Path) -> None:
    """An earlier version of arena gave it none."""
    path = tmp_path / "tables.db"
    with TableStore(path) as store:
        add(store, "one")
        with store.begin_write() as connection:
            connection.execute("DROP TABLE alembic_version")
            connection.execute("PRAGMA user_version = 1")
    with TableStore(path) as store:
        assert list_keys(store) == ["one"]


def test_a_replaced_file_is_told_of(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Nothing is written into a file that nobody will find."""
    store = TableStore(tmp_path / "tables.db")
    (tmp_path / "tables.db").rename(tmp_path / "copy.db")
    add(store, "one")
    assert list_keys(store) == []
    assert "deleted or replaced while this run was using it" in capsys.readouterr().err


def test_a_table_that_cannot_be_played_on_says_why() -> None:
    """Its game, options or seats are gone, or its program is not allowed any more."""

    async def test() -> None:
        tables = PlayTables()
        table = tables.open(build_setup("gops", "easy", cards=3))
        stored = tables.store.tables.find(table.key)
        assert stored
        cat = StoredBot("cat", "cat -n")
        for setup, why in (
            (evolve(stored.setup, game="chess"), "chess"),
            (evolve(stored.setup, variant={"cards": -1}), "gops: "),
            (evolve(stored.setup, others=(cat,)), "cat cannot be played against here any more"),
        ):
            with pytest.raises(UserError, match=why):
                TableSetup.restore(setup, ["cat"])
        tables.store.connection.execute("DELETE FROM seats")
        with pytest.raises(UserError, match="the seats of its people were not kept"):
            await PlayTables(store=tables.store).find_table(table.key)
        tables.close()

    run(test)


def test_a_program_of_the_command_line_plays_on_after_a_restart() -> None:
    """The host has named it, so it need not be one that visitors may choose."""

    async def test() -> None:
        tables = PlayTables()
        setup = parse_setup("gops", ["cat -n"], (), None)
        assert setup
        own, other = tables.open(setup), tables.open(setup, "192.0.2.1")
        restarted = PlayTables(store=tables.store)
        assert await restarted.find_table(own.key)
        with pytest.raises(UserError, match="cannot be played against here"):
            await restarted.find_table(other.key)
        restarted.close()
        tables.close()

    run(test)


def test_partners_sit_as_before_after_a_restart() -> None:
    """Whatever seats were drawn, and whichever rotation is played."""

    async def test() -> None:
        for seat in (None, 0, 1):
            tables = PlayTables()
            setup = parse_setup("briscola", ["thrifty"], (), None, beside=["random"], table=4)
            assert setup
            table = tables.open(setup, first_seat=seat)
            restarted = PlayTables(store=tables.store)
            again = await resume_match(restarted, table.key)
            assert again is not table
            assert again.seating.spec == find_match(tables, table.key).seating.spec
            restarted.close()
            tables.close()

    run(test)


def test_tables_are_kept_by_port(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Servers on one machine have files of their own, in the folder that the system names."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    assert get_store_path(8642) == tmp_path / "arena" / "tables-8642.db"
