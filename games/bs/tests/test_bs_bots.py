"""The bundled bots of BS, each by its rule, in small situations."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena import Bot, Greeting, Question, Seat, SomeOf
from arena.cards import Cards
from arena_bs import GAME, Bs
from arena_bs.bots import (
    RANK_COUNT,
    Caller,
    CardCounter,
    CardPlayer,
    Cautious,
    Honest,
    Liar,
    PlayerRecord,
    RandomPlayer,
    Seasoned,
    count_turns,
    turns_until,
)
from arena_bs.rules import (
    BS,
    CURRENT_DECLARES,
    DECK,
    OTHERS_DECLARE,
    PASS,
    PEANUT_BUTTER,
    RANKS,
    Called,
    ChooseCards,
    Hand,
    Judged,
    PileTaken,
    Played,
    Player,
    Receives,
    Shown,
    Turn,
    build_name_question,
    filter_rank,
)

B = TypeVar("B", bound=Bot)
ME, ANN, BOB = players = tuple(
    Player(seat, name, seat) for seat, name in enumerate(["Me", "Ann", "Bob"])
)
HANDS = st.lists(st.sampled_from(DECK), min_size=1, max_size=26, unique=True).map(tuple)


def cards(text: str) -> Cards:
    return tuple(text.split())


def seated(bot: B, seat: Seat = 0, seats: int = 3, seed: str = "seed") -> B:
    bot.greet(Greeting("bs", seat, seats, Bs(), seed))
    return bot


def turn(
    bot: Bot, player: Player, rank: str, hand: Cards, counts: Sequence[int] = (10, 10, 10)
) -> None:
    order = [*players[player.seat :], *players[: player.seat]]
    bot.hear(Turn(tuple((player, counts[player.seat]) for player in order), rank))
    bot.hear(Hand(hand))


def lay(bot: Bot, rank: str, hand: Cards) -> Cards:
    turn(bot, ME, rank, hand)
    laid: Cards = bot.choose(ChooseCards(SomeOf(hand), rank))
    bot.hear(Played(ME, len(laid), rank))
    return laid


def claims(bot: Bot, player: Player, count: int, rank: str, hand: Cards, *, left: int = 10) -> str:
    """Let another player lay so many cards; return what the bot says."""
    counts = [10, 10, 10]
    counts[player.seat] = left + count
    turn(bot, player, rank, hand, counts)
    bot.hear(Played(player, count, rank))
    word: str = bot.choose(OTHERS_DECLARE)
    return word


def lies_and_is_called(bot: Bot, player: Player, laid: Cards, rank: str, hand: Cards) -> None:
    claims(bot, player, len(laid), rank, hand)
    bot.hear(Called((BOB if player is ANN else ANN,)))
    bot.hear(Shown(player, laid))
    bot.hear(Judged(player, bluffing=True))


NOTHING = cards("3S 4S 5S")
HONEST = [Honest, Cautious, Caller]


@pytest.mark.parametrize("kind", HONEST)
@given(HANDS, st.sampled_from(RANKS))
def test_honest_bots_lay_what_they_have(kind: type[CardPlayer], hand: Cards, rank: str) -> None:
    """All cards of the rank; a single other one where there is none."""
    laid = lay(seated(kind()), rank, hand)
    assert laid == filter_rank(hand, rank) or (len(laid) == 1 and not filter_rank(hand, rank))
    assert set(laid) <= set(hand)


@pytest.mark.parametrize("kind", HONEST)
def test_honest_bots_give_away_what_they_need_last(kind: type[CardPlayer]) -> None:
    """With three players the ranks of one's turns after an ace are 4 7 T K 3 6 9 Q 2 5 8 J."""
    assert lay(seated(kind()), "A", cards("4S JS 8S 2S")) == cards("JS")
    assert lay(seated(kind()), "A", cards("4S 3S TS")) == cards("3S")


@pytest.mark.parametrize("kind", [Honest, Cautious, CardCounter, Caller])
@pytest.mark.parametrize(
    ("claim", "hand"), [(2, "7S 7C 7H"), (1, "7S 7C 7H 7D"), (4, "7S"), (5, "AS")]
)
def test_bots_that_count_call_what_cannot_be(kind: type[Bot], claim: int, hand: str) -> None:
    """The claim and what one holds are more than the four cards of the rank."""
    assert claims(seated(kind()), ANN, claim, "7", cards(hand)) == BS


@pytest.mark.parametrize("kind", [Honest, Cautious, CardCounter])
@pytest.mark.parametrize(("claim", "hand"), [(1, "7S 7C 7H"), (2, "7S 7C"), (3, "7S"), (4, "AS")])
def test_bots_that_count_believe_what_can_be(kind: type[Bot], claim: int, hand: str) -> None:
    """Four cards of the rank are no contradiction."""
    assert claims(seated(kind()), ANN, claim, "7", cards(hand)) == PASS


def test_cards_that_one_has_laid_oneself_are_known() -> None:
    """They lie on the pile, so the player who claims them cannot have them."""
    bot = seated(Honest())
    assert lay(bot, "7", cards("7S 7C 2H")) == cards("7S 7C")
    bot.hear(Called(()))
    assert claims(bot, ANN, 3, "7", cards("2H")) == BS
    assert claims(bot, BOB, 2, "7", cards("2H")) == PASS


def test_cards_that_somebody_took_are_known() -> None:
    """Who was caught has them: another who claims them is lying, until they may have moved."""
    bot = seated(Honest())
    lies_and_is_called(bot, ANN, cards("7S 7C 7H"), "6", NOTHING)
    assert claims(bot, BOB, 2, "7", NOTHING) == BS
    assert claims(bot, ANN, 3, "7", NOTHING) == PASS
    bot.hear(Called(()))  # Ann's cards went onto the pile, where no other player has them
    assert claims(bot, BOB, 2, "7", NOTHING) == BS
    bot.hear(Called((ANN,)))
    bot.hear(Shown(BOB, cards("8S 8C")))
    bot.hear(Judged(BOB, bluffing=True))  # now Bob may have them
    assert claims(bot, BOB, 2, "7", NOTHING) == PASS


def test_cautious_lets_nobody_go_out_unseen() -> None:
    """The last cards are called, however likely; honest believes them."""
    assert claims(seated(Cautious()), ANN, 1, "7", NOTHING, left=0) == BS
    assert claims(seated(Cautious()), ANN, 1, "7", NOTHING, left=1) == PASS
    assert claims(seated(Honest()), ANN, 1, "7", NOTHING, left=0) == PASS


@given(HANDS, st.sampled_from(RANKS), st.integers(1, 5), st.text(max_size=3))
def test_the_liar_lays_what_it_needs_last(hand: Cards, rank: str, most: int, seed: str) -> None:
    """Up to `most` cards; its aces go last where the ace is the rank."""
    bot = seated(Liar(most), seed=seed)
    laid = lay(bot, rank, hand)
    assert 1 <= len(laid) <= most
    waits = [turns_until(card[0], rank, 3) for card in hand]
    assert [turns_until(card[0], rank, 3) for card in laid] == sorted(waits)[::-1][: len(laid)]


def test_the_liar_lies_though_it_need_not_and_brags() -> None:
    """It keeps its ace, and declares Peanut Butter; after a true claim it has nothing to tell."""
    bot = seated(Liar(1))
    assert lay(bot, "A", cards("AS 2S")) == cards("2S")
    assert bot.choose(CURRENT_DECLARES) == PEANUT_BUTTER
    assert lay(bot, "A", cards("AS")) == cards("AS")
    assert bot.choose(CURRENT_DECLARES) == PASS


def test_the_liar_never_calls() -> None:
    """Not even what cannot be."""
    assert claims(seated(Liar()), ANN, 5, "7", NOTHING) == PASS


def test_the_caller_calls_by_chance() -> None:
    """Always, or as seldom as the honest bot does, or now and then."""
    assert {claims(seated(Caller(1.0)), ANN, 1, "7", NOTHING) for _ in range(9)} == {BS}
    assert {claims(seated(Caller(0.0)), ANN, 1, "7", NOTHING) for _ in range(9)} == {PASS}
    said = [claims(seated(Caller(), seed=str(seed)), ANN, 1, "7", NOTHING) for seed in range(200)]
    assert 30 <= said.count(BS) <= 70


@given(HANDS, st.integers(1, 3), st.text(max_size=3))
def test_random_lays_few_cards(hand: Cards, most: int, seed: str) -> None:
    """One to `most`, any of them."""
    laid = lay(seated(RandomPlayer(most), seed=seed), "A", hand)
    assert 1 <= len(laid) <= most
    assert set(laid) <= set(hand)


@pytest.mark.parametrize(
    ("question", "word"), [(OTHERS_DECLARE, BS), (CURRENT_DECLARES, PEANUT_BUTTER)]
)
def test_random_speaks_up_now_and_then(question: Question[str], word: str) -> None:
    """One time in ten, whoever's turn it is."""
    said = [seated(RandomPlayer(), seed=str(seed)).choose(question) for seed in range(500)]
    assert set(said) == {PASS, word}
    assert 25 <= said.count(word) <= 75


def known_liar() -> CardCounter:
    """Return a counter that has seen Ann lie again and again."""
    bot = seated(CardCounter())
    for _ in range(12):
        lies_and_is_called(bot, ANN, cards("8S"), "6", NOTHING)
    return bot


def test_counter_judges_liars_by_their_record() -> None:
    """It calls a claim of somebody who was caught often, and not the same claim of another."""
    bot = known_liar()
    for _ in range(5):
        assert claims(bot, BOB, 1, "J", NOTHING) == PASS
        bot.hear(Called(()))
    assert claims(bot, ANN, 1, "Q", NOTHING) == BS


def test_counter_weighs_the_pile() -> None:
    """For a card or two it is not worth it to be wrong alone, for the good of all others."""
    bot, said = known_liar(), []
    for _ in range(8):
        said.append(claims(bot, ANN, 1, "Q", NOTHING))
        bot.hear(Called(()))
    assert said == [PASS] * 3 + [BS] * 5


def test_counter_stops_a_liar_from_going_out() -> None:
    """The last cards are worth more than the pile."""
    assert claims(known_liar(), ANN, 1, "Q", NOTHING, left=1) == PASS
    assert claims(known_liar(), ANN, 1, "Q", NOTHING, left=0) == BS


@pytest.mark.parametrize(("left", "word"), [(2, BS), (20, PASS)])
def test_seasoned_calls_last_cards_if_it_has_little_to_lose(left: int, word: str) -> None:
    """Ann goes out. With the most cards it is last anyway; ahead of Bob, the pile is too dear."""
    bot, hand = seated(Seasoned()), cards("3S 4S 5S 6S 8S")
    turn(bot, BOB, "6", hand, (5, 1, left + 20))
    bot.hear(Played(BOB, 20, "6"))
    bot.hear(Called(()))
    turn(bot, ANN, "7", hand, (5, 1, left))
    bot.hear(Played(ANN, 1, "7"))
    assert bot.choose(OTHERS_DECLARE) == word


def test_a_pile_is_dearer_with_a_single_opponent() -> None:
    """Between two, seasoned lays only its ace, where a counter among three adds a card."""
    hand = cards("AS JS 8S 2S")
    assert lay(seated(Seasoned()), "A", hand) == cards("AS JS")
    duel = seated(Seasoned(), seats=2)
    duel.hear(Turn(((ME, 4), (ANN, 20)), "A"))
    duel.hear(Hand(hand))
    assert duel.choose(ChooseCards(SomeOf(hand), "A")) == cards("AS")


@pytest.mark.parametrize(
    ("hand", "laid", "reason"),
    [
        ("AS JS 8S 2S", "AS", "It is the truth, so whoever calls takes the pile."),
        ("AS JS 8S 2S", "AS JS", "the card that you need last empties your hand sooner. Only a"),
        (
            "AS JS 8S 2S",
            "AS JS 8S",
            "2 cards more empty your hand sooner. One of your opponents can",
        ),
        ("QS JS 8S 2S", "QS", "The best card for a lie is the one that you need last. Only a hand"),
        ("QS JS 8S 2S", "QS JS", "Several cards empty your hand sooner than one. Only a hand with"),
        ("QS", "QS", "Only a hand with all four of this rank proves that it is a lie."),
    ],
)
def test_counter_says_why_it_lays_so_many_cards(hand: str, laid: str, reason: str) -> None:
    """More cards of a lie are a gain and a risk: both are told."""
    bot = seated(CardCounter())
    turn(bot, ME, "A", cards(hand))
    said = " ".join(bot.explain(ChooseCards(SomeOf(cards(hand)), "A"), cards(laid)))
    assert reason in said
    assert said.endswith(".")


def test_counter_tells_no_lie_that_another_hand_surely_disproves() -> None:
    """No card lies on the pile: the others hold three threes, and two of these are in one hand."""
    bot, hand = seated(CardCounter()), cards("3S 6S 8S TS QS")
    assert len(lay(bot, "3", hand)) <= 2
    bot = seated(CardCounter())
    turn(bot, ME, "3", hand)
    said = bot.explain(ChooseCards(SomeOf(hand), "3"), hand[:4])
    assert said[-1] == "One of your opponents can surely prove that it is a lie."
    bot = seated(CardCounter())
    claims(bot, ANN, 2, "2", hand)
    bot.hear(Called(()))
    turn(bot, ME, "3", hand)
    said = bot.explain(ChooseCards(SomeOf(hand), "3"), hand[:4])
    assert said[-1] == "Only a hand with one of this rank proves that it is a lie."  # of the pile's


def test_a_single_opponent_proves_a_lie_of_too_many() -> None:
    """It holds what neither the own hand nor the pile can hold."""
    bot, hand = seated(Seasoned(), seats=2), cards("3S 6S 8S TS QS")
    bot.hear(Turn(((ME, 5), (ANN, 20)), "3"))
    bot.hear(Hand(hand))
    assert bot.choose(ChooseCards(SomeOf(hand), "3")) == cards("3S")
    assert bot.explain(ChooseCards(SomeOf(hand), "3"), hand[:2])[-1] == (
        "Your opponent can prove that it is a lie."
    )


def test_counter_explains_a_pass_by_what_came_to_light() -> None:
    """The lies that it saw are facts; how often it expects one is not told."""
    bot = seated(CardCounter())
    claims(bot, ANN, 1, "Q", NOTHING)
    risk, record = bot.explain(OTHERS_DECLARE, PASS)
    assert risk.endswith("a right one only one of your 2 opponents.")
    assert record == "None of this player's claims of one card has come to light yet."
    for lies, sentence in (
        ((True,), "This player's only claim of one card that came to light was a lie."),
        ((True, False), "Of the 2 claims of one card by this player that came to light, 1 was a lie."),
    ):  # fmt: skip
        player = PlayerRecord()
        for lie in lies:
            player.note_claim(1, lie)
        assert player.describe_claims(1) == sentence
    claims(bot, ANN, 1, "Q", NOTHING, left=0)
    won, _ = bot.explain(OTHERS_DECLARE, PASS)
    assert won == "If it is true, this player wins, and a call only brings you 2 cards."
    last, _ = bot.explain(OTHERS_DECLARE, BS)
    assert last == "Unless somebody calls, this player wins."


def test_counter_learns_from_the_pile_that_it_takes() -> None:
    """It looks through the cards: the claims that nobody called are on the record, too."""
    bot = seated(CardCounter())
    claims(bot, BOB, 2, "K", NOTHING)
    bot.hear(Called(()))
    claims(bot, ANN, 3, "A", NOTHING)
    bot.hear(Called(()))
    claims(bot, BOB, 1, "2", NOTHING)
    bot.hear(Called((ME,)))
    bot.hear(Shown(BOB, cards("2S")))
    bot.hear(Judged(BOB, bluffing=False))
    bot.hear(Receives(ME, "receives"))
    bot.hear(PileTaken(cards("2S AS AC AH QS KH"), bluffing=False))
    ann, bob = bot.records.players[ANN.seat], bot.records.players[BOB.seat]
    assert (ann.other_lies.successes, ann.other_lies.trials) == (0, 1)
    assert (bob.other_lies.successes, bob.other_lies.trials) == (1, 1)
    assert (bob.single_lies.successes, bob.single_lies.trials) == (0, 1)


def test_counter_learns_nothing_from_a_lie_that_had_to_be() -> None:
    """A single card that cannot be of the rank shows only that its player had none."""
    for threes, seen in (("3S 3C 3H 3D", 0), ("3S 3C 3H", 1)):
        bot = seated(CardCounter())
        lies_and_is_called(bot, ANN, cards("8S"), "3", cards(threes))
        assert bot.records.players[ANN.seat].single_lies.trials == seen


HAND = cards("AS 4S 7S TS KS 5S")


def test_counter_adds_cards_where_nobody_calls() -> None:
    """It lays more than it has of the rank, if the others have never called anything."""
    bot = seated(CardCounter())
    for _ in range(20):
        claims(bot, ANN, 1, "K", HAND)
        bot.hear(Called(()))
    bot.memory.pile.clear()
    laid = lay(bot, "A", HAND)
    assert laid == cards("AS 5S")  # with three players, 5 comes last of these


def test_counter_is_honest_among_callers() -> None:
    """It lays what it has of the rank and no more, if the others call all the time."""
    bot = seated(CardCounter())
    for _ in range(9):
        for liar, caller in ((ANN, BOB), (BOB, ANN)):
            claims(bot, liar, 1, "K", HAND)
            bot.hear(Called((caller,)))
            bot.hear(Shown(liar, cards("JS")))
            bot.hear(Judged(liar, bluffing=True))
    assert lay(bot, "A", HAND) == cards("AS")


def test_a_bot_is_called_like_its_class() -> None:
    """Names are nicknames that the rules allow."""
    for kind in GAME.bots.values():
        question = build_name_question(0, 1)
        name = seated(kind()).choose(question)
        assert question.options.read(name) == kind.__name__


def test_turns_until_a_rank() -> None:
    """Whose turn it is goes round as the ranks do; with 13 players one's rank never changes."""
    assert turns_until("A", "A", 4) == 0
    assert turns_until("5", "A", 4) == 1
    assert turns_until("K", "A", 4) == 3
    assert turns_until("2", "A", 4) == 10
    assert turns_until("2", "A", 13) == RANK_COUNT
    assert turns_until("A", "K", 14) == 1


def test_effort_counts_turns_and_lies() -> None:
    """With four players the ranks after an ace are 5 9 K 4 8 ..., and a lie costs more."""
    assert count_turns((), "A", 4, lie=1.5) == 0
    assert count_turns(cards("5S 5C 9S"), "A", 4, lie=1.5) == 2
    assert count_turns(cards("9S 4S"), "A", 4, lie=1.5) == 1 + 1.5 + 1
