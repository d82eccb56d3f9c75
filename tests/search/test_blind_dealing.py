"""A searching bot learns nothing from its juncture that its seat does not know.

What is hidden is dealt again before the bot is handed its juncture. The answers then follow the
same law as if it was handed the true position; and where two truths differ in nothing that the seat
knows, and the position that is handed over is the same, they are the same answers.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from random import Random
from statistics import fmean
from typing import Any

import pytest
from attrs import evolve, frozen

from arena import Game, IllegalAnswerError, Learning, Play, Position, Seat, load_game
from arena.rules import AddressedEvent
from arena.search import Juncture, Search, list_candidates
from arena.testing import Case
from arena.testing.harness.cases import iterate_plays
from arena.wires import Greeting

pytestmark = pytest.mark.slow  # thousands of answers that are searched

Patch = pytest.MonkeyPatch
GAMES: dict[str, dict[str, Any]] = {
    "briscola": {},
    "gops": {"cards": 5},
    "hearts": {"deals": 1},  # which remembers, and deals by that
    "kuhn": {},
    "pips": {"cards": 5},
}
MATCHES = 10
LAST_ASKS = 8  # of a match, in which it matters most who holds what
DEALS = 12  # that are tried for one that differs from the truth
PLAYOUTS = 16
ANSWERS = 6  # of bots with different seeds to the same juncture
CHANCE = 0.06  # by which two samples of the same law may differ, on average over all junctures


@frozen(eq=False)
class Ask:
    """A seat that is asked in a match, and all that was told until then."""

    game: Game
    play: Play
    seat: Seat
    history: Sequence[AddressedEvent]

    @property
    def juncture(self) -> Juncture:
        """What the seat knows."""
        return Juncture.of(self.game, self.play, self.seat, self.history)

    @property
    def other_deals(self) -> Iterator[Position]:
        """Deals that the seat cannot tell from the true position when the round begins."""
        truth = self.play.position
        for number in range(DEALS):
            dealt = truth.resample_hidden(self.seat, Random(f"{self.play.seed}/{number}"))
            if dealt != truth:
                yield dealt

    def find_other_truth(self) -> Juncture | None:
        """Return the juncture of a deal that the seat cannot tell from the true one by now."""
        here, play = self.juncture, self.play
        for position in self.other_deals:
            try:
                other = Play(position, play.seats, play.seed, play.number, play.answers)
            except IllegalAnswerError:
                continue
            if other.number == play.number and self.seat in other.pending:
                there = Juncture.of(self.game, other, self.seat, [*here.past, *other.drain()])
                if (there.told, there.question) == (here.told, here.question):
                    return there
        return None


def list_asks(game: Game) -> Iterator[Ask]:
    """Yield the last asks of some matches in which a seat has a choice."""
    for number in range(MATCHES):
        history, asks = list[AddressedEvent](), list[Ask]()
        for play in iterate_plays(game, Case(GAMES[game.name], game.seats[0], f"{number}")):
            history += play.drain()
            for seat, question in play.pending.items():
                if len(list_candidates(question, Random(1))) > 1:
                    asks.append(Ask(game, play.clone(), seat, tuple(history)))
        yield from asks[-LAST_ASKS:]


def choose_answer(juncture: Juncture, seed: str) -> Any:
    """Return what a bot with this seed answers."""
    bot, variant = Search(PLAYOUTS), juncture.position.variant
    bot.greet(Greeting(juncture.game.name, juncture.seat, juncture.seats, variant, seed))
    return bot.choose_at(juncture)


def estimate_difference(first: Sequence[Any], second: Sequence[Any]) -> float:
    """Return by how much the laws of two samples differ: on average 0 if they are one, up to 2.

    It estimates, without bias, the sum of the squared differences of all probabilities.
    """
    counts = Counter(first), Counter(second)
    within = [
        sum(count * (count - 1) for count in some.values()) / (some.total() * (some.total() - 1))
        for some in counts
    ]
    across = sum(counts[0][key] * counts[1][key] for key in counts[0])
    return sum(within) - 2 * across / (len(first) * len(second))


def measure_dependence(game: Game) -> float:
    """Return by how much answers depend on whether the true position is handed over, or another.

    Each answer has a seed of its own, so that all are independent of each other.
    """
    differences = list[float]()
    for number, ask in enumerate(list_asks(game)):
        other = next(ask.other_deals, None)
        if other is not None:
            samples = [
                [
                    choose_answer(evolve(ask.juncture, position=position), f"{number}/{at}/{draw}")
                    for draw in range(ANSWERS)
                ]
                for at, position in enumerate((ask.play.position, other))
            ]
            differences.append(estimate_difference(*samples))
    assert len(differences) >= 2 * MATCHES
    return fmean(differences)


def count_unequal_answers(game: Game) -> int:
    """Return how often a bot answers otherwise, though its seat knows the same of another truth.

    A game that remembers deals by what was told alone, whatever position is handed over.
    """
    unequal, compared = 0, 0
    for ask in list_asks(game):
        here = ask.juncture
        answer = choose_answer(here, "1")
        there = ask.find_other_truth()
        if there is not None:
            compared += 1
            if not game.learning.recall:
                there = evolve(there, position=here.position)
            unequal += choose_answer(there, "1") != answer
    assert compared >= MATCHES
    return unequal


def play_from_the_position(patch: Patch) -> None:
    """Play on from the position in the juncture, as if it were the true one."""
    patch.setattr(Juncture, "build_dealer", lambda juncture: lambda _: juncture.position)


def peek_at_the_truth(patch: Patch) -> None:
    """Play on from the true position, whichever is in the juncture."""
    truths, of = list[Position](), Juncture.of

    def look(game: Any, play: Play, *rest: Any) -> Juncture:
        truths.append(play.position)
        return of(game, play, *rest)

    patch.setattr(Juncture, "of", look)
    patch.setattr(Juncture, "build_dealer", lambda _: lambda _: truths[-1])


@pytest.fixture
def game(request: pytest.FixtureRequest, pips: Game) -> Game:
    """Return each game, with chance that plays on, which is quick."""
    found = pips if request.param == pips.name else load_game(request.param)
    return evolve(found, bots={}, learning=Learning(recall=found.learning.recall))


@pytest.mark.parametrize("game", ["briscola", "gops", "kuhn", "pips"], indirect=True)
def test_answers_follow_the_same_law_whatever_was_dealt(game: Game, monkeypatch: Patch) -> None:
    """Not even the true position changes it, unless a search takes it for the truth.

    In GOPS that is no use: among players by chance the order of the prizes changes nothing.
    """
    assert abs(measure_dependence(game)) < CHANCE
    if game.name != "gops":
        play_from_the_position(monkeypatch)
        assert measure_dependence(game) > CHANCE


@pytest.mark.parametrize("game", GAMES, indirect=True)
def test_equal_knowledge_gives_equal_answers(game: Game, monkeypatch: Patch) -> None:
    """Whatever the others hold in truth, the same seed gives the same answer, unless it peeks."""
    assert count_unequal_answers(game) == 0
    peek_at_the_truth(monkeypatch)
    assert count_unequal_answers(game) > 0
