"""Each part of a game reads the options that it should: a game that gains one is asked about each.

Rules are not enough for a new option: a narrator may tell the old rule, an encoder may hide the
new one from machines, a hint may advise for another game. So what each part of a game reads is
traced in real matches, and written down here.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any
from unittest.mock import patch

import pytest
from attrs import evolve, fields, frozen

from arena import Bot, Game, Greeting, Play, UserError
from arena.plugins import get_plugins
from arena.plugins.analysis import InformationState
from arena.search import SearchingBot
from arena.testing import Case
from arena.testing.harness.messages import build_greeting

PARTS = ("actions", "board", "bots", "encoder", "hints", "narrator", "turning points", "wire")

SHORT: dict[str, dict[str, Any]] = {"hearts": {"deals": 2}}


@frozen
class Readers:
    """The parts of a game that read an option, and why each other part need not."""

    parts: str
    others: dict[str, str]  # parts by reason


NONE = "the game has none"
SAME_CARDS = "the same answers can be given"
LINES = "no line of its text protocol tells an option"
WHAT_HAPPENED = "it goes by what was announced"
OWN_DEAL = "a deal is played for its own points"

READ: dict[str, dict[str, Readers]] = {
    "briscola": {
        "deals": Readers(
            "encoder",
            {
                SAME_CARDS: "actions",
                OWN_DEAL: "bots hints",
                WHAT_HAPPENED: "board narrator turning-points",
                LINES: "wire",
            },
        )
    },
    "bs": {
        "order": Readers(
            "",
            {
                NONE: "actions encoder",
                "who calls does not know who else does": "bots hints",
                "the callers are announced in their order": "board narrator turning-points wire",
            },
        ),
        "wording": Readers(
            "",
            {
                NONE: "actions encoder",
                "it is about one line for programs": "board bots hints narrator turning-points",
                "the event has the verb": "wire",
            },
        ),
        "max_turns": Readers(
            "",
            {
                NONE: "actions encoder",
                "a cap on games without end": "bots hints",
                WHAT_HAPPENED: "board narrator turning-points",
                LINES: "wire",
            },
        ),
    },
    "coup": {
        "order": Readers(
            "",
            {
                SAME_CARDS: "actions",
                "who challenges does not know who else does": "bots encoder hints",
                "who came first is announced": "board narrator turning-points wire",
            },
        ),
        "starter": Readers(
            "",
            {
                SAME_CARDS: "actions",
                "coins are announced": "board bots encoder hints narrator turning-points wire",
            },
        ),
        "max_turns": Readers(
            "encoder",
            {
                SAME_CARDS: "actions",
                "a cap on games without end": "bots hints",
                WHAT_HAPPENED: "board narrator turning-points",
                LINES: "wire",
            },
        ),
    },
    "gops": {
        "cards": Readers(
            "actions board bots encoder hints narrator turning-points",
            {LINES: "wire"},
        ),
        "ties": Readers(
            "board bots encoder hints narrator turning-points",
            {SAME_CARDS: "actions", LINES: "wire"},
        ),
        "prizes": Readers(
            "bots encoder hints narrator turning-points",
            {SAME_CARDS: "actions", "prizes are announced one by one": "board wire"},
        ),
    },
    "hearts": {
        "limit": Readers(
            "encoder",
            {
                SAME_CARDS: "actions",
                OWN_DEAL: "bots hints",
                WHAT_HAPPENED: "board narrator turning-points",
                LINES: "wire",
            },
        ),
        "deals": Readers(
            "",
            {
                SAME_CARDS: "actions",
                OWN_DEAL: "bots hints",
                "the limit of points mostly ends a match before": "encoder",
                WHAT_HAPPENED: "board narrator turning-points",
                LINES: "wire",
            },
        ),
        "passing": Readers(
            "actions",
            {
                "who must pass is asked": "bots hints",
                "the direction is announced": "board encoder narrator turning-points wire",
            },
        ),
        "moon": Readers(
            "bots hints",
            {
                SAME_CARDS: "actions",
                "scores are announced": "board narrator turning-points wire",
                "it makes no card legal, and a learner sees it in its scores": "encoder",
            },
        ),
        "queen_breaks": Readers(
            "bots encoder hints",
            {
                SAME_CARDS: "actions",
                "the cards that may be played are in the question": "board narrator wire",
                "no rule, but what was played makes a moment": "turning-points",
            },
        ),
    },
    "kuhn": {},
}
"""By game and option: the parts that read it, and why all others are right for each value."""

PLACE = "READ (tests/plugins/test_options_in_parts.py)"


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
            return game.build_turning_points(greeting.seat, names)
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


def find_problem(game: str, read: Mapping[str, set[str]], options: Sequence[str]) -> str | None:
    """Return what is missing or wrong in READ about the options of a game, or None.

    `read` are the options that each part reads.
    """
    for option in options:
        if option not in READ[game]:
            return (
                f"{game} has a new option {option!r}: look at each of {', '.join(PARTS)}, let it read"
                f" the option or be right without, and write a row into {PLACE}"
            )
        readers, others = READ[game][option].parts.split(), READ[game][option].others
        for part in PARTS:
            name, is_read = part.replace(" ", "-"), option in read[part]
            excused = [reason for reason, parts in others.items() if name in parts.split()]
            if is_read and name not in readers:
                return f"{name} of {game} reads {option!r} now: name it in {PLACE}"
            if not is_read and name in readers:
                return f"{name} of {game} no longer reads {option!r}: say why in {PLACE}"
            if not is_read and not excused:
                return f"{name} of {game} does not read {option!r}: say why in {PLACE}, or let it"
            if is_read and excused:
                return f"{name} of {game} reads {option!r}: delete the reason in {PLACE}"
    gone = READ[game].keys() - {*options}
    return f"{game} has no option {min(gone)!r}: delete it from {PLACE}" if gone else None


@pytest.mark.parametrize("name", get_plugins().games)
def test_each_part_reads_the_options_that_it_should(name: str) -> None:
    """A new option is in nobody's list: each part that does not read it has a reason."""
    game = get_plugins().find_game(name)
    read = {part: trace_part(game, part) for part in PARTS}
    problem = find_problem(name, read, [option.name for option in fields(game.variant)])
    assert problem is None, problem


def test_a_part_that_was_forgotten_is_named() -> None:
    """With the option, the game and the place where the reason is to be written."""
    options = [*READ["hearts"]]
    read = {
        part: {
            option
            for option in options
            if part.replace(" ", "-") in READ["hearts"][option].parts.split()
        }
        for part in PARTS
    }
    assert find_problem("hearts", read, options) is None
    assert f"new option 'points': look at each of {', '.join(PARTS)}" in str(
        find_problem("hearts", read, [*options, "points"])
    )
    more, less = read | {"board": {"moon"}}, read | {"bots": read["bots"] - {"moon"}}
    assert f"board of hearts reads 'moon' now: name it in {PLACE}" == find_problem(
        "hearts", more, options
    )
    assert f"bots of hearts no longer reads 'moon': say why in {PLACE}" == find_problem(
        "hearts", less, options
    )
    assert f"hearts has no option 'moon': delete it from {PLACE}" == find_problem(
        "hearts", read, [option for option in options if option != "moon"]
    )
    unexplained = {**READ, "hearts": {"limit": Readers("encoder", {SAME_CARDS: "actions"})}}
    with patch.dict(READ, unexplained):
        assert (
            f"board of hearts does not read 'limit': say why in {PLACE}, or let it"
            == find_problem("hearts", read, ["limit"])
        )
