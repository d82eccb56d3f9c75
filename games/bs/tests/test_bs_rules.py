"""The rules of BS, case by case."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import takewhile
from typing import Any

import pytest
from attrs import evolve

from arena import IllegalAnswerError, Play, Seat
from arena.cards import Cards
from arena_bs import Bs, BsPosition
from arena_bs.rules import (
    BS,
    PASS,
    PEANUT_BUTTER,
    Called,
    Judged,
    PileTaken,
    Player,
    Receives,
    Shown,
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


def test_a_true_claim_goes_to_the_pile() -> None:
    """Nobody has called: the cards are gone, the next player has the next rank."""
    play = after(at("AS AH 2C", "3C 3D"), "AH AS", {})
    assert hands(play) == ["2C", "3C 3D"]
    left = at("2C", "3C 3D", turn=1, turns=1)
    assert play.position == evolve(left, pile=((0, ("AH", "AS")),))


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


def test_peanut_butter_has_no_effect_after_a_true_claim() -> None:
    """There is no lie to tell of."""
    play = after(at("AS AH 2C", "3C"), "AS", {0: PEANUT_BUTTER})
    assert not public(play, Judged)


def test_peanut_butter_has_no_effect_when_somebody_called() -> None:
    """What all are told is what they are told after any call."""
    start = at("AS 2H 2C", "3C", "4C")
    with_butter = after(start, "2H", {0: PEANUT_BUTTER, 1: BS})
    without = after(start, "2H", {1: BS})
    assert with_butter.position == without.position
    assert with_butter.drain() == without.drain()


def test_peanut_butter_keeps_the_pile() -> None:
    """All know of the lie, and nobody takes anything."""
    play = after(at("AS 2H 2C", "3C", pile="KS"), "2H", {0: PEANUT_BUTTER})
    assert hands(play) == ["AS 2C", "3C"]
    assert public(play, Judged, Shown) == [Judged(PLAYERS[0], bluffing=True)]


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


def test_calling_a_lie_does_not_cost_the_callers_anything() -> None:
    """Only who lied takes cards."""
    play = after(at("2H 5C", "3C", "4C"), "2H", {2: BS, 1: BS})
    assert hands(play) == ["5C 2H", "3C", "4C"]
    assert not public(play, Receives)


def test_after_the_king_comes_the_ace() -> None:
    """The fourteenth turn claims aces again."""
    ranks = [at("2H", "3C", turns=turns).rank for turns in range(14)]
    assert "".join(ranks) == "A23456789TJQKA"


def test_the_game_stops_at_the_last_turn() -> None:
    """Nobody is out after `max_turns`: the fewest cards win, and nobody is said to have won."""
    start = at("AS 2S 3S", "3C 4C", "4H", variant=Bs(max_turns=1))
    play = after(start, "AS", {})
    assert play.over
    assert play.scores == (-2, -2, -1)
    assert not public(play, Won)


def callers_by_draw(arrival: tuple[Seat, ...], seed: str) -> list[Seat]:
    """Let seats call in this order; return the order that was drawn."""
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


def test_who_takes_the_pile_in_the_fair_order() -> None:
    """It is the one who was drawn last."""
    start = at("AS AH 2C", "3C", "4C", "5C", variant=FAIR)
    for seed in "abcdefgh":
        play = after(start, "AS", {1: BS, 2: BS, 3: BS}, seed)
        (called, receives) = public(play, Called, Receives)
        assert receives.player == called.players[-1]
        assert hands(play)[receives.player.seat].endswith(" AS")


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


def test_everybody_answers_once() -> None:
    """A second answer is refused."""
    play = Play(at("AS AH 2C", "3C"), 2, "")
    play.answer(0, ("AS",))
    play.answer(1, PASS)
    with pytest.raises(IllegalAnswerError):
        play.answer(1, BS)


def test_the_autopilot_plays_honestly() -> None:
    """It lays what fits the rank, else one card, and passes."""
    play = Play(at("2C AS 3H AH", "3C"), 2, "")
    assert play.pending[0].default == ("AS", "AH")
    assert Play(at("2C 3H", "3C"), 2, "").pending[0].default == ("2C",)
    play.answer(0, ("AS",))
    assert {question.default for question in play.pending.values()} == {PASS}


def test_positions_are_values() -> None:
    """They can be hashed and compared, as plays that search need."""
    first, other = at("AS AH", "3C"), at("AS AH", "3C")
    assert len({first, other, evolve(first, turns=13)}) == 2
