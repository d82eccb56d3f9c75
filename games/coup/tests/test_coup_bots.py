"""The bundled bots of Coup, each by its rule, and in whole games."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import TypeVar

import pytest

from arena import Bot, Greeting, OneOf, Play, Seat, SomeOf
from arena.host import Match
from arena.players import BotPlayer
from arena.rules import Outcome
from arena_coup import GAME, Coup
from arena_coup.bots import Bold, CardCounter, CoupBot, Honest, RandomPlayer, Trusting
from arena_coup.rules import (
    ALLOW,
    AMBASSADOR,
    ASSASSIN,
    CAPTAIN,
    CHALLENGE,
    CONTESSA,
    DUKE,
    Acted,
    Block,
    Blocked,
    Cards,
    Challenge,
    Challenged,
    ChooseAction,
    CoupPosition,
    Hand,
    KeepCards,
    LoseInfluence,
    Lost,
    Proved,
    ShowCard,
    Turn,
)

pytestmark = pytest.mark.slow  # whole games of bots
B = TypeVar("B", bound=Bot)
WORDS = OneOf((ALLOW, CHALLENGE))


def seated(bot: B, seats: int = 3) -> B:
    bot.greet(Greeting("coup", 0, seats, Coup(), "seed"))
    return bot


def turn(
    bot: Bot, seat: Seat, hand: Cards, coins: Sequence[int] = (2, 2, 2),
    revealed: tuple[Cards, ...] = ((), (), ()),
) -> None:  # fmt: skip
    influence = tuple(2 - len(cards) for cards in revealed)
    bot.hear(Turn(1, seat, tuple(coins), influence, revealed))
    bot.hear(Hand(hand))


def acts(bot: Bot, hand: Cards, coins: Sequence[int] = (2, 2, 2)) -> str:
    turn(bot, 0, hand, coins)
    position = CoupPosition(Coup(), (hand, (DUKE,), (DUKE,)), ((),) * 3, tuple(coins), ())
    word: str = bot.choose(ChooseAction(OneOf(position.actions)))
    return word


def hears_claim(
    bot: Bot, hand: Cards, character: str, action: str, revealed: tuple[Cards, ...] = ((), (), ())
) -> str:
    """Let seat 1 claim a character; return what the bot says."""
    turn(bot, 1, hand, revealed=revealed)
    bot.hear(Acted(1, action))
    word: str = bot.choose(Challenge(WORDS, 1, character, action, default=ALLOW))
    return word


def blocks(bot: Bot, hand: Cards, action: str, *characters: str) -> str:
    """Let seat 1 act against the bot; return what it says."""
    turn(bot, 1, hand)
    bot.hear(Acted(1, action))
    word: str = bot.choose(Block(OneOf((ALLOW, *characters)), 1, action, default=ALLOW))
    return word


@pytest.mark.parametrize(("hand", "coins", "action"), [
    ((DUKE, ASSASSIN), (2, 2, 2), "tax"),
    ((DUKE, ASSASSIN), (3, 2, 5), "assassinate:2"),
    ((DUKE, ASSASSIN), (7, 4, 2), "coup:1"),
    ((CAPTAIN, CONTESSA), (2, 2, 3), "steal:2"),
    ((CAPTAIN, CONTESSA), (2, 0, 0), "foreign-aid"),
    ((AMBASSADOR, CONTESSA), (2, 2, 2), "foreign-aid"),
])  # fmt: skip
def test_honest_claims_what_it_holds(hand: Cards, coins: Sequence[int], action: str) -> None:
    """Against the opponent with most influence and coins."""
    assert acts(seated(Honest()), hand, coins) == action


def test_honest_does_not_try_again_what_was_blocked() -> None:
    """So that two of them cannot block each other for ever."""
    bot = seated(Honest())
    assert acts(bot, (CONTESSA, CONTESSA)) == "foreign-aid"
    bot.hear(Acted(0, "foreign-aid"))
    bot.hear(Blocked(2, DUKE))
    assert acts(bot, (CONTESSA, CONTESSA)) == "income"


def test_honest_challenges_what_cannot_be() -> None:
    """Where it sees all three cards of the character."""
    revealed: tuple[Cards, ...] = ((), (), (DUKE,))
    for hand, word in (((DUKE, DUKE), CHALLENGE), ((DUKE, CAPTAIN), ALLOW)):
        assert hears_claim(seated(Honest()), hand, DUKE, "tax", revealed) == word
        assert hears_claim(seated(Trusting()), hand, DUKE, "tax", revealed) == ALLOW


def test_counter_explains_doubts_by_what_happened() -> None:
    """It tells which cards are in sight and who was caught, and how many claims were challenged."""
    bot = seated(CardCounter())
    turn(bot, 0, (CAPTAIN, CONTESSA))
    tax, doubt = ChooseAction(OneOf(("income", "tax"))), Challenge(WORDS, 1, DUKE, "tax")
    (told,) = bot.explain(tax, "tax")
    assert told.endswith("but whoever challenges risks an influence, too.")
    for event, doubts in (
        (Acted(1, "tax"), "but the only claim so far was not challenged."),
        (Acted(1, "tax"), "but none of the 2 claims so far was challenged."),
        (Challenged(2, 1, DUKE), "but 1 of the 2 claims so far was challenged."),
    ):
        bot.hear(event)
        assert bot.explain(tax, "tax") == (f"You do not hold the Duke, {doubts}",)
    claim = "of the 3 cards of the Duke, and the player who claims it"
    risk = "A wrong challenge costs you an influence, and a right one only one of 2 others."
    told = f"You see none {claim} has not been caught bluffing."
    assert bot.explain(doubt, ALLOW) == (risk, told)
    bot.hear(Lost(1, DUKE))
    assert bot.explain(doubt, ALLOW) == (risk, f"You see 1 {claim} was caught in 1 bluff.")
    turn(bot, 0, (DUKE, DUKE), revealed=((), (DUKE,), ()))
    told = "You see all 3 cards of the Duke: it is a bluff."
    assert bot.explain(doubt, CHALLENGE) == (told,)


def test_counter_says_what_a_challenge_or_a_block_would_risk() -> None:
    """A few coins are not worth an influence, and a coup needs no claim."""
    bot = seated(CardCounter())
    turn(bot, 1, (CONTESSA, CONTESSA))
    bot.hear(Acted(1, "steal:0"))
    risk, _ = bot.explain(Challenge(WORDS, 1, CAPTAIN, "steal:0"), ALLOW)
    assert risk == "The steal costs you 2 coins, and a wrong challenge an influence."
    block = Block(OneOf((ALLOW, CAPTAIN, AMBASSADOR)), 1, "steal:0")
    bluff = "You hold no Captain or Ambassador: a block would be a bluff, which risks an influence"
    assert bot.explain(block, ALLOW) == (f"{bluff} to save 2 coins.",)
    actions = ChooseAction(OneOf(("income", "coup:1")))
    (told,) = bot.explain(actions, "coup:1")
    assert told == "A coup takes an influence, and nobody can challenge or block it."


def test_honest_blocks_with_what_it_holds() -> None:
    """An honest bot blocks with a character in its hand, and with no other."""
    honest, hand = seated(Honest()), (AMBASSADOR, CONTESSA)
    assert blocks(honest, hand, "steal:0", CAPTAIN, AMBASSADOR) == AMBASSADOR
    assert blocks(honest, hand, "foreign-aid", DUKE) == ALLOW


def test_bold_lies() -> None:
    """It claims the Duke, the Assassin and whatever blocks, without any of them."""
    bold, hand = seated(Bold(chance=0)), (AMBASSADOR, AMBASSADOR)
    assert [acts(bold, hand, (coins, 2, 3)) for coins in (2, 3, 7)] == [
        "tax", "assassinate:2", "coup:2",
    ]  # fmt: skip
    assert blocks(bold, hand, "assassinate:0", CONTESSA) == CONTESSA
    assert hears_claim(bold, hand, DUKE, "tax") == ALLOW
    assert hears_claim(seated(Bold(chance=1)), hand, DUKE, "tax") == CHALLENGE


def test_bold_cannot_tax_when_it_must_strike() -> None:
    """The bot must launch a coup from ten coins on, so it cannot tax."""
    assert acts(seated(Bold()), (CONTESSA, CONTESSA), (11, 2, 0)) == "coup:1"


@pytest.mark.parametrize("kind", [Honest, Bold, CardCounter])
def test_who_can_prove_a_claim_does(kind: type[CoupBot]) -> None:
    """And who cannot keeps the Duke for last."""
    bot = seated(kind())
    turn(bot, 0, (DUKE, AMBASSADOR))
    options = OneOf((DUKE, AMBASSADOR))
    assert bot.choose(ShowCard(options, AMBASSADOR, 1)) == AMBASSADOR
    assert bot.choose(ShowCard(options, DUKE, 1)) == DUKE
    assert bot.choose(ShowCard(options, CAPTAIN, 1)) == AMBASSADOR
    assert bot.choose(LoseInfluence(options)) == AMBASSADOR


def test_two_different_characters_are_kept() -> None:
    """If there are two."""
    bot = seated(Honest())
    keep = KeepCards(SomeOf((DUKE, DUKE, AMBASSADOR, CONTESSA), 2, 2))
    assert bot.choose(keep) == (DUKE, CONTESSA)
    assert bot.choose(KeepCards(SomeOf((DUKE, DUKE, DUKE), 2, 2))) == (DUKE, DUKE)
    assert bot.choose(KeepCards(SomeOf((ASSASSIN, CAPTAIN, AMBASSADOR), 1, 1))) == (CAPTAIN,)


def test_counter_believes_less_who_was_caught() -> None:
    """A claim is as likely as the cards and the claimant's record make it."""
    bot = seated(CardCounter(), 2)
    words = []
    for _ in range(3):
        turn(bot, 1, (DUKE, DUKE), (2, 2), ((), ()))
        bot.hear(Acted(1, "tax"))
        words.append(bot.choose(Challenge(WORDS, 1, DUKE, "tax")))
        bot.hear(Challenged(0, 1, DUKE))
        bot.hear(Lost(1, CAPTAIN))
    assert words[0] == ALLOW
    assert words[-1] == CHALLENGE


def test_counter_believes_more_who_was_right() -> None:
    """Each proof makes the next lie less likely."""
    bot = seated(CardCounter())
    turn(bot, 1, (CAPTAIN, CONTESSA))
    before = bot.memory.records[1].lie_rate
    bot.hear(Acted(1, "tax"))
    bot.hear(Challenged(2, 1, DUKE))
    bot.hear(Proved(1, DUKE))
    assert bot.memory.records[1].lie_rate < before


def test_counter_lies_against_its_end() -> None:
    """With one influence there is nothing to lose by claiming the Contessa."""
    bot = seated(CardCounter())
    turn(bot, 1, (DUKE,), (2, 2, 2), ((CAPTAIN,), (), ()))
    bot.hear(Acted(1, "assassinate:0"))
    assert bot.choose(Block(OneOf((ALLOW, CONTESSA)), 1, "assassinate:0")) == CONTESSA


def test_counter_does_not_claim_what_it_knows_to_be_gone() -> None:
    """All three Dukes are face up."""
    bot = seated(CardCounter())
    turn(bot, 0, (CONTESSA,), (2, 2, 2), ((DUKE,), (DUKE,), (DUKE,)))
    assert bot.choose(ChooseAction(OneOf(("income", "tax")))) == "income"


def match(kinds: Sequence[type[Bot]], seed: str) -> Outcome:
    play = Play.deal(Coup(), len(kinds), seed)
    game = Match(play, [BotPlayer(kind()) for kind in kinds], game="coup")
    outcome = game.run()
    assert game.problem is None, game.problem
    return outcome


def wins(kind: type[Bot], others: Sequence[type[Bot]], games: int) -> float:
    """Return how often a bot wins, sitting in all seats in turn."""
    won = 0
    for number in range(games):
        at = number % (len(others) + 1)
        outcome = match([*others[:at], kind, *others[at:]], f"game {number}")
        won += (outcome.places or ())[at] == 1
    return won / games


def test_many_games_without_a_verdict() -> None:
    """Bots answer what the rules allow, and their games end before the last turn."""
    random, names = Random("tables"), list(GAME.bots)
    for number in range(40):
        kinds = [GAME.bots[name] for name in random.choices(names, k=2 + number % 5)]
        outcome = match(kinds, f"table {number}")
        assert not outcome.verdicts
        assert outcome.rounds < Coup().max_turns


@pytest.mark.parametrize("kind", [Honest, Bold, CardCounter])
def test_all_beat_chance(kind: type[Bot]) -> None:
    """Every bot beats the random one in most games of two."""
    assert wins(kind, [RandomPlayer], 60) > 0.7


def test_bold_beats_honest() -> None:
    """Nobody calls its lies."""
    assert wins(Bold, [Honest], 100) > 0.55


def test_counter_is_the_strongest_of_four() -> None:
    """It wins most of the games against bots of all kinds."""
    assert wins(CardCounter, [Honest, Bold, Trusting], 100) > 0.4
