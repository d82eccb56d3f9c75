from __future__ import annotations

import os
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from attrs import define, frozen

from arena import Bot, Greeting, OneOf, UserError
from arena.plugins import get_plugins
from arena.search import SearchingBot
from arena_gops import Bid, Bids, Gops, Prize
from arena_gops_solver.bots import Nash
from arena_gops_solver.strategy_extraction import BotPolicy, ExtractionError, ForeignChanceError
from tests.support.mixed_strategies import History, assert_shares, count_bids, parse_hand

VARIANT = Gops(cards=6)
BOTS = {
    name: kind
    for name, kind in get_plugins().find_game("gops").bots.items()
    if not issubclass(kind, SearchingBot)  # what it answers depends on its seed
}
HISTORIES: list[tuple[History, int, str]] = [
    ((), 6, "1-6"),
    ([(1, 5, 2), (2, 6, 3), (3, 1, 4), (4, 2, 5)], 6, "3 4"),
]
QUESTION = Bid(parse_hand("1-6"))


@pytest.fixture(autouse=True)
def _cache(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    cache: Path = tmp_path_factory.getbasetemp() / "policies"
    monkeypatch.setenv("XDG_CACHE_HOME", str(cache))


def greeted(make: Callable[[], Bot]) -> BotPolicy:
    return BotPolicy.greet(make, Greeting("gops", 0, 2, VARIANT, "any"))


def asked(make: Callable[[], Bot], times: int) -> None:
    for _ in range(times):
        told(make, (), 3).mix(QUESTION)


def told(make: Callable[[], Bot], history: History, prize: int) -> BotPolicy:
    policy = greeted(make)
    for turned_up, *bids in history:
        policy = policy.hear(Prize(turned_up)).hear(Bids(tuple(bids)))
    return policy.hear(Prize(prize))


@pytest.mark.each("name", "history")
@pytest.mark.parametrize(("history", "prize", "hand"), HISTORIES)
@pytest.mark.parametrize("name", BOTS)
def test_what_a_mind_answers_is_what_the_bot_does(
    name: str, history: History, prize: int, hand: str
) -> None:
    """Over 3000 seeds each bundled bot bids each card about as often as its policy says."""
    mix = told(BOTS[name], history, prize).mix(Bid(parse_hand(hand)))
    assert sum(mix.values()) == pytest.approx(1, abs=1e-12)
    assert_shares(count_bids(BOTS[name], prize, hand, history, variant=VARIANT), mix)


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
    first, other = [(1, 2, 3), (2, 3, 2)], [(2, 3, 2), (1, 2, 3)]
    assert len({told(BOTS["easy"], history, 5) for history in (first, other, ())}) == 1
    assert told(BOTS["hard"], first, 5) != told(BOTS["hard"], (), 5)


class Secretive(Bot):
    secret: int | None = None

    def choose(self, question: Any) -> int:
        if self.secret is None:
            self.secret = self.random.randrange(3)
            return 1 + self.secret // 2  # 1 for the secrets 0 and 1, 2 for the secret 2
        return 4 + self.secret


def test_an_answer_tells_of_the_secret_behind_it() -> None:
    """Who has seen a bot answer knows of its secret what the answer says, and no more."""
    policy = greeted(Secretive)
    assert policy.mix(QUESTION) == pytest.approx({1: 2 / 3, 2: 1 / 3})
    assert policy.answer(QUESTION, 1).mix(QUESTION) == pytest.approx({4: 1 / 2, 5: 1 / 2})
    assert policy.answer(QUESTION, 2).mix(QUESTION) == {6: 1.0}


def test_what_is_never_answered_cannot_have_been() -> None:
    """It is refused with what is answered."""
    with pytest.raises(UserError, match="it never answers 6 here, only 1, 2"):
        greeted(Secretive).answer(QUESTION, 6)


class Shuffling(Bot):
    def hear(self, event: Any) -> None:
        self.order = [1, 2, 3]
        self.random.shuffle(self.order)

    def choose(self, question: Any) -> int:
        return self.order.pop() * self.random.choices([1, 2], [3, 1])[0]


def test_draws_of_every_kind_are_gone_through() -> None:
    """Shuffling when it hears something, and drawing by weights."""
    policy = greeted(Shuffling).hear(Prize(1))
    quarter, third = 1 / 4, 1 / 3
    assert policy.mix(QUESTION) == pytest.approx({
        1: third * 3 * quarter,
        2: third * 3 * quarter + third * quarter,
        3: third * 3 * quarter,
        4: third * quarter,
        6: third * quarter,
    })  # fmt: skip
    assert policy.answer(QUESTION, 6).mix(QUESTION)[1] == pytest.approx(3 / 8)


class Above(Bot):
    prize = 0

    def hear(self, event: Any) -> None:
        if isinstance(event, Prize):
            self.prize = event.card

    def choose(self, question: Any) -> int:
        return min((card for card in question.options if card > self.prize), default=1)


@define(eq=False)
class Higher(Above):
    """Keeps its margin in a slot, and its prize where the class above keeps it."""

    margin: int = 1

    def choose(self, question: Any) -> int:
        return min(super().choose(question) + self.margin, 6 - self.seat)


class Slotted(Above):
    __slots__ = ("_Slotted__drawn", "random")  # its chance, too, is in a slot

    def hear(self, event: Any) -> None:
        super().hear(event)
        self.__drawn = self.random.randrange(2)

    def choose(self, question: Any) -> int:
        return self.prize + self.__drawn


class Guided(Bot):
    """Asks another bot, which knows whom it guides."""

    guided: Bot

    def __init__(self) -> None:
        self.guide = Higher()
        vars(self.guide)["guided"] = self

    def greet(self, greeting: Greeting) -> None:
        super().greet(greeting)
        self.guide.greet(greeting)

    def hear(self, event: Any) -> None:
        self.guide.hear(event)
        self.heard = event

    def choose(self, question: Any) -> int:
        assert vars(self.guide)["guided"].heard is self.heard
        return int(self.guide.choose(question))


@pytest.mark.parametrize(
    ("bot", "bids"), [(Above, [4, 6]), (Higher, [5, 6]), (Slotted, [3, 4, 5, 6]), (Guided, [5, 6])]
)
def test_all_that_a_bot_remembers_is_kept(bot: Callable[[], Bot], bids: list[int]) -> None:
    """What stands in its dictionary, in slots, and in other bots that it holds."""
    mixes = [told(bot, (), prize).mix(QUESTION) for prize in (3, 5)]
    assert sorted(bid for mix in mixes for bid in mix) == bids


class Worldly(Bot):
    def choose(self, question: Any) -> int:
        return int(random.choice(question.options))


class Moody(Bot):
    def hear(self, event: Any) -> None:
        self.mood = os.urandom(4)


class Counting(Bot):
    asked = 0

    def choose(self, question: Any) -> int:
        Counting.asked += 1
        return 1 + Counting.asked % 6


class Narrowing(Bot):
    """Draws from fewer when it has done so twice for each of the first two of three ways."""

    turn = 0

    def choose(self, question: Any) -> int:
        Narrowing.turn += 1
        return self.random.randrange(1, 4 if Narrowing.turn <= 4 else 3)


@pytest.mark.parametrize("bot", [Worldly, Moody, Counting, Narrowing])
def test_chance_and_memory_from_elsewhere_are_found_out(bot: type[Bot]) -> None:
    """The same draws have to lead to the same, or the bot is not asked."""
    with pytest.raises(
        ForeignChanceError, match="all its randomness must come from its own `random`"
    ):
        asked(bot, 50)


class Relapsing(Bot):
    choices = 0

    def choose(self, question: Any) -> int:
        Relapsing.choices += 1
        return 1 + (Relapsing.choices > 1200 and Relapsing.choices % 2)


def test_who_was_trusted_is_still_looked_at() -> None:
    """A bot that draws from elsewhere late is found out, too."""
    asked(Relapsing, 900)
    with pytest.raises(ForeignChanceError):
        asked(Relapsing, 500)


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


class EndlessDrawer(Bot):
    def choose(self, question: Any) -> int:
        while self.random.randrange(2) == 0:
            pass
        return 1


class Fussy(Bot):
    def choose(self, question: Any) -> int:
        while self.random.randrange(2):
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


@frozen
class Frozen(Bot):
    def greet(self, greeting: Greeting) -> None:
        """Remember nothing, as it cannot."""


class Cheating(Bot):
    def choose(self, question: Any) -> int:
        return 99


class Open(Bot):
    def hear(self, event: Any) -> None:
        self.steps = iter(lambda: 1, 2)


@pytest.mark.parametrize(
    ("bot", "said"),
    [
        (Real, r"the bot draws by random\(\)"),
        (Hasty, "the bot draws before it hears anything"),
        (Seeded, "what it remembers of the greeting depends on its seed"),
        (EndlessDrawer, "the bot draws more than 10000 times"),
        (Fussy, "the bot draws more than 200000 times in all ways together"),
        (Many, "more than 10000 ways"),
        (Large, "the bot draws one of 1000000"),
        (Failing, "KeyError: 7"),
        (Frozen, "FrozenInstanceError"),
        (Cheating, "99 is not one of"),
        (Open, "Can.t pickle local object"),
    ],
)
def test_who_cannot_be_asked_is_refused(bot: type[Bot], said: str) -> None:
    """The reason is said in a line."""
    with pytest.raises(ExtractionError, match=said):
        greeted(bot).hear(Prize(3)).mix(Bid(OneOf(range(100)) if bot is Many else QUESTION.options))
