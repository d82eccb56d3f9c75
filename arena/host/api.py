"""Hosting from Python: a match, or a series of them, in one call each.

A program in Python hands over its bots as a text, a class, or what makes one.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from functools import partial
from typing import Any, TypeAlias, overload

from attrs import evolve, frozen

from arena.host.bot_file import BotError
from arena.host.bot_texts import parse_entrant
from arena.host.class_files import format_class_path
from arena.host.entrants import Entrant, clean_name, make_names_unique
from arena.host.hosting import HostConfig, Result, host, raise_on_shortage
from arena.host.program_pool import ProgramPool
from arena.host.series import Seated, Series, SeriesStandings, SeriesTally, play_matches
from arena.host.table_sizes import choose_table
from arena.players import Bot, Player
from arena.plugins import Game, MatchSpec, Observer, build_variant, get_plugins
from arena.records import InMemoryFile, Recorder
from arena.rules import Seat, Seed, UserError, abbreviate, describe_error, describe_number
from arena.search import create_bot_player
from arena.tables import DataTable, PrintsAsTable
from arena.wires import Limits, dump

BotFactory: TypeAlias = Callable[..., Bot]
"""A class of bots, or any function that returns a new one."""

Progress: TypeAlias = Callable[[int, int | None], object]
"""Called after each match with how many are over and how many there will be; None: not known."""

AnyBot: TypeAlias = str | BotFactory | Entrant
"""A bot: a text as on the command line, a class, a factory, or what `configure` returns."""


def play_match(
    game: str | Game,
    bots: Sequence[AnyBot],
    *,
    seed: Seed | None = None,
    options: Mapping[str, Any] | None = None,
    limits: Limits | None = None,
    observers: Sequence[Observer] = (),
    table: int | None = None,
) -> Result:
    """Play one match, and return how it came out.

    Args:
        game: its name, as `arena games` lists it; or the game itself.
        bots: one for each seat: what the command line takes (the name of a bundled bot, a
            folder, a command line, `PATH.py:CLASS`), a subclass of `Bot`, a function that
            returns a new one, or what `configure` returns.
        seed: of the deal and of all chance; who sits where is then as listed. Without it both
            are drawn.
        options: parameters of the game, by name.
        limits: how long players may take, in seconds.
        observers: who watches, beside those that plugins bring.
        table: the seats of a match, where each bot plays all seats of a team.

    Returns the result. A bot that fails has a verdict there, and raises nothing here; neither
    does a match that is void, whose `problem` says why.

    Raises:
        UserError: where there is no such game, bot or option, where a bot cannot play this,
            or where the machine has no more processes or memory: in one line, what and why.

    >>> result = play_match("gops", ["planner", "easy"], seed="1", options={"cards": 9})
    >>> result.names, result.places, result.scores
    (('planner', 'easy'), (1, 2), (23, 20))
    """
    check_arguments(game, bots, options, limits)
    series = _build_series(game, bots, options, seed, table)
    config = HostConfig(limits or Limits())
    for spec, seated in series.iter_matches(1):
        return raise_on_shortage(_host_match(config, observers, True, spec, seated))
    raise AssertionError  # a series has a first match


def play_series(
    game: str | Game,
    bots: Sequence[AnyBot],
    *,
    games: int,
    seed: Seed | None = None,
    options: Mapping[str, Any] | None = None,
    limits: Limits | None = None,
    workers: int = 1,
    observers: Callable[[MatchSpec], Sequence[Observer]] | None = None,
    record: bool = False,
    table: int | None = None,
    progress: Progress | None = None,
) -> SeriesResult:
    """Play many matches of the same bots, each deal in every rotation of the seats.

    Args (`game`, `bots`, `options`, `limits`, `table` are those of `play_match`):
        games: how many matches.
        seed: of the first deal, from which all others come, whatever the number of workers.
        workers: processes that play at once: forks, which know what a notebook has defined.
        observers: returns who watches a match that is about to begin; in a worker, there.
        record: keep the transcript of each match.
        progress: called after each match with how many are over, and `games`.

    Returns the results in the order of the matches. An interrupt (Ctrl-C) ends the series with the
    matches that were played until then.

    Raises:
        UserError: as for `play_match`; and where a worker dies. To have what was played before
            that, too, take the matches one by one from `iter_series`.

    >>> table = play_series("kuhn", ["careful", "random"], games=10, seed="1").standings()
    >>> [(one.name, one.matches, one.won) for one in table]
    [('careful', 10, 5), ('random', 10, 5)]
    """
    results: list[Result] = []
    matches = iter_series(
        game, bots, games=games, seed=seed, options=options, limits=limits, workers=workers,
        observers=observers, record=record, table=table,
    )  # fmt: skip
    try:
        with closing(matches):  # also where `progress` raises
            for result in matches:
                results.append(result)
                if progress:
                    progress(len(results), games)
    except KeyboardInterrupt:
        return SeriesResult(tuple(results), interrupted=True)
    return SeriesResult(tuple(results))


def iter_series(
    game: str | Game,
    bots: Sequence[AnyBot],
    *,
    games: int,
    seed: Seed | None = None,
    options: Mapping[str, Any] | None = None,
    limits: Limits | None = None,
    workers: int = 1,
    observers: Callable[[MatchSpec], Sequence[Observer]] | None = None,
    record: bool = False,
    table: int | None = None,
) -> Generator[Result, None, None]:
    """Yield the result of each match of a series as soon as it is played.

    The arguments are those of `play_series`. The workers end with the iterator.

    Raises:
        UserError: as for `play_series`.
    """
    check_whole_number("games", games, 1)
    check_whole_number("workers", workers, 1)
    check_arguments(game, bots, options, limits)
    series = _build_series(game, bots, options, seed, table)

    def play(_: int, spec: MatchSpec, seated: Seated, programs: ProgramPool) -> Result:
        watching = observers(spec) if observers else ()
        config = HostConfig(limits or Limits(), programs=programs)
        return raise_on_shortage(_host_match(config, watching, record, spec, seated))

    with play_matches(series, games, play, workers) as results:
        yield from results


def _build_series(
    game: str | Game,
    bots: Sequence[AnyBot],
    options: Mapping[str, Any] | None,
    seed: Seed | None,
    table: int | None,
) -> Series:
    """Build a series; raise UserError where the bots cannot play it."""
    rules = get_plugins().find_game(game)
    played = build_variant(rules, options or {})
    seated = build_entrants(rules, bots)
    partners = max((len(entrant.partners) for entrant in seated), default=0)
    table = choose_table(rules, played, len(seated), table, partners=partners)
    for entrant in seated:
        entrant.check_support(played, table)
    return Series.create(rules, played, seated, seed, table)


def check_arguments(game: Any, bots: Any, options: Any, limits: Any) -> None:
    """Raise UserError for an argument of a kind that no call which hosts matches takes."""
    if not isinstance(game, str | Game):
        raise UserError(f"game: {abbreviate(game)} is not the name of a game, nor a Game")
    if isinstance(bots, str) or not isinstance(bots, Iterable):
        raise UserError(f"bots: {abbreviate(bots)} is not a list; write a list of bots")
    if not isinstance(options, Mapping | None):
        raise UserError(f"options: {abbreviate(options)} is not a dictionary {{name: value}}")
    if not isinstance(limits, Limits | None):
        raise UserError(f"limits: {abbreviate(limits)} is not Limits(...), such as Limits(move=5)")


def check_whole_number(name: str, number: object, least: int) -> None:
    """Raise UserError unless an argument of this name is a whole number that is large enough.

    >>> check_whole_number("games", "3", 1)
    Traceback (most recent call last):
    arena.rules.errors.UserError: games: '3' is not a whole number of at least 1
    """
    if isinstance(number, bool) or not isinstance(number, int) or number < least:
        raise UserError(f"{name}: {number!r} is not {describe_number('a whole number', least)}")


def _host_match(
    config: HostConfig,
    observers: Sequence[Observer],
    record: bool,
    spec: MatchSpec,
    seated: tuple[Entrant, ...],
) -> Result:
    watching = [*get_plugins().build_observers(spec), *observers]
    if not record:
        return host(spec, seated, config, watching)
    transcript_file = InMemoryFile()
    result = host(spec, seated, config, [Recorder(spec, transcript_file), *watching])
    return evolve(result, transcript_text=transcript_file.text)


@frozen
class SeriesResult(PrintsAsTable, Sequence[Result]):
    """What a series came to: a sequence of its results, and the standings."""

    results: tuple[Result, ...]  #: in the order in which they were played
    interrupted: bool = False  #: whether an interrupt has ended it before its last match

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

    def standings(self) -> SeriesStandings:
        """Return the standings, best mean place first; void matches are not counted."""
        return SeriesTally.from_results(self.results).standings()

    def to_table(self) -> DataTable:
        """Return the standings as a table for people."""
        return self.standings().to_table()


def configure(factory: BotFactory, *, name: str | None = None, **parameters: Any) -> Entrant:
    """Return a class of bots with a name and parameters, to be seated.

    Args:
        factory: a subclass of `Bot`, or what returns a new bot each time it is called.
        name: what it is called in results; without one, as its class.
        **parameters: keyword arguments of the class, the same in each match.

    Raises:
        UserError: where no bot can be made of it.

    >>> from arena_gops.bots import Ordered
    >>> configure(Ordered, name="late", start=7).bot
    'Ordered:start=7'
    """
    own = get_factory_name(factory)
    given = ",".join(f"{key}={value}" for key, value in parameters.items())
    bot_factory = CallableFactory(partial(factory, **parameters) if parameters else factory)
    bot_factory.create_bot()  # now, rather than when a match begins
    return Entrant(
        clean_name(name or own),
        f"{own}:{given}" if given else own,
        bot_factory,
        bot_factory.create_bot,
    )


@frozen
class CallableFactory:
    """A bot in this process, made anew for each match."""

    factory: BotFactory
    is_program = False
    sandbox = None

    def create_player(self, seat: Seat, folder: object, log: object) -> Player:
        """Return a new one."""
        return create_bot_player(self.create_bot())

    def create_bot(self) -> Bot:
        """Make the bot; raise BotError where that gives none."""
        try:
            bot = self.factory()
        except Exception as problem:
            raise BotError(
                f"{get_factory_name(self.factory)} cannot be created: {describe_error(problem)}"
            ) from problem
        if not isinstance(bot, Bot):
            raise BotError(
                f"{get_factory_name(self.factory)} returns {type(bot).__name__}, not an arena.Bot"
            )
        return bot


def get_factory_name(factory: BotFactory) -> str:
    """Return the name of a class or function; for a partial, of the function that it wraps."""
    while isinstance(factory, partial):
        factory = factory.func
    return getattr(factory, "__name__", type(factory).__name__)


def build_entrants(game: Game, bots: Iterable[AnyBot]) -> tuple[Entrant, ...]:
    """Build the entrants, and give each a unique name; raise UserError."""
    return make_names_unique([_build_entrant(game, bot) for bot in bots])


def _build_entrant(game: Game, bot: AnyBot) -> Entrant:
    if isinstance(bot, Entrant):
        return bot
    if isinstance(bot, str):
        return parse_entrant(game, bot)
    if not callable(bot):
        raise BotError(
            f"{bot!r} is not a bot: pass a string, a subclass of Bot,"
            " or a function that returns a bot"
        )
    return configure(bot)


def format_bot(bot: AnyBot) -> str:
    """Return a bot as another process can read it: its text, or its class as `PATH.py:CLASS`.

    Raises:
        UserError: where it stands in no file, as what a notebook defines.
    """
    if isinstance(bot, str):
        return bot
    name, bot_factory = (
        (f"{bot.name}=", bot.factory) if isinstance(bot, Entrant) else ("", CallableFactory(bot))
    )
    if not isinstance(bot_factory, CallableFactory):
        return f"{name}{bot.bot}" if isinstance(bot, Entrant) else ""
    factory, given = bot_factory.factory, ""
    if isinstance(factory, partial):
        given = ",".join(f"{key}={dump(value)}" for key, value in factory.keywords.items())
        factory = factory.func
    return f"{name}{format_class_path(factory)}" + f":{given}" * bool(given)
