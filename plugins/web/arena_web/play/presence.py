"""Who is here: which people of a table have a page of it open, and who has been away for long.

`Presence` knows no clock: whoever has one says when something happens, and asks when to look again.
`Alarm` is that clock in an event loop. `Attendance` says what happens, by who follows which feed.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Collection, Mapping
from collections.abc import Set as AbstractSet
from contextlib import suppress
from functools import partial

from attrs import define, field

from arena_web.http.sse import EventBroadcast
from arena_web.play.seat_secrets import Secret
from arena_web.protocol.messages import Message, PresenceReport

PRESENCE_SECONDS = 1.0  # seconds in which who comes and goes is told once
ABSENT_SECONDS = 60.0  # seconds after which the others need not wait for who is away
SLEEP_SECONDS = 120.0  # seconds without anybody at a table after which it may be put to sleep


@define(eq=False)
class Presence:
    """Who of some people is here, away or absent; times are seconds of a clock that goes forward.

    >>> presence = Presence({"a": "Ann", "b": "Bob"}, began=0.0)
    >>> presence.arrive("a")
    >>> presence.see("a", pages=1, at=5.0)
    >>> presence.describe("a"), presence.describe("b"), presence.list_late()
    ('is here', 'is not here yet', ['Bob'])
    """

    names: Mapping[Secret, str]  #: of the people as others read them, by their secrets
    began: float  #: when they were first waited for
    came: set[Secret] = field(factory=set)  #: who has been here at some time
    watching: int = 0  #: how many pages of spectators are open
    _pages: Counter[Secret] = field(init=False, factory=Counter)  # that each person has open
    _missing_since: dict[Secret, float] = field(init=False)  # for whom no page is open
    _deserted_since: float | None = field(init=False)  # where nobody is here, not even to watch

    def __attrs_post_init__(self) -> None:
        """Begin with nobody here."""
        self._missing_since = dict.fromkeys(self.names, self.began)
        self._deserted_since = self.began

    def arrive(self, secret: Secret) -> None:
        """Record that a person has come."""
        self.came.add(secret)

    def see(self, secret: Secret | None, pages: int, at: float) -> None:
        """Record how many pages a person has open now, or (None) all spectators."""
        if secret is None:
            self.watching = pages
        else:
            self._pages[secret] = pages
            if pages:
                self._missing_since.pop(secret, None)
            else:
                self._missing_since.setdefault(secret, at)
        if self.watching or self._pages.total():
            self._deserted_since = None
        elif self._deserted_since is None:
            self._deserted_since = at

    def is_here(self, secret: Secret) -> bool:
        """Whether a person has a page open."""
        return self._pages[secret] > 0

    def is_away(self, secret: Secret) -> bool:
        """Whether a person has been here, and may come back."""
        return secret in self.came and not self.is_here(secret)

    def describe(self, secret: Secret) -> str:
        """Say whether a person is here."""
        if self.is_here(secret):
            return "is here"
        return "is away" if secret in self.came else "is not here yet"

    def list_late(self) -> list[str]:
        """Return the names of those who have never been here."""
        return [name for secret, name in self.names.items() if secret not in self.came]

    def is_absent(self, secret: Secret, at: float) -> bool:
        """Whether a person has been missing for so long that the others need not wait."""
        since = self._missing_since.get(secret)
        return since is not None and since + ABSENT_SECONDS <= at

    def is_deserted(self, at: float) -> bool:
        """Whether nobody, not even to watch, has been here for so long that the table may sleep."""
        return self._deserted_since is not None and self._deserted_since + SLEEP_SECONDS <= at

    def find_next_change(self, at: float) -> float | None:
        """Return the seconds until somebody is absent, or all is deserted, if nobody comes."""
        absences = [since + ABSENT_SECONDS for since in self._missing_since.values()]
        moments = [moment for moment in absences if moment > at]
        if self._deserted_since is not None:
            sleep = self._deserted_since + SLEEP_SECONDS
            moments.append(sleep if sleep > at else at + SLEEP_SECONDS)  # it could not sleep yet
        return min(moments) - at if moments else None

    def build_report(
        self, reader: Secret | None, words: Mapping[Secret, str] | None = None
    ) -> PresenceReport:
        """Return the report on the others for a person, or (None) a spectator.

        `words` are said of some of them, whether they are here or not: who is out of the match, or
        thinks within a clock.
        """
        words = words or {}
        others = [secret for secret in self.names if secret != reader]
        if reader is None and len(self.names) == 1:
            others = []  # who plays alone is the whole match
        presence = {
            self.names[secret]: words.get(secret) or self.describe(secret) for secret in others
        }
        watching = [f"{self.watching} watching"] if self.watching else []
        away = [
            name for secret, name in self.names.items()
            if self.is_away(secret) and secret not in words
        ]  # fmt: skip
        said = ", ".join([*map(" ".join, presence.items()), *watching])
        return PresenceReport(said, presence, self.list_late(), away)


@define(eq=False)
class Alarm:
    """Calls a function in an event loop after some seconds; of two settings the sooner counts."""

    ring: Callable[[], object]
    _loop: asyncio.AbstractEventLoop = field(factory=asyncio.get_running_loop)
    _handle: asyncio.TimerHandle | None = None

    @property
    def now(self) -> float:
        """The time of the loop's clock."""
        return self._loop.time()

    def set(self, seconds: float) -> None:
        """Set the alarm to ring in so many seconds, unless it rings before."""
        when = self.now + seconds
        if self._handle is None or self._handle.when() > when:
            self.stop()
            self._handle = self._loop.call_at(when, self._go_off)

    def set_from_thread(self, seconds: float) -> None:
        """Set the alarm to ring in so many seconds, from another thread."""
        with suppress(RuntimeError):  # the server has ended
            self._loop.call_soon_threadsafe(self.set, seconds)

    def stop(self) -> None:
        """Turn the alarm off."""
        if self._handle is not None:
            self._handle.cancel()
            self._handle = None

    def _go_off(self) -> None:
        self._handle = None
        self.ring()


class Attendance:
    """The people at a table and those who watch: what they follow, and by that who is here."""

    def __init__(
        self,
        feeds: Mapping[Secret, EventBroadcast],
        names: Mapping[Secret, str],
        came: Collection[Secret],
        look_around: Callable[[], object],
    ) -> None:
        """Wait for people with these feeds and names, by their secrets; some `came` before.

        `look_around` is called in a moment where somebody comes or goes, or as `alarm` is set.
        """
        self.feed = EventBroadcast()  #: for who watches
        self.feeds: dict[Secret | None, EventBroadcast] = {None: self.feed}
        """What each person follows, by the secret, and (None) who watches."""
        for secret, feed in feeds.items():
            self.feeds[secret] = feed
        self.up_to_date = asyncio.Event()
        """Whether all that happened so far was told: a match that goes on is played again first."""
        self.up_to_date.set()
        self._loop = asyncio.get_running_loop()
        self.alarm = Alarm(look_around)
        self.presence = Presence(names, self.alarm.now, {*came})
        for follower, feed in self.feeds.items():
            feed.on_followers = partial(self._see, follower, feed)

    @property
    def secrets(self) -> list[Secret]:
        """The secrets of the people, in the order of the setup."""
        return [*self.presence.names]

    @property
    def names(self) -> list[str]:
        """The names of the people as others read them, in the order of the setup."""
        return [*self.presence.names.values()]

    @property
    def came(self) -> AbstractSet[Secret]:
        """Who has been here at some time."""
        return self.presence.came

    @property
    def has_people(self) -> bool:
        """Whether anybody has a person's page open."""
        return any(self.feeds[secret].followers for secret in self.secrets)

    def arrive(self, secret: Secret) -> None:
        """Record that a person has come."""
        self.presence.arrive(secret)

    def list_arrived(self) -> list[str]:
        """Return the names of those who have been here at some time."""
        return [name for secret, name in self.presence.names.items() if secret in self.came]

    def look_soon(self) -> None:
        """Look around in a moment: who loads a page again is not away."""
        self.alarm.set(PRESENCE_SECONDS)

    def look_soon_from_thread(self) -> None:
        """Look around in a moment, from another thread."""
        self.alarm.set_from_thread(PRESENCE_SECONDS)

    def settle(self) -> None:
        """Make all that was told so far no news to a page that comes now, from any thread."""
        for feed in self.feeds.values():
            feed.settle()
        with suppress(RuntimeError):  # the server has ended
            self._loop.call_soon_threadsafe(self.up_to_date.set)

    def end(self, *last: Message) -> None:
        """End all feeds after these last messages, from any thread."""
        for feed in self.feeds.values():
            for message in last:
                feed.put(message)
            feed.end()

    def close(self) -> None:
        """End all streams when the server stops."""
        for feed in self.feeds.values():
            feed.close()

    def _see(self, secret: Secret | None, feed: EventBroadcast) -> None:
        self.presence.see(secret, feed.followers, self.alarm.now)
        self.look_soon()
