"""The schema of a question's answers accepts what its options read."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from arena import Between, OneOf, Options, Question, SomeOf, Text
from arena.plugins import get_plugins
from arena.rules import abbreviate
from arena.testing.harness.cases import Case, is_legal, sample_asked_seats, sample_plays
from arena.testing.harness.hypothesis_strategies import draw_cases, generate_wrong_answers
from arena.wires import build_answer_schema, freeze
from arena.wires.answer_schema import MAX_LISTED_NUMBERS

GAMES = get_plugins().games
PLAIN = st.none() | st.booleans() | st.integers(-9, 9) | st.text(max_size=3)
ANSWERS = st.recursive(
    PLAIN | st.sampled_from([1.0, -2.0, 0.5, "A", "B", "12", "b\n"]) | st.integers(-99, 999),
    lambda some: st.lists(some, max_size=4) | st.dictionaries(st.text(), some, max_size=2),
)
OPTIONS: st.SearchStrategy[Any] = st.one_of(
    st.lists(st.recursive(PLAIN, st.lists), min_size=1, max_size=5).map(
        lambda values: OneOf(map(freeze, values))
    ),
    st.builds(SomeOf, st.lists(st.sampled_from("ABC") | st.just(1)).map(tuple), st.integers(0, 3)),
    st.builds(
        lambda low, more, step: Between(low, low + more, step),
        st.integers(-50, 50), st.integers(0, 90), st.integers(1, 9),
    ),
    st.just(Text("[a-z]|[0-9]{2}", "a")),
)  # fmt: skip


def check_schema(options: Options[Any], answers: Iterable[Any]) -> None:
    """Compare the verdicts of a schema with those of the options that it was made of."""
    schema = build_answer_schema(options)
    Draft202012Validator.check_schema(schema)
    validator = Draft202012Validator(schema)
    for answer in answers:
        is_valid = validator.is_valid(answer)
        if is_valid != is_legal(Question(options), freeze(answer)):
            said = f"{abbreviate(answer)} by {schema}"
            assert is_valid, f"legal, but not valid: {said}"
            assert is_beyond_schemas(options, answer), f"valid, but not legal: {said}"


def is_beyond_schemas(options: Any, answer: Any) -> bool:
    """Whether no schema can tell that an answer is not legal, or only the validator is too lax."""
    parts = answer if isinstance(answer, list) else [answer]
    if isinstance(options, SomeOf) and len({*options.cards}) < len(options.cards):
        return any(parts.count(card) > options.cards.count(card) for card in parts)
    if isinstance(options, Text):  # to Python `$` stands before a last newline, too
        return str(answer).endswith("\n")
    return any(isinstance(part, float) for part in parts)


def iterate_json(answers: Iterable[Any]) -> Iterator[Any]:
    """Yield the answers that are JSON values, as a program would read them."""
    for answer in answers:
        try:
            yield json.loads(json.dumps(answer, allow_nan=False))
        except (TypeError, ValueError):
            continue


@pytest.mark.parametrize("name", GAMES)
@given(data=st.data())
def test_the_schemas_of_a_game_accept_what_its_options_read(name: str, data: st.DataObject) -> None:
    """Of each question, whatever the variant: legal answers, wrong ones and other questions'."""
    game = GAMES[name]
    case: Case = data.draw(draw_cases(game, {}))
    earlier: tuple[Any, ...] = ()
    for play in sample_plays(game, case):
        for seat in sample_asked_seats(case, play):
            question = play.pending[seat]
            check_schema(question.options, iterate_json(generate_wrong_answers(question, earlier)))
            earlier = (*earlier[-9:], question.options.draw(case.random("earlier")))


@given(OPTIONS, st.lists(ANSWERS))
def test_schemas_accept_what_options_read(options: Any, answers: list[Any]) -> None:
    """Of options of every kind, also those that no bundled game has."""
    check_schema(options, answers)


def test_a_long_row_of_numbers_is_not_listed() -> None:
    """Where it begins between two multiples of its step, a short one is, and a long one is not."""
    assert build_answer_schema(Between(1, 7, 3)) == {"enum": [1, 4, 7]}
    high = 3 * MAX_LISTED_NUMBERS + 1
    assert build_answer_schema(Between(1, high, 3)) == {
        "type": "integer", "minimum": 1, "maximum": high,
    }  # fmt: skip
    assert build_answer_schema(Between(3, high, 3))["multipleOf"] == 3


def test_options_that_no_wire_can_write_have_no_schema() -> None:
    """The mistake is the game's, and is named."""
    with pytest.raises(TypeError, match="cannot be written"):
        build_answer_schema(object())  # type: ignore[arg-type]
