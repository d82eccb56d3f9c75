from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from arena import Bot, Greeting, OneOf, Refusal
from arena.plugins import plugins
from arena_gops import Bid, Bids, Gops, Prize
from arena_gops.testing import History, assert_shares, cards, tally
from arena_gops_solver.bots import Nash
from arena_gops_solver.minds import Mind, Unasked

VARIANT = Gops(cards=6)
BOTS = plugins().game("gops").bots
HISTORIES: list[tuple[History, int, str]] = [
    ((), 6, "1-6"),
    ([(6, 1, 5), (2, 2, 1)], 5, "3-6"),
    ([(1, 5, 2), (2, 6, 3), (3, 1, 4), (4, 2, 5)], 6, "3 4"),
]
QUESTION = Bid(cards("1-6"))


@pytest.fixture(autouse=True)
def _cache(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    cache: Path = tmp_path_factory.getbasetemp() / "minds"
    monkeypatch.setenv("XDG_CACHE_HOME", str(cache))


def greeted(make: Callable[[], Bot]) -> Mind:
    return Mind.greeted(make, Greeting("gops", 0, 2, VARIANT, "any"))


def told(make: Callable[[], Bot], history: History, prize: int) -> Mind:
    mind = greeted(make)
    for turned_up, *bids in history:
        mind = mind.heard(Prize(turned_up)).heard(Bids(tuple(bids)))
    return mind.heard(Prize(prize))


@pytest.mark.parametrize(("history", "prize", "hand"), HISTORIES)
@pytest.mark.parametrize("name", BOTS)
def test_what_a_mind_answers_is_what_the_bot_does(
    name: str, history: History, prize: int, hand: str
) -> None:
    """Over 3000 seeds each bundled bot bids each card about as often as its mind says."""
    mix = told(BOTS[name], history, prize).mix(Bid(cards(hand)))
    assert sum(mix.values()) == pytest.approx(1, abs=1e-12)
    assert_shares(tally(BOTS[name], prize, hand, history, variant=VARIANT), mix)


@pytest.mark.parametrize("name", ["match", "ordered", "planner"])
def test_a_bot_without_chance_has_one_answer(name: str) -> None:
    """It gives it for certain."""
    assert [*told(BOTS[name], (), 6).mix(QUESTION).values()] == [1.0]


def test_the_exact_chances_are_found() -> None:
    """Hard-patterned bluffs a high prize: a quarter high, a quarter low, and half about it."""
    mix = told(BOTS["hard-patterned"], (), 4).mix(QUESTION)
    assert mix == pytest.approx({1: 1 / 4, 3: 1 / 6, 4: 1 / 6, 5: 1 / 6, 6: 1 / 4})


def test_nash_answers_with_its_own_mix() -> None:
    """What its draws come to is what it says it draws from."""
    bot = Nash()
    bot.greet(Greeting("gops", 0, 2, VARIANT, "any"))
    bot.hear(Prize(5))
    mix = {card: chance for card, chance in bot.mix(QUESTION).items() if chance}
    assert told(Nash, (), 5).mix(QUESTION) == pytest.approx(mix, abs=1e-12)


def test_minds_are_equal_where_the_same_is_remembered() -> None:
    """Easy remembers the prize that is up, however the game went; hard keeps the score."""
    one, other = [(1, 2, 3), (2, 3, 2)], [(2, 3, 2), (1, 2, 3)]
    assert len({told(BOTS["easy"], history, 5) for history in (one, other, ())}) == 1
    assert told(BOTS["hard"], one, 5) != told(BOTS["hard"], (), 5)


class Secretive(Bot):
    secret: int | None = None

    def choose(self, question: Any) -> int:
        if self.secret is None:
            self.secret = self.random.randrange(3)
            return 1 + self.secret // 2  # 1 for the secrets 0 and 1, 2 for the secret 2
        return 4 + self.secret


def test_an_answer_tells_of_the_secret_behind_it() -> None:
    """Who has seen a bot answer knows of its secret what the answer says, and no more."""
    mind = greeted(Secretive)
    assert mind.mix(QUESTION) == pytest.approx({1: 2 / 3, 2: 1 / 3})
    assert mind.answered(QUESTION, 1).mix(QUESTION) == pytest.approx({4: 1 / 2, 5: 1 / 2})
    assert mind.answered(QUESTION, 2).mix(QUESTION) == {6: 1.0}


def test_what_is_never_answered_cannot_have_been() -> None:
    """It is refused with what is answered."""
    with pytest.raises(Refusal, match="it never answers 6 here, but 1, 2"):
        greeted(Secretive).answered(QUESTION, 6)


class Shuffling(Bot):
    def hear(self, event: Any) -> None:
        self.order = [1, 2, 3]
        self.random.shuffle(self.order)

    def choose(self, question: Any) -> int:
        return self.order.pop() * self.random.choices([1, 2], [3, 1])[0]


def test_draws_of_every_kind_are_gone_through() -> None:
    """Shuffling when it hears something, and drawing by weights."""
    mind = greeted(Shuffling).heard(Prize(1))
    quarter, third = 1 / 4, 1 / 3
    assert mind.mix(QUESTION) == pytest.approx({
        1: third * 3 * quarter,
        2: third * 3 * quarter + third * quarter,
        3: third * 3 * quarter,
        4: third * quarter,
        6: third * quarter,
    })  # fmt: skip
    assert mind.answered(QUESTION, 6).mix(QUESTION)[1] == pytest.approx(3 / 8)


class Real(Bot):
    def choose(self, question: Any) -> int:
        return 1 if self.random.random() < 0.5 else 2


class Hasty(Bot):
    def greet(self, greeting: Greeting) -> None:
        super().greet(greeting)
        self.random.choice((1,))


class Seeded(Bot):
    def greet(self, greeting: Greeting) -> None:
        super().greet(greeting)
        self.own = greeting.seed


class Endless(Bot):
    def choose(self, question: Any) -> int:
        while self.random.randrange(2) == 0:
            pass
        return 1


class Many(Bot):
    def choose(self, question: Any) -> int:
        return sum(self.random.randrange(10) for _ in range(5))


class Large(Bot):
    def choose(self, question: Any) -> int:
        return self.random.randrange(1_000_000)


class Failing(Bot):
    def choose(self, question: Any) -> int:
        raise KeyError(7)


class Cheating(Bot):
    def choose(self, question: Any) -> int:
        return 99


class Open(Bot):
    def hear(self, event: Any) -> None:
        self.steps = iter(lambda: 1, 2)


@pytest.mark.parametrize(
    ("bot", "said"),
    [
        (Real, r"it draws by random\(\)"),
        (Hasty, "it draws before it hears anything"),
        (Seeded, "what it remembers of the greeting depends on its seed"),
        (Endless, "it draws more than 10000 times"),
        (Many, "more than 10000 ways"),
        (Large, "it draws one of 1000000"),
        (Failing, "KeyError: 7"),
        (Cheating, "99 is none of"),
        (Open, "Can.t pickle local object"),
    ],
)
def test_who_cannot_be_asked_is_refused(bot: type[Bot], said: str) -> None:
    """The reason is said in a line."""
    with pytest.raises(Unasked, match=said):
        greeted(bot).heard(Prize(3)).mix(
            Bid(OneOf(range(100)) if bot is Many else QUESTION.options)
        )
