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
    Player,
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
        return [seat for seat, word in self.words.items() if word == BS]

    @property
    def lie(self) -> bool:
        return {card[0] for card in self.laid} != {self.before.rank}

    @property
    def called(self) -> list[Seat]:
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
    """All cards are dealt, hands differ by one at most, the holder of AH begins with an ace.

    Each player has a number of its own, from 0 to 32768, whatever the nicknames.
    """
    start = dealt(seats, seed)
    sizes = [len(hand) for hand in start.hands]
    assert sorted(card for hand in start.hands for card in hand) == sorted(DECK)
    assert max(sizes) - min(sizes) <= 1
    assert FIRST_CARD in start.hands[start.turn]
    assert (start.rank, start.pile) == ("A", ())
    numbers = {player.number for player in start.players}
    assert len(numbers) == seats
    assert numbers <= {*range(32769)}


@given(VARIANTS, SEATS, SEEDS)
def test_every_turn_follows_the_rules(variant: Bs, seats: int, seed: str) -> None:
    """Turns and ranks go round, all are told what they may know, and no card is lost or doubled."""
    turns = list(game(variant, seats, seed))
    for number, turn in enumerate(turns):
        assert turn.before.turn == (turns[0].before.turn + number) % seats
        assert turn.before.rank == RANKS[number % 13]
        check_what_is_told(turn)
        check_cards(turn)
        if variant.order == "arrival":
            assert turn.called == turn.spoke
        if turn.spoke:
            check_call(turn)
        else:
            check_pile(turn)
    check_end(turns)


def check_what_is_told(turn: Turned) -> None:
    """Counts from the current player on, the claim, who calls; each seat its own hand alone."""
    before, (begins,), (called,) = turn.before, turn.events(Turn), turn.events(Called)
    seats = len(before.hands)
    in_play = [*range(before.turn, seats), *range(before.turn)]
    assert [(player.seat, count) for player, count in begins.players] == [
        (seat, len(before.hands[seat])) for seat in in_play
    ]
    assert turn.events(Played) == [Played(before.current, len(turn.laid), before.rank)]
    assert {player.seat for player in called.players} == set(turn.spoke)
    hands = [(to, event.cards) for to, event in turn.told if type(event) is Hand]
    assert hands == list(enumerate(before.hands))
    assert sorted(turn.words) == list(range(seats))
    assert turn.words[before.turn] in (PASS, PEANUT_BUTTER)


def check_cards(turn: Turned) -> None:
    """The 52 cards are in the hands and on the pile; hands that take no part stay as they were."""
    piles = [laid for _, laid in turn.after.pile]
    assert sorted(card for some in (*turn.after.hands, *piles) for card in some) == sorted(DECK)
    touched = {turn.before.turn, *turn.called[-1:]}
    for seat, hand in enumerate(turn.before.hands):
        assert seat in touched or turn.after.hands[seat] == hand


def check_pile(turn: Turned) -> None:
    """The pile grows and nobody sees it; Peanut Butter tells of a lie, and does nothing else."""
    assert turn.after.pile == ((turn.before.turn, turn.laid), *turn.before.pile)
    assert not [event for _, event in turn.told if type(event) in (PileTaken, Receives, Shown)]
    butter = turn.words[turn.before.turn] == PEANUT_BUTTER
    told = [Judged(turn.before.current, bluffing=True)] if butter and turn.lie else []
    assert turn.events(Judged) == told


def check_call(turn: Turned) -> None:
    """The liar, or else the last caller, gets all cards, the latest play first; all see the play."""
    before, after = turn.before, turn.after
    taker = before.turn if turn.lie else turn.called[-1]
    taken = turn.laid + tuple(card for _, laid in before.pile for card in laid)
    kept = tuple(card for card in before.hands[taker] if card not in turn.laid)
    assert (after.pile, after.hands[taker]) == ((), kept + taken)
    assert [(to, event) for to, event in turn.told if type(event) is PileTaken] == [
        (taker, PileTaken(taken, bluffing=turn.lie))
    ]
    assert turn.events(Shown) == [Shown(before.current, turn.laid)]
    assert turn.events(Judged) == [Judged(before.current, bluffing=turn.lie)]
    last = before.players[turn.called[-1]]
    misjudged = [] if turn.lie else [Receives(last, before.variant.wording)]
    assert turn.events(Receives) == misjudged


def check_end(turns: list[Turned]) -> None:
    """The current player wins as soon as it is out; else the game goes on to the last turn."""
    for turn in turns[:-1]:
        assert all(turn.after.hands)
        assert not turn.events(Won)
    last = turns[-1]
    winners = [event.player.seat for event in last.events(Won)]
    assert winners == [seat for seat, hand in enumerate(last.after.hands) if not hand]
    assert winners in ([], [last.before.turn])
    assert winners or len(turns) == last.before.variant.max_turns
    assert last.after.scores == tuple(-len(hand) for hand in last.after.hands)


@given(st.integers(2, 8), SEEDS)
def test_another_position_keeps_what_the_seat_knows(seats: int, seed: str) -> None:
    """Its hand, its own plays, how many cards are where, and at first who holds AH."""
    for turn in game(Bs("fair", max_turns=10), seats, seed):
        position = turn.before
        for seat in range(seats):
            other = position.resample_hidden(seat, Random(seed))
            assert other.hands[seat] == position.hands[seat]
            assert [laid for by, laid in other.pile if by == seat] == [
                laid for by, laid in position.pile if by == seat
            ]
            assert shape(other) == shape(position)
            assert position.turns or FIRST_CARD in other.hands[other.turn]


def shape(position: BsPosition) -> object:
    """Return a position with nothing but the number of cards in each place; all there are."""
    places = (*position.hands, *(laid for _, laid in position.pile))
    assert sorted(card for cards in places for card in cards) == sorted(DECK)
    hands = tuple(("?",) * len(hand) for hand in position.hands)
    pile = tuple((by, ("?",) * len(laid)) for by, laid in position.pile)
    return evolve(position, hands=hands, pile=pile)


PLAYERS = tuple(Player(seat, f"bot_{seat}", seat) for seat in range(3))


def small(turns: int) -> BsPosition:
    """Return a position that seat 0 looks at; it has laid the king."""
    pile = ((2, ("4C",)), (0, ("KC",)), (1, ("5C",)))
    hands: tuple[Cards, ...] = (("AS", "2S"), (FIRST_CARD, "3S"), ("4S",))
    return BsPosition(Bs(), PLAYERS, hands, 1, turns, pile)


def test_any_hidden_card_can_be_in_any_hidden_place() -> None:
    """What a seat does not know is mixed as a whole, the pile with the hands."""
    drawn = [small(turns=3).resample_hidden(0, Random(seed)) for seed in range(300)]
    hidden = {FIRST_CARD, "3S", "4S", "4C", "5C"}
    assert {position.hands[1][0] for position in drawn} == hidden
    assert {position.hands[2][0] for position in drawn} == hidden
    assert {position.pile[0][1][0] for position in drawn} == hidden


def test_the_holder_of_the_ace_of_hearts_is_known_at_the_first_turn() -> None:
    """Who begins holds it; later it may be anywhere."""
    for turns, places in ((0, {True}), (1, {True, False})):
        drawn = [small(turns).resample_hidden(0, Random(seed)) for seed in range(100)]
        assert {FIRST_CARD in position.hands[1] for position in drawn} == places
        assert len(set(drawn)) > 1
