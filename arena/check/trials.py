"""What a check has a bot play: bundled bots at several tables, and the game's situations."""

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

MAX_PLAYERS = 6  # at a table, unless the game is for more only
SEED_LENGTH = 8  # hexadecimal digits, for a seed that is typed again


@frozen
class ScriptedFactory:
    """Makes a bot of a situation, in this process."""

    make: Any  # calling it gives a bot
    is_program = False
    sandbox = None

    def create_player(
        self, seat: Seat, folder: WorkingFolder | None, log: IO[bytes] | None
    ) -> Player:
        """Return a new one."""
        return BotPlayer(self.make())


@frozen
class Trial:
    """A match that a bot is tried in."""

    situation: str  # what it is where, such as `3 play`
    spec: MatchSpec
    seated: tuple[Entrant, ...]
    seat: Seat  # where the bot sits
    again: str = ""  # the command that plays it, too


@frozen
class TrialBatch:
    """Matches that are tried under one name."""

    name: str
    trials: tuple[Trial, ...]


@frozen
class CheckPlan:
    """Whom a bot is tried against, at which tables, from which seed."""

    game: Game
    variant: Variant
    entrant: Entrant
    seed: str
    sizes: Collection[int] | None = None  # of tables; None: some that the game is for
    quick: bool = False  # a match a table, and no situations

    def iter_batches(self) -> Iterator[TrialBatch]:
        """Return all matches, the small tables first."""
        for seats in self.sizes or choose_table_sizes(self.game.seats):
            where = [int(derive_seed(self.seed, seats), 16) % seats] if self.quick else range(seats)
            name = f"{seats} player{'s' * (seats != 1)}"
            trials = tuple(self._plan_match(name, seats, seat) for seat in where)
            yield TrialBatch(f"{name}, in {'one' if self.quick else 'every'} seat", trials)
        for situation in () if self.quick else self.game.scenarios:
            if self.sizes is None or len(situation.others) + 1 in self.sizes:
                yield TrialBatch(situation.name, (self._plan_situation(situation),))

    def _plan_match(self, name: str, seats: int, seat: Seat) -> Trial:
        """Seat it among bundled bots; from table to table they are others."""
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
        """Return the bundled bots that can play here without parameters, else one that draws."""
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
        """Return the command that plays this match again, with the same seeds for all."""
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
        """Return the parameters that need not be typed."""
        with suppress(ValueError):
            return self.game.write_variant(self.game.read_variant({}))
        return {}


def format_option(value: object) -> str:
    """Write a parameter as it is typed."""
    return ",".join(map(str, value)) if isinstance(value, list | tuple) else str(value)


def choose_table_sizes(seats: range) -> list[int]:
    """Return the fewest players, some, and the most within reason.

    >>> [choose_table_sizes(seats) for seats in (range(2, 53), range(2, 3), range(8, 11))]
    [[2, 4, 6], [2], [8]]
    """
    possible = [size for size in seats if size <= max(MAX_PLAYERS, seats[0])]
    return sorted({possible[0], possible[len(possible) // 2], possible[-1]})
