"""Reading a tune file: strict TOML that says which bot is tuned, by which matches."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from random import Random
from typing import Any

from attrs import field, frozen, validators

from arena import Game, UserError, Variant
from arena.files import read_toml
from arena.host import BOT_FILE, Limits, check_seat_count, parse_entrant, split_team
from arena.plugins import get_plugins
from arena.rules import SeedText, derive_seed, find_sides
from arena.wires import converter, read
from arena_tune.parameters import (
    Parameter,
    RangeConfig,
    choose_parameters,
    read_declarations,
)
from arena_tune.staged_search import EXPLORE_SHARE, PLACE, POINTS, WIN, RunDescription, TuningTerms

SUFFIX = ".toml"
HELD_OUT_SHARE = 5  # of the pool, one opponent in so many is held out, unless the file names some
MIN_POOL = 3  # opponents, from which on some are held out
DEFAULT_SEED = SeedText("1")
MIN_MATCHES = 100
MIN_GAIN = 0.001  # with less, no number of pairs that anybody plays decides


@frozen
class SearchConfig:
    """The table `[search]`."""

    spread: float | None = field(
        default=None,
        validator=validators.optional([validators.gt(0.0), validators.le(0.5)]),
    )
    explore: float = field(
        default=EXPLORE_SHARE, validator=[validators.ge(0.0), validators.le(0.5)]
    )


@frozen
class GateConfig:
    """The table `[gate]`."""

    gain: float = field(default=0.05, validator=[validators.ge(MIN_GAIN), validators.le(0.5)])
    pairs: int = field(default=3_000, validator=validators.ge(1))


@frozen
class TuneFile:
    """The settings of a tune file."""

    game: str
    bot: str
    tune: tuple[str, ...] | None = None
    opponents: tuple[str, ...] = ()
    held_out: tuple[str, ...] = ()
    objective: str | None = field(
        default=None, validator=validators.optional(validators.in_((WIN, PLACE, POINTS)))
    )
    matches: int = field(default=20_000, validator=validators.ge(MIN_MATCHES))
    seed: SeedText = DEFAULT_SEED
    table: int | None = None
    options: Mapping[str, Any] = field(factory=dict)
    time: Limits = field(factory=Limits)
    search: SearchConfig = field(factory=SearchConfig)
    gate: GateConfig = field(factory=GateConfig)
    parameters: Mapping[str, RangeConfig] = field(factory=dict)


@frozen
class TuneSpec:
    """A tune file with its names resolved."""

    file: TuneFile
    path: Path
    game: Game
    variant: Variant
    opponents: tuple[str, ...]  #: all: the pool, then those held out; as the file names them
    terms: TuningTerms
    table: int  #: the seats of a match; in a game of teams a bot has all seats of one

    @property
    def home(self) -> Path:
        """The folder of the file, from which its paths are read."""
        return self.path.absolute().parent

    @property
    def database(self) -> Path:
        """The database with all matches, beside the file."""
        return find_database(self.path)

    @property
    def data_folder(self) -> Path:
        """The folder with the copies of bots, beside the file."""
        return self.home / f"{self.path.stem}.arena"

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """The parameters that are tuned."""
        return self.terms.parameters

    @property
    def description(self) -> RunDescription:
        """What is stored of the file for whoever looks at the run."""
        return RunDescription(self.game.name, self.file.bot, self.opponents, self.terms)

    @property
    def fixed_settings(self) -> dict[str, Any]:
        """The settings that must not change while a run goes on."""
        written: dict[str, Any] = converter.unstructure(self.file)
        parameters = {parameter.name: str(parameter) for parameter in self.parameters}
        return {**written, "opponents": list(self.opponents), "parameters": parameters}


def find_database(path: Path) -> Path:
    """Return the database of a tune file, which stands beside it."""
    return path.absolute().with_suffix(".db")


def load(path: Path) -> TuneSpec:
    """Read a tune file; raise UserError with a line for each mistake."""
    if path.suffix != SUFFIX:
        raise UserError(f"{path}: the name of a tune file must end in {SUFFIX}")
    try:
        file = read(read_toml(path), TuneFile)
    except OSError as problem:
        raise UserError(f"{path}: {problem.strerror}") from None
    except ValueError as problem:
        lines = str(problem).splitlines()
        raise UserError("\n".join(f"{path}: {line}" for line in lines)) from None
    try:
        return _resolve(file, path)
    except UserError as problem:
        raise UserError(f"{path}: {problem}") from None


def _resolve(file: TuneFile, path: Path) -> TuneSpec:
    game = get_plugins().find_game(file.game)
    try:
        variant = game.read_variant(file.options)
    except ValueError as problem:
        raise UserError(f"options: {problem}") from None
    table = file.table or game.seats[0]
    check_seat_count(game, table)
    seats = len(find_sides(variant, table))
    if seats < 2:  # noqa: PLR2004
        raise UserError(
            f"table: tuning needs opponents, but the game is cooperative at a table of {table}"
        )
    if split_team(file.bot):
        raise UserError("bot: a team cannot be tuned; name one bot, which plays all of its seats")
    home = path.absolute().parent
    declared = read_declarations(game, file.bot, home)
    parameters = choose_parameters(declared, file.tune, file.parameters)
    pool, held_out = _choose_opponents(file, _list_playing_bots(game, variant, table), home)
    terms = TuningTerms(
        parameters, tuple(range(len(pool))), tuple(range(len(pool), len(pool) + len(held_out))),
        seats, file.matches, file.seed, file.search.spread, file.gate.gain,
        file.gate.pairs, file.objective or (WIN if seats == 2 else PLACE), file.search.explore,  # noqa: PLR2004
    )  # fmt: skip
    if file.gate.pairs < terms.decisive_pairs:
        raise UserError(
            f"gate: {file.gate.pairs} pairs cannot show a gain of {file.gate.gain:g}, even if each"
            f" is won; set `pairs` to at least {terms.decisive_pairs}"
        )
    return TuneSpec(file, path, game, variant, (*pool, *held_out), terms, table)


def _list_playing_bots(game: Game, variant: Variant, seats: int) -> tuple[str, ...]:
    """Return the bundled bots that can play this quickly: all but those that search."""
    playing = []
    for name in (name for name, kind in game.bots.items() if not kind.searches):
        with suppress(UserError):
            parse_entrant(game, name).check_support(variant, seats)
            playing.append(name)
    return tuple(playing)


def _choose_opponents(
    file: TuneFile, bundled: tuple[str, ...], home: Path
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the opponents of the search, and those held out: the bot as it is is always one."""
    pool = _list_bots(file.opponents or bundled, home)
    if not pool:
        raise UserError("opponents: there are none; no bundled bot plays this, so name some")
    held_out = _list_bots(file.held_out, home)
    if both := [bot for bot in held_out if bot in pool and file.opponents]:
        raise UserError(f"held_out: {', '.join(both)} must not be among the opponents as well")
    if not held_out and len(pool) >= MIN_POOL:
        count = max(1, len(pool) // HELD_OUT_SHARE)
        held_out = Random(derive_seed(file.seed, "held out")).sample(pool, count)
    pool = [bot for bot in pool if bot not in held_out]
    if not pool:
        raise UserError("held_out: every opponent is held out; leave some to play against")
    return tuple(pool), tuple(dict.fromkeys([*held_out, file.bot]))


def _list_bots(texts: tuple[str, ...], home: Path) -> list[str]:
    """Return the bots that texts name; `PATH/*` is each folder there that has a bot.toml."""
    bots: list[str] = []
    for text in texts:
        if not text.endswith("/*"):
            bots.append(text)
            continue
        folder = text.removesuffix("/*")
        found = sorted((home / folder).glob(f"*/{BOT_FILE}"))
        if not found:
            raise UserError(f"{text}: no folder there has a {BOT_FILE}")
        bots += [f"{folder}/{path.parent.name}" for path in found]
    return list(dict.fromkeys(bots))
