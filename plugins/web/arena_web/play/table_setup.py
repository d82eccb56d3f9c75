"""The setup of a table: game, options, players and what people may be called.

A form or a command line asks for them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Self
from unicodedata import normalize

from attrs import evolve, field, fields, frozen

from arena import Game, RandomBot, UserError, Variant
from arena.cli.support.commands import find_game, parse_variant
from arena.host import (
    Entrant,
    Limits,
    PeopleTable,
    check_seat_count,
    configure,
    is_bundled,
    parse_entrant,
    parse_opponents,
    seat_people,
    split_team,
)
from arena.plugins import build_variant, get_plugins, parse_pairs
from arena.rules import UnknownNameError, abbreviate
from arena.tournament.lookalikes import TakenTexts
from arena.wires import is_blank, to_printable
from arena_web.play.sitting import Sitting
from arena_web.player_names import load_strengths
from arena_web.texts import present_name

MAX_DIGITS = 4  # of a number of seats
PERSON = "player"
"""The default name of a person, and the bot name in transcripts."""

CLOCKS: dict[str, float | None] = {
    "no limit": None,
    "10 seconds": 10.0,
    "30 seconds": 30.0,
    "2 minutes": 120.0,
}
"""The time limits for a person's answer, by their labels in the form."""
MAX_PERSONS = 10
MAX_BOTS = 16
MAX_NAME_LENGTH = 32  # characters of a person's name
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
    partners: tuple[Entrant, ...] = ()  #: of the people; without any the first of the others
    table: int | None = None  #: how many seats it has; None: the fewest that fit
    invites: bool = False  #: whether friends may still take seats of its bots
    daily: str = ""  #: the day whose deal it is, as ISO 8601 writes it; empty for other deals
    sitting: Sitting = field(factory=Sitting)  #: the matches of these players before

    def seat(self) -> PeopleTable:
        """Seat stand-ins for the people with the bots; raise UserError where that is impossible."""
        people = [evolve(configure(RandomBot), name=name, bot=PERSON) for name in self.persons]
        return seat_people(
            self.game, self.variant, people, self.others, partners=self.partners, table=self.table
        )

    def check(self) -> Self:
        """Return the setup; raise UserError where it cannot be played."""
        seating = self.seat()
        for entrant in seating.players[len(self.persons) :]:
            entrant.check_support(self.variant, seating.seats)
        return self

    def change_people(
        self, persons: Sequence[str], bot: Entrant | None, *, invites: bool = False
    ) -> Self:
        """Return the setup with these people in as many seats; a bot takes all others.

        Without a bot there are no other seats. Raise UserError where that cannot be played.
        """
        seats = self.seat().seats
        if len(persons) > min(seats, MAX_PERSONS):
            raise UserError("all seats are taken")
        others = (bot,) if bot and len(persons) < seats else ()
        return evolve(
            self,
            persons=tuple(persons),
            others=others,
            partners=(),
            table=seats if others else len(persons),
            invites=invites and bool(others),
        ).check()

    def deal_anew(self, sitting: Sitting) -> Self:
        """Return the setup of the next match: a deal of the day is followed by others."""
        seed = None if self.daily else self.seed
        return evolve(self, daily="", seed=seed, sitting=sitting)

    @property
    def gathers(self) -> bool:
        """Whether there are people to wait for: several, or friends who are invited."""
        return self.invites or len(self.persons) > 1

    def pack(
        self, names: Sequence[str], seating: Sequence[int], seed: str | None
    ) -> dict[str, Any]:
        """Return the setup as JSON, with the names in seat order, and what was drawn.

        `seating` has for each seat the number of its player, persons first.
        """
        return {
            "game": self.game.name,
            "variant": self.game.write_variant(self.variant),
            "persons": self.persons,
            "others": [(entrant.name, entrant.bot) for entrant in self.others],
            "partners": [(entrant.name, entrant.bot) for entrant in self.partners],
            "table": self.table,
            "invites": self.invites,
            "daily": self.daily,
            "sitting": self.sitting.pack(),
            "clock": self.clock,
            "seed": seed,
            "seating": seating,
            "names": names,
        }

    @classmethod
    def unpack(cls, packed: Mapping[str, Any], programs: Sequence[str] | None) -> Self:
        """Return a setup that was kept; raise UserError if it can be played no more.

        Of programs it may have these; None: any. The seed is not in it: the next match is drawn.
        """
        game = get_plugins().find_game(packed["game"])
        try:
            variant = game.read_variant(packed["variant"])
        except ValueError as problem:
            raise UserError(f"{game.name}: {problem}") from None
        others, partners = (
            tuple([_unpack_bot(game, name, bot, programs) for name, bot in packed[role]])
            for role in ("others", "partners")
        )
        sitting = Sitting.unpack(packed["sitting"]) if "sitting" in packed else Sitting()
        return cls(
            game, variant, tuple(packed["persons"]), others, packed["clock"],
            partners=partners, table=packed["table"], invites=packed.get("invites", False),
            daily=packed.get("daily", ""), sitting=sitting,
        )  # fmt: skip

    @property
    def limits(self) -> Limits:
        """The limits of the match, which also hold for programs."""
        start = (
            Limits().start if any(entrant.factory.is_program for entrant in self.others) else 0.0
        )
        return Limits(move=self.clock, start=start) if self.clock else Limits(start=start)


def count_usual_players(game: Game) -> int:
    """Return the usual number of players of a game: as its bots were measured, or are shown."""
    strengths = load_strengths(game)
    numbers = (strengths.table if strengths else 0, len(game.presentation.demo), game.seats[0])
    return next(number for number in numbers if number in game.seats)


def parse_setup(
    game: str | None,
    against: Sequence[str],
    options: Sequence[str],
    seed: str | None,
    *,
    beside: Sequence[str] = (),
    table: int | None = None,
) -> TableSetup | None:
    """Return the table that a command line asks for; None if it names no opponent.

    Raises:
        UserError: where that cannot be played.
    """
    if game is None:
        return None
    rules = find_game(game)
    variant = parse_variant(rules, tuple(options))
    others, partners = parse_opponents(rules, against), parse_opponents(rules, beside)
    if not (others or partners) and (options or seed is not None or table is not None):
        raise UserError("options, a seed and a table need an opponent: add --against BOT")
    if not (others or partners):
        return None
    setup = TableSetup(rules, variant, (PERSON,), others, seed=seed, partners=partners, table=table)
    return setup.check()


def read_setup(form: Mapping[str, Sequence[str]], programs: Sequence[str]) -> TableSetup:
    """Return the table that a form asks for; raise UserError if it cannot be played.

    Of bots only those that a game brings can be chosen, and the programs that were allowed.
    """
    game = get_plugins().find_game(get_first(form, "game"))
    bots = [
        f"{option.name}={text}"
        for option in fields(game.variant)
        if (text := get_first(form, f"option-{option.name}").strip())
    ]
    variant = build_variant(game, parse_pairs(bots))
    persons = [parse_name(text) for text in form.get("name", ()) if text.strip()] or [PERSON]
    texts = [text for text in form.get("bot", ()) if text]
    beside = [text for text in form.get("partner", ()) if text]
    check_numbers(len(persons), len(texts) + len(beside))
    others = [parse_bot(game, text, programs) for text in texts]
    partners = [parse_bot(game, text, programs) for text in beside]
    table = _parse_table(get_first(form, "table"))
    if invites := bool(get_first(form, "friends")):
        table = table or (1 + len(others) if len(others) > 1 else count_usual_players(game))
        others = others[:1] or [parse_bot(game, get_first(form, "friends"), programs)]
        partners = []
    elif len(others) == 1 and get_first(form, "fill"):
        others *= max(1, count_usual_players(game) - len(persons))
    if table is None:
        check_seat_count(game, len(persons) + len(partners) + len(others))
    clock = get_first(form, "clock") or next(iter(CLOCKS))
    if clock not in CLOCKS:
        raise UnknownNameError("clock", clock, CLOCKS)
    setup = TableSetup(
        game,
        variant,
        tuple(persons),
        tuple(others),
        CLOCKS[clock],
        partners=tuple(partners),
        table=table,
        invites=invites,
    )
    return setup.check()


def check_numbers(people: int, bots: int) -> None:
    """Raise UserError where a visitor names too many people or bots for a table."""
    if people > MAX_PERSONS or bots > MAX_BOTS:
        raise UserError(f"a table has at most {MAX_PERSONS} people and {MAX_BOTS} bots")


def _parse_table(text: str) -> int | None:
    """Return a number of seats; None where there is none."""
    if not text.strip():
        return None
    if not text.strip().isdecimal() or len(text) > MAX_DIGITS:
        raise UserError(f"{abbreviate(text)} is not a number of seats")
    return int(text)


def _unpack_bot(game: Game, name: str, bot: str, programs: Sequence[str] | None) -> Entrant:
    others = {player for player in split_team(bot) or (bot,) if not is_bundled(game, player)}
    if programs is not None and not others <= {*programs}:
        raise UserError(f"{name} cannot be played against here any more")
    return evolve(parse_entrant(game, bot), name=name)


def get_first(form: Mapping[str, Sequence[str]], name: str) -> str:
    """Return the first value of a field, or nothing."""
    return (form.get(name) or ("",))[0]


class BadNameError(UserError):
    """A name that nobody can have at a table: its message stands beside the field."""


def parse_name(text: str) -> str:
    """Return the name of a person, in any script, as tables know it; raise BadNameError if not one.

    >>> parse_name(" Jean-Luc  Zoë ")
    'Jean-Luc_Zoë'
    """
    name = normalize("NFC", "_".join(text.split()))
    if len(name) > MAX_NAME_LENGTH:
        raise BadNameError(f"this name has {len(name)} characters; {MAX_NAME_LENGTH} are allowed")
    if to_printable(name) != name or is_blank(name.replace("_", "")):
        raise BadNameError("a name shows letters, digits or symbols, and no control characters")
    return name


def check_distinct_name(name: str, others: Iterable[str]) -> None:
    """Raise BadNameError for a name that looks like another player's and is not the same.

    The same name is told apart by a number.
    """
    texts = TakenTexts()
    for other in others:
        texts.add(present_name(other), other)
    label = present_name(name)
    alike = texts.find(label, name)
    if alike and alike != label:
        raise BadNameError(f"{label} looks like {alike}, who plays here; choose another name")


def parse_bot(game: Game, text: str, programs: Sequence[str]) -> Entrant:
    """Return the bot that was chosen on a page; raise UserError if it cannot be."""
    program = text.removeprefix(PROGRAM_PREFIX)
    if program != text and program in programs:
        return parse_entrant(game, program)
    if text not in game.bots:  # whatever else a command line may name is not for who has a browser
        raise UnknownNameError("bot", text, game.bots)
    return parse_entrant(game, text)
