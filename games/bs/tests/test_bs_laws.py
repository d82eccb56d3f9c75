"""What holds in every game of BS, whoever plays."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Any

from attrs import evolve, frozen
from hypothesis import given
from hypothesis import strategies as st

from arena import Play, Seat
from arena.cards import Cards
from arena_bs import Bs, BsPosition
from arena_bs.rules import (
    BS,
    DECK,
    FIRST_CARD,
    PASS,
    PEANUT_BUTTER,
    RANKS,
    Called,
    ChooseCards,
    Declare,
    Hand,
    Judged,
    PileTaken,
    Played,
    Receives,
    Shown,
    Turn,
    Won,
)

SEATS = st.integers(2, 52)
SEEDS = st.integers(0, 2**32).map(str)
VARIANTS = st.builds(
    Bs,
    order=st.sampled_from(["arrival", "fair"]),
    wording=st.sampled_from(["receives", "takes"]),
    max_turns=st.integers(1, 60),
)


@frozen
class Turned:
    """A turn that was played."""

    before: BsPosition
    laid: Cards
    words: dict[Seat, str]  # as they came
    told: list[tuple[Seat | None, Any]]
    after: BsPosition

    def events(self, kind: type) -> list[Any]:
        return [event for to, event in self.told if to is None and type(event) is kind]

    @property
    def spoke(self) -> list[Seat]:
        """Who called, as their answers came."""
        return [seat for seat, word in self.words.items() if word == BS]

    @property
    def lie(self) -> bool:
        return {card[0] for card in self.laid} != {self.before.rank}

    @property
    def called(self) -> list[Seat]:
        """Who called, as all were told."""
        return [player.seat for player in self.events(Called)[0].players]


def answer(play: Play, random: Random, calls: float) -> tuple[Seat, Any]:
    """Let one of those who are asked say something; honest plays are not too rare."""
    seat = random.choice(list(play.pending))
    question: Any = play.pending[seat]
    match question:
        case ChooseCards(options, default=default):
            few = options.draw(random)[: random.randint(1, 4)]
            laid = random.choice([default, few])
            return seat, play.answer(seat, laid)
        case Declare(options):
            return seat, play.answer(seat, options[random.random() < calls])
    return seat, play.answer(seat, f"bot_{seat % 3}")


def game(variant: Bs, seats: int, seed: str) -> Iterator[Turned]:
    """Play a whole game at random, turn by turn."""
    random = Random(seed)
    somebody = random.choice([0.1, 0.3, 0.8])  # how likely a play is called at all
    calls = 1 - (1 - somebody) ** (1 / (seats - 1))
    play = Play.deal(variant, seats, seed)
    while play.number == 0:
        answer(play, random, calls)
    heard = play.drain()
    while not play.over:
        before, number = position(play), play.number
        _, laid = answer(play, random, calls)
        words: dict[Seat, str] = {}
        while play.number == number:
            seat, word = answer(play, random, calls)
            words[seat] = word
        heard += play.drain()
        turns = [at for at, (_, event) in enumerate(heard) if type(event) is Turn]
        after = turns[1] if len(turns) > 1 else len(heard)  # where the next turn begins
        yield Turned(before, laid, words, heard[:after], position(play))
        heard = heard[after:]


def position(play: Play) -> BsPosition:
    assert isinstance(play.position, BsPosition)
    return play.position


def dealt(seats: int, seed: str) -> BsPosition:
    play = Play.deal(Bs(), seats, seed)
    while play.number == 0:
        answer(play, Random(seed), 0)
    return position(play)


@given(SEATS, SEEDS)
def test_the_deal(seats: int, seed: str) -> None:
    """All cards are dealt, hands differ by one at most, the holder of AH begins with an ace."""
    start = dealt(seats, seed)
    sizes = [len(hand) for hand in start.hands]
    assert sorted(card for hand in start.hands for card in hand) == sorted(DECK)
    assert max(sizes) - min(sizes) <= 1
    assert FIRST_CARD in start.hands[start.turn]
    assert start.rank == "A"
    assert not start.pile


@given(SEATS, SEEDS)
def test_everybody_has_a_number_of_its_own(seats: int, seed: str) -> None:
    """Numbers are 0 to 32768, and no two players have the same, whatever their nicknames."""
    numbers = [player.number for player in dealt(seats, seed).players]
    assert len(set(numbers)) == seats
    assert set(numbers) <= set(range(32769))


@given(VARIANTS, SEATS, SEEDS)
def test_no_card_is_lost_or_doubled(variant: Bs, seats: int, seed: str) -> None:
    """After every turn the hands and the pile together are the 52 cards."""
    for turn in game(variant, seats, seed):
        piles = [laid for _, laid in turn.after.pile]
        held = [card for some in (*turn.after.hands, *piles) for card in some]
        assert sorted(held) == sorted(DECK)


@given(VARIANTS, SEATS, SEEDS)
def test_turns_and_ranks_go_round(variant: Bs, seats: int, seed: str) -> None:
    """The next seat has the next turn, and the rank goes up by one, from the king to the ace."""
    turns = list(game(variant, seats, seed))
    first = turns[0].before.turn
    for number, turn in enumerate(turns):
        assert turn.before.turn == (first + number) % seats
        assert turn.before.rank == RANKS[number % 13]


@given(VARIANTS, SEATS, SEEDS)
def test_what_all_are_told_of_a_turn(variant: Bs, seats: int, seed: str) -> None:
    """Counts from the current player on, the claim, and who has called."""
    for turn in game(variant, seats, seed):
        before, current = turn.before, turn.before.current
        (begins,) = turn.events(Turn)
        in_play = [*range(before.turn, seats), *range(before.turn)]
        assert [(player.seat, count) for player, count in begins.players] == [
            (seat, len(before.hands[seat])) for seat in in_play
        ]
        assert turn.events(Played) == [Played(current, len(turn.laid), before.rank)]
        (called,) = turn.events(Called)
        assert {player.seat for player in called.players} == set(turn.spoke)


@given(VARIANTS, SEATS, SEEDS)
def test_everybody_sees_its_own_hand_and_no_other(variant: Bs, seats: int, seed: str) -> None:
    """At the beginning of a turn each seat alone is told its cards."""
    for turn in game(variant, seats, seed):
        hands = [(to, event.cards) for to, event in turn.told if type(event) is Hand]
        assert hands == list(enumerate(turn.before.hands))


@given(VARIANTS, SEATS, SEEDS)
def test_everybody_is_asked_once(variant: Bs, seats: int, seed: str) -> None:
    """Each turn all declare, the current player too."""
    for turn in game(variant, seats, seed):
        assert sorted(turn.words) == list(range(seats))
        assert turn.words[turn.before.turn] in (PASS, PEANUT_BUTTER)


@given(VARIANTS, SEATS, SEEDS)
def test_callers_stand_in_order_of_arrival_if_that_is_the_order(
    variant: Bs, seats: int, seed: str
) -> None:
    """With `order=arrival` the callers are named as they spoke."""
    for turn in game(evolve(variant, order="arrival"), seats, seed):
        assert turn.called == turn.spoke


@given(VARIANTS, SEATS, SEEDS)
def test_without_a_call_the_pile_grows(variant: Bs, seats: int, seed: str) -> None:
    """The cards go onto the pile, which stays, and nobody sees them."""
    for turn in game(variant, seats, seed):
        if not turn.spoke:
            assert turn.after.pile == ((turn.before.turn, turn.laid), *turn.before.pile)
            assert not turn.events(Shown)
            assert not [event for _, event in turn.told if type(event) in (PileTaken, Receives)]


@given(VARIANTS, SEATS, SEEDS)
def test_who_is_wrong_takes_the_pile(variant: Bs, seats: int, seed: str) -> None:
    """After a call the liar, or else the last caller, gets all cards, the latest play first."""
    for turn in game(variant, seats, seed):
        if not turn.spoke:
            continue
        before, after = turn.before, turn.after
        taker = before.turn if turn.lie else turn.called[-1]
        taken = turn.laid + tuple(card for _, laid in before.pile for card in laid)
        kept = tuple(card for card in before.hands[taker] if card not in turn.laid)
        assert not after.pile
        assert after.hands[taker] == kept + taken
        assert [(to, event) for to, event in turn.told if type(event) is PileTaken] == [
            (taker, PileTaken(taken, bluffing=turn.lie))
        ]


@given(VARIANTS, SEATS, SEEDS)
def test_what_all_are_told_after_a_call(variant: Bs, seats: int, seed: str) -> None:
    """All see the cards, and are told what the claim was and who misjudged it."""
    for turn in game(variant, seats, seed):
        if not turn.spoke:
            continue
        me = turn.before.current
        assert turn.events(Shown) == [Shown(me, turn.laid)]
        assert turn.events(Judged) == [Judged(me, bluffing=turn.lie)]
        last = turn.before.players[turn.called[-1]]
        misjudged = [] if turn.lie else [Receives(last, variant.wording)]
        assert turn.events(Receives) == misjudged


@given(VARIANTS, SEATS, SEEDS)
def test_all_other_hands_stay_as_they_were(variant: Bs, seats: int, seed: str) -> None:
    """A turn changes the current player's hand and the taker's, and keeps their order."""
    for turn in game(variant, seats, seed):
        touched = {turn.before.turn, *turn.called[-1:]}
        for seat in range(seats):
            if seat not in touched:
                assert turn.after.hands[seat] == turn.before.hands[seat]


@given(VARIANTS, SEATS, SEEDS)
def test_peanut_butter_tells_of_a_lie_that_nobody_called(
    variant: Bs, seats: int, seed: str
) -> None:
    """It does so exactly if the claim was false, and has no other effect."""
    for turn in game(variant, seats, seed):
        if turn.spoke:
            continue
        butter = turn.words[turn.before.turn] == PEANUT_BUTTER
        told = [Judged(turn.before.current, bluffing=True)] if butter and turn.lie else []
        assert turn.events(Judged) == told


@given(VARIANTS, SEATS, SEEDS)
def test_the_game_ends_when_somebody_is_out_or_at_the_last_turn(
    variant: Bs, seats: int, seed: str
) -> None:
    """One at most wins, the current player of the last turn; nothing happens after that."""
    turns = list(game(variant, seats, seed))
    for turn in turns[:-1]:
        assert all(turn.after.hands)
        assert not turn.events(Won)
    last = turns[-1]
    empty = [seat for seat, hand in enumerate(last.after.hands) if not hand]
    winners = [event.player.seat for event in last.events(Won)]
    assert winners == empty
    assert winners in ([], [last.before.turn])
    assert winners or len(turns) == variant.max_turns
    assert last.after.scores == tuple(-len(hand) for hand in last.after.hands)


@given(VARIANTS, SEATS, SEEDS)
def test_seed_and_answers_determine_the_game(variant: Bs, seats: int, seed: str) -> None:
    """The same seed and the same answers tell the same to the same, in both orders."""
    assert list(game(variant, seats, seed)) == list(game(variant, seats, seed))
