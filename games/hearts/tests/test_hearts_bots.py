"""The bundled bots of Hearts, in small situations and in whole deals."""

from __future__ import annotations

import re
from statistics import mean
from typing import Any

import pytest

from arena import Bot, Greeting, OneOf, Play, SomeOf
from arena.cards import Cards, build_deck, sort_cards
from arena.host import Match
from arena.players import BotPlayer
from arena_hearts import GAME, Hearts, HeartsPosition
from arena_hearts.bots import (
    Careful,
    LowCardPlayer,
    MonteCarloPlayer,
    MoonShooter,
)
from arena_hearts.rules import DealStarted, Hand, PassCards, PlayCard, Played, Taken

pytestmark = pytest.mark.slow  # one of the bots plays each deal in its head many times


def cards(text: str) -> Cards:
    return tuple(text.split())


def seated(bot: Bot, *events: Any, seat: int = 3, seats: int = 4) -> Bot:
    bot.greet(Greeting("hearts", seat, seats, Hearts(), "seed"))
    for event in events:
        bot.hear(event)
    return bot


def plays(bot: Bot, hand: str, trick: str = "", may: str = "", gone: str = "") -> Any:
    """Return what a bot at seat 3 plays: the trick began so many seats before, some are gone."""
    seated(bot, DealStarted(4, "hold", (0, 0, 0, 0)))
    for card in cards(gone):
        bot.hear(Hand(()))
        bot.hear(Played(0, card))
    bot.hear(Hand(cards(hand)))
    for seat, card in enumerate(cards(trick), 3 - len(cards(trick))):
        bot.hear(Played(seat, card))
    return bot.choose(PlayCard(OneOf(cards(may or hand))))


BOTS = [LowCardPlayer, Careful, MonteCarloPlayer, MoonShooter]
EARLY = "2C 3C 4C 5C"  # so that it is not the first trick


@pytest.mark.parametrize("bot", BOTS)
@pytest.mark.parametrize(
    ("hand", "trick", "may", "card"),
    [
        ("3D QS KS", "5S AS 7S", "QS KS", "QS"),
        ("TD QS 3H", "KC 9C 8C", "", "QS"),
        ("3D 9D AD 2S", "5D KD 7H", "3D 9D AD", "9D"),
    ],
)
def test_a_gift_is_given(bot: type[Bot], hand: str, trick: str, may: str, card: str) -> None:
    """The queen goes to who takes the trick, and so does a card just below the highest."""
    assert plays(bot(), hand, trick, may, EARLY) == card


@pytest.mark.parametrize("bot", BOTS)
def test_who_may_play_one_card_plays_it(bot: type[Bot]) -> None:
    """A bot that may play only one card plays it without thinking."""
    assert plays(bot(), "2C QS", may="2C") == "2C"


@pytest.mark.parametrize("bot", BOTS)
def test_the_queen_of_few_spades_is_passed(bot: type[Bot]) -> None:
    """With nothing below it, it cannot be held safely."""
    hand = cards("2C 3C 4C 9C 3D 4D 5D 9D QS 2H 3H 4H 9H")
    question = PassCards(SomeOf(hand, 3, 3), 0)
    player = seated(bot(), DealStarted(1, "left", (0, 0, 0, 0)), Hand(hand))
    assert "QS" in player.choose(question)


@pytest.mark.parametrize("bot", [Careful, MonteCarloPlayer])
def test_the_queen_of_many_spades_is_held(bot: type[Bot]) -> None:
    """With enough below it, somebody else takes the tricks."""
    hand = cards("KC AC QD KD AD 2S 3S 4S 5S 6S QS 2H KH")
    question = PassCards(SomeOf(hand, 3, 3), 0)
    player = seated(bot(), DealStarted(1, "left", (0, 0, 0, 0)), Hand(hand))
    assert "QS" not in player.choose(question)


HIGHEST, LOW = "AH", "4H"
OTHERS = cards("2C 3C 2D 3D QH KH")  # that the others hold, when all have two cards left
TAKEN = 22  # points by then


def contrast_last_cards(taker: int, trick: str, answer: str, better: str) -> str:
    """Return how two cards of seat 3 differ when one seat has taken all points so far."""
    held = (HIGHEST, LOW, *OTHERS)
    bot = MonteCarloPlayer()
    seated(bot, DealStarted(4, "hold", (0, 0, 0, 0)))
    for card in build_deck():
        if card not in held:
            bot.hear(Hand(()))
            bot.hear(Played(3, card))
    bot.hear(Taken(taker, TAKEN))
    bot.hear(Hand((HIGHEST, LOW)))
    for seat, card in enumerate(cards(trick)):
        bot.hear(Played(seat, card))
    contrast = bot.contrast(PlayCard(OneOf((HIGHEST, LOW))), answer, better)
    return contrast.text if contrast else ""


def test_a_contrast_says_who_shoots_the_moon() -> None:
    """It tells how often another player, or the seat itself, takes all points after a card."""
    start = (
        r"In 100 deals of the cards that you do not see, A♥ came out [\d.]+ points better than 4♥"
    )
    text = contrast_last_cards(0, "KH QH 2C", LOW, HIGHEST)
    shot = r": after 4♥ another player shot the moon in \d+ of them, after A♥ in none\."
    assert re.fullmatch(start + shot, text)
    text = contrast_last_cards(3, "", LOW, HIGHEST)
    shot = r": after A♥ you shot the moon in \d+ of them, after 4♥ in none\."
    assert re.fullmatch(start + shot, text)
    assert contrast_last_cards(3, "", HIGHEST, LOW) == ""


def test_a_contrast_says_who_takes_the_queen() -> None:
    """Whoever keeps the queen of few spades takes it more often; passes are compared, too."""
    hand = cards("2C 3C 4C 9C 3D 4D 5D 9D QS 2H 3H 4H 9H")
    question = PassCards(SomeOf(hand, 3, 3), 0)
    bot = seated(MonteCarloPlayer(), DealStarted(1, "left", (0, 0, 0, 0)), Hand(hand))
    assert isinstance(bot, MonteCarloPlayer)
    contrast = bot.contrast(question, cards("2C 3C 2H"), cards("QS 9D 9H"))
    assert contrast
    assert contrast.gain > 1
    assert re.search(
        r": after 2♣ 3♣ 2♥ you took Q♠ in \d+ of them, after Q♠ 9♦ 9♥ in", contrast.text
    )
    assert bot.contrast(question, cards("QS 9D 9H"), cards("2C 3C 2H")) is None


@pytest.mark.parametrize(
    ("hand", "passed", "reason"),
    [
        (
            "3C 4C 8C 9C TC 2D 5D 8D 9D JD 2S 4S 3H",
            "2S 4S 3H",
            "Out of ♠ and ♥, you can discard points when they are led.",
        ),
        (
            "2C 3C 4C 9C 3D 4D 5D 9D QS 2H 3H 4H KH",
            "9D KH QS",
            (
                "Q♠ costs 13 points, and you hold too few lower spades to keep it. K♥ may take tricks"
                " with others' points. 9♦ shortens a suit: out of one, you can discard points."
            ),
        ),
        (
            "2C KC AC 3D QD AD KS AS 2H JH QH KH AH",
            "2C 2H 3D",
            "With so many high cards you may take all points: keep them, and pass low ones.",
        ),
    ],
)
def test_the_reason_for_a_pass_fits_its_cards(hand: str, passed: str, reason: str) -> None:
    """Low cards are passed to be out of a suit, or for the moon; only high ones take tricks."""
    held = cards(hand)
    player = seated(MoonShooter(), DealStarted(1, "left", (0, 0, 0, 0)), Hand(held))
    question = PassCards(SomeOf(held, 3, 3), 1)
    answer = player.choose(question)
    assert {*answer} == {*cards(passed)}
    assert player.explain(question, answer) == reason


def test_the_shooter_keeps_high_cards() -> None:
    """With a hand that can take all, it gives low ones away."""
    hand = cards("2C KC AC 3D QD AD KS AS 2H JH QH KH AH")
    player = seated(MoonShooter(), DealStarted(1, "left", (0, 0, 0, 0)), Hand(hand))
    assert player.choose(PassCards(SomeOf(hand, 3, 3), 0)) == ("2C", "2H", "3D")


def test_the_shooter_shoots() -> None:
    """With all high cards it takes every trick, and the others get 26 each."""
    strong = cards("AC KC QC JC AD KD QD AS KS QS AH KH QH")
    rest = [card for card in build_deck() if card not in strong]
    hands = (sort_cards(strong), *(sort_cards(rest[at::3]) for at in range(3)))
    play = Play(HeartsPosition(Hearts(deals=1), hands), 4, "seed")
    Match(play, [BotPlayer(MoonShooter()), *(BotPlayer(LowCardPlayer()) for _ in range(3))]).run()
    assert play.scores == (0, -26, -26, -26)


def points(bots: list[type[Bot]], deals: int) -> list[float]:
    """Return the mean points of each bot in single deals, each of them played from each seat."""
    found: list[list[float]] = [[] for _ in bots]
    for number in range(deals * len(bots)):
        turn = number % len(bots)
        order = [*range(turn, len(bots)), *range(turn)]
        play = Play.deal(Hearts(deals=1), len(bots), f"{number // len(bots)}")
        outcome = Match(play, [BotPlayer(bots[at]()) for at in order]).run()
        assert not outcome.verdicts
        for seat, at in enumerate(order):
            found[at].append(float(-play.scores[seat]))
    return [mean(each) for each in found]


@pytest.mark.parametrize(
    ("better", "worse", "deals"),
    [
        (LowCardPlayer, GAME.bots["random"], 20),
        (Careful, LowCardPlayer, 20),
        pytest.param(MonteCarloPlayer, LowCardPlayer, 5, marks=pytest.mark.release),
    ],
)
def test_who_looks_further_has_fewer_points(
    better: type[Bot], worse: type[Bot], deals: int
) -> None:
    """Against three of those who do not, in deals where all sit in each seat."""
    mine, *theirs = points([better, worse, worse, worse], deals)
    assert mine < mean(theirs)


@pytest.mark.parametrize("seats", [3, 5])
def test_bots_play_whole_matches(seats: int) -> None:
    """To the limit, without a verdict, however many sit there."""
    names = ["shooter", "careful", "low", "random", "counter"][:seats]
    play = Play.deal(Hearts(limit=30), seats, "seed")
    outcome = Match(play, [BotPlayer(GAME.bots[name]()) for name in names]).run()
    assert (outcome.end, outcome.verdicts) == ("finished", {})
    assert min(play.scores) <= -30


def test_a_bot_can_begin_in_the_middle() -> None:
    """It then takes all cards that it has not seen for cards that others may hold."""
    bot = MonteCarloPlayer()
    seated(bot, Hand(cards("3D 9D")), Taken(1, 3))
    assert bot.choose(PlayCard(OneOf(("3D", "9D")))) == "3D"
