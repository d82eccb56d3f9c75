"""What the page `play` offers: games, their options, and the opponents that can start now.

Opponents are offered by their levels, which come from the strengths that their game ships.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from attrs import NOTHING, field, fields, frozen

from arena import Game, UserError
from arena.host import parse_entrant
from arena.plugins import build_variant, get_plugins
from arena.tournament import Opponent, choose_first_opponent, list_opponents
from arena_web.play.setup_requests import MAX_BOTS, PROGRAM_PREFIX
from arena_web.play.table_setup import count_usual_players
from arena_web.play.visitors.results import OpponentRecord
from arena_web.player_names import count_bots, load_strengths, title_bot
from arena_web.texts import present_name

WINS = 2  # in a row, after which the next level fits
LOSSES = 3  # in a row, after which the level before fits
SWITCH = ("true", "false")


@frozen
class OptionField:
    """A game's option as a field of the form."""

    name: str
    value: str
    help: str = ""  #: what it changes, as a label
    choices: Mapping[str, str] = field(factory=dict)
    """What it may be, and how people say that; nothing where it is written freely."""

    number: bool = False  #: whether it is a whole number
    least: int | None = None  #: the smallest number, if there is one
    most: int | None = None  #: the largest number, if there is one

    @property
    def is_switch(self) -> bool:
        """Whether it is a yes or a no."""
        return (*self.choices,) == SWITCH


@frozen
class OpponentPool:
    """The opponents that a game has, the weakest first, programs of the host last."""

    game: Game
    bots: tuple[Opponent, ...]
    usual: int  #: the usual number of players
    measurement: str  #: how the game's own bots were measured; empty if they were not

    def find_title(self, bot: str) -> str:
        """Return what people call a bot of the game."""
        return title_bot(self.game.name, bot)


def load_pools(programs: Sequence[str]) -> dict[str, OpponentPool]:
    """Return the opponents by game, for all games at which a person can sit.

    They are read once: the page has to work where no descriptor is left to open a file.
    """
    allowed = [
        Opponent(f"{PROGRAM_PREFIX}{line}", f"{PROGRAM_PREFIX}{line}", "a program on this machine")
        for line in programs
    ]
    pools = {}
    for name, game in get_plugins().games.items():
        if bots := (*list_opponents(game), *allowed):
            strengths = load_strengths(game)
            measurement = strengths.measurement if strengths else ""
            pools[name] = OpponentPool(game, bots, count_usual_players(game), measurement)
    return pools


@frozen
class OfferedGame:
    """A game that is offered, with the opponents that can start now."""

    pool: OpponentPool
    obstacles: Mapping[str, str]  #: why no usual table can start with a bot, by its name

    @property
    def game(self) -> Game:
        """The game."""
        return self.pool.game

    @property
    def ready(self) -> list[Opponent]:
        """The opponents against which a usual table can start at once."""
        return [bot for bot in self.pool.bots if bot.name not in self.obstacles]

    @property
    def first(self) -> Opponent | None:
        """The opponent for a newcomer."""
        return choose_first_opponent(self.ready)

    @property
    def most_bots(self) -> int:
        """The most bots that the form of a table takes, beside its visitor."""
        return min(self.game.seats[-1] - 1, MAX_BOTS)

    @property
    def has_teams(self) -> bool:
        """Whether there may be teams, at some table or with some options."""
        return callable(getattr(self.game.variant, "teams", None))

    @property
    def ladder(self) -> list[Opponent]:
        """The weakest opponent of each level that has one, the weakest level first."""
        return [*{bot.level: bot for bot in reversed(self.ready) if bot.level}.values()][::-1]

    def choose_fitting(self, records: Mapping[tuple[str, str], OpponentRecord]) -> Opponent | None:
        """Return the opponent that fits a visitor with these results, by game and opponent.

        Who has won twice in a row against a level fits the next one; who has lost three times in a
        row, the one before.
        """
        ladder = self.ladder
        if self.first not in ladder:
            return self.first
        results = [records.get((self.game.name, bot.name)) for bot in ladder]
        streaks = [record.streak if record else 0 for record in results]
        beaten = [level for level, streak in enumerate(streaks) if streak >= WINS]
        level = max(ladder.index(self.first), min(len(ladder) - 1, max(beaten, default=-1) + 1))
        return ladder[max(0, level - 1) if streaks[level] <= -LOSSES else level]

    def describe_table(self, bot: Opponent) -> str:
        """Return the opponents at a usual table with a bot, such as `3 easy bots`."""
        number = self.pool.usual - 1
        if bot.level:
            return count_bots(bot.level, number)
        name = present_name(bot.title)
        return f"{number} × {name}" if number > 1 else name

    @property
    def summary(self) -> str:
        """The summary of the game, without its title."""
        title, _, text = self.game.summary.partition(": ")
        return (text or title)[:1].upper() + (text or title)[1:]

    @property
    def choices(self) -> list[OptionField]:
        """The game's options that change something for people."""
        return [
            _build_field(option)
            for option in fields(self.game.variant)
            if not option.metadata.get("for_programs")
        ]


def offer(pool: OpponentPool) -> OfferedGame:
    """Find out which opponents can start now; this may read files, so call it in a thread."""
    game, obstacles = pool.game, {}
    for bot in pool.bots:
        if bot.name in game.bots:
            try:
                entrant = parse_entrant(game, bot.name)
                entrant.check_support(build_variant(game, {}), pool.usual)
            except UserError as problem:
                obstacles[bot.name] = problem.message.removeprefix(f"{bot.name}: ")
    return OfferedGame(pool, obstacles)


def _build_field(option: Any) -> OptionField:
    default, about = option.default, option.metadata.get("help", "")
    if isinstance(default, bool):
        choices = dict.fromkeys(SWITCH, "")
        return OptionField(option.name, "true" if default else "false", about, choices)
    value = "" if default in (None, NOTHING) else str(default)
    words = map(str, getattr(option.validator, "options", ()) if isinstance(default, str) else ())
    if choices := option.metadata.get("choices") or {word: word for word in words}:
        return OptionField(option.name, value, about, choices)
    whole = isinstance(default, int) or str(option.type).replace(" ", "") == "int|None"
    bounds = dict(_find_bounds(option.validator)) if whole else {}
    return OptionField(
        option.name, value, about, number=whole, least=bounds.get(">="), most=bounds.get("<=")
    )


def _find_bounds(validator: Any) -> Iterator[tuple[str, int]]:
    """Yield the inclusive bounds that a validator of attrs has for a number."""
    for part in (validator, *getattr(validator, "_validators", ())):
        compare, bound = getattr(part, "compare_op", ""), getattr(part, "bound", None)
        if isinstance(bound, int):
            yield compare.rstrip("=") + "=", bound + {">": 1, "<": -1}.get(compare, 0)
        if inner := getattr(part, "validator", None):
            yield from _find_bounds(inner)
