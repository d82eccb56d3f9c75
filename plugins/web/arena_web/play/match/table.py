"""A table with people at it: a match in a thread of its own, announced to all who look on.

A match that waits for a person whom nobody has seen for a while may be put to sleep: its thread,
its programs and its descriptors end, and whoever comes back finds it in the store as it was, like
after a restart of the server.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing
from functools import cached_property, partial
from threading import Lock, Thread
from typing import IO

from attrs import frozen

from arena import HintSource, Seat, UserError
from arena.host import HostConfig, PastAsk, Result, WorkingFolder, host
from arena.players import Player
from arena.plugins import get_plugins
from arena.records import InMemoryFile, Perspective, Recorder
from arena_web.hints import add_search, find_hint_source
from arena_web.http.refusals import ConflictError
from arena_web.http.sse import EventBroadcast
from arena_web.http.worker_threads import NoThreadError, start_thread
from arena_web.play.chairs.browser_player import BrowserPlayer
from arena_web.play.chairs.chair import Chair
from arena_web.play.chairs.sent_answers import AnswerInbox
from arena_web.play.match.announcer import Announcer
from arena_web.play.match.answer_journal import AnswerJournal
from arena_web.play.match.company import Company
from arena_web.play.match.endings import Ending
from arena_web.play.match.phases import TablePhase
from arena_web.play.match.roll_call import RollCall
from arena_web.play.presence import Attendance
from arena_web.play.seat_secrets import Secret
from arena_web.play.seating import Seating
from arena_web.play.store.stored_tables import StoredChair, StoredSetup
from arena_web.play.store.table_store import TableStore
from arena_web.play.table_setup import TableSetup
from arena_web.play.visitors.results import describe_results
from arena_web.protocol.messages import Introduction, SeatStep, Steps


class PlayTable:
    """A match with people, which begins when one of them has come."""

    def __init__(
        self,
        key: str,
        seating: Seating,
        stored_chairs: Sequence[StoredChair],
        store: TableStore,
        *,
        on_idle: Callable[[PlayTable], object],
        address: str,
        came: Collection[Secret],
    ) -> None:
        """Build the chairs of the people, in the order of the setup.

        `came` has the secrets of those who have come; `on_idle` is called when the match may be put
        to sleep.
        """
        self.key = key  #: by which it is watched
        self.seating = seating
        self.address = address  #: from where it was set up; nothing where by the command line
        self._store, self._on_idle = store, on_idle
        self.phase = TablePhase.WAITING  #: how far it is
        self._phase_lock = Lock()  # while the match runs, its thread and the event loop change it
        self.ending: Ending | None = None  #: how it came out, once it is over
        chairs = [self._build_chair(*pair) for pair in enumerate(stored_chairs)]
        self.company = Company(seating, chairs, came, self._look_around)  #: the people
        self._transcript = InMemoryFile()
        self._journal = AnswerJournal(seating.game, store, key)
        self._thread: Thread | None = None
        for secret, feed in self.attendance.feeds.items():
            seat = None if secret is None else self.chairs[secret].seat
            feed.put(self._introduce(seat))

    def _build_chair(self, person: int, stored: StoredChair) -> Chair:
        """Return the chair of a person, with what is stored of it."""
        seat = self.seating.find_seat(person)
        return Chair(
            self.seating.spec.names[seat], seat, stored.secret, EventBroadcast(),
            earlier_hints=stored.hints, standing=stored.standing,
            on_standing=partial(self._store.tables.set_standing, stored.secret),
            on_hint=partial(self._store.tables.count_hint, stored.secret),
            on_asked=self._show_thinking,
        )  # fmt: skip

    def _show_thinking(self) -> None:
        """Tell others that somebody thinks within the clock, though no page of theirs is open."""
        if self.seating.clock is not None:
            self.update_presence()

    def _introduce(self, seat: Seat | None) -> Introduction:
        """Return the introduction to the match for a seat, or (None) for spectators."""
        game, variant = self.seating.game, self.seating.spec.variant
        shown = game.write_variant(variant)
        return Introduction(self.key, game.name, self.names, shown, seat, self.seating.clock)

    @property
    def over(self) -> bool:
        """Whether nothing more is played at this table."""
        return self.phase is TablePhase.OVER

    @property
    def attendance(self) -> Attendance:
        """Who is here, to play or to watch."""
        return self.company.attendance

    @property
    def setup(self) -> TableSetup:
        """What was set up."""
        return self.seating.setup

    @property
    def chairs(self) -> Mapping[Secret, Chair]:
        """The chairs of the people, by their secrets."""
        return self.company.chairs

    @property
    def names(self) -> Sequence[str]:
        """The names of the players in seat order, as people read them."""
        return self.seating.names

    @cached_property
    def hint_source(self) -> HintSource | None:
        """Where people may ask for hints, if they may."""
        if len(self.chairs) > 1:  # nobody takes hints against a friend, who would not know
            return None
        game, variant = self.seating.game.name, self.seating.spec.variant
        return add_search(game, find_hint_source(game, variant, len(self.names)))

    @property
    def secrets(self) -> list[Secret]:
        """The secrets of the people, in the order of the setup."""
        return self.attendance.secrets

    def describe_company(self, chair: Chair) -> str:
        """Return the partners and opponents of a person, for the heading."""
        return self.seating.describe_company(chair.seat)

    def arrive(self, secret: Secret) -> None:
        """Record that a person has come, by the secret; the first one begins the match."""
        self.attendance.arrive(secret)
        self.begin()

    def begin(self, past: Sequence[PastAsk] = ()) -> None:
        """Begin the match, unless it has begun; the asks of the `past` are answered already.

        Raises:
            NoThreadError: then it has not begun, and may be begun again.
        """
        if self.phase is not TablePhase.WAITING:
            return
        if past:
            self.attendance.up_to_date.clear()
            for chair in self.chairs.values():
                if chair.standing:
                    chair.feed.put(Steps([SeatStep(standing=chair.standing)]))
        self.phase = TablePhase.PLAYING
        try:
            self._thread = start_thread(partial(self._play, past), f"table {self.key}")
        except NoThreadError:
            self.phase = TablePhase.WAITING
            self.attendance.up_to_date.set()  # whoever waits for the past may try again, too
            raise
        self.attendance.look_soon()

    def _play(self, past: Sequence[PastAsk]) -> None:
        spec, config = self.seating.spec, HostConfig(self.setup.limits)
        result: Result | None = None
        try:
            announcer = Announcer(self.company)
            own = [Recorder(spec, self._transcript), self._journal, announcer]
            observers = [*get_plugins().build_observers(spec), *own]
            with ExitStack() as inboxes:
                factory = BrowserPlayerFactory(partial(self._build_player, inboxes))
                players = self.seating.replace_people(factory)
                result = host(spec, players, config, observers, self._repeat(past))
        finally:
            self._end(result)

    def _repeat(self, past: Sequence[PastAsk]) -> Iterator[PastAsk]:
        """Yield the asks of the match so far; then pages may see it, and see what is new."""
        yield from past
        self.attendance.settle()

    def _build_player(self, inboxes: ExitStack, seat: Seat) -> BrowserPlayer:
        spec, inbox = self.seating.spec, inboxes.enter_context(closing(AnswerInbox()))
        eye = Perspective(spec.game, spec.variant, self.names, seat, page=True, keeps_state=True)
        chair, timed = self.company.by_seat[seat], self.seating.clock is not None
        return BrowserPlayer(eye, seat, chair, inbox, timed=timed)

    def to_stored(self) -> StoredSetup:
        """Return the setup as it is kept, with what was drawn."""
        return self.seating.to_stored()

    def close(self) -> None:
        """End the table at once; whoever opens it again finds the match as it was."""
        with self._phase_lock:
            was_waiting = self.phase is TablePhase.WAITING
            if not self.over:
                self.phase = TablePhase.CLOSING
        self.attendance.alarm.stop()
        for chair in self.chairs.values():
            chair.close()
        if was_waiting:
            self._end(None)

    def join(self, timeout: float) -> None:
        """Wait until its programs have ended."""
        if self._thread:
            self._thread.join(timeout)

    def _end(self, result: Result | None) -> None:
        """Record that the match has ended, which everybody is told unless it goes on another time.

        There is no result where it could not be hosted.
        """
        ending = self.ending = Ending(self.company, result, self._transcript.text)
        with self._phase_lock:
            is_final = ending.finish or self.phase is not TablePhase.CLOSING
            self.phase = TablePhase.OVER
        try:
            for chair in self.company.people:
                chair.close_question()
            if is_final:
                self._store.tables.finish(self.key, ending.build_result(), ending.transcript)
                self._announce(ending)
        finally:
            self.attendance.settle()

    def _announce(self, ending: Ending) -> None:
        """Announce the end, with all hands, and to each person the results so far."""
        hands = ending.list_hands()
        people = self.company.people
        for chair in people:
            chair.feed.put(ending.build_message(chair, hands, self._describe_results(chair)))
        self.attendance.feed.put(ending.build_message(None, hands))
        if len(people) == 1:  # several may play again, which the others are told
            self.attendance.end()
        self.update_presence()

    def _describe_results(self, chair: Chair) -> str:
        """Return the results of a person so far; nothing where they cannot be read just now."""
        try:
            return describe_results(self._store, chair.secret)
        except UserError as problem:
            self._store.log.say(f"the results of a visitor are not shown: {problem}")
            return ""

    def leave(self, chair: Chair) -> None:
        """Let a person leave the table, which the others are told."""
        chair.leave()
        self.attendance.look_soon()

    def replace_absent(self, name: str, by: Chair) -> None:
        """Take the seat of a person who is away; raise ConflictError where that is too soon."""
        absent = self._call_roll().list_absent()
        chair = next((chair for chair in absent if chair.name == name), None)
        if chair is None:
            raise ConflictError(f"{name} is here, or not away for long")
        chair.be_replaced_by(self.company.show_name(by))
        self.attendance.look_soon()

    def update_presence(self) -> None:
        """Tell all pages in a moment who is here, from another thread."""
        self.attendance.look_soon_from_thread()

    def _look_around(self) -> None:
        """Tell everybody who is here, or have a match put to sleep that has long been deserted."""
        presence, alarm = self.attendance.presence, self.attendance.alarm
        is_playing = self.phase is TablePhase.PLAYING
        if is_playing and presence.is_deserted(alarm.now) and self._can_sleep():
            self._on_idle(self)
            return
        roll_call = self._call_roll()
        for secret, feed in self.attendance.feeds.items():
            feed.tell(roll_call.build_report(secret))
        seconds = presence.find_next_change(alarm.now)
        if is_playing and seconds is not None:
            alarm.set(seconds)

    def _call_roll(self) -> RollCall:
        return RollCall(self.company, self.phase, self.attendance.alarm.now)

    def _can_sleep(self) -> bool:
        """Whether the match waits for people alone, without a clock, and all of it is kept.

        It does not sleep while a person has answered and waits for others who have the same
        question: that answer is not kept yet, so the person would be asked once more.
        """
        chairs = self.company.people
        waits = self.seating.clock is None and any(chair.open_number for chair in chairs)
        alone = not any(chair.awaits_others for chair in chairs)
        return waits and alone and self._journal.is_complete


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
