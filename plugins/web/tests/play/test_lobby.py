"""A waiting room, by calls, without a server: who has a link, who has come, when all are there."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from attrs import evolve

from arena import UserError
from arena.host import parse_entrant
from arena_web.play.lobby import WaitingRoom
from arena_web.play.seat_secrets import Secret
from arena_web.play.store.table_store import TableStore
from arena_web.play.table_terms import TableTerms
from tests.support.web.event_streams import collect_events, run
from tests.support.web.seat_players import build_setup

HOST = Secret("ann's secret")


def in_room(test: Callable[[WaitingRoom], object], *bots: str, game: str = "hearts") -> None:
    """Call a test with a room to which one person invites friends."""

    async def call() -> None:
        setup = build_setup(game, *bots)
        setup = evolve(setup, terms=TableTerms(persons=("ann",), invites=True))
        store = TableStore()
        room = WaitingRoom("key", setup, [HOST], store)
        store.tables.add(room.key, "", room.to_stored(), room.secrets)
        test(room)
        stored = store.tables.find(room.key)
        assert stored
        assert stored.is_waiting
        assert [chair.secret for chair in stored.chairs] == room.secrets
        assert stored.setup.terms.persons == room.setup.terms.persons

    run(call)


def test_friends_take_the_places_of_bots() -> None:
    """With the last bot gone, the match may begin once all have come."""

    def test(room: WaitingRoom) -> None:
        room.arrive(HOST)
        for name, bots in (("bob", 2), ("bob", 1), ("eve", 0)):
            assert not room.is_complete
            friend = room.seat_friend(name)
            assert len(room.bots) == bots
        assert [guest.name for guest in room.guests.values()] == ["ann", "bob", "bob_2", "eve"]
        assert not room.setup.terms.invites
        for secret in room.secrets:
            assert not room.is_complete
            room.arrive(secret)
        assert room.is_complete
        room.remove_friend("bob_2", parse_entrant(room.setup.game, "low"))
        assert room.secrets[-1] == friend
        assert [guest.given_name for guest in room.guests.values()] == ["ann", "bob", "eve"]
        assert (len(room.bots), room.setup.terms.invites, room.is_complete) == (1, True, False)

    in_room(test, "low", "low", "low")


def test_nobody_takes_the_place_of_the_host() -> None:
    """Nor of somebody who is not there; all stay as they are."""

    def test(room: WaitingRoom) -> None:
        room.seat_friend("bob")
        secrets, feed = room.secrets, room.attendance.feed
        for name in ("ann", "eve"):
            with pytest.raises(UserError, match=f"no friend at this table is called {name}"):
                room.remove_friend(name, parse_entrant(room.setup.game, "low"))
        assert (room.secrets, room.attendance.feed) == (secrets, feed)

    in_room(test, "low", "low", "low")


def test_a_person_is_renamed() -> None:
    """Two may call themselves the same; who has come stays here."""

    def test(room: WaitingRoom) -> None:
        friend = room.seat_friend("bob")
        room.arrive(friend)
        room.rename(friend, "ann")
        assert room.guests[friend].given_name == "ann"
        assert room.names[:2] == ["Ann", "Ann 2"]
        assert room.attendance.presence.came == {friend}

    in_room(test, "low", "low", "low")


@pytest.mark.parametrize(
    ("game", "bot", "players"), [("hearts", "low", 4), ("gops", "easy", 3), ("gops", None, 2)]
)
def test_those_who_have_not_come_are_left_out(game: str, bot: str | None, players: int) -> None:
    """A bot has their places, or nobody has; another number of seats forgets who was to sit where."""

    def test(room: WaitingRoom) -> None:
        friend = room.seat_friend("bob")
        room.seat_friend("eve")
        room.arrive(friend)
        room.first_seat = 1
        setup, secrets = room.select_players(
            HOST, parse_entrant(room.setup.game, bot) if bot else None
        )
        assert secrets == [HOST, friend]
        assert (setup.terms.persons, setup.seat().seats) == (("ann", "bob"), players)
        assert room.find_first_seat(setup) == (1 if players == len(room.names) else None)

    in_room(test, *[bot or "easy"] * (3 if game == "hearts" else 2), game=game)


def test_a_place_that_cannot_be_played_changes_nothing() -> None:
    """Whoever is there may still wait for the others."""

    def test(room: WaitingRoom) -> None:
        friend = room.seat_friend("bob")
        with pytest.raises(UserError):
            room.select_players(HOST, None)  # hearts is not for one
        assert room.secrets == [HOST, friend]

    in_room(test, "low", "low", "low")


def test_pages_load_again_where_somebody_comes() -> None:
    """The feeds of before end with that, and the new ones know nothing of it."""

    async def test() -> None:
        setup = build_setup("hearts", "low", "low", "low")
        setup = evolve(setup, terms=evolve(setup.terms, invites=True))
        room = WaitingRoom("key", setup, [HOST], TableStore())
        before = room.attendance.feeds
        room.seat_friend("bob")
        for feed in before.values():
            assert [name for _, name, _ in await collect_events(feed.follow())] == ["moved"]
        assert not {*before.values()} & {*room.attendance.feeds.values()}
        assert not any(feed.frames for feed in room.attendance.feeds.values())

    run(test)


def test_each_is_told_when_the_match_begins() -> None:
    """The host may start it, and a rematch waits for those who have not come."""

    def test(room: WaitingRoom) -> None:
        friend = room.seat_friend("bob")
        said = "The match begins when all seats are taken, or when {} it."
        assert room.describe_wait(HOST) == said.format("you start")
        assert room.describe_wait(friend) == said.format("Ann starts")
        room.setup = evolve(room.setup, terms=evolve(room.setup.terms, invites=False))
        assert room.describe_wait(HOST) == "The match begins when Ann and Bob are here."
        room.arrive(HOST)
        assert room.describe_wait(HOST) == "The match begins when Bob is here."

    in_room(test, "low", "low", "low")
