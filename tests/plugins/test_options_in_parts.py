"""Each part of a game reads the options that it should: a game that gains one is asked about each.

Rules are not enough for a new option: a narrator may tell the old rule, an encoder may hide the
new one from machines, a hint may advise for another game. So what each part of a game reads is
traced in real matches, and written down here.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import Any

import pytest
from attrs import evolve, fields

from arena import Bot, Game, Greeting, Play, UserError
from arena.plugins import get_plugins
from arena.plugins.analysis import InformationState
from arena.search import SearchingBot
from arena.testing import Case
from arena.testing.harness.messages import build_greeting

PARTS = ("actions", "board", "bots", "encoder", "hints", "narrator", "turning points", "wire")

SHORT: dict[str, dict[str, Any]] = {"hearts": {"deals": 2}}

READ: dict[str, dict[str, str]] = {
    "briscola": {"deals": "encoder"},
    "bs": {"order": "", "wording": "", "max_turns": ""},
    "coup": {"order": "", "starter": "", "max_turns": "encoder"},
    "gops": {
        "cards": "actions board bots encoder hints narrator turning-points",
        "ties": "board bots encoder hints narrator turning-points",
        "prizes": "bots encoder hints narrator",
    },
    "hearts": {
        "limit": "encoder",
        "deals": "",
        "passing": "actions",
        "moon": "bots hints",
        "queen_breaks": "bots encoder hints",
    },
    "kuhn": {},
}
"""By game and option: the parts that read it. All others are right for each of its values."""


class Trace:
    """A variant that notes which of its options are read."""

    def __init__(self, variant: Any) -> None:
        kind, read = type(variant), set[str]()
        names = {option.name for option in fields(kind)}

        class Traced(kind):  # type: ignore[misc, valid-type]
            __slots__ = ()

            def __getattribute__(self, name: str) -> Any:
                if name in names:
                    read.add(name)
                return super().__getattribute__(name)

        self.variant = Traced(**{name: getattr(variant, name) for name in names})
        self.read = read
        read.clear()


def trace_bots(game: Game, case: Case, greetings: list[Greeting]) -> None:
    """Let each bundled bot play a match in all seats, but for those that know the rules alone."""
    for kind in game.bots.values():
        if not issubclass(kind, SearchingBot):
            with suppress(UserError, TypeError):  # not with so many players, or a parameter lacks
                trace_bot([kind() for _ in greetings], case.deal(game), greetings)


def trace_bot(bots: Sequence[Bot], play: Play, greetings: list[Greeting]) -> None:
    """Let bots play a match."""
    for bot, greeting in zip(bots, greetings, strict=True):
        bot.check_support(greeting.variant, greeting.seats)
        bot.greet(greeting)
    while True:
        for to, event in play.drain():
            for bot in bots if to is None else [bots[to]]:
                bot.hear(event)
        if play.over:
            break
        for seat, question in sorted(play.pending.items()):
            if seat in play.pending:
                play.answer(seat, bots[seat].choose(question))


def trace_teller(game: Game, part: str, greeting: Greeting, case: Case) -> None:
    """Tell a part of the game a match, as the first seat hears it, and ask what it shows."""
    teller = build_teller(game, part, greeting, case)
    if teller is None:
        return
    if part != "encoder":
        [*(teller.tell(greeting) or ())]
    for events, questions in walk(case.deal(game), case):
        for to, event in events:
            if to is None or (to == greeting.seat and part != "turning points"):
                [*(teller.tell(event) or ())]
        match part:
            case "encoder":
                teller.observation()
            case "board":
                _ = teller.zones
            case "narrator" | "wire" if greeting.seat in questions:
                [*teller.ask(questions[greeting.seat])]


def build_teller(game: Game, part: str, greeting: Greeting, case: Case) -> Any:
    """Return what is told a match, or None for a part that this game lacks."""
    names = [f"player_{seat}" for seat in range(case.seats)]
    match part:
        case "narrator":
            return game.build_narrator(greeting.seat, names)
        case "turning points":
            return game.build_turning_points(names)
        case "board":
            build = game.presentation.board
            return build and build(greeting.seat, names)
        case "encoder":
            return game.learning.encoder and game.learning.encoder(greeting)
    return game.build_codec(None, greeting.seat)


def trace_hints(game: Game, greeting: Greeting, case: Case) -> None:
    """Ask each source of hints at each question of the first seat."""
    heard: list[Any] = []
    for events, questions in walk(case.deal(game), case):
        heard += [event for to, event in events if to in (None, greeting.seat)]
        for source in get_plugins().list_hint_sources(game.name):
            if greeting.seat in questions:
                with suppress(UserError):  # it knows nothing of this variant, or of this moment
                    source.check_support(greeting.variant, case.seats)
                    state = InformationState(greeting, heard, questions[greeting.seat])
                    source.compute_hint(state)


def walk(play: Play, case: Case) -> Iterator[tuple[list[Any], dict[Any, Any]]]:
    """Play a case by drawn answers; yield the new events and the open questions of each ask."""
    random = case.random("walk")
    while True:
        yield play.drain(), dict(play.pending)
        if play.over:
            return
        for seat in sorted(play.pending):
            if seat in play.pending:
                play.answer(seat, play.pending[seat].options.draw(random))


def trace_part(game: Game, part: str) -> set[str]:
    """Return the options that a part reads in a match of as few players as can meet."""
    seats = next(seats for seats in game.seats if seats > 1)
    options = SHORT.get(game.name, {})
    case, trace = Case(options, seats, "options"), Trace(game.read_variant(options))
    greetings = [
        evolve(build_greeting(game, case, seat), variant=trace.variant) for seat in range(seats)
    ]
    trace.read.clear()
    match part:
        case "actions":
            if game.learning.actions:
                game.learning.actions(trace.variant, seats)
        case "bots":
            trace_bots(game, case, greetings)
        case "hints":
            trace_hints(game, greetings[0], case)
        case _:
            trace_teller(game, part, greetings[0], case)
    return trace.read


@pytest.mark.parametrize("name", get_plugins().games)
def test_each_part_reads_the_options_that_it_should(name: str) -> None:
    """A new option is in nobody's list: ask of each part whether it has to know of it."""
    game = get_plugins().find_game(name)
    read = {part: trace_part(game, part) for part in PARTS}
    options = [option.name for option in fields(game.variant)]
    readers = {
        option: " ".join(part.replace(" ", "-") for part in PARTS if option in read[part])
        for option in options
    }
    assert readers == READ[name], (
        "an option was added, or another part reads one: look at every part that does not read it"
        " and say to its reader what it should, then write down in READ what is right"
    )
