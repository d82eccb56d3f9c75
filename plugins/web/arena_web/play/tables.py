"""Tables for persons: each is a match in its own thread, announced to all who look on.

A match that waits for a person whom nobody has seen for a while is put to sleep: its thread, its
programs and its descriptors end, and whoever comes back finds it in the store as it was, like after
a restart of the server.
"""

from __future__ import annotations

import asyncio
import secrets
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import partial
from threading import Thread
from typing import IO, Any

from attrs import define, evolve, field, frozen
from cachetools import LRUCache

from arena import (
    Fault,
    HintSource,
    MatchSpec,
    Observer,
    Outcome,
    Seat,
    UserError,
    Verdict,
    ZoneKind,
    join_words,
)
from arena.host import (
    Entrant,
    HostConfig,
    PastAsk,
    PeopleTable,
    Result,
    Series,
    WorkingFolder,
    host,
)
from arena.players import Player
from arena.plugins import get_plugins
from arena.records import (
    InMemoryFile,
    MatchStep,
    Perspective,
    Recorder,
    Spectator,
    parse_text,
)
from arena.rules import find_sides, is_decided, seat_alone
from arena.wires import to_printable
from arena_web.http.rate_limits import compute_share, find_networks
from arena_web.http.sse import STEPS, EventBroadcast
from arena_web.match_announcements import (
    build_end,
    build_introduction,
    build_void_end,
    count_scores,
)
from arena_web.pages.matches import list_steps
from arena_web.play.own_games import describe_results
from arena_web.play.seats import (
    MAX_MISSED_ANSWERS,
    BrowserPlayer,
    BrowserSeat,
    TableClosedError,
    find_hint_source,
)
from arena_web.play.table_setup import PERSON, TableSetup, pack_setup, unpack_setup
from arena_web.play.table_store import (
    MAX_ANSWER_BYTES,
    MAX_TABLES,
    KeptSeat,
    StoredTable,
    TableStore,
)
from arena_web.player_names import describe_players, present_players

TIMEOUT_MESSAGE = f"Your time has run out {MAX_MISSED_ANSWERS} times in a row."
LEFT_MESSAGE = "You left the table."
ABSENT_MESSAGE = "You were away, so {} went on without you."
REPLACED_MESSAGE = "A bot plays on for you."
MAX_OPEN_TABLES = 100
MAX_FINISHED_TABLES = 100  # tables that are over and can be looked at
MAX_TABLES_PER_ADDRESS = 30  # tables that are open from one address, behind which a course may sit
PRESENCE_SECONDS = 1.0  # seconds in which who comes and goes is told once
AWAY_SECONDS = 60.0  # seconds after which the others need not wait for who is away
SLEEP_SECONDS = 120.0  # seconds without anybody at a table after which it is put to sleep
SHUTDOWN_SECONDS = 5.0  # seconds that matches get to end their programs when the server ends


class NoFreeTableError(UserError):
    """There is no room for another table."""


@define(eq=False)
class PlayTables:
    """All tables of a server, by their keys, and seats by their secrets.

    Those at which nobody has looked since the server began, or for a while, or which had to make
    room for others, are only in the store; whoever opens one finds it as it was.
    """

    programs: Sequence[str] = ()  #: that may be chosen, as a command line names them
    store: TableStore = field(factory=TableStore)
    most: int = MAX_OPEN_TABLES
    each: int = MAX_TABLES_PER_ADDRESS
    _tables: dict[str, PlayTable] = field(factory=dict)  # by key, the oldest first
    _chairs: dict[str, PlayTable] = field(factory=dict)  # by secret
    _asleep: LRUCache[str, str] = field(factory=lambda: LRUCache(MAX_TABLES))
    """The tables that sleep, by the secrets of those who are asked there."""
    _closed: bool = False

    def open(
        self, order: TableSetup, address: str = "", first_seat: Seat | None = None
    ) -> PlayTable:
        """Open a new table, in the event loop; raise NoFreeTableError."""
        self._make_room(address)
        table = PlayTable(order, address, first_seat, store=self.store)
        table.keep()
        return self._add(table)

    def _add(self, table: PlayTable) -> PlayTable:
        self._tables[table.key] = table
        self._chairs.update(dict.fromkeys(table.seats, table))
        table.on_idle = self._put_to_sleep
        for secret in table.seats:
            self._asleep.pop(secret, None)
        return table

    def _put_to_sleep(self, table: PlayTable) -> None:
        """End a running match, which goes on when somebody comes back."""
        if self._tables.get(table.key) is not table:
            return
        asked = [secret for secret, chair in table.seats.items() if chair.asked]
        self._asleep.update(dict.fromkeys(asked, table.key))
        table.close()
        self._forget(table)

    def _resume(self, stored: StoredTable | None) -> PlayTable | None:
        """Bring back a running table from the store; raise UserError if it cannot be played on."""
        if stored is None or stored.result is not None:
            return None
        allowed = self.programs if stored.address else None  # what the host sets up, it allows
        setup = unpack_setup(stored.setup, allowed)
        self._make_room(stored.address)
        table = PlayTable(setup, stored.address, stored=stored, store=self.store)
        self._add(table).resume()
        return table

    def reopen(self, table: PlayTable, *, swap: bool = False) -> PlayTable:
        """Return the next table for the players of a finished one, the same for all of them.

        The first of them to ask opens it, and the others are told. If that one wants to swap seats,
        everybody moves on by one seat.
        """
        if table.next_table is None:
            seat = table.following_seat if swap else None
            following = self.open(table.setup, table.address, seat)
            table.next_table, following.previous = following, table
            table.next_seats = dict(zip(table.seats, following.seats, strict=True))
        return table.next_table

    def seat_friend(self, table: PlayTable, name: str) -> str:
        """Give a friend a bot's seat at a table that waits and invites; return its secret.

        With the last bot gone, the match begins as soon as all are there.

        Raises:
            UserError: where a table has no seats for so many people.
        """
        secret = secrets.token_urlsafe(24)
        people, (bot, *_) = [*table.setup.persons, name], table.setup.others
        setup = table.setup.change_people(people, bot, invites=True)
        self._replace(table, setup, [*table.seats, secret])
        return secret

    def remove_friend(self, table: PlayTable, name: str, bot: Entrant) -> None:
        """Take a friend's seat away before the match, for somebody else, or else this bot.

        Raises:
            UserError: where the match has begun, or no friend has this name.
        """
        if not table.waiting:
            raise UserError("the match has begun")
        host, *friends = zip(table.seats.values(), table.setup.persons, strict=True)
        staying = [host, *[friend for friend in friends if friend[0].name != name]]
        if len(staying) == len(table.seats):
            raise UserError(f"no friend at this table is called {name}")
        people = [person for _, person in staying]
        setup = table.setup.change_people(people, bot, invites=True)
        self._replace(table, setup, [chair.secret for chair, _ in staying])

    def rename(self, table: PlayTable, chair: BrowserSeat, name: str) -> None:
        """Give a person another name before the match; raise UserError where it has begun."""
        if not table.waiting:
            raise UserError("the match has begun")
        pairs = zip(table.seats, table.setup.persons, strict=True)
        people = tuple(name if secret == chair.secret else old for secret, old in pairs)
        self._replace(table, evolve(table.setup, persons=people), [*table.seats])

    def start(self, table: PlayTable, chair: BrowserSeat, bot: Entrant | None) -> None:
        """Begin, as this person wants, without those who have not come.

        A bot has their seats, or nobody has.

        Raises:
            UserError: where that cannot be played.
        """
        if not table.waiting:
            return
        chair.here = True
        coming = zip(table.seats.values(), table.setup.persons, strict=True)
        here = {chair.secret: name for chair, name in coming if chair.here}
        following = self._replace(table, table.setup.change_people([*here.values()], bot), [*here])
        following.begin()
        if following.previous:
            following.previous.invite()

    def _replace(self, table: PlayTable, setup: TableSetup, sitting: Sequence[str]) -> PlayTable:
        """Have those with these secrets at a table that has not begun; its pages load again."""
        seats = [KeptSeat(secret, 0) for secret in sitting]
        stored = StoredTable(table.key, table.address, 0, 0, {}, None, seats)
        seat = table.first_seat if setup.table == len(table.spec.names) else None
        following = PlayTable(setup, table.address, seat, stored, self.store)
        following.previous = table.previous
        if table.previous:
            table.previous.next_table = following
        following.keep()
        for secret, chair in table.seats.items():
            if secret in following.seats:
                following.seats[secret].here = chair.here
            chair.release()
        for feed in table.feeds:
            feed.put("moved", None)
        self._forget(table)
        return self._add(following)

    def find_table(self, key: str) -> PlayTable | None:
        """Return the table of this key; raise UserError if it cannot be played on."""
        return self._tables.get(key) or self._resume(self.store.find(key))

    def find_seat(self, secret: str) -> tuple[PlayTable, BrowserSeat] | None:
        """Return a person's table and chair; raise UserError if it cannot be played on."""
        table = self._chairs.get(secret) or self._resume(self.store.find_seat(secret))
        return (table, table.seats[secret]) if table else None

    def list_asking(self, secrets: Iterable[str]) -> set[str]:
        """Return the keys of the tables at which one of these seats is asked something now."""
        secrets = [*secrets]
        awake = {table.key for table, chair in self._find_open(secrets) if chair.asked}
        return awake | {self._asleep[secret] for secret in secrets if secret in self._asleep}

    def list_lost_tables(self, secrets: Iterable[str]) -> set[str]:
        """Return the keys of the tables at which one of these seats was left, or lost."""
        return {table.key for table, chair in self._find_open(secrets) if chair.left or chair.out}

    def _find_open(self, secrets: Iterable[str]) -> list[tuple[PlayTable, BrowserSeat]]:
        """Return those of these seats that are in memory, with their tables."""
        tables = {secret: self._chairs[secret] for secret in secrets if secret in self._chairs}
        return [(table, table.seats[secret]) for secret, table in tables.items()]

    def has(self, key: str) -> bool:
        """Whether a table is in memory, be it over or not."""
        return key in self._tables

    def close(self) -> None:
        """End all tables and streams when the server stops."""
        for table in self._tables.values():
            table.close()
            for feed in table.feeds:
                feed.close()

    def join(self) -> None:
        """Wait until the programs of closed tables have ended."""
        for table in self._tables.values():
            table.join(SHUTDOWN_SECONDS)

    def _make_room(self, address: str) -> None:
        """Forget the oldest finished or abandoned tables; raise NoFreeTableError if none."""
        over = [table for table in self._tables.values() if table.over]
        for table in over[:-MAX_FINISHED_TABLES]:
            self._forget(table)
        each = compute_share(self.most - len(self._open), self.each)
        for network, share in find_networks(address).items() if address else ():
            mine = [table for table in self._open if network in find_networks(table.address)]
            if len(mine) >= each * share:
                self._close_idle(
                    mine, f"{len(mine)} tables are open from your address; close one first"
                )
        if len(self._open) >= self.most:
            self._close_idle(self._open, f"all {self.most} tables are in use; try again later")

    @property
    def _open(self) -> list[PlayTable]:
        return [table for table in self._tables.values() if not table.over]

    def _close_idle(self, some: Sequence[PlayTable], why_not: str) -> None:
        """Close the oldest table without followers; raise NoFreeTableError if there is none."""
        left = next((table for table in some if table.has_no_followers), None)
        if left is None:
            raise NoFreeTableError(why_not)
        left.close()
        self._forget(left)

    def _forget(self, table: PlayTable) -> None:
        for feed in table.feeds:
            feed.end()
        del self._tables[table.key]
        for secret in table.seats:
            del self._chairs[secret]


@define(eq=False)
class PlayTable:
    """A match with persons, which starts when all of them have opened their pages."""

    setup: TableSetup
    address: str = ""  #: from where it was set; nothing where that was the command line
    first_seat: Seat | None = None  #: where the first person is to sit, if that is not drawn
    stored: StoredTable | None = None  #: as it was kept, if it was there before
    store: TableStore = field(factory=TableStore)
    key: str = field(init=False)  #: by which it is watched
    seats: dict[str, BrowserSeat] = field(init=False)  #: by secret
    feed: EventBroadcast = field(factory=EventBroadcast)  #: for who watches
    spec: MatchSpec = field(init=False)
    names: Sequence[str] = field(init=False)  #: of the players, as people read them
    following_seat: Seat = field(init=False)  #: of the first person where all move on
    hint_source: HintSource | None = field(init=False)  #: where people may ask for hints
    over: bool = False  #: has it ended?
    result: Result | None = None  #: then, if it could be hosted
    closed: bool = False  #: has it ended before the match was over?
    ready: asyncio.Event = field(factory=asyncio.Event)  #: has the match been played up to now?
    previous: PlayTable | None = None  #: where the same have played before
    next_table: PlayTable | None = None  #: where the same sit down once more
    next_seats: Mapping[str, str] = field(factory=dict)  #: there, by the secrets of the seats here
    on_idle: Callable[[PlayTable], object] = id  #: is called when it may be put to sleep
    _seated: tuple[Entrant, ...] = field(init=False)
    _seating: list[int] = field(init=False)  # the number of each seat's player, persons first
    _thread: Thread | None = None
    _presence: asyncio.TimerHandle | None = None  # until it is told who is there
    _away: dict[str, asyncio.TimerHandle] = field(factory=dict)  # until who is away is absent
    _idle: asyncio.TimerHandle | None = None  # until it may sleep, since nobody is there
    _past: list[PastAsk] = field(factory=list)
    _loop: asyncio.AbstractEventLoop = field(factory=asyncio.get_running_loop)
    _kept: AnswerJournal = field(init=False)

    def __attrs_post_init__(self) -> None:
        """Draw the seats."""
        order, stored = self.setup, self.stored
        self.key = stored.key if stored else secrets.token_hex(8)
        self._kept = AnswerJournal(self.store, self.key)
        drawn = stored.setup if stored else None
        if not drawn:
            self.ready.set()
        kept = stored.seats if stored else [None] * len(order.persons)
        chairs = [
            BrowserSeat(
                name, seat.secret if seat else secrets.token_urlsafe(24), EventBroadcast(),
                earlier_hints=seat.hints if seat else 0,
            )
            for name, seat in zip(order.persons, kept, strict=True)
        ]  # fmt: skip
        for chair, seat in zip(chairs, kept, strict=True):
            chair.standing = seat.standing if seat else ""
            chair.on_standing = partial(self.store.set_standing, chair.secret)
        self.seats = {chair.secret: chair for chair in chairs}
        persons = [
            Entrant(chair.name, PERSON, BrowserPlayerFactory(chair, self._build_player))
            for chair in chairs
        ]
        table = order.seat(persons)
        seated = table.players
        if drawn:
            series = self._restore_series(table, drawn)
        else:
            series = Series.create(
                order.game, order.variant, table.entrants, order.seed, table.seats
            )
        self.spec, self._seated = self._choose_rotation(series, seated[0])
        self.names = present_players(order.game.name, self.spec.names, self.spec.bots)
        self._seating = [seated.index(entrant) for entrant in self._seated]
        spec = self.spec
        self.hint_source = find_hint_source(spec.game.name, spec.variant, len(spec.names))
        for chair, entrant in zip(chairs, seated, strict=False):
            chair.name = entrant.name
            self._introduce(chair.feed, self.spec.names.index(chair.name))
        self._introduce(self.feed, None)
        for feed in self.feeds:
            feed.on_followers = self._plan_presence

    def _restore_series(self, table: PeopleTable, drawn: Mapping[str, Any]) -> Series:
        """Return a series in whose first match all sit as at the table that was kept."""
        number = {player.name: at for at, player in enumerate(table.players)}
        first = {
            entrant.name: min(
                drawn["seating"].index(number[player.name])
                for player in entrant.partners or (entrant,)
            )
            for entrant in table.entrants
        }
        in_order = tuple(sorted(table.entrants, key=lambda entrant: first[entrant.name]))
        return Series(self.setup.game, self.setup.variant, in_order, drawn["seed"], table.seats)

    def _choose_rotation(
        self, series: Series, first: Entrant
    ) -> tuple[MatchSpec, tuple[Entrant, ...]]:
        """Return the first match, or the rotation of its deal in which the person sits there."""
        rotations = [*series.iter_matches(len(series.entrants))]
        seats = [seated.index(first) for _, seated in rotations]
        if self.first_seat is not None and self.first_seat not in seats:
            raise ValueError(f"there is no seat {self.first_seat}")
        at = 0 if self.first_seat is None else seats.index(self.first_seat)
        self.following_seat = seats[at - 1]  # a rotation moves all back by one
        return rotations[at]

    def get_name(self, chair: BrowserSeat) -> str:
        """Return the name that a person has given, which may be another's, too."""
        return self.setup.persons[[*self.seats].index(chair.secret)]

    def show_name(self, chair: BrowserSeat) -> str:
        """Return the name of a person as people read it."""
        return self.names[self.spec.names.index(chair.name)]

    def describe_company(self, chair: BrowserSeat) -> str:
        """Return who a person plays with and against, for the heading."""
        spec, seat = self.spec, self.spec.names.index(chair.name)
        sides = find_sides(spec.variant, len(spec.names))
        own = next(side for side in sides if seat in side)
        partners = [partner for partner in own if partner != seat]
        others = [other for other in range(len(spec.names)) if other not in own]
        return " ".join(
            f"{how} {describe_players(spec.game.name, *zip(*players, strict=True))}"
            for how, seats in (("with", partners), ("against", others))
            if (players := [(spec.names[other], spec.bots[other]) for other in seats])
        )

    @property
    def transcript(self) -> str:
        """The transcript once the match is over, else empty."""
        return self._kept.text if self.over else ""

    @property
    def hint_counts(self) -> dict[str, int]:
        """The numbers of hints by the names of the people who took some."""
        seated = self.seats.values()
        return {self.show_name(chair): chair.hint_count for chair in seated if chair.hint_count}

    @property
    def has_no_followers(self) -> bool:
        """Whether nobody has a seat's page open."""
        return not any(chair.feed.followers for chair in self.seats.values())

    def keep(self) -> None:
        """Have the store keep this new table, or one with other people."""
        packed = pack_setup(self.setup, self.spec, self._seating)
        if self.stored:
            self.store.replace(self.key, packed, [*self.seats])
        else:
            self.store.add(self.key, self.address, packed, [*self.seats])

    def resume(self) -> None:
        """Play the match up to where it was, if it had begun."""
        lines = self.store.list_asks(self.key)
        try:
            self._past = [PastAsk.parse(self.spec.game, ask) for ask in lines]
        except ValueError as problem:
            raise UserError(f"this game cannot be continued: {problem}") from None
        if self._past:
            for chair in self.seats.values():
                if chair.standing:
                    chair.feed.put(STEPS, [{"standing": chair.standing}])
            self.begin()
        else:
            self.ready.set()

    @property
    def waiting(self) -> bool:
        """Whether several people are waited for: nobody has been dealt a card yet."""
        several = self.setup.invites or len(self.seats) > 1
        return several and self._thread is None and not self.over

    def arrive(self, chair: BrowserSeat) -> None:
        """Record that a person has arrived; the last one starts the match."""
        chair.here = True
        if self.previous:
            self.previous.invite()
        if all(chair.here for chair in self.seats.values()) and not self.setup.invites:
            self.begin()

    def begin(self) -> None:
        """Begin the match, unless it has begun."""
        if self._thread is None and not self.over:
            self._thread = Thread(target=self._play, name=f"table {self.key}", daemon=True)
            self._thread.start()
            self._watch_idleness()
            if len(self.seats) > 1:
                for chair in self.seats.values():
                    chair.feed.tell("moved", None)  # from the page on which they wait

    def leave(self, chair: BrowserSeat) -> None:
        """Let a person leave the table, which the others are told."""
        chair.leave()
        self._plan_presence()

    def replace_absent(self, name: str, by: BrowserSeat) -> None:
        """Have a person who is away lose the seat; raise UserError where that is too soon."""
        chair = next((chair for chair in self.seats.values() if chair.name == name), None)
        if chair is None or not chair.absent or chair.feed.followers:
            raise UserError(f"{name} is here, or not away for long")
        chair.replaced_by = self.show_name(by)
        self.leave(chair)

    def invite(self) -> None:
        """Tell all who is at the next table already, and those who watch where it is."""
        following = self.next_table
        assert following
        here = [following.show_name(chair) for chair in following.seats.values() if chair.here]
        how = ", and all move on by one seat" if following.first_seat is not None else ""
        said = f"{' and '.join(here)} {'wants' if len(here) == 1 else 'want'} to play again{how}."
        late = {"said": "The others play without you.", "next": f"../table/{following.key}"}
        for secret, chair in self.seats.items():
            coming = self.next_seats[secret] in following.seats
            chair.feed.tell("again", {"said": said} if coming else late)
        self.feed.tell("again", {"said": said, "next": following.key})

    def update_presence(self) -> None:
        """Have it told who is there, from another thread."""
        with suppress(RuntimeError):  # the server has ended
            self._loop.call_soon_threadsafe(self._plan_presence)

    def _plan_presence(self) -> None:
        """Tell in a moment who is there: who loads a page again is not away."""
        if self._presence is None:
            self._presence = self._loop.call_later(PRESENCE_SECONDS, self._tell_presence)

    def _tell_presence(self) -> None:
        self._presence = None
        self._watch_idleness()
        for chair in self.seats.values():
            self._watch_absence(chair)
        absent = [
            (chair.name, self._describe_replacing(chair))
            for chair in self.seats.values()
            if chair.absent
        ]
        away = [self.show_name(chair) for chair in self.seats.values() if chair.is_away]
        watching = [f"{self.feed.followers} watching"] if self.feed.followers else []
        for own in (None, *self.seats.values()):
            others = [chair for chair in self.seats.values() if chair is not own]
            alone = own is None and len(self.seats) == 1
            presence = {} if alone else {
                self.show_name(chair): self._describe_presence(chair) for chair in others
            }  # fmt: skip
            there = ", ".join([*map(" ".join, presence.items()), *watching])
            if own and self.waiting:
                there = ""  # the page lists who is
            said = ". ".join(filter(None, [there, self._describe_wait(own) if own else ""]))
            told = {
                "said": said, "presence": presence, "late": self._list_late(), "away": away,
                "absent": absent,
            }  # fmt: skip
            (own.feed if own else self.feed).tell("present", told)

    def _watch_absence(self, chair: BrowserSeat) -> None:
        """Begin to wait for a person who is away from the match, or end that."""
        playing = self._thread is not None and not (self.over or chair.left or chair.out)
        if not playing or len(self.seats) == 1 or chair.feed.followers:
            chair.absent = False
            if timer := self._away.pop(chair.secret, None):
                timer.cancel()
        elif chair.secret not in self._away:
            self._away[chair.secret] = self._loop.call_later(AWAY_SECONDS, self._give_up, chair)

    def _watch_idleness(self) -> None:
        """Begin to wait until the table may sleep, or end that since somebody is there."""
        if self._idle:
            self._idle.cancel()
        deserted = not any(feed.followers for feed in self.feeds)
        waits = self._thread is not None and not self.over and deserted
        self._idle = self._loop.call_later(SLEEP_SECONDS, self._doze) if waits else None

    def _doze(self) -> None:
        """Have the table put to sleep, or look again later."""
        if self._can_sleep():
            self.on_idle(self)
        else:
            self._watch_idleness()

    def _can_sleep(self) -> bool:
        """Whether the match waits for persons alone, without a clock, and all of it is kept.

        Who has answered what others are still asked would be asked again.
        """
        chairs = self.seats.values()
        waits = self.setup.clock is None and any(chair.asked for chair in chairs)
        return waits and self._kept.whole and not any(chair.awaits_others for chair in chairs)

    def _give_up(self, chair: BrowserSeat) -> None:
        chair.absent = True
        self._tell_presence()

    def _describe_replacing(self, chair: BrowserSeat) -> str:
        """Say what comes of it if the others wait no longer for a person."""
        name = self.show_name(chair)
        if self.goes_on_without(chair):
            return f"Let a bot play for {name}"
        return f"End the match without {name}"

    def goes_on_without(self, chair: BrowserSeat) -> bool:
        """Whether the match is still to be decided once this person has lost the seat."""
        seats = self._map_seats()
        verdicts = {seat for seat, other in seats.items() if other.out or other is chair}
        return not is_decided(find_sides(self.spec.variant, len(self.spec.names)), verdicts)

    def _describe_presence(self, chair: BrowserSeat) -> str:
        """Say whether a person is there, or that a bot plays instead."""
        replaced = (chair.left or chair.out) and not self.over and self.goes_on_without(chair)
        return f"{chair.presence} (a bot plays)" if replaced else chair.presence

    def _describe_wait(self, own: BrowserSeat) -> str:
        """Say to a person when the match begins, or without whom it can go on soon."""
        chairs = [*self.seats.values()]
        if not self.waiting:
            away = [chair for chair in chairs if chair.secret in self._away and not chair.absent]
            soon = join_words(map(self.show_name, away))
            return f"In a minute you can go on without {soon}" if soon else ""
        if self.setup.invites:
            starts = "you start" if own is chairs[0] else f"{self.show_name(chairs[0])} starts"
            return f"The match begins when all seats are taken, or when {starts} it."
        late = self._list_late()
        are = "are" if len(late) > 1 else "is"
        return f"The match begins when {join_words(late)} {are} here." if late else ""

    def _list_late(self) -> list[str]:
        """Return the names of those who have never been here, and lose their seat if it starts."""
        return [self.show_name(chair) for chair in self.seats.values() if not chair.here]

    def close(self) -> None:
        """End the table at once; whoever opens it again finds the match as it was."""
        self.closed = True
        for chair in self.seats.values():
            chair.close()
        if self._thread is None and not self.over:
            self._announce_end()

    def join(self, timeout: float) -> None:
        """Wait until its programs have ended."""
        if self._thread:
            self._thread.join(timeout)

    def _introduce(self, feed: EventBroadcast, seat: Seat | None) -> None:
        spec, clock = self.spec, self.setup.clock
        variant = spec.game.write_variant(spec.variant)
        told = build_introduction(
            self.key, spec.game.name, self.names, variant, seat=seat, clock=clock
        )
        feed.put("match", told)

    def _build_player(self, seat: Seat, chair: BrowserSeat) -> BrowserPlayer:
        spec = self.spec
        eye = Perspective(spec.game, spec.variant, self.names, seat, page=True)
        return BrowserPlayer(eye, chair, timed=self.setup.clock is not None)

    def _play(self) -> None:
        spec, telling = self.spec, Announcer(self, self._map_seats())
        watching = [*get_plugins().build_observers(spec), Recorder(spec, self._kept), telling]
        config = HostConfig(self.setup.limits)
        try:
            self.result = host(spec, self._seated, config, watching, self._iter_past())
        finally:
            self._announce_end()

    def _iter_past(self) -> Iterator[PastAsk]:
        """Yield the asks of the match so far; then pages may see it, and see what is new."""
        yield from self._past
        self._settle()

    def _settle(self) -> None:
        for feed in self.feeds:
            feed.settle()
        with suppress(RuntimeError):  # the server has ended
            self._loop.call_soon_threadsafe(self.ready.set)

    @property
    def feeds(self) -> list[EventBroadcast]:
        """What is followed, by spectators and at each seat."""
        return [self.feed, *(chair.feed for chair in self.seats.values())]

    def _map_seats(self) -> dict[Seat, BrowserSeat]:
        return {self.spec.names.index(chair.name): chair for chair in self.seats.values()}

    def _announce_end(self) -> None:
        """Announce the end to everybody, and keep the result."""
        self.over = True
        if self.closed and not (self.result and self.result.places):  # it goes on another time
            for chair in self.seats.values():
                chair.release()
            self._settle()
            return
        self.store.finish(self.key, self._pack_result(), self._kept.text)
        hands = self._list_hands()
        for seat, chair in self._map_seats().items():
            chair.release()
            record = describe_results(self.store, chair.secret)
            chair.feed.put("end", {**self._build_end(seat), "record": record, "hands": hands})
        self.feed.put("end", {**self._build_end(None), "hands": hands})
        if len(self.seats) == 1:  # several may play again, which the others are told
            for feed in self.feeds:
                feed.end()
        self.update_presence()
        self._settle()

    def _pack_result(self) -> dict[str, Any]:
        """Return how the match came out, for the store: in all, and for each person."""
        result = self.result
        scores = result and result.scores and count_scores(result.scores, result.verdicts)
        seats = [self._seating.index(person) for person in range(len(self.seats))]
        return {
            "places": result and result.places, "scores": scores, "hints": self.hint_counts,
            "persons": [self._pack_person(seat) for seat in seats],
        }  # fmt: skip

    def _pack_person(self, seat: Seat) -> dict[str, Any]:
        """Return how the match came out for a person, in all and against each opponent.

        It is won by 1, tied by 0 and lost by -1; None where it is void. An opponent in several
        seats is beaten where more of them finish behind the person than ahead.
        """
        won, sides = None, self.result.sides if self.result else seat_alone(len(self.spec.names))
        own = next(side for side in sides if seat in side)
        others = [other for other in range(len(self.spec.names)) if other not in own]
        places = self.result and self.result.places
        if places:
            shared = [side for side in sides if places[side[0]] == 1]
            won = -1 if own not in shared else 1 if len(shared) == 1 else 0
        behind: Counter[str] = Counter()  # seats of an opponent, less those ahead of the person
        for other in others:
            name, bot = self.spec.names[other], self.spec.bots[other]
            ahead = places[seat] - places[other] if places else 0
            behind[name if bot == PERSON else bot] += (ahead < 0) - (ahead > 0)
        against = {name: (number > 0) - (number < 0) for name, number in behind.items()}
        said = self._build_end(seat)["said"]
        return {"said": said, "won": won, "against": against}

    def _list_hands(self) -> dict[str, Any]:
        """Return the hands at the end of a match, which the replay shows to everybody, too.

        A void match has no replay, and its hands stay hidden.
        """
        if not (self.result and self.result.places):
            return {}
        zones: dict[str, Any] = {}
        with suppress(UserError):  # a board that cannot show all hands
            steps = list_steps(parse_text(self._kept.text), [Spectator.ALL], self.names)
            for step in steps[Spectator.ALL]:
                zones.update(step.get("z", {}))
        hands = {key: zone for key, zone in zones.items() if zone and zone["kind"] == ZoneKind.HAND}
        return {key: zone for key, zone in hands.items() if zone.get("cards")}

    def _build_end(self, seat: Seat | None) -> dict[str, Any]:
        """Return the end for a seat or for spectators, with the hints that each player took."""
        end = build_end(self.result, seat, self.names) if self.result else build_void_end()
        left = {self.show_name(chair) for chair in self.seats.values() if chair.left}
        rows = [
            {
                **row,
                "hints": self.hint_counts.get(row["name"], 0),
                "verdict": "left" if row["verdict"] and row["name"] in left else row["verdict"],
            }
            for row in end["rows"]
        ]
        short = self.result and self.result.outcome.rounds == 1
        following = f"Next {self.spec.game.unit}" if short else ""
        own = None if seat is None else self._map_seats().get(seat)
        said = describe_leaving(own) if own and own.left and rows else end["said"]
        more = len(self.seats) > 1
        return {**end, "said": said, "rows": rows, "more": more, "next": following}


def describe_leaving(chair: BrowserSeat) -> str:
    """Say to a person who has left why the match went on without them."""
    return ABSENT_MESSAGE.format(chair.replaced_by) if chair.replaced_by else LEFT_MESSAGE


class AnswerJournal(InMemoryFile):
    """A transcript in memory, of which the answers are kept as soon as an ask is over."""

    def __init__(self, store: TableStore, key: str) -> None:
        super().__init__()
        self._store, self._key = store, key
        self.whole = True  #: are all asks kept that are over?
        self._lines: list[str] = []  # of the open ask
        self._asks = self._bytes = 0

    def write(self, line: str) -> int:
        """Write a line; one that goes to a seat says that the ask before is over."""
        if line.startswith(('{"from":', '{"verdict":')):
            self._lines.append(line)
        elif line.startswith('{"to":') and self._lines:
            self._bytes += sum(map(len, self._lines))
            fits = self._bytes <= MAX_ANSWER_BYTES
            self.whole = fits and bool(self._store.add_ask(self._key, self._asks, self._lines))
            self._lines, self._asks = [], self._asks + 1
        return super().write(line)


@frozen
class BrowserPlayerFactory:
    """Creates the player of a person's seat."""

    chair: BrowserSeat
    sit: Callable[[Seat, BrowserSeat], Player]
    is_program = False
    sandbox = None

    def create_player(
        self, seat: Seat, folder: WorkingFolder | None, log: IO[bytes] | None
    ) -> Player:
        """Create the player."""
        return self.sit(seat, self.chair)


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
        chair.left |= verdict.kind is Fault.CRASHED  # before the server was started again
        chair.out = True
        chair.close_question()
        table, zones = self._table, self._eye.board.zones if self._eye.board else {}
        goes_on, name = table.goes_on_without(chair), table.show_name(chair)
        said = f"{name} {chair.presence}{f'; a bot plays for {name}' if goes_on else ''}."
        for feed in table.feeds:
            if feed is not chair.feed:
                feed.put(STEPS, [evolve(step, words=(to_printable(said),)).json])
        why = describe_leaving(chair) if chair.left else TIMEOUT_MESSAGE
        chair.feed.put("out", {
            "kind": verdict.kind, "why": to_printable(why),
            "then": REPLACED_MESSAGE if goes_on else "",
            "zones": {key: zone.json for key, zone in zones.items()},
        })  # fmt: skip
        table.update_presence()

    def on_outcome(self, outcome: Outcome) -> None:
        """Announce the outcome."""
        self._show(self._eye.see_outcome(outcome))

    def _show(self, step: MatchStep) -> None:
        if step:
            watching = [chair.feed for chair in self._seats.values() if chair.out]
            for feed in (self._table.feed, *watching):
                feed.put(STEPS, [step.json])
