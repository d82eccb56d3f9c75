"""Tables that somebody asks for: by a form, or on a command line."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import zip_longest

from attrs import fields

from arena import Game, UserError, Variant
from arena.cli.support.commands import find_game, parse_variant
from arena.host import Entrant, check_seat_count, parse_entrant, parse_opponents
from arena.plugins import build_variant, get_plugins, parse_pairs
from arena.rules import UnknownNameError, abbreviate
from arena_web.play.person_names import parse_name
from arena_web.play.table_setup import MAX_PERSONS, TableSetup, count_usual_players
from arena_web.play.table_terms import PERSON, TableTerms

MAX_DIGITS = 4  # of a number of seats or bots

CLOCKS: dict[str, float | None] = {
    "no limit": None,
    "10 seconds": 10.0,
    "30 seconds": 30.0,
    "2 minutes": 120.0,
}
"""The time limits for a person's answer, by their labels in the form."""
MAX_BOTS = 16
PROGRAM_PREFIX = "program "
"""The prefix of a program's command line among the choices."""


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
    setup = TableSetup(
        rules, variant, others, seed, partners, terms=TableTerms(persons=(PERSON,), table=table)
    )
    return setup.check()


def read_setup(form: Mapping[str, Sequence[str]], programs: Sequence[str]) -> TableSetup:
    """Return the table that a form asks for; raise UserError if it cannot be played.

    Of bots only those that a game brings can be chosen, and the programs that were allowed.
    """
    game = get_plugins().find_game(get_first(form, "game"))
    variant = _read_variant(form, game)
    persons = [parse_name(text) for text in form.get("name", ()) if text.strip()] or [PERSON]
    texts = [*_iter_bots(form)]
    beside = [text for text in form.get("partner", ()) if text]
    check_numbers(len(persons), len(texts) + len(beside))
    others = [parse_bot(game, text, programs) for text in texts]
    partners = [parse_bot(game, text, programs) for text in beside]
    table = _parse_number(get_first(form, "table"), "seats")
    if invites := bool(get_first(form, "friends")):
        table = table or (1 + len(others) if len(others) > 1 else count_usual_players(game))
        others = others[:1] or [parse_bot(game, get_first(form, "friends"), programs)]
        partners = []
    elif len(others) == 1 and get_first(form, "fill"):
        others *= max(1, count_usual_players(game) - len(persons))
    if table is None:
        check_seat_count(game, len(persons) + len(partners) + len(others))
    terms = TableTerms(
        persons=tuple(persons),
        clock=_parse_clock(get_first(form, "clock")),
        table=table,
        invites=invites,
    )
    return TableSetup(game, variant, tuple(others), partners=tuple(partners), terms=terms).check()


def _iter_bots(form: Mapping[str, Sequence[str]]) -> Iterator[str]:
    """Yield the bots of a form, each as often as the number beside it says, else once."""
    for text, count in zip_longest(form.get("bot", ()), form.get("count", ()), fillvalue=""):
        if text:
            number = _parse_number(count, "bots")
            check_numbers(1, number or 1)
            yield from [text] * (1 if number is None else number)


def check_numbers(people: int, bots: int) -> None:
    """Raise UserError where a visitor names too many people or bots for a table."""
    if people > MAX_PERSONS or bots > MAX_BOTS:
        raise UserError(f"a table has at most {MAX_PERSONS} people and {MAX_BOTS} bots")


def _read_variant(form: Mapping[str, Sequence[str]], game: Game) -> Variant:
    """Return the variant of a game with the options of a form; those that are empty are usual."""
    texts = {
        option.name: get_first(form, f"option-{option.name}").strip()
        for option in fields(game.variant)
    }
    pairs = [f"{name}={text}" for name, text in texts.items() if text]
    return build_variant(game, parse_pairs(pairs))


def _parse_clock(label: str) -> float | None:
    """Return the time limit of this label; the first one where none is named."""
    label = label or next(iter(CLOCKS))
    if label not in CLOCKS:
        raise UnknownNameError("clock", label, CLOCKS)
    return CLOCKS[label]


def _parse_number(text: str, unit: str) -> int | None:
    """Return a number of seats or bots; None where there is none."""
    if not text.strip():
        return None
    if not text.strip().isdecimal() or len(text) > MAX_DIGITS:
        raise UserError(f"{abbreviate(text)} is not a number of {unit}")
    return int(text)


def get_first(form: Mapping[str, Sequence[str]], name: str) -> str:
    """Return the first value of a field, or nothing."""
    return (form.get(name) or ("",))[0]


def parse_bot(game: Game, text: str, programs: Sequence[str]) -> Entrant:
    """Return the bot that was chosen on a page; raise UserError if it cannot be."""
    program = text.removeprefix(PROGRAM_PREFIX)
    if program != text and program in programs:
        return parse_entrant(game, program)
    if text not in game.bots:  # whatever else a command line may name is not for who has a browser
        raise UnknownNameError("bot", text, game.bots)
    return parse_entrant(game, text)
