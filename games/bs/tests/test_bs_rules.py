"""The rules of BS, case by case, and how a game begins."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import takewhile
from typing import Any

import pytest

from arena import IllegalAnswerError, Play, Seat
from arena.cards import Cards
from arena_bs import GAME, Bs, BsPosition
from arena_bs.rules import (
    BS,
    PASS,
    PEANUT_BUTTER,
    Called,
    Judged,
    PileTaken,
    Player,
    Receives,
    Turn,
    Won,
)

PLAYERS = tuple(
    Player(seat, name, 100 + seat) for seat, name in enumerate(["Ann", "Bob", "Cid", "Dan"])
)
FAIR = Bs(order="fair")


def cards(text: str) -> Cards:
    return tuple(text.split())


def at(
    *hands: str, turn: Seat = 0, turns: int = 0, pile: str = "", variant: Bs | None = None
) -> BsPosition:
    """Return a position with these hands; what lies on the pile was laid by the last seat."""
    laid = ((len(hands) - 1, cards(pile)),) if pile else ()
    return BsPosition(
        variant or Bs(), PLAYERS[: len(hands)], tuple(map(cards, hands)), turn, turns, laid
    )


def after(start: BsPosition, laid: str, words: Mapping[Seat, str], seed: str = "") -> Play:
    """Play one turn; who is not named passes, after all others."""
    play = Play(start, len(start.hands), seed)
    play.answer(start.turn, cards(laid))
    for seat in [*words, *(set(play.pending) - set(words))]:
        play.answer(seat, words.get(seat, PASS))
    return play


def public(play: Play, *kinds: type) -> list[Any]:
    """Return what all were told of some kinds, up to the next turn."""
    told = [event for to, event in play.drain() if to is None]
    turn = takewhile(lambda event: type(event) is not Turn, told[1:])
    return [event for event in turn if type(event) in kinds]


def hands(play: Play) -> list[str]:
    assert isinstance(play.position, BsPosition)
    return [" ".join(hand) for hand in play.position.hands]


def test_who_lied_takes_all() -> None:
    """The played cards come first, then the pile, to the end of the hand."""
    play = after(at("AS 2H 2C", "3C 3D", pile="KS QS"), "2H AS", {1: BS})
    assert hands(play) == ["2C 2H AS KS QS", "3C 3D"]


def test_who_spoke_last_takes_all() -> None:
    """Of several callers of a true claim the last takes the pile, whatever the seats."""
    start = at("AS AH 2C", "3C", "4C", "5C", pile="KS QS")
    for order in ((1, 2, 3), (3, 2, 1), (2, 3, 1)):
        play = after(start, "AS AH", dict.fromkeys(order, BS))
        assert public(play, Called) == [Called(tuple(PLAYERS[seat] for seat in order))]
        assert hands(play)[order[-1]].endswith(" AS AH KS QS")
        assert [len(hand) for hand in hands(play)].count(len("3C AS AH KS QS")) == 1


def test_a_single_other_card_makes_a_claim_false() -> None:
    """All cards must be of the rank."""
    play = after(at("AS AH AD 2C 9H", "3C"), "AS AH 2C", {1: BS})
    assert public(play, Judged) == [Judged(PLAYERS[0], bluffing=True)]


def test_going_out_with_a_lie_that_nobody_called_wins() -> None:
    """Only what is called counts as a lie."""
    play = after(at("2H", "3C"), "2H", {})
    assert play.over
    assert public(play, Won) == [Won(PLAYERS[0])]
    assert play.scores == (0, -1)


def test_going_out_with_a_lie_that_is_called_does_not_win() -> None:
    """The cards come back."""
    play = after(at("2H", "3C"), "2H", {1: BS})
    assert hands(play) == ["2H", "3C"]
    assert not play.over
    assert not public(play, Won)


def test_going_out_with_a_true_claim_wins_whoever_calls() -> None:
    """The last caller takes the pile before the winner is named."""
    play = after(at("AS AD", "3C", "4C", pile="KS"), "AS AD", {2: BS, 1: BS})
    told = [type(event) for _, event in play.drain()]
    assert told[-3:] == [Receives, PileTaken, Won]
    assert play.scores == (0, -4, -1)


def test_the_game_stops_at_the_last_turn() -> None:
    """Nobody is out after `max_turns`: the fewest cards win, and nobody is said to have won."""
    start = at("AS 2S 3S", "3C 4C", "4H", variant=Bs(max_turns=1))
    play = after(start, "AS", {})
    assert play.over
    assert play.scores == (-2, -2, -1)
    assert not public(play, Won)


def callers_by_draw(arrival: tuple[Seat, ...], seed: str) -> list[Seat]:
    start = at("AS AH 2C", "3C", "4C", "5C", variant=FAIR)
    (called,) = public(after(start, "AS", dict.fromkeys(arrival, BS), seed), Called)
    return [player.seat for player in called.players]


def test_the_fair_order_is_drawn_and_does_not_depend_on_who_was_first() -> None:
    """With `order=fair` the seed alone decides, and every order comes up."""
    seeds = [str(number) for number in range(60)]
    drawn = {tuple(callers_by_draw((1, 2, 3), seed)) for seed in seeds}
    assert len(drawn) == 6
    for seed in seeds:
        assert callers_by_draw((1, 2, 3), seed) == callers_by_draw((3, 1, 2), seed)


def test_whose_answers_came_first_is_recorded_only_where_it_matters() -> None:
    """The order of arrival is part of a play with `order=arrival`, and of no other."""
    for variant, differs in ((Bs(), True), (FAIR, False)):
        start = at("AS AH 2C", "3C", "4C", variant=variant)
        keys = []
        for order in ((1, 2), (2, 1)):
            play = Play(start, 3, "seed")
            play.answer(0, ("AS",))
            for seat in order:
                play.answer(seat, BS)
            keys.append(play.key)
        assert (keys[0] != keys[1]) is differs


def test_what_can_be_answered() -> None:
    """Any cards of the hand; then a word for each, and only that."""
    play = Play(at("AS AH 2C", "3C"), 2, "")
    for wrong in ((), ("3C",), ("AS", "AS"), "AS", ["AS"]):
        with pytest.raises(IllegalAnswerError):
            play.answer(0, wrong)
    play.answer(0, ("2C", "AS"))
    for seat, wrong_word in ((0, BS), (1, PEANUT_BUTTER), (1, "Bull Shit"), (1, None), (1, True)):
        with pytest.raises(IllegalAnswerError):
            play.answer(seat, wrong_word)
    assert set(play.pending) == {0, 1}


def test_the_autopilot_plays_honestly() -> None:
    """It lays what fits the rank, else one card, and passes."""
    play = Play(at("2C AS 3H AH", "3C"), 2, "")
    assert play.pending[0].default == ("AS", "AH")
    assert Play(at("2C 3H", "3C"), 2, "").pending[0].default == ("2C",)
    play.answer(0, ("AS",))
    assert {question.default for question in play.pending.values()} == {PASS}


def test_seats_without_a_name_are_called_by_their_seat() -> None:
    """Each question of the handshake has its default."""
    play = Play.deal(Bs(), 3, "seed")
    names = [play.answer(seat, play.pending[seat].default) for seat in range(3)]
    assert names == ["player_0", "player_1", "player_2"]


def test_players_may_choose_the_same_nickname() -> None:
    """Their numbers tell them apart."""
    play = Play.deal(Bs(), 2, "seed")
    for seat in range(2):
        play.answer(seat, "Ann")
    assert isinstance(play.position, BsPosition)
    ann, other = play.position.players
    assert ann.nickname == other.nickname
    assert ann.number != other.number


@pytest.mark.parametrize(
    "options",
    [
        {"order": "random"},
        {"wording": "gets"},
        {"max_turns": 0},
        {"max_turns": "9"},
        {"max_turns": True},
        {"turns": 9},
    ],
)
def test_parameters_that_cannot_be(options: dict[str, Any]) -> None:
    """Each is refused with a reason."""
    with pytest.raises(ValueError, match=next(iter(options))):
        GAME.read_variant(options)


def test_a_variant_comes_back_from_what_is_written() -> None:
    """A file names its parameters; what is left out is as published."""
    assert GAME.read_variant({}) == Bs(order="arrival", wording="receives", max_turns=2000)
    variant = Bs("fair", "takes", 50)
    assert GAME.read_variant(GAME.write_variant(variant)) == variant


@pytest.mark.parametrize("seats", [2, 52])
def test_from_two_to_fifty_two_play(seats: int) -> None:
    """All cards are dealt to as few or as many."""
    assert {GAME.seats[0], GAME.seats[-1]} == {2, 52}
    play = Play.deal(Bs(), seats, "seed")
    for seat in range(seats):
        play.answer(seat, "x")
    assert isinstance(play.position, BsPosition)
    assert [len(hand) for hand in play.position.hands] == [52 // seats] * seats
