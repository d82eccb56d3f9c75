"""A comparison ends at the first message that differs and may reveal what a seat may not know."""

from __future__ import annotations

from arena.rules import Play
from arena.testing.harness.comparisons import Branch, Comparison, HiddenFact, reveal_by
from arena.testing.harness.messages import Message
from tests.testing.games.higher import HIGHER

FACT = HiddenFact(
    where="here", subject="it", otherwise="but", advice="No.", may_reveal=reveal_by(int)
)


def tell(seat: int | None, content: object) -> Message:
    return Message("tell", seat, content)


def compare(*heard: list[Message]) -> list[int]:
    """Return how many messages of each branch are compared for seat 0; numbers are reveals."""
    play = Play.deal(HIGHER.variant(), 2, "0")
    branches = [Branch(play, messages) for messages in heard]
    return [len(messages) for messages in Comparison(branches, 0, FACT).messages]


def test_an_equal_reveal_does_not_end_a_comparison() -> None:
    """What is behind a revealing message that is the same in both branches is compared."""
    assert compare([tell(0, 1), tell(0, "a")], [tell(0, 1), tell(0, "b")]) == [2, 2]


def test_a_reveal_that_differs_ends_a_comparison() -> None:
    """Neither it nor what is behind it is compared."""
    assert compare([tell(None, 1), tell(0, "a")], [tell(None, 2), tell(0, "b")]) == [0, 0]
    assert compare([tell(0, "a")], [tell(0, "a"), tell(0, 1), tell(0, "b")]) == [1, 1]


def test_a_leak_before_a_reveal_is_compared() -> None:
    """A message that differs and reveals nothing by the rules does not end the comparison."""
    assert compare([tell(0, "a"), tell(0, 1)], [tell(0, "b"), tell(0, 2)]) == [1, 1]


def test_what_another_seat_is_told_does_not_end_a_comparison() -> None:
    """A seat learns nothing from what the rules reveal to another one alone."""
    assert compare([tell(1, 1), tell(0, "a")], [tell(0, "b")]) == [2, 1]
