"""The deal of the day: one deal a day and game, against the same bots, for all who ask this server.

Its seed comes from the day and from a key that only the server has, so nobody knows the cards
before. A browser plays it once. The bundled bots play it, too, in the same seat.
"""

from __future__ import annotations

import hmac
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, date, datetime
from threading import Lock
from typing import Generic, Protocol, TypeVar

from attrs import define, field, frozen
from cachetools import LRUCache

from arena import UserError
from arena.host import HostConfig, host, parse_entrant
from arena.plugins import build_variant
from arena.records import InMemoryFile, Recorder, parse_text
from arena.tournament import Opponent
from arena_web.matches.finish import MatchFinish, format_ordinal
from arena_web.pages.replays import RecordedMatch
from arena_web.play.offers import OfferedGame, OpponentPool
from arena_web.play.seating import Seating
from arena_web.play.store.stored_tables import StoredTable
from arena_web.play.store.table_store import TableStore
from arena_web.play.table_setup import TableSetup
from arena_web.play.table_terms import PERSON, TableTerms
from arena_web.play.visitors.games import GameRow
from arena_web.player_names import present_players

T = TypeVar("T")
BotKey = tuple[str, str, str]
"""The day, the game and the bot."""

KEPT_RESULTS = 1000  # bots' results that are remembered, of a month
KEPT_MATCHES = 20  # bots' matches that are remembered, of some hundred kilobytes each
MAX_SHOWN = 50  # results of people
SIGNS = {
    1: "\N{LARGE GREEN SQUARE}", 0: "\N{LARGE YELLOW SQUARE}", -1: "\N{LARGE RED SQUARE}"
}  # fmt: skip
"""Signs for those who did worse than somebody, as well, and better."""


def get_today() -> date:
    """Return the date by which deals change: that of Greenwich."""
    return datetime.now(UTC).date()


@frozen
class DailyResult:
    """How somebody did in a deal of the day."""

    name: str
    place: int  #: in the match
    players: int  #: of the match
    score: float
    is_shared: bool  #: whether others finished at the same place
    key: str = ""  #: of the table; empty for a bot
    hints: int = 0  #: that the person took
    address: str = ""  #: of the page of a bot, from the root; empty for none
    bot: str = ""  #: the name of a bundled bot, whose match can be seen; empty for others

    @property
    def is_bot(self) -> bool:
        """Whether a bot had the seat."""
        return not self.key

    @property
    def ordinal(self) -> str:
        """The place in words.

        >>> DailyResult("ann", 2, 4, 63.0, False).ordinal
        '2nd of 4'
        >>> DailyResult("bob", 1, 2, 0.0, True).ordinal
        'tied, 1st of 2'
        """
        return f"{'tied, ' * self.is_shared}{format_ordinal(self.place)} of {self.players}"

    @property
    def order(self) -> tuple[int, bool, float]:
        """By what results are ranked: the place, whether it is shared, then the score."""
        return self.place, self.is_shared, -self.score


@frozen
class BotReplay:
    """The match of a bundled bot in a deal of the day, as it can be seen again."""

    match: RecordedMatch
    said: str  #: how it came out


@frozen
class DailyDeal:
    """The deal of a game on a day, and what a visitor knows of it."""

    offer: OfferedGame
    day: str  #: as ISO 8601 writes it
    is_past: bool  #: whether the day is over
    own: GameRow | None  #: the visitor's game, once it has begun
    results: Sequence[DailyResult]  #: of all who have finished it, the best first

    @property
    def ranking(self) -> Sequence[tuple[int, DailyResult]]:
        """The results without hints, with their ranks; who did as well as another shares its."""
        unaided = [result for result in self.results if not result.hints]
        orders = [result.order for result in unaided]
        return [(1 + orders.index(result.order), result) for result in unaided]

    @property
    def results_with_hints(self) -> Sequence[DailyResult]:
        """The results with hints, which have no rank among the others."""
        return [result for result in self.results if result.hints]

    @property
    def is_played(self) -> bool:
        """Whether the visitor has played it."""
        return self.own is not None and self.own.is_over

    @property
    def is_open(self) -> bool:
        """Whether the visitor may look at how others did: nobody learns their cards by that."""
        return self.is_past or self.is_played

    @property
    def own_rank(self) -> tuple[int, DailyResult] | None:
        """The visitor's rank and result, where that has one."""
        own = self.own
        results = ((rank, result) for rank, result in self.ranking if own and result.key == own.key)
        return next(results, None)

    @property
    def bot_signs(self) -> str:
        """A sign for each bundled bot, the best first: a green one did worse than the visitor."""
        own = self.own_rank
        if own is None:
            return ""
        rank, _ = own
        bots = [other for other, result in self.ranking if result.bot]
        return "".join(SIGNS[(other > rank) - (other < rank)] for other in bots)


@define(eq=False)
class BotPlays(Generic[T]):
    """The results of bots' matches: each is played once, however many threads ask for it."""

    size: int = field()  #: of these that are remembered
    _known: LRUCache[BotKey, T] = field(init=False)
    _lock: Lock = field(init=False, factory=Lock)

    @_known.default
    def _create_cache(self) -> LRUCache[BotKey, T]:
        return LRUCache(self.size)

    def __contains__(self, key: BotKey) -> bool:
        """Whether the result of a match is known; this does not wait for one in play."""
        return key in self._known

    def get(self, key: BotKey, play: Callable[[], T]) -> T:
        """Return the result of a match, which is played on the first request."""
        with self._lock:
            if key not in self._known:
                self._known[key] = play()
            return self._known[key]


class DailyGuests(Protocol):
    """Bots that are no bundled ones, and play the deals, too."""

    def announce(self, seating: Seating) -> None:
        """Tell them which deal they are to play, as often as somebody asks for its results."""

    def find_results(self, seating: Seating) -> Sequence[DailyResult]:
        """Return the results that are there of the deal of this seating, with a bot for the person.

        Both are called by several threads, and take no longer than reading these results.
        """


@define(eq=False)
class DailyDeals:
    """The deals of the day of a server."""

    store: TableStore
    pools: Mapping[str, OpponentPool]  #: by game
    key: bytes = field(repr=False)  #: from which the seeds come
    get_today: Callable[[], date] = get_today
    guests: DailyGuests | None = None
    _results: BotPlays[DailyResult] = field(init=False, factory=lambda: BotPlays(KEPT_RESULTS))
    _matches: BotPlays[BotReplay] = field(init=False, factory=lambda: BotPlays(KEPT_MATCHES))

    @property
    def today(self) -> str:
        """The day whose deals can be played, as ISO 8601 writes it."""
        return self.get_today().isoformat()

    def list_earlier_days(self) -> list[str]:
        """Return the days that are over and on which somebody played, the latest first."""
        days = self.store.tables.list_days()
        return sorted((day for day in days if day < self.today), reverse=True)

    def build_setup(self, offer: OfferedGame, name: str, day: str) -> TableSetup:
        """Return the table at which a person of this name plays the deal of a day.

        Raises:
            UserError: where no bot of the game can start.
        """
        game = offer.game
        if offer.first is None:
            raise UserError(f"no bot of {game.name} can start here")
        bot = parse_entrant(game, offer.first.name)
        text = f"daily {day} {game.name}"
        seed = hmac.digest(self.key, text.encode(), "sha256").hex()
        others = (bot,) * (offer.pool.usual - 1)
        terms = TableTerms(persons=(name,), daily=day)
        return TableSetup(game, build_variant(game, {}), others, seed, terms=terms).check()

    @staticmethod
    def find_own(rows: Sequence[GameRow], game: str, day: str) -> GameRow | None:
        """Return the game in which a visitor with these games plays or played the deal of a day."""
        own = [row for row in rows if row.daily == day and row.game == game]
        return own[-1] if own else None

    def find_deal(self, offer: OfferedGame, rows: Sequence[GameRow], day: str) -> DailyDeal:
        """Return the deal of a game and a day for a visitor with these games."""
        tables = self.store.tables.list_daily(day, offer.game.name)
        people = [result for table in tables if (result := _read_result(table))]
        people = sorted(people, key=_rank)[:MAX_SHOWN]
        results = sorted([*people, *self._list_bots(offer, day)], key=_rank)
        own = self.find_own(rows, offer.game.name, day)
        return DailyDeal(offer, day, day < self.today, own, results)

    def has_bots_results(self, offer: OfferedGame, day: str) -> bool:
        """Whether the bots of a ladder have played a day's deal, which is found at once then."""
        return all((day, offer.game.name, bot.name) in self._results for bot in offer.ladder)

    def _list_bots(self, offer: OfferedGame, day: str) -> Sequence[DailyResult]:
        """Return the results of the bots of the ladder in the person's seat, and of the guests."""
        setup = self.build_setup(offer, PERSON, day)
        results = [self._find_result(setup, bot.name) for bot in offer.ladder]
        if self.guests and day == self.today:
            seating = Seating.draw(setup)
            self.guests.announce(seating)
            results += self.guests.find_results(seating)
        return results

    def find_replay(self, offer: OfferedGame, bot: str, day: str) -> BotReplay | None:
        """Return the match of a bundled bot in the deal of a day, played again if need be.

        It is None for a bot that does not play it.
        """
        opponent = next((opponent for opponent in offer.ladder if opponent.name == bot), None)
        if opponent is None:
            return None
        setup = self.build_setup(offer, PERSON, day)
        key = (setup.terms.daily, setup.game.name, bot)
        return self._matches.get(key, lambda: _record_bot(setup, opponent))

    def _find_result(self, setup: TableSetup, bot: str) -> DailyResult:
        key = (setup.terms.daily, setup.game.name, bot)
        return self._results.get(key, lambda: _play_bot(setup, bot))


def _rank(result: DailyResult) -> tuple[tuple[int, bool, float], bool]:
    return result.order, result.is_bot


def _read_result(table: StoredTable) -> DailyResult | None:
    """Return the result of a table; None where the match is void."""
    assert table.result is not None
    places, scores = table.result.places, table.result.scores
    seat = table.setup.find_seat(0)
    score = scores[seat] if scores else None
    if not places or score is None:
        return None
    name, hints = table.setup.terms.persons[0], sum(chair.hints for chair in table.chairs)
    is_shared = places.count(places[seat]) > 1
    return DailyResult(name, places[seat], len(places), score, is_shared, table.key, hints)


def _play_bot(setup: TableSetup, bot: str) -> DailyResult:
    """Return the result of a bundled bot in the seat of the person."""
    seating, entrant = Seating.draw(setup), parse_entrant(setup.game, bot)
    result = host(seating.spec, seating.replace_people(entrant.factory), HostConfig())
    seat = seating.find_seat(0)
    finish = seating.compute_finish(result)
    assert finish
    (name,) = present_players(setup.game.name, [bot], [bot])
    own, places = finish.players[seat], [player.place for player in finish.players]
    assert own.place
    is_shared = places.count(own.place) > 1
    return DailyResult(name, own.place, len(places), own.score, is_shared, bot=bot)


def _record_bot(setup: TableSetup, opponent: Opponent) -> BotReplay:
    """Play the match of a bundled bot in the seat of the person, and record it."""
    seating, entrant = Seating.draw(setup), parse_entrant(setup.game, opponent.name)
    file, players = InMemoryFile(), seating.replace_people(entrant.factory)
    result = host(seating.spec, players, HostConfig(), [Recorder(seating.spec, file)])
    names = [*seating.names]
    names[seating.find_seat(0)] = f"{opponent.level.capitalize()} in your place"
    finish = MatchFinish.of(result, names, seating.count)
    assert finish
    return BotReplay(RecordedMatch(parse_text(file.text), names), finish.describe())
