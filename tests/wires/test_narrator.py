"""The narrator that every game has for nothing: lines for people, and what they type."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest
from attrs import frozen
from hypothesis import given
from hypothesis import strategies as st

from arena import (
    Between,
    Greeting,
    IllegalAnswerError,
    MalformedLineError,
    OneOf,
    OneSeat,
    Question,
    SomeOf,
    Text,
)
from arena.wires import AnswerEvent, Narrator, PrivateEvent, Vocabulary, describe_options
from arena_kuhn import BET, Acted
from tests.support.toys import PICK, TOY, Note

NAMES = ["Ann", "Bob"]
NARRATOR = TOY.build_narrator(0, NAMES)


class Laying(Narrator):
    """Has words for who lays a card; the rest is described by names and fields."""

    def describe(self, message: Any) -> Iterable[str]:
        """Return a sentence."""
        match message:
            case Acted(seat):
                return [f"{self.phrases.clause('lay', seat)}."]
        return super().describe(message)


def test_a_narrator_speaks_to_its_reader() -> None:
    """The reader is called you; a spectator has no seat."""
    lines = [line for seat in (0, 1, None) for line in Laying(seat, NAMES).tell(Acted(0, True))]
    assert lines == ["You lay.", "Ann lays.", "Ann lays."]


def test_a_game_without_words_shows_names_and_fields() -> None:
    """An author has something to look at from the first day; the greeting says nothing."""
    assert [*NARRATOR.tell(Greeting("toy", 0, 2, None, ""))] == []
    assert [*NARRATOR.tell(Note("hello"))] == ["Note: text hello"]
    assert [*NARRATOR.ask(PICK)] == ["Pick", "  (1 | 2 | 3)"]


def test_who_watches_sees_what_is_private_as_such() -> None:
    """A spectator is told private events as such, and answers as typed."""
    watching = TOY.build_narrator(None, NAMES)
    assert [*watching.tell(PrivateEvent(1, Note("x")))] == ["(Bob is told: Note: text x)"]
    assert [*watching.tell(AnswerEvent(0, BET, True))] == ["Ann answers: yes"]


def test_a_question_for_a_seat_shows_names() -> None:
    """People see and type the names of players, and may type the numbers of seats as well."""
    whom = Question(OneSeat((0, 2)))
    narrator = Narrator(None, ["Ann", "Bob", "Cy Young"])
    assert [*narrator.ask(whom)] == ["Question", "  (Ann | Cy Young)"]
    assert [narrator.read(whom, typed) for typed in ("ann", "cy  young", "2", "cy")] == [0, 2, 2, 2]
    assert [*narrator.tell(AnswerEvent(1, whom, 2))] == ["Bob answers: Cy Young"]
    with pytest.raises(MalformedLineError, match="'bob' is not one of: Ann, Cy Young"):
        narrator.read(whom, "bob")
    assert describe_options(whom.options) == "0 | 2"


def test_a_beginning_must_be_unambiguous() -> None:
    """What begins several options is refused with those."""
    question = Question(OneOf(("pass", "play", "hold")))
    assert NARRATOR.read(question, "H") == "hold"
    with pytest.raises(MalformedLineError, match="'p' could be any of: pass, play"):
        NARRATOR.read(question, "p")


def test_a_question_says_what_may_be_typed() -> None:
    """One of these, some of these, a text of this form."""
    assert [*NARRATOR.ask(BET)] == ["Bet", "  (no | yes)"]
    assert describe_options(OneOf((("gold", 1), ("lead", 2)))) == "gold, 1 | lead, 2"
    assert describe_options(SomeOf(("AH", "KS"), 1, 2)) == "1 to 2 of: AH KS"
    assert describe_options(SomeOf(("AH", "KS"), 2, 2)) == "2 of: AH KS"
    assert describe_options(Text("[a-z]+", "a")) == "a text that matches [a-z]+"
    assert describe_options(Between(0, 10**6)) == "a whole number from 0 to 1000000"
    assert describe_options(Between(0, 99, 5)) == "a whole number from 0 to 95 in steps of 5"


@pytest.mark.parametrize(
    ("options", "typed", "answer"),
    [
        (OneOf((1, 2, 10)), " 10 ", 10),
        (OneOf((False, True)), "YES", True),
        (OneOf(("Pass", "Peanut Butter")), "peanut  butter", "Peanut Butter"),
        (OneOf(((1, 2), (3,))), "1 2", (1, 2)),
        (OneOf((("gold", 2), ("gold", 1))), "Gold,2", ("gold", 2)),
        (SomeOf(("AH", "KS", "2C")), "2c ah", ("2C", "AH")),
        (SomeOf((1, 2), 0), "", ()),
        (Text("[a-z ]+", "a"), "some words", "some words"),
        (Between(-5, 10**6), " 250000 ", 250_000),
    ],
)
def test_what_is_typed_is_read(options: Any, typed: str, answer: object) -> None:
    """Case and blanks do not matter; the answer is of the options' own type."""
    read = NARRATOR.read(Question(options), typed)
    assert options.read(read) == answer
    assert type(read) is type(answer)


@pytest.mark.parametrize("typed", ["", "maybe", "yes no", "1", "\x1b[A", "🂡"])
def test_what_cannot_be_is_malformed(typed: str) -> None:
    """A malformed answer is refused in a line that lists the allowed ones."""
    with pytest.raises(MalformedLineError, match="is not one of: no, yes"):
        NARRATOR.read(BET, typed)


@given(st.text(max_size=30))
def test_whatever_is_typed_is_an_answer_or_refused(typed: str) -> None:
    """Nothing else can happen."""
    for options in (OneOf((1, 2)), SomeOf(("A", "B")), Text("[a-z]+", "a"), Between(0, 9)):
        question: Any = Question(options)
        try:
            answer = NARRATOR.read(question, typed)
            options.read(answer)
        except (MalformedLineError, IllegalAnswerError) as problem:
            assert str(problem)  # noqa: PT017


@given(
    st.sampled_from(
        [OneOf((False, True)), OneOf(("Pass", "BS")), SomeOf(("A", "B", "C")), Between(-9, 99, 3)]
    ),
    st.randoms(),
)
def test_what_is_said_is_read_back(options: Any, random: Any) -> None:
    """An answer as it is typed gives the answer."""
    answer = options.draw(random)
    assert NARRATOR.read(Question(options), NARRATOR.say(Question(options), answer)) == answer


@frozen
class Accuse(Question[int]):
    """Whom?"""

    options: OneSeat


def test_a_seat_stays_a_name_in_a_transcript() -> None:
    """What is read from JSON asks for a seat again, where its question says so."""
    words = Vocabulary.of(Accuse)
    (packed,) = [words.pack(Accuse(OneSeat((0, 1))))]
    asked = words.unpack(packed)
    assert [*NARRATOR.tell(AnswerEvent(0, asked, 1))] == ["You answer: Bob"]
