"""The wire that every game has: JSON lines, there and back."""

from __future__ import annotations

import json
from random import Random
from typing import Any

import pytest
from attrs import evolve, frozen
from hypothesis import example, given
from hypothesis import strategies as st

from arena import Between, Game, Greeting, MalformedLineError, OneOf, Question, SomeOf, Text
from arena.players import NOT_YET, Program
from arena.plugins import get_plugins
from arena.rules import Fault, GameError, Play, PlayerFailure
from arena.wires import JsonLines, TimeLeft, Vocabulary, dump
from arena.wires.codecs import load
from tests.support.toys import PICK, TOY

GAMES = get_plugins().games


@frozen
class Pipe:
    """Stands for a process whose output a test makes up."""

    lines: Any
    hung_up = True
    held_open = False

    @property
    def pipes(self) -> Pipe:
        return self

    def write(self, data: bytes) -> None:
        pass

    def resume(self) -> None:
        pass

    def pause(self) -> None:
        pass


def messages(game: Game, seed: str) -> list[Any]:
    """Return all that is told and asked in one drawn game, once, greetings included."""
    random = Random(seed)
    said: list[Any] = []
    seats = random.choice(list(game.seats)[:4])
    variant = game.read_variant({})
    play = Play.deal(variant, seats, seed)
    said += [Greeting(game.name, seat, seats, variant, seed) for seat in range(seats)]
    while play.pending:
        said += play.pending.values()
        seat, question = next(iter(play.pending.items()))
        play.answer(seat, question.options.draw(random))
        said += [event for _, event in play.drain()]
    return list(dict.fromkeys(said))


@pytest.mark.parametrize("game", GAMES.values(), ids=GAMES)
@pytest.mark.parametrize("seed", ["a", "b", "c"])
def test_every_message_of_every_game_goes_there_and_back(game: Game, seed: str) -> None:
    """What is told and asked in a real game is one line, and the same when it is read."""
    wire = JsonLines(game.vocabulary)
    said = messages(game, seed)
    for message in said:
        question = isinstance(message, Question)
        (line,) = wire.ask(message) if question else wire.tell(message)
        assert "\n" not in line
        read = game.vocabulary.unpack(json.loads(line))
        if isinstance(message, Greeting):
            read = evolve(read, variant=game.read_variant(read.variant))
        assert read == message
        assert type(read) is type(message)
        assert ("ask" if question else "tell") in json.loads(line)
    kinds = {type(message) for message in said}
    assert kinds <= set(game.vocabulary.classes.values())
    assert len(kinds) > 3


@pytest.mark.parametrize("game", GAMES.values(), ids=GAMES)
def test_every_answer_goes_there_and_back(game: Game) -> None:
    """What `say` writes, `read` takes, on each wire of the game."""
    for question in messages(game, "answers"):
        if not isinstance(question, Question):
            continue
        for protocol in game.protocols:
            wire, answer = game.build_codec(protocol, 0), question.options.draw(Random(1))
            read = wire.read(question, wire.say(question, answer))
            assert question.options.read(read) == answer


@pytest.mark.parametrize(
    "line",
    ["", " ", "{}", '{"a":1}', "[{}]", "NaN", "Infinity", "-Infinity", "[NaN]", "1 2", "1,", "'a'",
     "ten", "True", "[1", "\ufeff1", '"a', "01", "[" * 2000, "[" * 900 + "]" * 900 + "x",
     '{"a":' * 500 + "1" + "}" * 500, "9" * 4400, "#", "1e5x"],
    ids=lambda line: line[:12],
)  # fmt: skip
def test_garbage_is_malformed(line: str) -> None:
    """What is no JSON, or an object, or a number that is none: MalformedLineError, and nothing else."""
    with pytest.raises(MalformedLineError) as problem:
        JsonLines(TOY.vocabulary).read(PICK, line)
    assert len(str(problem.value)) < 300


@pytest.mark.parametrize("line", ["1e999", "-1e999", "[1e400]"])
def test_a_number_beyond_all_numbers_is_malformed(line: str) -> None:
    """Or it would be an Infinity that no JSON can say again."""
    with pytest.raises(MalformedLineError):
        JsonLines(TOY.vocabulary).read(PICK, line)


@pytest.mark.parametrize("line", ['"\\ud800"', '["a\\udfff"]'])
def test_half_a_character_is_malformed(line: str) -> None:
    """A lone surrogate could be written to no file and to no other player."""
    with pytest.raises(MalformedLineError):
        JsonLines(TOY.vocabulary).read(PICK, line)


def test_an_answer_may_be_nested_deep() -> None:
    """What the parser takes, the host can judge; it is illegal, and breaks nothing."""
    for depth in (10, 100, 400, 900, 960, 990, 1500, 2000):
        reply = answer_of(b"[" * depth + b"]" * depth + b"\n")
        assert isinstance(reply, PlayerFailure | tuple)


def answer_of(*chunks: bytes) -> object:
    """Return what a program's reading makes of these chunks, that stop there."""
    from arena.players import LineBuffer

    player = Program(lambda: Pipe(LineBuffer()), JsonLines(TOY.vocabulary))  # type: ignore[arg-type, return-value]
    pipe: Any = player._process
    reply = player.ask((), PICK, TimeLeft(1.0))
    for chunk in chunks:
        if not isinstance(reply, PlayerFailure) or reply.fault is not Fault.CRASHED:
            break
        pipe.lines.feed(chunk)
        reply = player.answer()
    return reply


JSONISH = st.text(alphabet='[]{}",:0123456789.eE+-truefalsn\\ud8 \r\t\n\0é', max_size=40)


@given(st.binary(max_size=60) | JSONISH.map(str.encode))
@example(b"\xff\n")
@example(b"1\0\n")
@example(b'"\\ud800"\n')
@example(b"\r\n")
@example(b"1\r\n2\n")
def test_whatever_a_program_says_is_an_answer_or_its_fault(data: bytes) -> None:
    """Whole or byte by byte, the same comes of it: an answer or a verdict, nothing else."""
    whole = answer_of(data)
    piecemeal = answer_of(*(data[at : at + 1] for at in range(len(data))))
    assert repr(piecemeal) == repr(whole)
    assert whole is not NOT_YET
    if isinstance(whole, PlayerFailure):
        assert whole.fault in (Fault.MALFORMED, Fault.CRASHED)
        assert b"\n" not in data or whole.fault is Fault.MALFORMED


@given(
    st.recursive(
        st.none()
        | st.booleans()
        | st.integers()
        | st.floats(allow_nan=False, allow_infinity=False)
        | st.text(),
        lambda some: st.lists(some, max_size=5),
        max_leaves=20,
    )
)
def test_any_value_but_an_object_is_read(value: object) -> None:
    """Lists come as tuples, and everything else as it is."""
    assert json.loads(dump(load(dump(value)))) == value
    assert not isinstance(load(dump(value)), list)


def test_the_names_tell_and_ask_are_taken() -> None:
    """A message's own field of that name would hide what the line is."""

    @frozen
    class Rumour:
        tell: str

    @frozen
    class Wish:
        ask: str

    for kind in (Rumour, Wish):
        with pytest.raises(ValueError, match=kind.__name__):
            Vocabulary.of(kind)


def test_a_message_that_the_game_does_not_list_is_said_so() -> None:
    """It is the game's bug, and named."""
    with pytest.raises(GameError, match="PlayerFailure"):
        TOY.vocabulary.pack(PlayerFailure(Fault.CRASHED, ""))
    with pytest.raises(MalformedLineError, match=r"Nonsense.*Note"):
        TOY.vocabulary.unpack({"tell": "Nonsense"})


@pytest.mark.parametrize(
    "packed",
    [{}, {"tell": ["Note"]}, {"tell": "Note"}, {"tell": "Note", "text": 1}, {"ask": "Pick"},
     {"tell": "Note", "text": "a", "more": 1}, {"ask": "Pick", "options": {"one_of": 5}, "default": None},
     {"ask": "Pick", "options": 5, "default": None}, {"tell": "Pick"}, {"tell": 5},
     {"ask": "Pick", "options": {"from": 3, "to": "5"}, "default": None}],
    ids=dump,
)  # fmt: skip
def test_what_is_no_message_is_malformed(packed: dict[str, Any]) -> None:
    """`unpack` gives a message back or raises MalformedLineError, as it says."""
    with pytest.raises(MalformedLineError):
        TOY.vocabulary.unpack(packed)


def test_options_stand_in_full() -> None:
    """A bot that knows no rules can answer from the options alone."""
    shown: dict[Any, Any] = {
        OneOf((1, 2)): {"one_of": [1, 2]},
        SomeOf(("A", "B"), 0, 2): {"some_of": ["A", "B"], "least": 0, "most": 2},
        Text("[a-z]+", "a"): {"text": "[a-z]+", "sample": "a"},
        Between(0, 10**6): {"from": 0, "to": 1000000},
        Between(0, 99, 5): {"from": 0, "to": 95, "step": 5},
    }
    for options, expected in shown.items():
        asked = evolve(PICK, options=options)
        packed = json.loads(dump(TOY.vocabulary.pack(asked)))
        assert packed["options"] == expected
        assert TOY.vocabulary.unpack(packed) == asked
