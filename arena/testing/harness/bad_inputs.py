"""Bad answers and lines, such as strangers' bots send: wrong in form, in kind, in number."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Any

from hypothesis import strategies as st

from arena.rules import Question

BAD_ANSWERS: tuple[Any, ...] = (
    None, True, False, 0, 1, -1, 2**70, 1.0, float("nan"), "", " ", "0", "x" * 5000, "\x00\n",
    (), (None,), ((),), ("",), (1, 1), [], [1], {}, {"a": 1}, b"", object(), ("2C", "2C"),
)  # fmt: skip
"""Values of every kind, few of which any question allows."""

BAD_LINES: tuple[str, ...] = (
    "", " ", "\t", "0", "-1", "1.0", "1e999", "NaN", "null", "true", "yes", "[]", "[[]]", "{}",
    '"', '"x"', "[1,", "Bid", "Pass", "9" * 300, "[" * 3000, "x" * 4000, "\x00", "é", "\u2028",
    "\ud83d", "1 2 3", "1,2,3", "AS", "AS KD", "as", "None", "tell", '{"ask":1}', "٣", "１",
)  # fmt: skip
"""Lines of every kind."""


def generate_wrong_answers(question: Question[Any], others: tuple[Any, ...] = ()) -> Iterator[Any]:
    """Yield answers that may be illegal: values of any kind, and answers to other questions."""
    yield from BAD_ANSWERS
    for answer in (*others, question.default, question.options.draw(Random(0))):
        yield from (answer, (answer,), [answer], str(answer), (answer, answer))


def draw_lines(good: str) -> st.SearchStrategy[str]:
    """Build a hypothesis strategy for lines: any text, any values, and damaged good lines."""
    damaged = st.builds(_damage_line, st.just(good), st.integers(0, 99), st.text(max_size=3))
    return st.one_of(damaged, st.sampled_from(BAD_LINES), st.text(max_size=40))


def _damage_line(line: str, at: int, other: str) -> str:
    """Replace the character at a position (modulo the line's length) by other text."""
    place = at % (len(line) + 1)
    return line[:place] + other + line[place + 1 :]
