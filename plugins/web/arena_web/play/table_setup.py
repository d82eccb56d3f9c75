"""The setup of a table: games, options and players, the form, and how strong bots are.

A served tournament of bundled bots is the first to say how strong bots are, because it is what the
host has measured; for the other bots there are the strengths that their game ships.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import isfinite
from typing import Any

from attrs import NOTHING, fields, frozen
from starlette.exceptions import HTTPException

from arena import Game, UserError, Variant
from arena.extend import (
    UnknownNameError,
    build_variant,
    find_game,
    get_plugins,
    parse_pairs,
    parse_variant,
)
from arena.host import (
    NAME_PATTERN,
    Entrant,
    Limits,
    check_seat_count,
    parse_entrant,
    parse_opponents,
)
from arena.tournament import Standing, load_bot_strengths
from arena_web.sources import TournamentSnapshot, TournamentSource

PERSON = "player"
"""The default name of a person, and the bot name in transcripts."""
START_SECONDS = 10.0  # seconds more for the first answer where programs have to start

CLOCKS: dict[str, float | None] = {
    "no limit": None,
    "10 seconds": 10.0,
    "30 seconds": 30.0,
    "2 minutes": 120.0,
}
"""The time limits for a person's answer, by their labels in the form."""
MAX_PERSONS = 10
MAX_BOTS = 16
SWITCH = ("true", "false")
PROGRAM_PREFIX = "program "
"""The prefix of a program's command line among the choices."""


@frozen
class TableSetup:
    """The setup of a table; enough to play the same match again."""

    game: Game
    variant: Variant
    persons: tuple[str, ...]  #: what they are called
    others: tuple[Entrant, ...]
    clock: float | None = None  #: seconds a person has for each answer; None: all the time
    seed: str | None = None  #: of the deal, for trying things out; else it is drawn

    @property
    def limits(self) -> Limits:
        """The limits of the match, which also hold for programs."""
        start = START_SECONDS if any(entrant.factory.is_program for entrant in self.others) else 0.0
        return Limits(move=self.clock, start=start) if self.clock else Limits(start=start)


def count_usual_players(game: Game) -> int:
    """Return the usual number of players of a game."""
    number = len(game.presentation.demo)
    return number if number in game.seats else game.seats[0]


def parse_setup(
    game: str | None, against: Sequence[str], options: Sequence[str], seed: str | None
) -> TableSetup | None:
    """Return the table that a command line asks for; None if it names no opponent.

    Raises:
        UserError: where that cannot be played.
    """
    if game is None:
        return None
    rules = find_game(game)
    variant = parse_variant(rules, tuple(options))
    others = parse_opponents(rules, against)
    if not others and (options or seed is not None):
        raise UserError("options and a seed need an opponent: add --against BOT")
    if not others:
        return None
    check_seat_count(rules, len(others) + 1)
    for entrant in others:
        entrant.check_support(variant, len(others) + 1)
    return TableSetup(rules, variant, (PERSON,), others, seed=seed)


@frozen
class OptionField:
    """A game's option as a field of the form."""

    name: str
    value: str
    choices: tuple[str, ...] = ()  #: what it may be; nothing where it is written freely
    number: bool = False  #: whether it is a whole number
    least: int | None = None  #: the smallest number, if there is one
    most: int | None = None  #: the largest number, if there is one

    @property
    def is_switch(self) -> bool:
        """Whether it is a yes or a no."""
        return self.choices == SWITCH


@frozen
class OfferedGame:
    """A game that the form offers."""

    game: Game
    programs: Sequence[str]

    @property
    def bots(self) -> list[tuple[str, str]]:
        """The opponents to choose from, the easiest first, each with its description."""
        bots = {name: _summarize(self.game.bots[name]) for name in self.game.opponent_names}
        more = {f"{PROGRAM_PREFIX}{line}": "a program on this machine" for line in self.programs}
        return [*bots.items(), *more.items()]

    @property
    def choices(self) -> list[OptionField]:
        """The game's options."""
        return [_build_field(option) for option in fields(self.game.variant)]


def list_offers(programs: Sequence[str]) -> list[OfferedGame]:
    """Return all games at which a person can sit."""
    return [
        OfferedGame(game, programs)
        for game in get_plugins().games.values()
        if game.bots or programs
    ]


def read_setup(form: Mapping[str, Sequence[str]], programs: Sequence[str]) -> TableSetup:
    """Return the table that a form asks for; raise UserError if it cannot be played.

    Of bots only those that a game brings can be chosen, and the programs that were allowed.
    """
    game = get_plugins().find_game(_get_first(form, "game"))
    given = [
        f"{option.name}={text}"
        for option in fields(game.variant)
        if (text := _get_first(form, f"option-{option.name}").strip())
    ]
    played = build_variant(game, parse_pairs(given))
    persons = [_parse_name(text) for text in form.get("name", ()) if text.strip()] or [PERSON]
    chosen = [text for text in form.get("bot", ()) if text]
    if len(persons) > MAX_PERSONS or len(chosen) > MAX_BOTS:
        raise UserError(f"a table has at most {MAX_PERSONS} people and {MAX_BOTS} bots")
    others = [_parse_bot(game, text, programs) for text in chosen]
    if len(others) == 1 and _get_first(form, "fill"):
        others *= max(1, count_usual_players(game) - len(persons))
    check_seat_count(game, len(persons) + len(others))
    for entrant in others:
        entrant.check_support(played, len(persons) + len(others))
    clock = _get_first(form, "clock") or next(iter(CLOCKS))
    if clock not in CLOCKS:
        raise UnknownNameError("clock", clock, CLOCKS)
    return TableSetup(game, played, tuple(persons), tuple(others), CLOCKS[clock])


def _get_first(form: Mapping[str, Sequence[str]], name: str) -> str:
    return (form.get(name) or ("",))[0]


def _parse_name(text: str) -> str:
    name = text.strip().replace(" ", "_")
    if not re.fullmatch(NAME_PATTERN, name):
        raise UserError("use 1 to 32 letters, digits and underscores for a name")
    return name


def _parse_bot(game: Game, text: str, programs: Sequence[str]) -> Entrant:
    program = text.removeprefix(PROGRAM_PREFIX)
    if program != text and program in programs:
        return parse_entrant(game, program)
    if text not in game.bots:  # whatever else a command line may name is not for who has a browser
        raise UnknownNameError("bot", text, game.bots)
    return parse_entrant(game, text)


def _build_field(option: Any) -> OptionField:
    default = None if option.default is NOTHING else option.default
    if isinstance(default, bool):
        return OptionField(option.name, "true" if default else "false", SWITCH)
    known = getattr(option.validator, "options", ())
    if isinstance(default, str) and known:
        return OptionField(option.name, default, tuple(map(str, known)))
    value = "" if default is None else str(default)
    whole = isinstance(default, int) or str(option.type).replace(" ", "") == "int|None"
    bounds = dict(_find_bounds(option.validator)) if whole else {}
    return OptionField(option.name, value, (), whole, bounds.get(">="), bounds.get("<="))


def _find_bounds(validator: Any) -> Iterator[tuple[str, int]]:
    """Yield the inclusive bounds that a validator of attrs has for a number."""
    for part in (validator, *getattr(validator, "_validators", ())):
        compare, bound = getattr(part, "compare_op", ""), getattr(part, "bound", None)
        if isinstance(bound, int):
            yield compare.rstrip("=") + "=", bound + {">": 1, "<": -1}.get(compare, 0)
        if inner := getattr(part, "validator", None):
            yield from _find_bounds(inner)


def _summarize(kind: type) -> str:
    return (kind.__doc__ or "").strip().partition("\n")[0]


@frozen
class OpponentStrength:
    """The strength of an opponent in words."""

    text: str  #: such as "rating 56 ±12 · worst: 41 % against hard"
    measurement: str = ""  #: what the game measured it by; empty for a served tournament

    def __str__(self) -> str:
        """Return the strength alone, as a list of bots shows it."""
        return self.text


Strengths = Mapping[tuple[str, str], OpponentStrength]
"""The strength of a bot, by the name of its game and its own."""


async def find_strengths(tournaments: Iterable[TournamentSource], shipped: Strengths) -> Strengths:
    """Return the strengths of bundled bots, from the served tournament with the most matches.

    For a game without a bot in a served tournament they are `shipped`, those that the game ships,
    since ratings of different tournaments cannot be compared.
    """
    snapshots: list[TournamentSnapshot] = []
    for tournament in tournaments:
        try:
            snapshots.append(await tournament.snapshot.get())
        except (HTTPException, UserError):  # it has not begun, or its database is away
            continue
    found: dict[tuple[str, str], OpponentStrength] = {}
    for snapshot in sorted(snapshots, key=lambda snapshot: snapshot.summary.matches):
        found.update(_rate_bundled_bots(snapshot))
    served = {game for game, _ in found}
    return {key: text for key, text in shipped.items() if key[0] not in served} | found


def load_shipped_strengths() -> Strengths:
    """Return the strengths that games ship.

    They are read once: the page has to work where no descriptor is left to open a file.
    """
    found = {}
    for game in get_plugins().games.values():
        try:
            shipped = load_bot_strengths(game)
        except ValueError:  # a damaged file of a plugin; the page works without it
            continue
        if shipped:
            for bot, strength in shipped.bots.items():
                found[game.name, bot] = OpponentStrength(str(strength), shipped.measurement)
    return found


def _rate_bundled_bots(snapshot: TournamentSnapshot) -> dict[tuple[str, str], OpponentStrength]:
    game = snapshot.summary.game
    if game not in get_plugins().games:
        return {}
    bundled = get_plugins().games[game].bots
    return {
        (game, standing.entry.bot): OpponentStrength(describe_strength(standing))
        for standing in snapshot.summary.standings
        if standing.entry.bot in bundled and isfinite(standing.rating.high - standing.rating.low)
    }


def describe_strength(standing: Standing) -> str:
    """Describe a rating with its interval, such as "rating 56 ±43"."""
    return f"rating {standing.rating}"
