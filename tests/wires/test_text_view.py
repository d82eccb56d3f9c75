"""The view that every game has for nothing: lines for people, and what they type."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena import (
    Greeting,
    IllegalAnswerError,
    MalformedLineError,
    OneOf,
    OneSeat,
    Question,
    Seat,
    SomeOf,
    Text,
)
from arena.plugins import get_plugins
from arena.wires import AnswerEvent, PlainNarrator, PlainView, PrivateEvent, describe_options
from arena_kuhn import BET, Acted, Card, Showdown
from tests.support.toys import PICK, TOY, Note

NAMES = ["Ann", "Bob"]
KUHN = get_plugins().find_game("kuhn")
VIEW = KUHN.build_view(0, NAMES)


def test_events_are_said_in_words() -> None:
    """A line each, with the players' names; the greeting says nothing."""
    assert [*VIEW.tell(Card(3))] == ["You hold the king."]
    assert [*VIEW.tell(Acted(1, True))] == ["Bob bets."]
    assert [*VIEW.tell(Showdown((1, 3)))] == ["Ann shows the jack, Bob shows the king."]
    assert [*VIEW.tell(Greeting("kuhn", 0, 2, None, ""))] == []


def test_who_watches_sees_what_is_private_as_such() -> None:
    """A spectator sees private events marked as such, and answers as typed."""
    watching = KUHN.build_view(None, NAMES)
    assert [*watching.tell(PrivateEvent(1, Card(2)))] == ["(Bob is told: You hold the queen.)"]
    assert [*watching.tell(AnswerEvent(0, BET, True))] == ["Ann: yes"]


def test_a_game_without_words_shows_names_and_fields() -> None:
    """An author has something to look at from the first day."""
    view = TOY.build_view(0, NAMES)
    assert [*view.tell(Note("hello"))] == ["Note: text 'hello'"]
    assert [*view.ask(PICK)] == ["Pick", "  (1 | 2 | 3)"]


def test_a_question_for_a_seat_shows_names() -> None:
    """People see and type the names of players, and may type the numbers of seats as well."""
    whom = Question(OneSeat((0, 2)))
    view = PlainView(TOY.presentation.describe, ["Ann", "Bob", "Cy Young"])
    assert [*view.ask(whom)] == ["Question", "  (Ann | Cy Young)"]
    assert [view.read(whom, typed) for typed in ("ann", "cy  young", "2")] == [0, 2, 2]
    assert [*view.tell(AnswerEvent(1, whom, 2))] == ["Bob: Cy Young"]
    with pytest.raises(MalformedLineError, match="'bob' is not one of: Ann Cy Young"):
        view.read(whom, "bob")
    assert describe_options(whom.options) == "0 | 2"


def describe_laid(message: Any, names: Sequence[str], you: Seat | None = None) -> str | None:
    """Describe who has laid a card, from the reader's point of view; there are no other words."""
    match message:
        case Acted(seat):
            return "You lay." if seat == you else f"{names[seat]} lays."
    return None


def test_a_description_may_speak_to_its_reader() -> None:
    """A function with the parameter `you` knows the reader's seat, and a spectator has none."""
    for kind in (PlainView, PlainNarrator):
        views = [kind(describe_laid, NAMES, seat) for seat in (0, 1, None)]
        lines = [line for view in views for line in view.tell(Acted(0, True))]
        assert lines == ["You lay.", "Ann lays.", "Ann lays."]


def test_what_has_no_description_is_not_shown() -> None:
    """A description of None leaves no line: neither for an event nor above the options."""
    view = PlainView(describe_laid, NAMES)
    assert [*view.tell(Card(3)), *view.tell(PrivateEvent(0, Card(3)))] == []
    assert [*view.ask(BET)] == ["  (no | yes)"]


def test_a_question_says_what_may_be_typed() -> None:
    """One of these, some of these, a text of this form."""
    assert [*VIEW.ask(BET)] == ["Do you bet?", "  (no | yes)"]
    assert describe_options(SomeOf(("AH", "KS"), 1, 2)) == "1 to 2 of: AH KS"
    assert describe_options(SomeOf(("AH", "KS"), 2, 2)) == "2 of: AH KS"
    assert describe_options(Text("[a-z]+", "a")) == "a text that matches [a-z]+"


@pytest.mark.parametrize(
    ("options", "typed", "answer"),
    [
        (OneOf((1, 2, 10)), " 10 ", 10),
        (OneOf((False, True)), "YES", True),
        (OneOf(("Pass", "Peanut Butter")), "peanut  butter", "Peanut Butter"),
        (OneOf(((1, 2), (3,))), "1 2", (1, 2)),
        (SomeOf(("AH", "KS", "2C")), "2c ah", ("2C", "AH")),
        (SomeOf((1, 2), 0), "", ()),
        (Text("[a-z ]+", "a"), "some words", "some words"),
    ],
)
def test_what_is_typed_is_read(options: Any, typed: str, answer: object) -> None:
    """Case and blanks do not matter; the answer is of the options' own type."""
    read = VIEW.read(Question(options), typed)
    assert options.read(read) == answer
    assert type(read) is type(answer)


@pytest.mark.parametrize("typed", ["", "maybe", "yes no", "1", "\x1b[A", "🂡"])
def test_what_cannot_be_is_malformed(typed: str) -> None:
    """A malformed answer is refused in a line that lists the allowed ones."""
    with pytest.raises(MalformedLineError, match="is not one of: no yes"):
        VIEW.read(BET, typed)


@given(st.text(max_size=30))
def test_whatever_is_typed_is_an_answer_or_refused(typed: str) -> None:
    """In the view of each game, for each of its questions."""
    for options in (OneOf((1, 2)), SomeOf(("A", "B")), Text("[a-z]+", "a")):
        question: Any = Question(options)
        try:
            answer = VIEW.read(question, typed)
            options.read(answer)
        except (MalformedLineError, IllegalAnswerError) as problem:
            assert str(problem)  # noqa: PT017


@given(
    st.sampled_from([OneOf((False, True)), OneOf(("Pass", "BS")), SomeOf(("A", "B", "C"))]),
    st.randoms(),
)
def test_what_is_said_is_read_back(options: Any, random: Any) -> None:
    """An answer as it is typed gives the answer."""
    answer = options.draw(random)
    assert VIEW.read(Question(options), VIEW.say(Question(options), answer)) == answer
