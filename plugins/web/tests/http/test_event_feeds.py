"""Feeds: frames that are encoded once, from which everybody reads at their own pace."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import ExitStack
from threading import Thread
from typing import Any

import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from arena.records import MatchStep
from arena_web.http import sse
from arena_web.http.clients import find_client
from arena_web.http.sse import EventBroadcast, FollowerLimit, read_last_frame
from arena_web.protocol.json_format import to_json
from arena_web.protocol.messages import Refusal, Steps
from tests.support.web.event_streams import Event, build_message, collect_events, parse_events, run


def build_steps(*words: str) -> Steps:
    """Return steps of one word each."""
    return Steps([MatchStep((word,)) for word in words])


def show(*words: str) -> list[Any]:
    """Return such steps as a page gets them."""
    return [{"l": 0, "t": [word]} for word in words]


async def until(stream: AsyncIterator[bytes], number: int) -> list[Event]:
    """Return what a stream brings, up to the event of this number."""
    found: list[Event] = []
    while not found or found[-1][0] < number:
        found += parse_events(await anext(stream))
    return found


def test_steps_that_come_together_are_one_frame() -> None:
    """Steps of one moment are one list; other events stand by themselves, in order."""

    async def test() -> None:
        feed = EventBroadcast()
        feed.put(build_message("match", {"seat": 1}))
        feed.put(build_steps("1", "2"))
        feed.put(build_steps("3"))
        feed.put(build_message("no", {"n": 1}))
        feed.end()
        wanted = [(1, "match", {"seat": 1}), (2, "steps", show("1", "2", "3")), (3, "no", {"n": 1})]
        assert await collect_events(feed.follow()) == wanted

    run(test)


def test_steps_come_from_another_thread() -> None:
    """A match in a thread of its own wakes who waits already."""

    async def test() -> None:
        feed = EventBroadcast()
        stream = feed.follow()
        first = await anext(stream)
        assert first.startswith(b"retry: 1000\n\n")
        waiting = asyncio.ensure_future(until(stream, 1))
        await asyncio.sleep(0)
        Thread(target=feed.put, args=(build_steps("late"),)).start()
        assert await waiting == [(1, "steps", show("late"))]

    run(test)


def test_a_follower_goes_on_behind_the_frame_it_has() -> None:
    """The number of a frame is all that it takes; one that never was shows everything."""

    async def test() -> None:
        feed = EventBroadcast()
        for number in range(3):
            feed.put(build_message("no", number))
        feed.end()
        assert [event[0] for event in await collect_events(feed.follow())] == [1, 2, 3]
        assert [event[0] for event in await collect_events(feed.follow(2))] == [3]
        assert [event[0] for event in await collect_events(feed.follow(99))] == [1, 2, 3]
        assert feed.is_over(3)
        assert not feed.is_over(2)

    run(test)


def test_who_does_not_read_keeps_nobody_waiting() -> None:
    """A stalled reader has its place in the list, and finds everything there when it is back."""

    async def test() -> None:
        feed = EventBroadcast()
        stalled, quick = feed.follow(), feed.follow()
        await anext(stalled)
        for number in range(50):
            feed.put(build_message("no", number))
        await until(quick, 50)
        feed.end()
        frames = list(feed.frames)
        assert len(await collect_events(stalled)) == len(frames)
        assert feed.frames == frames

    run(test)


def test_a_frame_is_not_changed_by_who_made_it() -> None:
    """Steps that are merged with later ones stay as they are for who has put them."""

    async def test() -> None:
        feed = EventBroadcast()
        steps = build_steps("1")
        feed.put(steps)
        await until(feed.follow(), 1)
        feed.put(steps)
        feed.put(build_steps("2"))
        feed.end()
        assert (await collect_events(feed.follow()))[1:] == [(2, "steps", show("1", "2"))]
        assert steps == build_steps("1")

    run(test)


def test_the_messages_of_a_feed_are_those_of_its_frames() -> None:
    """Who reads them in this process need not decode what was encoded here."""

    async def test() -> None:
        feed = EventBroadcast()
        feed.put(build_steps("one"))
        feed.put(build_steps("two"))
        feed.put(Refusal(1, "too high"))
        feed.end()
        seen = await collect_events(feed.follow())
        assert [(name, data) for _, name, data in seen] == [
            (message.event, to_json(message)) for message in feed.messages
        ]
        assert feed.messages == [build_steps("one", "two"), Refusal(1, "too high")]

    run(test)


def test_a_state_is_no_news_to_who_waits_for_a_frame() -> None:
    """The wait goes on until there is a frame, and for who has read the last one until the end."""

    async def test() -> None:
        feed = EventBroadcast()
        waiting = asyncio.ensure_future(feed.wait(0))
        stream = feed.follow()
        await anext(stream)
        feed.tell(build_message("present", {"said": "Bob is here"}))
        assert b"Bob is here" in await anext(stream)
        assert not waiting.done()
        feed.put(Refusal(1, "too high"))
        await waiting
        assert feed.messages == [Refusal(1, "too high")]
        await feed.wait(0)
        ending = asyncio.ensure_future(feed.wait(1))
        feed.end()
        await ending

    run(test)


def test_who_waits_for_a_frame_waits_for_no_pause(monkeypatch: pytest.MonkeyPatch) -> None:
    """The next frame comes at once, also where its events were there before."""

    async def test() -> None:
        feed = EventBroadcast()
        feed.put(build_message("no", 1))
        await feed.wait(0)
        monkeypatch.setattr(sse, "FRAME_SECONDS", float("inf"))
        feed.settle()
        waiting = asyncio.ensure_future(feed.wait(1))
        await asyncio.sleep(0)
        feed.put(build_message("no", 2))
        await waiting
        feed.put(Refusal(3, "too high"))
        await asyncio.sleep(0)
        assert len(feed.frames) == 2
        await feed.wait(2)
        assert feed.messages[2:] == [Refusal(3, "too high")]

    run(test)


def test_a_quiet_stream_is_alive(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where nothing happens a comment is sent, so that no proxy takes it for dead."""

    async def test() -> None:
        monkeypatch.setattr(sse, "KEEPALIVE_SECONDS", 0.01)
        stream = EventBroadcast().follow()
        await anext(stream)
        assert (await anext(stream)).startswith(b":")

    run(test)


def test_when_the_server_ends_all_streams_end() -> None:
    """Closing says good-bye at once to who waits, and takes nothing more."""

    async def test() -> None:
        feed = EventBroadcast()
        streams = [feed.follow() for _ in range(50)]
        for stream in streams:
            await anext(stream)
        last = [asyncio.ensure_future(anext(stream)) for stream in streams]
        await asyncio.sleep(0)
        feed.close()
        assert {await event for event in last} == {sse.BYE}
        feed.put(build_message("no", 1))
        await asyncio.sleep(0)
        assert feed.frames == []
        assert feed.is_over(0)

    run(test)


def request(headers: dict[str, str], query: str = "") -> Request:
    """Return a request with these headers."""
    raw = [(name.encode(), value.encode()) for name, value in headers.items()]
    return Request(
        {"type": "http", "headers": raw, "query_string": query.encode(), "client": ("1.2.3.4", 5)}
    )


@pytest.mark.parametrize(
    ("given", "after"), [("7", 7), ("", 0), ("-1", 0), ("x", 0), ("٣", 0), ("9" * 5000, 0)]
)
def test_where_a_browser_has_got_to_is_read_with_care(given: str, after: int) -> None:
    """The header counts, whatever a stranger wrote there."""
    assert (
        read_last_frame(request({"last-event-id": given} if given.isascii() else {}, "")) == after
    )
    assert read_last_frame(request({}, f"after={given}")) == after


def test_a_feed_that_is_gone_is_not_asked_for_again() -> None:
    """204 stops a browser's stream, where nothing is, and where nothing more will come."""

    async def test() -> None:
        followers, feed = FollowerLimit(), EventBroadcast()
        assert followers.stream(request({}), None).status_code == 204
        feed.put(build_message("end", {}))
        feed.end()
        await collect_events(feed.follow())
        assert followers.stream(request({"last-event-id": "1"}), feed).status_code == 204
        assert followers.stream(request({}), feed).status_code == 200

    run(test)


def test_followers_are_counted_and_the_place_is_free_again() -> None:
    """One more from an address is turned away with a time to come again, until one leaves."""

    async def test() -> None:
        followers, feed = FollowerLimit(in_all=3, per_client=2), EventBroadcast()
        with followers.count("1.2.3.4"), followers.count("1.2.3.4"):
            refused = followers.stream(request({}), feed)
            assert (refused.status_code, refused.headers["retry-after"]) == (
                503,
                sse.RETRY_AFTER_SECONDS,
            )
            assert not followers.is_full("5.6.7.8")
            with followers.count("5.6.7.8"):
                assert followers.is_full("9.9.9.9")
        assert followers.stream(request({}), feed).status_code == 200

    run(test)


def test_addresses_of_one_network_share_their_places() -> None:
    """Whoever has a whole network of addresses takes no more places than who has one."""

    async def test() -> None:
        followers, feed = FollowerLimit(per_client=1), EventBroadcast()
        mine, neighbour, other = (
            Request({**request({}).scope, "client": (address, 1)})
            for address in ("2001:db8::1", "2001:db8::2", "2001:db8:0:1::1")
        )
        with followers.count(find_client(mine.scope)):
            assert followers.stream(neighbour, feed).status_code == 503
            assert followers.stream(other, feed).status_code == 200

    run(test)


def test_many_networks_of_a_site_have_the_places_of_a_few() -> None:
    """Whoever has a /48 of IPv6 takes no more places than four visitors."""
    followers = FollowerLimit(per_client=1)
    with ExitStack() as open_:
        for number in range(4):
            assert not followers.is_full(f"2001:db8:0:{number}::1")
            open_.enter_context(followers.count(f"2001:db8:0:{number}::1"))
        assert followers.is_full("2001:db8:0:4::1")
        assert not followers.is_full("2001:db8:1::1")
    assert not followers.is_full("2001:db8:0:4::1")


def test_a_few_addresses_never_take_all_places() -> None:
    """Ten addresses that take what they get leave places, of which the next may have several."""
    followers = FollowerLimit()

    def take_all(address: str) -> int:
        share = 0
        while not followers.is_full(address):
            open_.enter_context(followers.count(address))
            share += 1
        return share

    with ExitStack() as open_:
        shares = [take_all(f"192.0.2.{number}") for number in range(10)]
        assert shares[0] == sse.MAX_FOLLOWERS_PER_ADDRESS
        assert sum(shares) < sse.MAX_FOLLOWERS
        assert take_all("198.51.100.1") > 5


def test_who_leaves_is_counted_no_more() -> None:
    """A client that goes in the middle of a stream leaves neither a count nor an error behind."""

    async def test() -> None:
        followers, feed = FollowerLimit(per_client=1), EventBroadcast()

        async def stream(request: Request) -> Response:
            return followers.stream(request, feed)

        app = Starlette(routes=[Route("/", stream)])
        gone, began = asyncio.Event(), asyncio.Event()

        async def receive() -> dict[str, Any]:
            await gone.wait()
            return {"type": "http.disconnect"}

        async def send(_: Any) -> None:
            began.set()

        scope = {
            "type": "http", "method": "GET", "path": "/", "query_string": b"", "headers": [],
            "client": ("1.2.3.4", 5), "asgi": {"spec_version": "2.3"},
        }  # fmt: skip
        streaming = asyncio.ensure_future(app(scope, receive, send))
        await began.wait()
        assert followers.is_full("1.2.3.4")
        assert feed.followers == 1
        gone.set()
        await streaming
        assert not followers.is_full("1.2.3.4")
        assert feed.followers == 0

    run(test)
