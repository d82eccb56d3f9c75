"""A table with people at it: a match in a thread of its own, announced to all who look on.

A match that waits for a person whom nobody has seen for a while may be put to sleep: its thread,
its programs and its descriptors end, and whoever comes back finds it in the store as it was, like
after a restart of the server.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cached_property, partial
from threading import Thread
from typing import IO, Any

from attrs import evolve, frozen

from arena import (
    HintSource,
    MatchSpec,
    Observer,
    Outcome,
    Seat,
    UserError,
    Verdict,
    join_words,
)
from arena.host import HostConfig, PastAsk, Result, WorkingFolder, host
from arena.players import Player
from arena.plugins import get_plugins
from arena.records import InMemoryFile, MatchStep, Perspective, Recorder, Spectator
from arena.wires import to_printable
from arena_web.hints import add_search, find_hint_source
from arena_web.http.sse import STEPS, EventBroadcast
from arena_web.match_announcements import build_introduction
from arena_web.messages import MatchEnd, SeatLost
from arena_web.play.answer_journal import AnswerJournal
from arena_web.play.browser_player import BrowserPlayer, TableClosedError
from arena_web.play.endings import Ending
from arena_web.play.own_results import describe_results
from arena_web.play.presence import ABSENT_SECONDS, Alarm, Presence
from arena_web.play.seating import Seating
from arena_web.play.seats import BrowserSeat
from arena_web.play.table_setup import TableSetup
from arena_web.play.table_store import KeptSeat, TableStore

REPLACED_MESSAGE = "A bot plays on for you."


class PlayTable:
    """A match with people, which begins when one of them has come."""

    def __init__(
        self,
        key: str,
        seating: Seating,
        seats: Sequence[KeptSeat],
        store: TableStore,
        *,
        on_idle: Callable[[PlayTable], object],
        address: str,
        came: Collection[str],
    ) -> None:
        """Build the seats of the people, in the order of the setup.

        `came` has the secrets of those who have come; `on_idle` is called when the match may be put
        to sleep.
        """
        self.key = key  #: by which it is watched
        self.seating = seating
        self.address = address  #: from where it was set up; nothing where by the command line
        self._store, self._on_idle = store, on_idle
        self.over = False  #: has it ended?
        self.closed = False  #: has it ended before the match was over?
        self.result: Result | None = None  #: once it is over, if it could be hosted
        self.ready = asyncio.Event()  #: has the match been played up to now?
        self.ready.set()
        self.feed = EventBroadcast()  #: for who watches
        chairs = [self._build_chair(*pair) for pair in enumerate(seats)]
        self.seats = {chair.secret: chair for chair in chairs}  #: of the people, by their secrets
        self._transcript = InMemoryFile()
        self._journal = AnswerJournal(self.spec.game, store, key)
        self._thread: Thread | None = None
        self._loop = asyncio.get_running_loop()
        self._alarm = Alarm(self._look_around)
        names = {secret: self.show_name(chair) for secret, chair in self.seats.items()}
        self.presence = Presence(names, self._alarm.now, {*came})
        for person, feed in self.feeds.items():
            seat = None if person is None else self.find_seat(self.seats[person])
            feed.put("match", self._introduce(seat))
            feed.on_followers = partial(self._see, person, feed)

    def _build_chair(self, person: int, seat: KeptSeat) -> BrowserSeat:
        """Return the seat of a person, with what is kept of it."""
        return BrowserSeat(
            self.spec.names[self.seating.find_seat(person)], seat.secret, EventBroadcast(),
            earlier_hints=seat.hints, standing=seat.standing,
            on_standing=partial(self._store.set_standing, seat.secret),
            on_asked=self.update_presence if self.setup.clock else None,
        )  # fmt: skip

    def _introduce(self, seat: Seat | None) -> dict[str, Any]:
        """Return the introduction to the match for a seat, or (None) for spectators."""
        game, clock = self.spec.game, self.setup.clock
        variant = game.write_variant(self.spec.variant)
        return build_introduction(self.key, game.name, self.names, variant, seat=seat, clock=clock)

    @property
    def setup(self) -> TableSetup:
        """What was set up."""
        return self.seating.setup

    @property
    def spec(self) -> MatchSpec:
        """The match."""
        return self.seating.spec

    @property
    def names(self) -> Sequence[str]:
        """The names of the players in seat order, as people read them."""
        return self.seating.names

    @cached_property
    def hint_source(self) -> HintSource | None:
        """Where people may ask for hints, if they may."""
        if len(self.seats) > 1:  # nobody takes hints against a friend, who would not know
            return None
        game, variant = self.spec.game.name, self.spec.variant
        return add_search(game, find_hint_source(game, variant, len(self.names)))

    @property
    def transcript(self) -> str:
        """The transcript once the match is over, else empty."""
        return self._transcript.text if self.over else ""

    @property
    def secrets(self) -> list[str]:
        """The secrets of the people, in the order of the setup."""
        return [*self.seats]

    @property
    def feeds(self) -> dict[str | None, EventBroadcast]:
        """What each person follows, by the secret, and (None) who watches."""
        return {None: self.feed, **{secret: chair.feed for secret, chair in self.seats.items()}}

    @property
    def ending(self) -> Ending:
        """How the match came out, once it is over."""
        return Ending(self.seating, self.result, [*self.seats.values()], self._transcript.text)

    def pack(self) -> dict[str, Any]:
        """Return the setup as JSON, with what was drawn."""
        return self.seating.pack()

    def find_seat(self, chair: BrowserSeat) -> Seat:
        """Return the seat of a person in the match."""
        return self.spec.names.index(chair.name)

    def show_name(self, chair: BrowserSeat) -> str:
        """Return the name of a person as people read it."""
        return self.names[self.find_seat(chair)]

    def describe_company(self, chair: BrowserSeat) -> str:
        """Return who a person plays with and against, for the heading."""
        return self.seating.describe_company(self.find_seat(chair))

    # The match: played in a thread, from its beginning or from where it was.

    def arrive(self, person: str) -> None:
        """Record that a person has come, by the secret; the first one begins the match."""
        self.presence.arrive(person)
        self.begin()

    def begin(self, past: Sequence[PastAsk] = ()) -> None:
        """Begin the match, unless it has begun; the asks of the `past` are answered already."""
        if self._thread is not None or self.over:
            return
        if past:
            self.ready.clear()
            for chair in self.seats.values():
                if chair.standing:
                    chair.feed.put(STEPS, [{"standing": chair.standing}])
        name = f"table {self.key}"
        self._thread = Thread(target=self._play, args=(past,), name=name, daemon=True)
        self._thread.start()
        self._alarm.ring_soon()

    @property
    def _is_playing(self) -> bool:
        return self._thread is not None and not self.over

    def _play(self, past: Sequence[PastAsk]) -> None:
        spec, announcer = self.spec, Announcer(self, self._map_seats())
        own = [Recorder(spec, self._transcript), self._journal, announcer]
        observers = [*get_plugins().build_observers(spec), *own]
        config = HostConfig(self.setup.limits)
        try:
            players = self.seating.replace_people(BrowserPlayerFactory(self._build_player))
            self.result = host(spec, players, config, observers, self._repeat(past))
        finally:
            self._announce_end()

    def _repeat(self, past: Sequence[PastAsk]) -> Iterator[PastAsk]:
        """Yield the asks of the match so far; then pages may see it, and see what is new."""
        yield from past
        self._settle()

    def _settle(self) -> None:
        for feed in self.feeds.values():
            feed.settle()
        with suppress(RuntimeError):  # the server has ended
            self._loop.call_soon_threadsafe(self.ready.set)

    def _build_player(self, seat: Seat) -> BrowserPlayer:
        spec = self.spec
        eye = Perspective(spec.game, spec.variant, self.names, seat, page=True, keeps_state=True)
        chair, timed = self._map_seats()[seat], self.setup.clock is not None
        return BrowserPlayer(eye, seat, chair, timed=timed)

    def _map_seats(self) -> dict[Seat, BrowserSeat]:
        return {self.find_seat(chair): chair for chair in self.seats.values()}

    def leave(self, chair: BrowserSeat) -> None:
        """Let a person leave the table, which the others are told."""
        chair.leave()
        self._alarm.ring_soon()

    def close(self) -> None:
        """End the table at once; whoever opens it again finds the match as it was."""
        self.closed = True
        self._alarm.stop()
        for chair in self.seats.values():
            chair.close()
        if self._thread is None and not self.over:
            self._announce_end()

    def join(self, timeout: float) -> None:
        """Wait until its programs have ended."""
        if self._thread:
            self._thread.join(timeout)

    def _announce_end(self) -> None:
        """Announce the end to everybody, and keep the result."""
        self.over = True
        ending = self.ending
        if self.closed and not ending.has_places:  # it goes on another time
            for chair in self.seats.values():
                chair.release()
            self._settle()
            return
        self._store.finish(self.key, ending.pack(), self._transcript.text)
        hands = ending.list_hands()
        for person, chair in enumerate(self.seats.values()):
            chair.release()
            record = describe_results(self._store, chair.secret)
            chair.feed.put(MatchEnd.event, ending.build_message(person, hands, record).json)
        self.feed.put(MatchEnd.event, ending.build_message(None, hands).json)
        if len(self.seats) == 1:  # several may play again, which the others are told
            for feed in self.feeds.values():
                feed.end()
        self.update_presence()
        self._settle()

    # The people: who is told that somebody is away, and without whom the match goes on.

    def update_presence(self) -> None:
        """Have it told in a moment who is here, from another thread."""
        self._alarm.ring_soon_from_thread()

    def _see(self, person: str | None, feed: EventBroadcast) -> None:
        self.presence.see(person, feed.followers, self._alarm.now)
        self._alarm.ring_soon()

    def _look_around(self) -> None:
        """Tell who is here; have the table put to sleep where nobody has been for long."""
        if self._is_playing and self.presence.is_deserted(self._alarm.now) and self._can_sleep():
            self._on_idle(self)
            return
        self._tell_presence()
        seconds = self.presence.find_next_change(self._alarm.now)
        if self._is_playing and seconds is not None:
            self._alarm.set(seconds)

    def _can_sleep(self) -> bool:
        """Whether the match waits for people alone, without a clock, and all of it is kept.

        Who has answered what others are still asked would be asked again.
        """
        chairs = self.seats.values()
        waits = self.setup.clock is None and any(chair.asked for chair in chairs)
        alone = not any(chair.awaits_others for chair in chairs)
        return waits and alone and self._journal.is_complete

    def _tell_presence(self) -> None:
        thinking = {
            secret: "is thinking"
            for secret, chair in self.seats.items()
            if self._is_on_the_clock(chair) and self.presence.is_away(secret)
        }
        departures = {
            secret: f"{chair.departure.news}{' (a bot plays)' if self._is_replaced(chair) else ''}"
            for secret, chair in self.seats.items()
            if chair.departure
        }
        absent = [chair for chair in self._list_missing() if self._is_absent(chair)]
        offers = [(chair.name, self._describe_replacing(chair)) for chair in absent]
        for person, feed in self.feeds.items():
            report = self.presence.build_report(person, thinking | departures)
            if person is not None and (soon := self._describe_wait()):
                report = evolve(report, said=". ".join(filter(None, [report.said, soon])))
            feed.tell(report.event, evolve(report, absent=offers).json)

    def _list_missing(self) -> list[BrowserSeat]:
        """Return for whom several people wait: who has a seat in the match, and no page open.

        For whoever is asked within a clock they wait no longer than that allows.
        """
        if len(self.seats) == 1 or not self._is_playing:
            return []
        return [
            chair for secret, chair in self.seats.items()
            if not (
                chair.departure or self.presence.is_here(secret) or self._is_on_the_clock(chair)
            )
        ]  # fmt: skip

    def _is_on_the_clock(self, chair: BrowserSeat) -> bool:
        """Whether a seat is asked within a clock, as agents often are between two calls."""
        return self.setup.clock is not None and bool(chair.asked)

    def _is_absent(self, chair: BrowserSeat) -> bool:
        return self.presence.is_absent(chair.secret, self._alarm.now)

    def _describe_wait(self) -> str:
        """Say without whom the match can go on soon; empty where everybody is here."""
        away = [chair for chair in self._list_missing() if not self._is_absent(chair)]
        soon = join_words(map(self.show_name, away))
        return f"After {ABSENT_SECONDS:.0f} seconds you can go on without {soon}" if soon else ""

    def _describe_replacing(self, chair: BrowserSeat) -> str:
        """Say what comes of it if the others wait no longer for a person."""
        name = self.show_name(chair)
        if self.goes_on_without(chair):
            return f"Let a bot play for {name}"
        return f"End the match without {name}"

    def replace_absent(self, name: str, by: BrowserSeat) -> None:
        """Have a person who is away lose the seat; raise UserError where that is too soon."""
        missing = [chair for chair in self._list_missing() if self._is_absent(chair)]
        chair = next((chair for chair in missing if chair.name == name), None)
        if chair is None:
            raise UserError(f"{name} is here, or not away for long")
        chair.be_replaced_by(self.show_name(by))
        self._alarm.ring_soon()

    def goes_on_without(self, chair: BrowserSeat) -> bool:
        """Whether the match is still to be decided once this person has lost the seat."""
        chairs = self.seats.values()
        return self.seating.goes_on_without(
            [self.find_seat(other) for other in chairs if other.is_lost or other is chair]
        )

    def _is_replaced(self, chair: BrowserSeat) -> bool:
        """Whether a bot plays on for a person who is out."""
        return not self.over and self.goes_on_without(chair)


@frozen
class BrowserPlayerFactory:
    """Creates the players of the people's seats."""

    sit: Callable[[Seat], Player]
    is_program = False
    sandbox = None

    def create_player(
        self, seat: Seat, folder: WorkingFolder | None, log: IO[bytes] | None
    ) -> Player:
        """Create the player."""
        return self.sit(seat)


class Announcer(Observer):
    """Announces a match to spectators, and tells a person why it goes on without them.

    Who has lost the seat is a spectator from then on: the host tells the bot in their place.
    """

    def __init__(self, table: PlayTable, chairs: Mapping[Seat, BrowserSeat]) -> None:
        spec, viewer = table.spec, Spectator.PUBLIC
        self._eye = Perspective(spec.game, spec.variant, table.names, viewer, page=True)
        self._table, self._seats = table, chairs
        self._show(self._eye.begin())

    def on_event(self, seat: Seat | None, event: Any) -> None:
        """Announce a public event."""
        if any(chair.closed for chair in self._seats.values()):
            raise TableClosedError("the server has stopped")
        self._show(self._eye.see_event(seat, event))

    def on_verdict(self, seat: Seat, verdict: Verdict) -> None:
        """Announce a verdict, to a person with an explanation."""
        step, chair = self._eye.see_verdict(seat, verdict), self._seats.get(seat)
        if chair is None:
            self._show(step)
            return
        departure = chair.lose(verdict)
        table, zones = self._table, self._eye.board.zones if self._eye.board else {}
        goes_on, name = table.goes_on_without(chair), table.show_name(chair)
        news = f"{name} {departure.news}{f'; a bot plays for {name}' if goes_on else ''}."
        for feed in table.feeds.values():
            if feed is not chair.feed:
                feed.put(STEPS, [evolve(step, words=(to_printable(news),)).json])
        lost = SeatLost(
            verdict.kind,
            to_printable(departure.reason),
            REPLACED_MESSAGE if goes_on else "",
            {key: zone.json for key, zone in zones.items()},
        )
        chair.feed.put(lost.event, lost.json)
        table.update_presence()

    def on_outcome(self, outcome: Outcome) -> None:
        """Announce the outcome."""
        self._show(self._eye.see_outcome(outcome))

    def _show(self, step: MatchStep) -> None:
        if step:
            watching = [chair.feed for chair in self._seats.values() if chair.is_lost]
            for feed in (self._table.feed, *watching):
                feed.put(STEPS, [step.json])
