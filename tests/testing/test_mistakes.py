"""Mistakes of authors: wherever one shows, the same words name it and its mend.

Each is a change of one small game. A match that it makes void says it in its outcome, which a
replay and a page show; the contract and the fuzzer fail with it.
"""

from __future__ import annotations

import re
import runpy
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from unittest.mock import patch

import pytest
from attrs import frozen
from hypothesis import Phase

from arena import Game
from arena.host import play_match
from arena.records import Replayer, Spectator, Transcript, replay_for_spectator
from arena.rules import GameError, UserError, describe_error_with_line
from arena.testing import LAWS
from arena.testing import contract as contract_module
from arena.testing.fuzz import fuzz
from arena.testing.laws.rules import the_order_of_sets_does_not_matter
from tests.testing.games.holding import contract, ended, run

pytestmark = pytest.mark.slow  # tries each wrong game

GAME = """
from attrs import evolve, field, frozen
from arena import (Between, Game, MalformedLineError, Narrator, OneOf, Presentation, Question, RandomBot,
                   Secrecy, SomeOf, Wire, Zone, ZoneKind, hookimpl)

@frozen
class Shown:
    card: int

@frozen
class Won:
    seat: int

class Pick(Question[int]):
    pass

class Words(Narrator):
    def describe(self, message):
        match message:
            case Shown(card):
                return [f"{ {1: 'one', 2: 'two'}[card] } is shown."]
        return super().describe(message)

class Lines:
    def __init__(self, seat):
        self.seat = seat

    def tell(self, event):
        match event:
            case Shown(card):
                return [f"shown {card}"]
            case Won(seat):
                return [f"won {seat}"]
        return []

    def ask(self, question):
        return ["pick"]

    def read(self, question, line):
        if line not in ("1", "2"):
            raise MalformedLineError("write 1 or 2")
        return int(line)

    def say(self, question, answer):
        return str(answer)

class Cards:
    def __init__(self, seat, names):
        self.shown = ()

    def tell(self, event):
        if isinstance(event, Shown):
            self.shown = (*self.shown, event.card)

    @property
    def zones(self):
        return {"pile": Zone(kind=ZoneKind.PILE, title="Pile", cards=self.shown)}

@frozen
class Pips:
    cards: int = 2

    async def deal(self, table):
        return PipsPosition(self)

@frozen
class PipsPosition:
    variant: Pips
    points: tuple[int, ...] = (0, 0)
    left: int = 2

    @property
    def over(self):
        return not self.left

    @property
    def scores(self):
        return self.points

    async def round(self, table):
        cards = await table.ask_all({seat: Pick(OneOf((1, 2))) for seat in table.seats})
        table.announce(Shown(cards[0]))
        if self.left == 1:
            table.announce(Won(0))
        return evolve(self, points=(cards[0], cards[1]), left=self.left - 1)

    def resample_hidden(self, seat, random):
        return self

GAME = Game(name="pips", summary="pips", variant=Pips, seats=range(2, 3), messages=(Shown, Won, Pick),
            bots={"random": RandomBot}, wires={"lines": Wire(Lines)}, presentation=Presentation(narrator=Words, board=Cards))

@hookimpl
def arena_games():
    return [GAME]
"""

ASK = "await table.ask_all({seat: Pick(OneOf((1, 2))) for seat in table.seats})"
ANNOUNCE = "table.announce(Shown(cards[0]))"
RETURN = "return evolve(self, points=(cards[0], cards[1]), left=self.left - 1)"
LAST = "        if self.left == 1:\n            table.announce(Won(0))\n"
MATCH, SHOWN, TRIED = ("match",), ("replay", "page"), ("contract", "fuzz")
EVERYWHERE = (*MATCH, *SHOWN, *TRIED)
PROGRAM = ("program",)  # a match of programs, which the wire is for
ENDLESS = r"the game has not ended after .*"
AT_ROUND = r"\(pips\.py:\d+, in round\)"


@frozen
class Mistake:
    """A change of the game, what is said of it, and where."""

    old: str
    new: str
    message: str
    places: tuple[str, ...] = EVERYWHERE


MISTAKES = {
    "fewer-scores-than-seats": Mistake(
        "return self.points", "return self.points[:1]",
        r"the scores of PipsPosition\.scores \(pips\.py:\d+\) are 1 for 2 seats; give each seat one",
    ),
    "scores-are-texts": Mistake(
        "return self.points", "return [str(points) for points in self.points]",
        r"the scores of PipsPosition\.scores \(.*\) contain '\d'; give whole, finite or exact numbers",
    ),
    "scores-by-seat": Mistake(
        "return self.points", "return dict(enumerate(self.points))",
        r"the scores of PipsPosition\.scores \(.*\) are a dict; give a tuple with a number for each seat",
    ),
    "scores-without-property": Mistake(
        "@property\n    def scores", "def scores",
        r"PipsPosition\.scores \(pips\.py:\d+\) is a method; write `@property` above it",
    ),
    "over-without-property": Mistake(
        "@property\n    def over", "def over",
        r"PipsPosition\.over \(pips\.py:\d+\) is a method; write `@property` above it",
    ),
    "an-event-is-a-class": Mistake(
        ANNOUNCE, "table.announce(Shown)",
        rf"announces the class Shown itself; write Shown\(\.\.\.\), an object of it {AT_ROUND}",
    ),
    "a-class-is-told": Mistake(
        ANNOUNCE, "table.tell(1, Shown)",
        rf"tells the class Shown itself; write Shown\(\.\.\.\), an object of it {AT_ROUND}",
    ),
    "a-question-is-a-class": Mistake(
        ASK, "await table.ask_all({0: Pick, 1: Pick})",
        r"PipsPosition\.round \(pips\.py:\d+\) asks the class Pick itself; write Pick\(options\)",
    ),
    "questions-in-a-list": Mistake(
        ASK, "await table.ask_all([Pick(OneOf((1, 2)))])",
        r"PipsPosition\.round \(pips\.py:\d+\) asks a list; write \{seat: question, \.\.\.\}",
    ),
    "one-of-a-set": Mistake(
        "OneOf((1, 2))", "OneOf({1, 2})",
        r"OneOf of a set: .* depends on the order; write OneOf\(sorted\(\.\.\.\)\) \(pips\.py:\d+, in .*",
    ),
    "some-of-a-set": Mistake(
        "OneOf((1, 2))", "SomeOf({1, 2})",
        r"SomeOf of a set: .* depends on the order; write SomeOf\(sorted\(\.\.\.\)\) \(pips\.py:\d+, in .*",
    ),
    "a-seat-that-does-not-exist": Mistake(
        "for seat in table.seats}", "for seat in (1, 2)}",
        r"PipsPosition\.round \(pips\.py:\d+\) asks seat 2, but the seats are 0 to 1",
    ),
    "a-forgotten-await": Mistake(
        ASK, ASK.removeprefix("await "),
        (r"PipsPosition\.round \(pips\.py:\d+\): table\.ask_all \(Pick\) was never awaited; is an `await`"
         r" missing\?.*"),
    ),
    "no-next-position": Mistake(
        RETURN, RETURN.removeprefix("return "),
        r"PipsPosition\.round \(pips\.py:\d+\) returned nothing: return the next position",
    ),
    "an-unlisted-event": Mistake(
        "messages=(Shown, Won, Pick)", "messages=(Won, Pick)",
        r"Shown is not among the game's messages; list it in Game\(messages=\.\.\.\)",
    ),
    "a-key-that-is-not-there": Mistake(
        ANNOUNCE, "table.announce(Shown({0: 1}[cards[0]]))", rf"KeyError: \d {AT_ROUND}"
    ),
    "a-loop-without-end": Mistake(
        ANNOUNCE, "while True: pass", rf"{ENDLESS}pips\.py:\d+.*"
    ),
    "rounds-without-end": Mistake(
        "return not self.left", "return False", ENDLESS
    ),
    "an-announcement-after-the-end": Mistake(
        f"        cards = {ASK}\n        {ANNOUNCE}\n{LAST}",
        f"        if self.over:\n            table.announce(Won(0))\n            return self\n        cards = {ASK}\n",
        r"Won would be announced in a round that begins when .* is over, .*; announce it in the last .*",
        TRIED,
    ),
    "a-key-error-of-the-narrator": Mistake(
        "{1: 'one', 2: 'two'}", "{1: 'one'}", r".*KeyError: 2 \(pips\.py:\d+, in describe\)",
        (*SHOWN, *TRIED),
    ),
    "a-narrator-without-a-list": Mistake(
        "[f\"{ {1: 'one', 2: 'two'}[card] } is shown.\"]", "'It is shown.'",
        r".*Words\.describe \(pips\.py:\d+\) returns a text; return a list of sentences",
        (*SHOWN, *TRIED),
    ),
    "zones-in-a-list": Mistake(
        'return {"pile": Zone(kind=ZoneKind.PILE, title="Pile", cards=self.shown)}',
        'return [Zone(kind=ZoneKind.PILE, title="Pile", cards=self.shown)]',
        r'.*Cards\.zones is a list; return the zones by their keys, such as \{"pile": Zone\(\.\.\.\)\}',
        ("page", *TRIED),
    ),
    "zones-without-zone": Mistake(
        'Zone(kind=ZoneKind.PILE, title="Pile", cards=self.shown)', "self.shown",
        r".*Cards\.zones\['pile'\] is \(.*\); make it a Zone\(\.\.\.\)",
        ("page", *TRIED),
    ),
    "a-wire-that-tells-a-text": Mistake(
        'return [f"shown {card}"]', 'return f"shown {card}"',
        r"Lines\.tell \(pips\.py:\d+\) returns a text; return a list of lines", (*PROGRAM, *TRIED),
    ),
    "a-wire-that-tells-nothing": Mistake(
        "return []", "pass",
        r"Lines\.tell \(pips\.py:\d+\) returns nothing; return a list of lines", (*PROGRAM, *TRIED),
    ),
    "a-wire-that-asks-in-bytes": Mistake(
        'return ["pick"]', 'return b"pick"',
        r"Lines\.ask \(pips\.py:\d+\) returns b'pick'; return a list of lines", (*PROGRAM, *TRIED),
    ),
    "a-wire-of-no-lines": Mistake(
        'return ["pick"]', "return [question]",
        r"Lines\.ask \(.*\) returns a list in which Pick\(.*\) is not a text; return a list of lines",
        (*PROGRAM, *TRIED),
    ),
    "a-wire-with-two-lines-in-one": Mistake(
        'return ["pick"]', 'return ["pick\\n1 or 2"]',
        r"Lines\.ask \(.*\) returns a list in which 'pick\\n1 or 2' has a newline; return a list of lines",
        (*PROGRAM, *TRIED),
    ),
    "a-wire-that-fails-at-a-line": Mistake(
        """if line not in ("1", "2"):
            raise MalformedLineError("write 1 or 2")
        return int(line)""", "return {'2': 2}[line]",
        r"KeyError: '.*' \(pips\.py:\d+, in read\), for the line '.*'; raise MalformedLineError for a line"
        r" that is no answer", (*PROGRAM, *TRIED),
    ),
    "a-wire-that-reads-a-list": Mistake(
        "return int(line)", "return [int(line)]",
        r"Lines\.read \(pips\.py:\d+\) returns \[\d\]; return a tuple in place of a list",
        (*PROGRAM, *TRIED),
    ),
    "a-wire-that-says-a-number": Mistake(
        "return str(answer)", "return answer",
        r"Lines\.say \(pips\.py:\d+\) returns \d; return the line", TRIED,
    ),
    "cards-in-a-text": Mistake(
        "cards=self.shown)", "cards='AH')",
        r"Zone\(cards=\.\.\.\) is 'AH'; write a tuple, such as cards=\('AH',\) \(pips\.py:\d+, in zones\)",
        ("page", *TRIED),
    ),
    "an-object-of-a-narrator": Mistake(
        "narrator=Words", "narrator=Words(None, ['a', 'b'])",
        r"presentation\.narrator: <.*> cannot be called; name a class or a function", ("load",),
    ),
    "a-tip-for-no-question": Mistake(
        "narrator=Words", "narrator=Words, guide={int: ('Choose.',)}",
        r"presentation\.guide: <class 'int'> is no question among the messages", ("load",),
    ),
    "an-object-of-a-codec": Mistake(
        "Wire(Lines)", "Wire(Lines(0))",
        r"wires\['lines'\]\.codec: <.*> cannot be called; name a class or a function", ("load",),
    ),
    "an-option-without-a-type": Mistake(
        "cards: int = 2", "cards = field(default=2)",
        r"Pips \(pips\.py:\d+\): cards has no type; write, for example, `cards: int = \.\.\.`",
        ("load",),
    ),
    "a-message-without-types": Mistake(
        "class Shown:\n    card: int", "class Shown:\n    card = field()",
        r"Shown \(pips\.py:\d+\): card has no type; write, for example, `card: int = \.\.\.`",
        ("load",),
    ),
    "a-misspelt-keyword": Mistake(
        "summary=", "sumary=",
        r"Game has no 'sumary'; did you mean summary=\? \(available: name, title, summary, variant, .*\)",
        ("load",),
    ),
    "a-keyword-of-a-group": Mistake(
        "summary=", "narrator=Words, summary=",
        r"Game has no 'narrator'; did you mean presentation=Presentation\(narrator=\.\.\.\)\? .*",
        ("load",),
    ),
    "a-keyword-of-another-group": Mistake(
        "Presentation(narrator", "Presentation(reveals=(Shown,), narrator",
        r"Presentation has no 'reveals'; did you mean secrecy=Secrecy\(reveals=\.\.\.\)\? .*",
        ("load",),
    ),
}  # fmt: skip


def load(source: str, folder: Path) -> Game:
    (folder / "pips.py").write_text(source)
    game: Game = runpy.run_path(str(folder / "pips.py"))["GAME"]
    return game


def play(game: Game) -> tuple[str, Transcript]:
    """Return why a match is void, and its transcript."""
    result = play_match(game, ["random", "random"], seed="3")
    assert result.transcript
    return result.outcome.detail, result.transcript


def play_programs(game: Game) -> str:
    """Return why a match of programs is void."""
    result = play_match(game, ["sh -c 'while read line; do echo 1; done'"] * 2, seed="3")
    return result.outcome.detail


def show(game: Game) -> str:
    """Return what a replay says at last: why the match is void, or what it cannot show."""
    try:
        return [*replay_for_spectator(game, play(game)[1])][-1]
    except UserError as problem:
        return str(problem)


def show_page(game: Game) -> str:
    """Return what a page says at last."""
    transcript = play(game)[1]
    try:
        page = Replayer.of(game, transcript.header, [Spectator.ALL], page=True)
        steps = [*page.begin(), *(step for line in transcript.lines for step in page.take(line))]
        return [word for step in steps for word in step.words][-1]
    except UserError as problem:
        return str(problem)


def try_contract(game: Game) -> str:
    """Return the first failure of the contract."""
    tests = contract(game, max_examples=3, cpu_limit_seconds=0.2)
    try:
        for law in LAWS:  # in order
            if law != the_order_of_sets_does_not_matter.name:  # it starts interpreters
                run(tests, law)
    except Exception as problem:  # noqa: BLE001  # whatever it is
        return describe_error_with_line(problem)
    raise AssertionError


def try_fuzzer(game: Game) -> str:
    """Return the reason of the law that is broken first."""
    with ended(60):
        broken = fuzz(game, 60, {}, lambda _law, _tried: None, 1).broken_law
    assert broken
    return broken.reason


PLACES: Mapping[str, Callable[[Game], str]] = {
    "match": lambda game: play(game)[0],
    "program": play_programs,
    "replay": show,
    "page": show_page,
    "contract": try_contract,
    "fuzz": try_fuzzer,
}


@pytest.fixture(autouse=True)
def _short_limits(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr("arena.players.rules_watch.LOOK_SECONDS", 0.05)
    monkeypatch.setattr("arena.rules.play.MAX_ASKS", 50)
    monkeypatch.setattr("arena.testing.harness.cases.MAX_ANSWERS", 50)
    monkeypatch.setattr("arena.testing.fuzz.CPU_LIMIT_SECONDS", 0.2)
    with patch.object(contract_module, "PHASES", (Phase.generate,)):
        yield


@pytest.mark.filterwarnings("ignore:coroutine .* was never awaited")
@pytest.mark.parametrize(
    ("mistake", "place"),
    [(name, place) for name, mistake in MISTAKES.items() for place in mistake.places],
)
def test_a_mistake_is_named_where_its_author_meets_it(
    mistake: str, place: str, tmp_path: Path
) -> None:
    """In the words of the one place that has found it, with its line and the mend."""
    wrong = MISTAKES[mistake]
    assert GAME.count(wrong.old) == 1
    source = GAME.replace(wrong.old, wrong.new)
    if place == "load":
        with pytest.raises((GameError, TypeError, ValueError)) as raised:
            load(source, tmp_path)
        said = str(raised.value)
    else:
        said = PLACES[place](load(source, tmp_path))
    assert re.search(wrong.message, said), said
