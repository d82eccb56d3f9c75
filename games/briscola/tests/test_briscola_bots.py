"""The bots, in situations that one can judge, and in matches."""

from __future__ import annotations

from itertools import product
from random import Random

import pytest

from arena import Bot, Greeting, OneOf, Play
from arena.cards import remove_cards
from arena.host import Match
from arena.players import BotPlayer
from arena.rules import End
from arena_briscola import GAME, Briscola, PlayCard, Played, Trick
from arena_briscola.bots import CardCounter, Thrifty, solve_endgame
from arena_briscola.rules import FULL_PACK, count_points, find_taker

pytestmark = pytest.mark.slow  # whole games of bots


def played(
    bot: Bot, hand: str, laid: str, *, stock: int = 20, gone: str = "", seats: int = 2
) -> str:
    """Return what a bot plays from this hand on these cards; swords are trump.

    `gone` was played before, by nobody in particular.
    """
    seat = len(laid.split())
    bot.greet(Greeting("briscola", seat, seats, Briscola(), "seed"))
    bot.hear(Trick(0, "5S", stock + 1, (0,) * seats))
    for card in gone.split():
        bot.hear(Played(0, card))
    bot.hear(Trick(0, "5S", stock, (0,) * seats))
    for by, card in enumerate(laid.split()):
        bot.hear(Played(by, card))
    return str(bot.choose(PlayCard(OneOf(hand.split()))))


THRIFTY = [
    ("2C KC AC", "QC", "KC"),  # the cheapest that takes
    ("2C 2S AD", "3C", "2S"),  # a trump, if nothing else does
    ("2C AC 2S", "7C", "2C"),  # nothing to be had: the cheapest
    ("AC 3D JD", "", "JD"),  # and so when it leads
    ("2S AD KD", "AS", "KD"),  # a trump is dearer than a king
]


@pytest.mark.parametrize(("hand", "laid", "card"), THRIFTY)
def test_thrifty(hand: str, laid: str, card: str) -> None:
    """It takes points as cheaply as it can, and gives away as little as it can."""
    assert played(Thrifty(), hand, laid) == card


COUNTER = [
    ("2C 4S AD", "3C", "4S"),  # eleven points are worth a trump
    ("2C 4S AD", "JC", "2C"),  # two are not
    ("2C AC 4S", "7C", "AC"),  # an ace that takes is brought home
    ("2D 3C AC", "", "2D"),  # nobody leads an ace into the unknown
]


@pytest.mark.parametrize(("hand", "laid", "card"), COUNTER)
def test_counter(hand: str, laid: str, card: str) -> None:
    """It trumps what is worth a trump, and brings points home where they are safe."""
    assert played(CardCounter(), hand, laid) == card


def test_counter_remembers_what_is_gone() -> None:
    """When no card is left that takes an ace, it leads the ace."""
    trumps = " ".join(card for card in FULL_PACK if card.endswith("S") and card != "5S")
    assert played(CardCounter(), "2D 4D AC", "") != "AC"
    assert played(CardCounter(), "2D 4D AC", "", gone=f"{trumps} 5S") == "AC"


def test_counter_gives_points_to_its_partner() -> None:
    """Last of four, it adds its ace to what the partner takes, and gives others nothing."""
    assert played(CardCounter(), "2D AD 4B", "2C 3C 4C", seats=4) == "AD"
    assert played(CardCounter(), "2D AD 4B", "3C 2C 4C", seats=4) == "2D"


EXPLAINED = [
    ("2C 4S AD", "3C", 2, "It takes 10 points, and keeps your cards with points."),
    ("2C 4S AD", "JC", 2, "It gives away no points, and keeps your trump."),
    ("2D 3C AC", "", 2, "It risks no points, and keeps your cards with points."),
    ("2D AD 4B", "2C 3C 4C", 4,
     "It adds 11 points to your partner's trick, and your other cards are worth more later."),
    ("2D AD 4B", "3C", 4, "It risks no points, and keeps your cards with points."),
    ("KD", "3C", 3, "It is your only card."),
]  # fmt: skip


@pytest.mark.parametrize(("hand", "laid", "seats", "sentence"), EXPLAINED)
def test_counter_explains_its_card(hand: str, laid: str, seats: int, sentence: str) -> None:
    """In a plain sentence: what it does to the trick, in points."""
    bot = CardCounter()
    card = played(bot, hand, laid, seats=seats)
    assert bot.explain(PlayCard(OneOf(tuple(hand.split()))), card) == sentence


def test_counter_counts_the_points_that_are_left() -> None:
    """Once both hands are known, it says what its card brings, and what the others would."""
    bot = CardCounter()
    gone = " ".join(card for card in FULL_PACK if card not in {"7D", "6S", "7S", "3C"})
    card = played(bot, "7D 6S", "", stock=0, gone=gone)
    said = bot.explain(PlayCard(OneOf(("7D", "6S"))), card)
    assert said == (
        "Both hands are known by now: it brings 10 of the 10 points left, and every other card at"
        " most 0."
    )


SAFE = [
    ("AS 2C 4D", "", "", "It cannot be beaten"),
    ("3S 2C 4D", "", "", "It risks 10 points"),
    ("3S 2C 4D", "", "AS", "It cannot be beaten"),
    ("3S 2C AS", "", "", "It cannot be beaten"),
    ("AS 2C 4D", "3C", "", "It takes 21 points"),
    ("3S 2C 4D", "3C", "", "It takes 20 points so far"),
]


@pytest.mark.parametrize(("hand", "laid", "gone", "effect"), SAFE)
def test_a_card_that_nothing_unseen_beats_risks_nothing(
    hand: str, laid: str, gone: str, effect: str
) -> None:
    """The best trump takes the trick whatever comes, and so does the best one that is left."""
    bot = CardCounter()
    played(bot, hand, laid, gone=gone, seats=3 if laid else 2)
    sentence = bot.explain(PlayCard(OneOf(tuple(hand.split()))), hand[:2])
    assert sentence == f"{effect}, and your other cards are worth more later."


def test_a_new_deal_is_a_new_pack() -> None:
    """A stock that has grown says that nothing is gone."""
    bot = CardCounter()
    played(bot, "2D 4D AC", "", stock=2, gone="3D KD")
    assert len(bot.gone) == 2
    bot.hear(Trick(1, "7C", 34, (60, 60)))
    assert not bot.gone


def outcome(first: str, other: str, trump: str, *, led: str | None = None) -> int:
    """Return how many points the one to play can gain on the other."""
    return solve_endgame(tuple(first.split()), tuple(other.split()), led, trump)[0]


def test_the_end_of_a_game_is_solved() -> None:
    """Small ends whose value one sees."""
    assert outcome("AC", "3C", "5S") == 21
    assert outcome("AC", "2S", "5S") == -11
    assert outcome("2D AC", "4S", "5S", led="3C") == 21
    assert outcome("7C", "", "5S", led="3C") == -10


def every_line(hand: tuple[str, ...], other: tuple[str, ...], margin: int = 0) -> set[int]:
    """Return the margins that can come about at all, the leader's view; swords are trump."""
    if not hand:
        return {margin}
    found = set[int]()
    for card, answer in product(hand, other):
        left, theirs, won = (
            remove_cards(hand, (card,)),
            remove_cards(other, (answer,)),
            count_points((card, answer)),
        )
        if find_taker((card, answer), "5S"):
            found |= {-gain for gain in every_line(theirs, left, won - margin)}
        else:
            found |= every_line(left, theirs, margin + won)
    return found


def test_the_value_of_an_end_is_one_that_can_come_about() -> None:
    """For drawn hands of three, the value is the margin of some way to play them."""
    for seed in range(40):
        cards = Random(seed).sample(FULL_PACK, 6)
        hand, other = tuple(cards[:3]), tuple(cards[3:])
        margins = every_line(hand, other)
        assert min(margins) <= solve_endgame(hand, other, None, "5S")[0] <= max(margins)
        assert solve_endgame(hand, other, None, "5S")[0] in margins


def won(names: tuple[str, ...], games: int) -> int:
    """Count by how many points the first seat is ahead of the second, over all games."""
    ahead = 0
    for seed in range(games):
        players = [BotPlayer(GAME.bots[name]()) for name in names]
        game = Match(Play.deal(Briscola(), len(names), f"{seed}"), players, key=f"{seed}").run()
        assert (game.end, game.verdicts) == (End.FINISHED, {})
        assert game.scores is not None
        ahead += int(game.scores[0] - game.scores[1])
    return ahead


@pytest.mark.parametrize("names", [("counter", "thrifty"), ("thrifty", "random")], ids=" ".join)
def test_who_thinks_more_wins(names: tuple[str, str]) -> None:
    """Over a hundred deals and from both seats it is ahead by far: four standard errors."""
    assert won(names, 100) - won(names[::-1], 100) > 10 * 200


@pytest.mark.parametrize("seats", [3, 4])
def test_counter_is_ahead_with_more_players(seats: int) -> None:
    """Of three, or with a partner, too."""
    names = ("counter", "thrifty", "thrifty") if seats == 3 else ("counter", "thrifty") * 2
    assert won(names, 100) > 0
