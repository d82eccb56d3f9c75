"""What is read in a model's reply, and what is not."""

from __future__ import annotations

import json
from contextlib import suppress
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena import Between, IllegalAnswerError, Narrator, OneOf, OneSeat, Question, SomeOf, load_game
from arena.plugins import get_plugins
from arena.rules import is_same
from arena.testing.harness.cases import Case
from arena.testing.harness.hypothesis_strategies import draw_cases
from arena.testing.harness.messages import build_greeting
from arena.testing.harness.snapshots import play_messages
from arena_llm.answers import Choices, Fault, ReplyError, find_object
from arena_llm.conversation import Conversation
from arena_llm.settings import AnswerForm, Guidance

KUHN, GAMES = load_game("kuhn"), get_plugins().games
NARRATOR = KUHN.build_narrator(0, ["Player 1", "Player 2"])
PLAIN = Narrator(0, ["Player 1", "Player 2"])
BET: Question[Any] = KUHN.vocabulary.classes["Bet"](OneOf((False, True)))


@pytest.mark.parametrize(
    "reply",
    [
        '{"answer": 5}', '  {"reasoning": "a {b} c", "answer": 5}\n', '```json\n{"answer": 5}\n```',
        'I could bid 7.\n{"answer": 5}', '{"answer": 7}\nNo: {"answer": 5}', '{"answer":7} {"answer":5}',
        '{\n  "answer":\n  5\n}\nThat is my answer.', 'My hand {5, 7}.\n{"answer": 5}',
        '{"reasoning": "two\nlines", "answer": 5}', 'Answer: {"answer": 5}',
        '{"reasoning": "x"}\n{"answer": 5}', '{"thought": {"answer": 7}, "answer": 5}',
    ],
)  # fmt: skip
def test_the_last_object_with_the_key_is_read(reply: str) -> None:
    """Whatever stands before it or behind it."""
    assert find_object(reply, "answer")["answer"] == 5


@pytest.mark.parametrize(
    "reply",
    [
        "5", "I bid 5.", "answer: 5", '"answer": 5', "{answer: 5}", '{"answer": 5', "[5]", '{"bid": 5}',
        '{"plan": {"answer": 5}}', '{"plan": {"answer": 5}', '{"reasoning": "broken "quote"", "answer": 5}',
        '{"plan": "x,\n "then": {"answer": 5}\n}', "{" * 5000, '{"Answer": 5}', "**5**", "<answer>5</answer>",
    ],
)  # fmt: skip
def test_a_reply_is_not_searched_for_an_answer(reply: str) -> None:
    """What a model considered is not what it decided; an inner object is part of its outer one."""
    with pytest.raises(ReplyError) as problem:
        find_object(reply, "answer")
    assert problem.value.fault is Fault.MALFORMED


@given(st.text(), st.text())
def test_any_reply_is_read_or_malformed(before: str, behind: str) -> None:
    """There is no other end."""
    for reply in (before, f'{before}{{"answer": 1}}{behind}'):
        with suppress(ReplyError):
            assert "answer" in find_object(reply, "answer")


@pytest.mark.parametrize("name", GAMES)
@settings(max_examples=4)
@given(data=st.data())
def test_each_answer_is_read_by_its_label_and_by_its_value(name: str, data: st.DataObject) -> None:
    """The labels are what the prompt lists, and no label means two answers."""
    game = GAMES[name]
    case = data.draw(draw_cases(game, {}))
    talk = Conversation(game, build_greeting(game, case, 0))
    for message in play_messages(game, case):
        if message.seat not in (None, 0):
            continue
        match message.kind, message.content:
            case "tell", event:
                talk.hear(event)
            case "ask", question if talk.find_forced_answer(question) is None:
                choices, _ = talk.ask(question, AnswerForm.ONE, Guidance.LIST)
            case "say", (question, answer):
                if talk.asked:
                    assert is_same(choices.read(json.loads(json.dumps(answer))), answer)
                    is_list = isinstance(choices.allowed, SomeOf)
                    labels = [*map(choices._to_label, answer if is_list else [answer])]
                    for spelled in (labels, [str(label).upper() for label in labels]):
                        said = spelled if is_list else spelled[0]
                        assert is_same(choices.read(said), answer)
                talk.answer(question, answer)


@pytest.mark.parametrize(
    ("options", "said", "reason"),
    [
        (OneOf((2, 3)), 7, "7 is not one of ('2', '3')"),
        (OneOf((2, 3)), "king", "'king' is not one of ('2', '3')"),
        (OneOf((2, 3)), 2.0, "2.0 is not one of ('2', '3')"),
        (OneOf((2, 3)), True, "True is not one of ('2', '3')"),
        (OneOf((2, 3)), {"card": 2}, "{'card': 2} is not one of ('2', '3')"),
        (OneOf((2, 3)), ["2"], "('2',) is not one of ('2', '3')"),
        (SomeOf(("A", "B"), 2, 2), ["A"], "1 cards, not 2 to 2"),
        (SomeOf(("A", "B"), 1, 2), ["a", "A"], "'A' appears twice"),
        (SomeOf(("A", "B"), 1, 2), "A", "'A' is not a list of cards"),
        (Between(0, 9), 10, "10 is not a whole number from 0 to 9"),
        (Between(0, 9), "ten", "'ten' is not a whole number from 0 to 9"),
        (OneSeat((0, 1)), "Player 3", "'Player 3' is not one of ('Player 1', 'Player 2')"),
    ],
)
def test_a_refusal_gives_the_options_own_reason(options: Any, said: Any, reason: str) -> None:
    """In the words that the model has read."""
    with pytest.raises(IllegalAnswerError) as problem:
        Choices.of(Question(options), PLAIN, AnswerForm.ONE).read(said)
    assert str(problem.value) == reason


def test_words_that_mean_two_answers_are_not_shown() -> None:
    """The values themselves are, where labels would be ambiguous."""
    choices = Choices.of(Question(OneOf((1, "1", (1,)))), PLAIN, AnswerForm.MIX)
    assert choices.allowed == OneOf((1, "1", (1,)))
    assert choices.form is AnswerForm.ONE
    assert [choices.read(value) for value in (1, "1", [1])] == [1, "1", (1,)]


def test_a_mix_is_drawn_by_its_probabilities() -> None:
    """An answer that is left out is never drawn; small errors of rounding do not matter."""
    choices = Choices.of(BET, NARRATOR, AnswerForm.MIX)
    assert choices.read_mix({"Bet": 0.333, "pass": 0.667})["bet"] == pytest.approx(0.333)
    assert choices.read_mix({"bet": 1}) == {"pass": 0.0, "bet": 1.0}
    mix = choices.read_mix({"bet": 0.25, "pass": 0.745})
    random = Random(1)
    drawn = [choices.draw(mix, random) for _ in range(4000)]
    assert sum(drawn) / 4000 == pytest.approx(0.25, abs=0.03)


@pytest.mark.parametrize(
    ("said", "reason"),
    [
        ({"bet": 0.5}, "the probabilities sum to 0.5, not to 1"),
        ({}, "the probabilities sum to 0, not to 1"),
        ({"bet": 0.5, "Bet ": 0.6}, "the probabilities sum to 1.1, not to 1"),
        ({"raise": 1}, "'raise' is not one of ('pass', 'bet')"),
        ({"bet": True}, "the probability of 'bet', True, is not a number from 0 to 1"),
        ({"bet": -1, "pass": 2}, "the probability of 'bet', -1, is not a number from 0 to 1"),
        ({"bet": "50 %"}, "the probability of 'bet', '50 %', is not a number from 0 to 1"),
        ({"bet": float("nan")}, "the probability of 'bet', nan, is not a number from 0 to 1"),
        ("bet", "'bet' is not an object of probabilities"),
    ],
)
def test_a_mix_that_is_none_is_refused(said: Any, reason: str) -> None:
    """With what is wrong in it."""
    with pytest.raises(IllegalAnswerError) as problem:
        Choices.of(BET, NARRATOR, AnswerForm.MIX).read_mix(said)
    assert str(problem.value) == reason


CARDS: Question[Any] = Question(SomeOf(("AH", "2H", "3H", "4H"), 1, 3))
NUMBER: Question[Any] = Question(Between(1, 5))


@pytest.mark.parametrize("question", [BET, CARDS, NUMBER], ids=["one", "some", "number"])
def test_shuffled_choices_are_read_alike(question: Question[Any]) -> None:
    """They are listed in each order in turn, always the same for the same draw."""
    narrator = NARRATOR if question is BET else PLAIN
    plain = Choices.of(question, narrator, AnswerForm.ONE)
    drawn = [plain.shuffle(Random(seed)) for seed in range(300)]
    assert drawn == [plain.shuffle(Random(seed)) for seed in range(300)]
    orders = {str(choices.schema) for choices in drawn}
    assert len(orders) == {BET: 2, CARDS: 24, NUMBER: 1}[question]
    answer = {BET: "bet", CARDS: ["4H", "AH"], NUMBER: 3}[question]
    assert {str(choices.read(answer)) for choices in drawn} == {str(plain.read(answer))}


def test_a_bot_draws_the_order_of_each_question_anew() -> None:
    """From its seed and the number of the question, so that a record still knows the prompt."""
    talk = Conversation(KUHN, build_greeting(KUHN, Case({}, 2, "seed"), 0))
    prompts = [talk.ask(BET, AnswerForm.ONE, Guidance.LIST, Random(f"{n}"))[1] for n in range(20)]
    assert len({*prompts}) == 2
    assert talk.ask(BET, AnswerForm.ONE, Guidance.LIST)[1] in prompts
