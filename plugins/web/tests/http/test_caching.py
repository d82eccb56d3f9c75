"""What is kept: values that grow old, and answers that were made before."""

from __future__ import annotations

import asyncio

import pytest
from starlette.requests import Request
from starlette.responses import Response

from arena_web.http.refreshed_values import COMPUTE_RATIO, RefreshedValue, SharedRead
from arena_web.http.response_cache import CachedResponse, ResponseCache
from tests.support.web.event_streams import run


class Maker:
    """Makes 1, 2, 3 ..., each when it is let, in a time that is told by its own clock."""

    def __init__(self) -> None:
        self.made = 0
        self.time = 0.0
        self.let = asyncio.Event()
        self.wrong: Exception | None = None

    async def make(self) -> int:
        """Make the next one; it takes a second."""
        await self.let.wait()
        self.time += 1
        if self.wrong:
            raise self.wrong
        self.made += 1
        return self.made

    def kept(self) -> RefreshedValue[int]:
        """Return what keeps it."""
        return RefreshedValue(self.make, lambda: self.time)


def test_who_comes_first_waits_and_all_get_the_same() -> None:
    """Ten who ask at once have it made once."""

    async def test() -> None:
        maker = Maker()
        kept = maker.kept()
        asking = [asyncio.ensure_future(kept.get()) for _ in range(10)]
        await asyncio.sleep(0)
        maker.let.set()
        assert [await answer for answer in asking] == [1] * 10

    run(test)


def test_it_is_made_again_when_enough_time_has_gone() -> None:
    """One part in twenty of the time goes into it, and no more."""

    async def test() -> None:
        maker = Maker()
        maker.let.set()
        kept = maker.kept()
        assert await kept.get() == 1
        maker.time += COMPUTE_RATIO - 0.5
        assert await kept.get() == 1
        maker.time += 0.5
        assert await kept.get() == 2
        assert kept.began == 1 + COMPUTE_RATIO

    run(test)


def test_nobody_waits_for_a_new_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """While it is made, the old one is shown."""

    async def test() -> None:
        monkeypatch.setattr("arena_web.http.refreshed_values.MAX_WAIT_SECONDS", 0)
        maker = Maker()
        maker.let.set()
        kept = maker.kept()
        await kept.get()
        maker.time += COMPUTE_RATIO
        maker.let.clear()
        assert [await kept.get() for _ in range(3)] == [1, 1, 1]
        maker.let.set()
        while await kept.get() == 1:
            pass
        assert maker.made == 2

    run(test)


def test_what_goes_wrong_is_raised_and_tried_again() -> None:
    """Whoever asks next has it made anew."""

    async def test() -> None:
        maker = Maker()
        maker.let.set()
        kept = maker.kept()
        maker.wrong = OSError("away")
        with pytest.raises(OSError, match="away"):
            await kept.get()
        maker.wrong = None
        assert await kept.get() == 1

    run(test)


def test_who_is_sent_away_leaves_the_work_to_others() -> None:
    """A request that is cancelled while it waits does not end what others wait for."""

    async def test() -> None:
        maker = Maker()
        kept = maker.kept()
        gone, other = (asyncio.ensure_future(kept.get()) for _ in range(2))
        await asyncio.sleep(0)
        gone.cancel()
        maker.let.set()
        assert await other == 1

    run(test)


def test_a_shared_read_begins_after_who_asks_for_it() -> None:
    """Those who come while one is under way share the next one, also where that was cancelled."""

    async def test() -> None:
        maker = Maker()
        shared = SharedRead(maker.make)
        first = asyncio.ensure_future(shared.get())
        for _ in range(2):  # it is asked for, and begins
            await asyncio.sleep(0)
        later = [asyncio.ensure_future(shared.get()) for _ in range(5)]
        await asyncio.sleep(0)
        later.pop().cancel()
        maker.let.set()
        assert await first == 1
        assert [await answer for answer in later] == [2] * 4
        maker.wrong = OSError("away")
        with pytest.raises(OSError, match="away"):
            await shared.get()
        maker.wrong = None
        assert await shared.get() == 3

    run(test)


def asked(**headers: str) -> Request:
    """Return a request with these headers."""
    raw = [(name.replace("_", "-").encode(), value.encode()) for name, value in headers.items()]
    return Request({"type": "http", "headers": raw})


def test_an_answer_is_sent_as_it_can_be_taken() -> None:
    """Compressed or not; and not at all to who has it already."""
    body = CachedResponse.of(Response("x" * 1000, media_type="text/plain"))
    plain, packed = body.respond(asked()), body.respond(asked(accept_encoding="br, gzip"))
    assert plain.body == b"x" * 1000
    assert packed.headers["content-encoding"] == "gzip"
    assert len(packed.body) < 100
    tag = plain.headers["etag"]
    known = body.respond(asked(if_none_match=f'"a", {tag}'))
    assert (known.status_code, known.body, known.headers["etag"]) == (304, b"", tag)
    assert body.respond(asked(if_none_match='"a"')).status_code == 200


def test_there_is_room_for_so_much() -> None:
    """The response that was not asked for the longest goes first; a too large one evicts nothing."""

    def body(size: int) -> CachedResponse:
        return CachedResponse(b"x" * size, "", "", "")

    cache = ResponseCache(max_bytes=10)
    for name in "abc":
        cache.put(name, body(3))
    assert cache.get("a")
    cache.put("d", body(3))
    assert [name for name in "abcd" if cache.get(name)] == ["a", "c", "d"]
    cache.put("a", body(4))
    assert (cache.size, cache.get("e")) == (10, None)
    cache.put("e", body(11))
    assert (cache.size, cache.get("e")) == (10, None)
