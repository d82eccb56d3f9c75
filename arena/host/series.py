"""A series: the same entrants, deal after deal, in every rotation of seats; and its standings.

Luck cancels out where each has sat everywhere with the same cards about. Rotations keep
everybody's neighbours, so each deal has an order of its own. An entrant that plays a whole team
sits in all its seats, and teams rotate. The first deal's seed and order
are the series' own, so that any of its matches can be played again alone.

`play_matches` plays a series, perhaps in several processes, forks of this one. A fork has the game,
the bots and the observers as they are here, also those that a notebook has defined and no other
process could import. What travels back is the result of each match without its spec: this process
knows itself what was to be played. `SeriesTally` makes standings of the results.
"""

from __future__ import annotations

import pickle
import sys
import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from itertools import islice
from math import ceil
from random import Random
from statistics import fmean
from typing import TYPE_CHECKING, Any

from attrs import Factory, asdict, define, evolve, field, frozen
from attrs.filters import exclude

from arena.host.entrants import Entrant
from arena.host.hosting import Result
from arena.host.program_pool import ProgramPool
from arena.host.table_sizes import check_partners
from arena.players import SIGNAL_STATUS_BASE, SignalInterrupt, raise_on_signals, reset_signals
from arena.plugins import Game, MatchSpec
from arena.rules import (
    Seed,
    Sides,
    UserError,
    Variant,
    average,
    derive_seed,
    describe_error,
    find_sides,
    generate_seed,
    name_seats,
    read_seed,
    seat_alone,
    spread_over_seats,
)
from arena.tables import Column, DataTable, ResultTable, RowFormat
from arena.wires import dump

if TYPE_CHECKING:
    from multiprocessing.connection import Connection
    from multiprocessing.context import ForkProcess

KEY_LENGTH = 16  # hexadecimal digits


@frozen
class Series:
    """Who plays what, from which seed."""

    game: Game  #: what is played
    variant: Variant  #: with these parameters
    entrants: tuple[Entrant, ...]  #: as seated in the first match
    #: of the first deal; the others' are derived from it
    seed: str = field(factory=generate_seed, converter=read_seed)
    table: int | None = None  #: how many seats a match has, or None for one for each entrant

    @classmethod
    def create(
        cls,
        game: Game,
        variant: Variant,
        entrants: tuple[Entrant, ...],
        seed: Seed | None,
        table: int | None = None,
    ) -> Series:
        """Seat them as listed where a seed is given; else draw both seed and seating.

        Raises:
            UserError: where a team of several bots does not have a seat for each of them.
        """
        seated = entrants
        if seed is None:
            seed = generate_seed()
            seated = _shuffle(entrants, seed)
        series = cls(game, variant, seated, seed, table)
        check_partners(entrants, series.sides)
        return series

    @property
    def sides(self) -> Sides:
        """The seats of each entrant: one, or those of a side."""
        table = self.table or len(self.entrants)
        if table == len(self.entrants):
            return seat_alone(table)
        return find_sides(self.variant, table)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of all players in all their seats."""
        return name_seats(self.sides, [entrant.name for entrant in self.entrants])

    def iter_matches(self, games: int) -> Iterator[tuple[MatchSpec, tuple[Entrant, ...]]]:
        """Yield each match's setting, and its entrants in seat order."""
        # Options as they are by default are left out: a game that gains one keeps its matches.
        options, turns = dump(self.game.write_changed_options(self.variant)), len(self.entrants)
        for deal in range(ceil(games / turns)):
            seed, order = self._draw_deal(deal)
            for turn in range(min(turns, games - deal * turns)):
                seated = seat_sides(self.sides, order[turn:] + order[:turn])
                yield self._build_spec(seed, seated, options), seated

    def _draw_deal(self, number: int) -> tuple[str, tuple[Entrant, ...]]:
        """Return a deal's seed, and who sits where in its first match."""
        if number == 0:
            return self.seed, self.entrants
        seed = derive_seed(self.seed, "deal", number)
        return seed, _shuffle(self.entrants, seed)

    def _build_spec(self, seed: str, seated: tuple[Entrant, ...], options: str) -> MatchSpec:
        names = tuple([entrant.name for entrant in seated])
        key = derive_seed(seed, "match", self.game.name, options, *names)[:KEY_LENGTH]
        bots = tuple([entrant.bot for entrant in seated])
        return MatchSpec(key, self.game, self.variant, seed, names, bots)


def seat_sides(sides: Sides, entrants: tuple[Entrant, ...]) -> tuple[Entrant, ...]:
    """Return the entrant in each seat, with a name of its own, given the entrant of each side.

    The bots of a team sit in its seats in their order.
    """
    names = name_seats(sides, [entrant.name for entrant in entrants])
    partners = {
        seat: partner
        for side, entrant in zip(sides, entrants, strict=True)
        for seat, partner in zip(side, entrant.partners, strict=False)
    }
    seated = [
        partners.get(seat, entrant)
        for seat, entrant in enumerate(spread_over_seats(sides, entrants))
    ]
    named = {seat for side, entrant in zip(sides, entrants, strict=True) for seat in side
             if entrant.has_own_names}  # fmt: skip
    return tuple([
        entrant if entrant.name == name or seat in named else evolve(entrant, name=name)
        for seat, (entrant, name) in enumerate(zip(seated, names, strict=True))
    ])  # fmt: skip


def _shuffle(entrants: tuple[Entrant, ...], seed: str) -> tuple[Entrant, ...]:
    """Return them in an order drawn with this seed."""
    order = list(entrants)
    Random(derive_seed(seed, "seating")).shuffle(order)
    return tuple(order)


Seated = tuple[Entrant, ...]
Play = Callable[[int, MatchSpec, Seated, ProgramPool], Result]
"""Plays a match, given its number in the series, its spec and its entrants in seat order."""

Report = tuple[int, dict[str, Any] | str]
"""The number of a match with the fields of its result, or why it could not be played."""


@frozen
class SeriesWorker:
    """A process, and the end of the pipe by which it reports."""

    process: ForkProcess
    reports: Connection


@contextmanager
def play_matches(
    series: Series, games: int, play: Play, workers: int
) -> Iterator[Iterator[Result]]:
    """Yield the results of a series in the order of its matches, as they are played.

    One worker is this process itself. Several take turns at the matches, and end with the block.
    The results raise UserError where a match does, or where a worker dies.
    """
    if workers == 1:
        with ProgramPool() as programs:
            matches = enumerate(series.iter_matches(games))
            yield (play(number, *match, programs) for number, match in matches)
        return
    started: list[SeriesWorker] = []
    try:
        count = min(workers, games)
        started.extend(_start_worker(series, games, play, first, count) for first in range(count))
        yield _order_results(series, games, _receive_reports(started))
    finally:
        _end_workers(started)


def _start_worker(series: Series, games: int, play: Play, first: int, workers: int) -> SeriesWorker:
    from multiprocessing import get_context

    fork = get_context("fork")
    here, there = fork.Pipe(duplex=False)
    matches = islice(enumerate(series.iter_matches(games)), first, None, workers)
    process = fork.Process(target=_run_worker, args=(play, matches, there), daemon=True)
    with warnings.catch_warnings():  # threads of this process, such as a notebook's, do not go on
        warnings.simplefilter("ignore", DeprecationWarning)
        process.start()
    there.close()
    return SeriesWorker(process, here)


def _end_workers(workers: Sequence[SeriesWorker]) -> None:
    """End all workers at once, and wait: each ends its programs before it goes."""
    for worker in workers:
        worker.process.terminate()
    for worker in workers:
        worker.process.join()
        worker.reports.close()


def _run_worker(
    play: Play, matches: Iterator[tuple[int, tuple[MatchSpec, Seated]]], reports: Connection
) -> None:
    """Play in a worker; end as soon as nobody listens any more, or at SIGTERM.

    A terminal sends Ctrl-C to all processes of a command; the first one then ends the workers.
    """
    reset_signals()
    try:
        with (
            suppress(BrokenPipeError), raise_on_signals(), ProgramPool() as programs
        ):  # fmt: skip
            for number, (spec, seated) in matches:
                reports.send_bytes(_play_and_report(play, number, spec, seated, programs))
    except SignalInterrupt as problem:
        sys.exit(SIGNAL_STATUS_BASE + problem.number)


def _play_and_report(
    play: Play, number: int, spec: MatchSpec, seated: Seated, programs: ProgramPool
) -> bytes:
    """Play a match, and return what is to be said of it."""
    try:
        result = play(number, spec, seated, programs)
        if result.problem:  # it may not be what can be pickled
            result = evolve(result, problem=RuntimeError(describe_error(result.problem)))
        report: Report = number, asdict(result, recurse=False, filter=exclude("spec"))
        return pickle.dumps(report)
    except Exception as problem:  # noqa: BLE001  # it is raised where somebody sees it
        report = number, str(problem) if isinstance(problem, UserError) else describe_error(problem)
        return pickle.dumps(report)


def _order_results(
    series: Series, games: int, reports: Iterator[tuple[int, dict[str, Any]]]
) -> Iterator[Result]:
    """Yield the results in the order of their matches; reports that come early wait."""
    early: dict[int, dict[str, Any]] = {}
    for number, (spec, _) in enumerate(series.iter_matches(games)):
        while number not in early:
            early.update([next(reports)])
        yield Result(spec, **early.pop(number))


def _receive_reports(workers: Sequence[SeriesWorker]) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield the workers' reports as they arrive, until all workers have ended; raise UserError."""
    from multiprocessing import connection

    open_workers = {worker.reports: worker.process for worker in workers}
    while open_workers:
        for ready in connection.wait([*open_workers]):
            assert isinstance(ready, connection.Connection)
            try:
                report: Report = pickle.loads(ready.recv_bytes())  # noqa: S301  # of our own fork
            except EOFError:
                _check_exit(open_workers.pop(ready))
            else:
                number, fields = report
                if isinstance(fields, str):
                    raise UserError(fields)
                yield number, fields


def _check_exit(process: ForkProcess) -> None:
    """Raise UserError where a worker did not end by itself."""
    process.join()
    if process.exitcode:
        how = f"signal {-process.exitcode}" if process.exitcode < 0 else f"{process.exitcode}"
        raise UserError(f"a worker died in the middle of a match: exit status {how}")


MANY_GAMES_MARK = "many games"
"""Stands behind the name of a bot whose process plays match after match: it may learn."""

SHARED = "shared"
"""The heading of the column of shared wins, which is left out where there are none."""


@frozen
class SeriesStanding:
    """How one entrant did in the matches that were not void."""

    name: str  #: of the entrant
    place: int  #: in the standings, by `mean_place`; 1 is the best, equals share a place
    score: float  #: the mean score in a match, in the game's points; more is better
    matches: int  #: that it played and that were not void
    won: int  #: matches that it won, alone or with its partners
    shared: int  #: matches in which it shared the first place: ties
    mean_place: float  #: 1 is the best
    seconds: float  #: a match, by its clock
    verdicts: Mapping[str, int]  #: by kind
    many_games: bool  #: whether its process plays match after match, so that it may learn


class SeriesStandings(ResultTable[SeriesStanding]):
    """Everybody who played, the best mean place first.

    A notebook and a terminal show it as a table; `to_pandas()` and `to_polars()` make a data
    frame of it, with a column for each attribute; there `verdicts` is how many they are.
    """

    def to_table(self) -> DataTable:
        """Return the table for people, with a title that says how many matches there were."""
        most = max((standing.matches for standing in self), default=0)
        table = DataTable.of(self, COLUMNS, f"{most} game{'s' * (most != 1)}")
        return table if any(row.shared for row in self) else table.drop_columns(SHARED)

    def to_record(self, row: SeriesStanding) -> dict[str, Any]:
        """Return a row for programs."""
        return {
            "name": row.name,
            "place": row.place,
            "score": row.score,
            "matches": row.matches,
            "won": row.won,
            "shared": row.shared,
            "mean_place": row.mean_place,
            "seconds": row.seconds,
            "verdicts": sum(row.verdicts.values()),
            "many_games": row.many_games,
        }


COLUMNS: RowFormat[SeriesStanding] = (
    (Column("player", is_text=True, may_wrap=True),
     lambda row: f"{row.name} ({MANY_GAMES_MARK})" if row.many_games else row.name),
    (Column("won"), lambda row: str(row.won)),
    (Column(SHARED), lambda row: str(row.shared)),
    (Column("mean place"), lambda row: f"{row.mean_place:.2f}"),
    (Column("mean score"), lambda row: f"{row.score:.2f}"),
    (Column("seconds a game"), lambda row: f"{row.seconds:.3f}"),
    (Column("verdicts", is_text=True, may_wrap=True),
     lambda row: ", ".join(f"{count} {kind}" for kind, count in row.verdicts.items())),
)  # fmt: skip


@define
class _PlayerResults:
    """One player's results so far."""

    scores: list[float] = Factory(list)
    places: list[int] = Factory(list)
    won: int = 0
    shared: int = 0
    seconds: float = 0.0
    verdicts: Counter[str] = Factory(Counter)
    many_games: bool = False

    @property
    def mean_place(self) -> float:
        """The mean of the places."""
        return fmean(self.places)

    def add_place(self, place: int, winners: int) -> None:
        """Count a place in a match with this number of winners; a shared win is no win."""
        self.places.append(place)
        if place == 1:
            self.won += winners == 1
            self.shared += winners > 1

    def build_standing(self, name: str, place: int) -> SeriesStanding:
        """Return the player's row in the standings."""
        return SeriesStanding(
            name=name,
            place=place,
            score=fmean(self.scores),
            matches=len(self.places),
            won=self.won,
            shared=self.shared,
            mean_place=self.mean_place,
            seconds=self.seconds / len(self.places),
            verdicts=dict(self.verdicts),
            many_games=self.many_games,
        )


@define
class SeriesTally:
    """Everybody's results so far; void matches are not counted."""

    _lines: dict[str, _PlayerResults] = Factory(dict)

    @classmethod
    def from_results(cls, results: Iterable[Result]) -> SeriesTally:
        """Count these."""
        tally = cls()
        for result in results:
            tally.add(result)
        return tally

    def add(self, result: Result) -> None:
        """Count a match."""
        if result.scores is None or result.places is None:
            return
        winners = sum(result.places[side[0]] == 1 for side in result.sides)
        for name, seats in result.seats_by_player.items():
            line = self._lines.setdefault(name, _PlayerResults())
            line.add_place(result.places[seats[0]], winners)
            line.scores.append(float(average([result.scores[seat] for seat in seats])))
            for seat in seats:
                line.seconds += result.outcome.seconds[seat]
                line.many_games |= result.has_lasting_program(seat)
                if verdict := result.verdicts[seat]:
                    line.verdicts[verdict.kind] += 1

    def standings(self) -> SeriesStandings:
        """Return the standings, best mean place first."""
        ranked = sorted(self._lines.items(), key=lambda named: (named[1].mean_place, named[0]))
        means = [line.mean_place for _, line in ranked]
        return SeriesStandings(
            [line.build_standing(name, means.index(line.mean_place) + 1) for name, line in ranked]
        )
