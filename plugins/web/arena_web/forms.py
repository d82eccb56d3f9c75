"""The form by which a table is set: what may be chosen, and what was."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from attrs import NOTHING, fields, frozen

from arena.host import NAME, Entrant, entrant, see_seats
from arena.plugins import Game, pairs, plugins, variant
from arena.rules import Unknown, UserError
from arena_web.orders import PERSON, Order, usual

CLOCKS: dict[str, float | None] = {
    "all the time I want": None,
    "10 seconds": 10.0,
    "30 seconds": 30.0,
    "2 minutes": 120.0,
}
"""How long a person may take for an answer, as the form says it."""
MOST_PERSONS = 10
MOST_BOTS = 16
PROGRAM = "program "
"""What stands before a program's command line, where it may be chosen."""


@frozen
class Choice:
    """An option of a game, as a field of the form."""

    name: str
    value: str
    choices: tuple[str, ...] = ()  #: what it may be; nothing where it is written freely
    number: bool = False


@frozen
class Offer:
    """A game, as the form offers it."""

    game: Game
    programs: Sequence[str]

    @property
    def bots(self) -> list[tuple[str, str]]:
        """Return who may be chosen, the easiest first, each with a line about it."""
        bots = {name: _summary(self.game.bots[name]) for name in self.game.offered}
        more = {f"{PROGRAM}{line}": "a program on this machine" for line in self.programs}
        return [*bots.items(), *more.items()]

    @property
    def choices(self) -> list[Choice]:
        """Return the game's options."""
        return [_choice(one) for one in fields(self.game.variant)]


def offers(programs: Sequence[str]) -> list[Offer]:
    """Return all games at which a person can sit."""
    return [Offer(game, programs) for game in plugins().games.values() if game.bots or programs]


def read(form: Mapping[str, Sequence[str]], programs: Sequence[str]) -> Order:
    """Return what was chosen; raise UserError in one line where that cannot be played.

    Of bots only those that a game brings can be chosen, and the programs that were allowed.
    """
    game = plugins().game(_one(form, "game"))
    given = [
        f"{one.name}={text}"
        for one in fields(game.variant)
        if (text := _one(form, f"option-{one.name}").strip())
    ]
    played = variant(game, pairs(given))
    persons = [_name(text) for text in form.get("name", ()) if text.strip()] or [PERSON]
    chosen = [text for text in form.get("bot", ()) if text]
    if len(persons) > MOST_PERSONS or len(chosen) > MOST_BOTS:
        raise UserError(f"at most {MOST_PERSONS} persons and {MOST_BOTS} bots sit at a table")
    others = [_bot(game, text, programs) for text in chosen]
    if len(others) == 1 and _one(form, "fill"):
        others *= max(1, usual(game) - len(persons))
    see_seats(game, len(persons) + len(others))
    for one in others:
        one.check_supported(played, len(persons) + len(others))
    clock = _one(form, "clock") or next(iter(CLOCKS))
    if clock not in CLOCKS:
        raise Unknown("clock", clock, CLOCKS)
    return Order(game, played, tuple(persons), tuple(others), CLOCKS[clock])


def _one(form: Mapping[str, Sequence[str]], name: str) -> str:
    return (form.get(name) or ("",))[0]


def _name(text: str) -> str:
    name = text.strip().replace(" ", "_")
    if not re.fullmatch(NAME, name):
        raise UserError("a name has 1 to 32 letters, digits or underscores")
    return name


def _bot(game: Game, text: str, programs: Sequence[str]) -> Entrant:
    program = text.removeprefix(PROGRAM)
    if program != text and program in programs:
        return entrant(game, program)
    if text not in game.bots:  # whatever else a command line may name is not for who has a browser
        raise Unknown("bot", text, game.bots)
    return entrant(game, text)


def _choice(one: Any) -> Choice:
    default = None if one.default is NOTHING else one.default
    if isinstance(default, bool):
        return Choice(one.name, "true" if default else "false", ("true", "false"))
    known = getattr(one.validator, "options", ())
    if isinstance(default, str) and known:
        return Choice(one.name, default, tuple(map(str, known)))
    value = "" if default is None else str(default)
    return Choice(one.name, value, number=isinstance(default, int))


def _summary(kind: type) -> str:
    return (kind.__doc__ or "").strip().partition("\n")[0]
