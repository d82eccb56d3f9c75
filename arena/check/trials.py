"""The matches of a check: against bundled bots at several tables, and the game's scenarios."""

from __future__ import annotations

import shlex
from collections.abc import Collection, Iterator, Sequence
from contextlib import suppress
from itertools import cycle, islice
from typing import IO, Any, cast

from attrs import evolve, frozen

from arena.host import (
    Entrant,
    Series,
    WorkingFolder,
    make_names_unique,
    parse_entrant,
    parse_entrants,
)
from arena.players import BotPlayer, Player, RandomBot
from arena.plugins import Game, MatchSpec, Scenario
from arena.rules import Seat, UserError, Variant, derive_seed

MAX_PLAYERS = 6  # of the larger tables, if the game allows it
SEED_LENGTH = 8  # hexadecimal digits, so that a seed is easy to type


@frozen
class ScriptedFactory:
    """Creates the scripted bot of a scenario in this process."""

    make: Any  # a function that returns a bot
    is_program = False
    sandbox = None

    def create_player(
        self, seat: Seat, folder: WorkingFolder | None, log: IO[bytes] | None
    ) -> Player:
        """Return a player with a new bot."""
        return BotPlayer(self.make())


@frozen
class Trial:
    """A match that tests a bot."""

    situation: str  # where a mistake happens, such as `3 players`
    spec: MatchSpec
    seated: tuple[Entrant, ...]
    seat: Seat  # the seat of the bot
    again: str = ""  # the command that repeats the match


@frozen
class TrialBatch:
    """Trials with a common name."""

    name: str
    trials: tuple[Trial, ...]


@frozen
class CheckPlan:
    """The plan of a check: the tables, the opponents and the seed."""

    game: Game
    variant: Variant
    entrant: Entrant
    seed: str
    sizes: Collection[int] | None = None  # numbers of players; None for a selection
    quick: bool = False  # play one match per table, and no scenarios

    def iter_batches(self) -> Iterator[TrialBatch]:
        """Yield all trials, small tables first."""
        for seats in self.sizes or choose_table_sizes(self.game.seats):
            where = [int(derive_seed(self.seed, seats), 16) % seats] if self.quick else range(seats)
            name = f"{seats} player{'s' * (seats != 1)}"
            trials = tuple(self._plan_match(name, seats, seat) for seat in where)
            yield TrialBatch(f"{name}, in {'one' if self.quick else 'every'} seat", trials)
        for situation in () if self.quick else self.game.scenarios:
            if self.sizes is None or len(situation.others) + 1 in self.sizes:
                yield TrialBatch(situation.name, (self._plan_situation(situation),))

    def _plan_match(self, name: str, seats: int, seat: Seat) -> Trial:
        """Return a trial against bundled bots, which differ from table to table."""
        others = islice(cycle(self._list_opponents(seats)), seat, seat + seats - 1)
        seed = derive_seed(self.seed, "check", seats, seat)[:SEED_LENGTH]
        trial = self._build_trial(name, self.variant, list(others), seat, seed)
        return evolve(trial, again=self._format_command(trial.spec) if self.game.bots else "")

    def _plan_situation(self, situation: Scenario) -> Trial:
        kinds = enumerate(situation.others, 1)
        others = [Entrant(f"other_{number}", "", ScriptedFactory(make)) for number, make in kinds]
        variant: Any = evolve(cast("Any", self.variant), **situation.options)
        return self._build_trial(situation.name, variant, others, situation.seat, situation.seed)

    def _build_trial(
        self, name: str, variant: Variant, others: list[Entrant], seat: Seat, seed: str
    ) -> Trial:
        listed = [*others[:seat], self.entrant, *others[seat:]]
        series = Series(self.game, variant, make_names_unique(listed), seed)
        ((spec, seated),) = series.iter_matches(1)
        return Trial(name, spec, seated, seat)

    def _list_opponents(self, seats: int) -> Sequence[Entrant]:
        """Return the bundled bots that can play here without parameters, or else a random bot."""
        able = [name for name in self.game.bots if self._can_play(name, seats)]
        return (
            parse_entrants(self.game, able)
            if able
            else [Entrant("any", "", ScriptedFactory(RandomBot))]
        )

    def _can_play(self, name: str, seats: int) -> bool:
        with suppress(UserError):
            parse_entrant(self.game, name).check_support(self.variant, seats)
            return True
        return False

    def _format_command(self, spec: MatchSpec) -> str:
        """Return the command that repeats this match with the same seeds."""
        usual = self._default_options
        options = [
            f"--option={name}={format_option(value)}"
            for name, value in self.game.write_variant(spec.variant).items()
            if value != usual.get(name)
        ]
        mine = self.entrant.bot
        bots = [f"{self.entrant.name}={bot}" if bot == mine else bot for bot in spec.bots]
        seed = ["--seed", spec.seed]
        return shlex.join(["arena", "match", self.game.name, *bots, *seed, *options])

    @property
    def _default_options(self) -> dict[str, Any]:
        """The default options, which the command leaves out."""
        with suppress(ValueError):
            return self.game.write_variant(self.game.read_variant({}))
        return {}


def format_option(value: object) -> str:
    """Format an option as text to type."""
    return ",".join(map(str, value)) if isinstance(value, list | tuple) else str(value)


def choose_table_sizes(seats: range) -> list[int]:
    """Return the smallest, a medium and a large table size of a game.

    >>> [choose_table_sizes(seats) for seats in (range(2, 53), range(2, 3), range(8, 11))]
    [[2, 4, 6], [2], [8]]
    """
    possible = [size for size in seats if size <= max(MAX_PLAYERS, seats[0])]
    return sorted({possible[0], possible[len(possible) // 2], possible[-1]})
