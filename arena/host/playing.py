"""Hosting from Python: a match, or a series of them, in one call each."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, overload

from attrs import evolve, frozen

from arena.host.clock import Limits
from arena.host.entering import Entrant, see_seats
from arena.host.hosting import HostConfig, host, see_played
from arena.host.result import Result
from arena.host.seating import AnyBot, seat_all
from arena.host.series import Series
from arena.host.tally import Standings, Tally
from arena.plugins import Game, MatchSpec, Observer, plugins, variant
from arena.records import Kept, Recorder
from arena.rules import UserError
from arena.wires import Sheet, Shown


def play_match(
    game: str | Game,
    bots: Sequence[AnyBot],
    *,
    seed: str | None = None,
    options: Mapping[str, Any] | None = None,
    limits: Limits | None = None,
    observers: Sequence[Observer] = (),
) -> Result:
    """Play one match, and return how it came out.

    Args:
        game: its name, as `arena games` lists it; or the game itself.
        bots: one for each seat: what the command line takes (the name of a bundled bot, a
            folder, a command line, `PATH.py:CLASS`), a subclass of `Bot`, a function that
            returns a new one, or what `configured` returns.
        seed: of the deal and of all chance; who sits where is then as listed. Without it both
            are drawn.
        options: parameters of the game, by name.
        limits: how long players may take, in seconds.
        observers: who watches, beside those that plugins bring.

    Returns the result. A bot that fails has a verdict there, and raises nothing here; neither
    does a match that is void, whose `problem` says why.

    Raises:
        UserError: where there is no such game, bot or option, where a bot cannot play this,
            or where the machine has no more processes or memory: in one line, what and why.

    >>> result = play_match("gops", ["planner", "easy"], seed="42", options={"cards": 9})
    >>> result.names, result.places, result.scores
    (('planner', 'easy'), (1, 2), (25, 17))
    """
    series = _series(game, bots, options, seed)
    for spec, seated in series.matches(1):
        return see_played(_hosted(limits, observers, True, spec, seated))
    raise AssertionError  # a series has a first match


@frozen
class SeriesResult(Shown, Sequence[Result]):
    """What a series came to: a sequence of its results, and the standings."""

    results: tuple[Result, ...]  #: in the order in which they were played

    @overload
    def __getitem__(self, at: int) -> Result: ...
    @overload
    def __getitem__(self, at: slice) -> tuple[Result, ...]: ...
    def __getitem__(self, at: int | slice) -> Result | tuple[Result, ...]:
        return self.results[at]

    def __len__(self) -> int:
        return len(self.results)

    def __iter__(self) -> Iterator[Result]:
        return iter(self.results)

    def standings(self) -> Standings:
        """Return how everybody did, the best mean place first; void matches are not counted."""
        return Tally.of(self.results).standings()

    def sheet(self) -> Sheet:
        """Return the standings as a table for people."""
        return self.standings().sheet()


def play_series(
    game: str | Game,
    bots: Sequence[AnyBot],
    *,
    games: int,
    seed: str | None = None,
    options: Mapping[str, Any] | None = None,
    limits: Limits | None = None,
    workers: int = 1,
    observers: Callable[[MatchSpec], Sequence[Observer]] | None = None,
    record: bool = False,
) -> SeriesResult:
    """Play many matches of the same bots, each deal in every rotation of the seats.

    Args (`game`, `bots`, `options`, `limits` are those of `play_match`):
        games: how many matches.
        seed: of the first deal, from which all others come, whatever the number of workers.
        workers: processes that play at once: forks, which know what a notebook has defined.
        observers: returns who watches a match that is about to begin; in a worker, there.
        record: keep the transcript of each match.

    Returns the results in the order of the matches.

    Raises:
        UserError: as for `play_match`; and where a worker dies.

    >>> table = play_series("kuhn", ["careful", "random"], games=10, seed="1").standings()
    >>> [(one.name, one.matches, one.won) for one in table]
    [('careful', 10, 5), ('random', 10, 5)]
    """
    if games < 1 or workers < 1:
        raise UserError(f"games and workers are 1 or more, not {min(games, workers)}")
    matches = [*_series(game, bots, options, seed).matches(games)]

    def play(number: int) -> Result:
        spec, seated = matches[number]
        watching = observers(spec) if observers else ()
        return see_played(_hosted(limits, watching, record, spec, seated))

    return SeriesResult(tuple(_each([spec for spec, _ in matches], play, workers)))


def _each(specs: Sequence[MatchSpec], play: Callable[[int], Result], workers: int) -> list[Result]:
    from arena.host.parallel import in_parallel  # slow to import, and no match alone needs it

    return in_parallel(specs, play, workers)


def _series(
    game: str | Game, bots: Sequence[AnyBot], options: Mapping[str, Any] | None, seed: str | None
) -> Series:
    """Return who plays what from which seed; raise UserError where that cannot be played."""
    rules = plugins().game(game) if isinstance(game, str) else game
    played = variant(rules, options or {})
    seated = seat_all(rules, bots)
    see_seats(rules, len(seated))
    for one in seated:
        one.check_supported(played, len(seated))
    return Series.seated(rules, played, seated, seed)


def _hosted(
    limits: Limits | None,
    observers: Sequence[Observer],
    record: bool,
    spec: MatchSpec,
    seated: tuple[Entrant, ...],
) -> Result:
    watching = [*plugins().observers(spec), *observers]
    config = HostConfig(limits or Limits())
    if not record:
        return host(spec, seated, config, watching)
    kept = Kept()
    result = host(spec, seated, config, [Recorder(spec, kept), *watching])
    return evolve(result, recorded=kept.text)
