"""How a game of BS begins: parameters, the handshake, the deal."""

from __future__ import annotations

from typing import Any

import pytest

from arena import Bot, Play, Question
from arena.host import Match
from arena.players import BotPlayer
from arena.rules import Fault
from arena_bs import GAME, Bs, BsPosition


def test_seats_without_a_name_are_called_by_their_seat() -> None:
    """Each question of the handshake has its default."""
    play = Play.deal(Bs(), 3, "seed")
    names = [play.answer(seat, play.pending[seat].default) for seat in range(3)]
    assert names == ["player_0", "player_1", "player_2"]


class Mute(Bot):
    """A bot that fails at once."""

    def choose(self, question: Question[Any]) -> Any:
        raise ValueError


class Dull(Bot):
    """A bot that answers by default."""

    def choose(self, question: Question[Any]) -> Any:
        return question.default


def test_a_seat_that_fails_in_the_handshake_is_played_on() -> None:
    """The others play to the end with it, and it comes last."""
    play = Play.deal(Bs(max_turns=30), 3, "seed")
    outcome = Match(play, [BotPlayer(Dull()), BotPlayer(Mute()), BotPlayer(Dull())]).run()
    assert isinstance(play.position, BsPosition)
    assert play.position.players[1].nickname == "player_1"
    assert [verdict.kind for verdict in outcome.verdicts.values()] == [Fault.CRASHED]
    assert outcome.places is not None
    assert outcome.places[1] == 3


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
