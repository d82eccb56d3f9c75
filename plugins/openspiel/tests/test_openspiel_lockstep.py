"""Our rules beside OpenSpiel's, and that a difference would be seen."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from random import Random
from typing import Any

import pytest
from attrs import define

from arena import Play, Seat
from arena.cards import build_deck
from arena.plugins import load_game
from arena_hearts import Hearts as OurHearts
from arena_hearts import HeartsPosition
from arena_openspiel.bridges import (
    RETURNS,
    Bridge,
    GoofspielBridge,
    HeartsBridge,
    KuhnBridge,
    State,
    split_win_loss,
)
from arena_openspiel.comparison import ComparisonReport, Lockstep, compare

pytestmark = pytest.mark.slow


def report(game: str, kind: type[Bridge], games: int, **given: Any) -> ComparisonReport:
    return compare(load_game(game), kind, games, "1", **given)


def kinds(found: ComparisonReport) -> set[str]:
    return {difference.kind for difference in found.differences}


@pytest.mark.parametrize(
    ("game", "kind", "games"),
    [("gops", GoofspielBridge, 300), ("kuhn", KuhnBridge, 500), ("hearts", HeartsBridge, 12)],
)
def test_the_rules_agree(game: str, kind: type[Bridge], games: int) -> None:
    """In random games there is no difference that is not explained."""
    found = report(game, kind, games)
    assert found.holds
    assert kinds(found) <= {*kind.explained}


def test_the_games_of_gops_are_of_all_kinds() -> None:
    """Cards from 1 to 13, seats from 2 to 10, all orders and all returns are drawn."""
    drawn = [GoofspielBridge.sample_variant(Random(seed)) for seed in range(300)]
    assert {variant.options["cards"] for variant in drawn} == {*range(1, 14)}
    assert {variant.seats for variant in drawn} == {*range(2, 11)}
    prizes = {variant.options["prizes"] for variant in drawn}
    assert prizes == {"shuffled", "ascending", "descending"}
    assert {variant.theirs["returns_type"] for variant in drawn} == {*RETURNS}


def test_the_last_bid_is_explained() -> None:
    """OpenSpiel does not ask for the last bid, and the report says who is right."""
    found = report("gops", GoofspielBridge, 5, cards=4)
    assert [*found.lines()] == [
        "gops: 5 games, 5 deals, 20 decisions; differences:",
        "  no choice, in 5 games; first in game 1, move 4: arena asks, OpenSpiel is over",
        f"    {GoofspielBridge.explained['no choice']}",
    ]


def test_a_prize_given_to_both_is_seen_at_the_next_move() -> None:
    """Where ties are split, the points differ from the move after the first tie."""
    found = report("gops", GoofspielBridge, 20, cards=5, seats=2, ties="split", prizes="ascending")
    assert not found.holds
    first = next(difference for difference in found.differences if difference.kind == "points")
    assert str(first) == "game 1, move 3: arena 1 2, OpenSpiel 0 1"
    assert any("not explained" in line for line in found.lines())


def test_a_prize_carried_over_is_seen() -> None:
    """Where ties wait for the next winner, the points differ, and mostly the result."""
    assert kinds(report("gops", GoofspielBridge, 20, ties="carry")) >= {"points", "result"}


@define(eq=False, slots=False)
class OtherWay(HeartsBridge):
    """Passes to the other neighbour."""

    def chance(self, state: State) -> int:
        told = super().chance(state)
        return told if state.history() or self.seat is not None else -told % 4


def test_another_passing_direction_is_seen() -> None:
    """It is told before cards are passed; then in the first trick others have the cards."""
    found = report("hearts", OtherWay, 3)
    known = next(difference for difference in found.differences if difference.kind == "known")
    assert str(known) == (
        "game 1, move 1: arena Pass Direction: Left, OpenSpiel Pass Direction: Right"
    )
    others = [difference for difference in found.differences if difference.kind != "known"]
    assert {difference.kind for difference in others} <= {"turn", "legal"}
    assert all(2 <= difference.move <= 5 for difference in others)
    assert len({difference.game for difference in others}) == 3


@define(eq=False, slots=False)
class QueenBreaks(HeartsBridge):
    """Has the other rule on whether the queen of spades breaks hearts."""

    def _load(self) -> Any:
        import pyspiel

        return pyspiel.load_game("hearts", {"qs_breaks_hearts": not self.variant.queen_breaks})


def test_a_card_that_may_not_be_led_is_seen() -> None:
    """Hearts may be led after the queen of spades in one of the games."""
    found = report("hearts", QueenBreaks, 10, queen_breaks=False)
    first = next(difference for difference in found.differences if difference.kind == "legal")
    assert {*first.theirs.split()} - {*first.ours.split()} <= {*build_deck(suits="H")}


def other_size(cards: int = 0, seats: int = 0) -> type[GoofspielBridge]:
    """Return a bridge to a game with so many more cards and seats."""

    @define(eq=False, slots=False)
    class OtherSize(GoofspielBridge):
        def _load(self) -> Any:
            import pyspiel

            return pyspiel.load_game("goofspiel", {
                "num_cards": self.variant.cards + cards, "players": self.seats + seats,
                "points_order": "ascending",
            })  # fmt: skip

    return OtherSize


@pytest.mark.parametrize(
    ("more", "cards", "moves"),
    [(2, 4, {"legal": 1, "end": 4}), (-2, 5, {"legal": 1, "end": 3, "no choice": 5})],
)
def test_a_game_that_ends_at_another_move_is_seen(
    more: int, cards: int, moves: dict[str, int]
) -> None:
    """One game is over and the other goes on, and there were other cards to bid."""
    found = report("gops", other_size(more), 1, cards=cards, prizes="ascending", seats=2)
    assert {difference.kind: difference.move for difference in found.differences} == moves


def test_a_player_more_is_seen() -> None:
    """There the games cannot go on together."""
    found = report("gops", other_size(seats=1), 1, cards=3, prizes="ascending", seats=2)
    assert [str(difference) for difference in found.differences if difference.kind == "turn"] == [
        "game 1, move 1: arena 0 1, OpenSpiel 0 1 2"
    ]
    assert found.decisions == 1


@define(eq=False, slots=False)
class OtherLeader(HeartsBridge):
    """Begins each deal as if it had been dealt a seat further on."""

    def chance(self, state: State) -> int:
        history = len(state.history())
        if not history or self.seat is not None:
            return super().chance(state)
        at, seat = divmod(history - 1, 4)
        return self.action(self.hands[(seat + 1) % 4][at])


def test_another_leader_is_seen() -> None:
    """Where nobody passes cards, it is the first move that somebody else should make."""
    found = report("hearts", OtherLeader, 1, passing=False)
    assert [(difference.kind, difference.move) for difference in found.differences] == [("turn", 1)]


@define(eq=False, slots=False)
class Deaf(KuhnBridge):
    """Hears of no card."""

    def hear(self, seat: Seat, event: Any) -> None:
        if type(event).__name__ != "Card" or self.seat is None:
            super().hear(seat, event)

    def sample_hidden_information(self, random: Random) -> Deaf:
        return self


def test_what_a_seat_cannot_have_been_told_is_seen() -> None:
    """Where no state can be built from what a seat was told, that is a difference."""
    found = report("kuhn", Deaf, 1)
    assert {(difference.kind, difference.ours) for difference in found.differences} == {
        ("known", "an impossible state (0)")
    }


@define(eq=False, slots=False)
class Swapped(KuhnBridge):
    """Deals each card to the other seat."""

    def chance(self, state: State) -> int:
        return self.ranks[1 - len(state.history())] - 1


def test_a_seat_that_knows_something_else_is_seen() -> None:
    """Where the cards are swapped, what the first seat knows differs, and the result."""
    variant = load_game("kuhn").read_variant({})

    def bridges(seat: Seat | None) -> Bridge:
        return (Swapped if seat is None else KuhnBridge)(variant, 2, seat)

    found = Lockstep(1, Play.deal(variant, 2, "x"), bridges, Random(1)).run()
    assert {kind: difference.move for kind, difference in found.items()} == {
        "known": 1,
        "result": 2,
    }


SUITS = tuple(build_deck(suits=suit) for suit in "CDSH")
POINTS_ONLY = ("QS", *build_deck(suits="H")[:-1])


def hand_built(hands: tuple[tuple[str, ...], ...], **more: Any) -> tuple[Mapping[str, Any], Play]:
    variant = OurHearts(deals=1, **more)
    play = Play(HeartsPosition(variant, hands), 4, "x")
    return Lockstep(1, play, partial(HeartsBridge, variant, 4), Random(1)).run(), play


def test_who_takes_all_points_gives_them_to_the_others() -> None:
    """Where each seat has a suit, the clubs take every trick: a moon by both rules."""
    found, play = hand_built(SUITS)
    assert found == {}
    assert play.scores == (0, -26, -26, -26)


def test_a_moon_of_the_own_points_is_seen() -> None:
    """OpenSpiel has no moon that takes 26 off the own points."""
    found, _ = hand_built(SUITS, moon="self")
    assert [str(difference) for difference in found.values()] == [
        "game 1, move 52: arena 52 26 26 26, OpenSpiel 26 0 0 0"
    ]


def test_points_may_be_played_first_by_who_has_nothing_else() -> None:
    """Twelve hearts and the queen: she may be played to the first trick by both rules."""
    rest = tuple(card for card in build_deck() if card not in POINTS_ONLY)
    found, _ = hand_built((rest[:13], rest[13:26], rest[26:], POINTS_ONLY))
    assert found == {}


def test_returns_say_who_won() -> None:
    """Winners share 1, losers share -1, and nobody has won where all are equal."""
    assert split_win_loss((1, 2, 2, 0)) == (-0.5, 0.5, 0.5, -0.5)
    assert split_win_loss((3, 3, 3)) == (0, 0, 0)
