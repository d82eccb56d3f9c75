"""OpenSpiel's bots and policies in the arena's seats."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any

import pyspiel
import pytest
from attrs import fields, frozen
from numpy.random import RandomState
from open_spiel.python.algorithms.mcts import MCTSBot, RandomRolloutEvaluator
from open_spiel.python.policy import TabularPolicy, UniformRandomPolicy

from arena import Greeting, OneOf, Play, Question, SomeOf, Text, UserError
from arena.host import Match
from arena.players import BotPlayer
from arena.plugins import get_plugins, load_game
from arena.rules import AddressedEvent
from arena_gops import Bid, Bids, Gops, Prize
from arena_hearts import Hearts
from arena_kuhn import Acted, Bet, Card, KuhnPosition
from arena_kuhn import Kuhn as OurKuhn
from arena_openspiel import OpenSpielBot
from arena_openspiel.bots import (
    Cfr,
    CustomPolicy,
    Ismcts,
    Mcts,
    PolicyKind,
    UniformPolicy,
    build_decide,
    sample_action,
)
from arena_openspiel.bridges import (
    BRIDGES,
    GoofspielBridge,
    HeartsBridge,
    KuhnBridge,
    decide_action,
)

VALUE = -1 / 18  # of Kuhn poker to the first seat (Kuhn 1950)


def uniform_policy(game: Any, *_: int) -> Any:
    return UniformRandomPolicy(game)


def tabular_policy(game: Any, *_: int) -> Any:
    return TabularPolicy(game)


def python_mcts(game: Any, _: int, seed: int) -> Any:
    random = RandomState(seed)
    return MCTSBot(game, 2, 20, RandomRolloutEvaluator(1, random), random_state=random)


@pytest.mark.parametrize(
    ("game", "options", "seats", "kind"),
    [
        ("gops", {}, 10, UniformPolicy()),
        ("gops", {}, 3, Mcts(simulations=20)),
        ("gops", {"cards": 3}, 2, Cfr(iterations=20)),
        ("gops", {"cards": 1}, 2, UniformPolicy()),
        ("gops", {"prizes": (2, 3, 1), "cards": 3}, 2, UniformPolicy()),
        ("gops", {"cards": 4}, 3, CustomPolicy(uniform_policy)),
        ("gops", {"cards": 4}, 2, CustomPolicy(python_mcts, turn_based=True)),
        ("kuhn", {}, 2, UniformPolicy()),
        ("kuhn", {}, 2, Cfr(iterations=10)),
        ("kuhn", {}, 2, Ismcts(simulations=20)),
        ("kuhn", {}, 2, CustomPolicy(tabular_policy)),
        ("hearts", {"deals": 4}, 4, UniformPolicy()),
        ("hearts", {"deals": 1}, 4, Ismcts(simulations=5)),
        ("hearts", {"deals": 1}, 4, CustomPolicy(uniform_policy)),
    ],
)
def test_each_kind_plays_to_the_end(
    game: str, options: dict[str, Any], seats: int, kind: PolicyKind
) -> None:
    """In each game they answer as the rules allow, in every seat, up to the end."""
    variant = load_game(game).read_variant(options)
    players = [BotPlayer(OpenSpielBot(kind)) for _ in range(seats)]
    outcome = Match(Play.deal(variant, seats, "1"), players, game=game).run()
    assert not outcome.verdicts
    assert outcome.scores
    assert len(outcome.scores) == seats


def expected(play: Play, policy: Any, told: tuple[AddressedEvent, ...] = ()) -> float:
    """Return what the first seat gets where both play this policy, over all ends of our rules."""
    told += tuple(play.drain())
    if play.over:
        return float(play.scores[0])
    (seat,) = play.pending
    bridge = KuhnBridge(OurKuhn(), 2, seat)
    for to, event in told:
        if to in (None, seat):
            bridge.hear(seat, event)
    total = 0.0
    for action, chance in policy.action_probabilities(bridge.world(Random(1))).items():
        branch = play.clone()
        branch.answer(seat, bridge.value(action))
        total += chance * expected(branch, policy, told)
    return total


def test_two_solved_policies_give_the_known_value() -> None:
    """Where both seats play what CFR found, the first gets -1/18, by our rules."""
    policy = Cfr().make(KuhnBridge(OurKuhn(), 2, 0), Random(1))
    deals = [(card, other) for card in (1, 2, 3) for other in (1, 2, 3) if card != other]
    plays = [Play(KuhnPosition(OurKuhn(), ranks), 2, "") for ranks in deals]
    assert sum(expected(play, policy) for play in plays) / len(plays) == pytest.approx(
        VALUE, abs=1e-3
    )


def test_two_that_toss_coins_do_not() -> None:
    """The enumeration tells policies apart: where both toss coins the first seat gets 1/8."""
    policy = UniformRandomPolicy(pyspiel.load_game("kuhn_poker"))
    deals = [(card, other) for card in (1, 2, 3) for other in (1, 2, 3) if card != other]
    plays = [Play(KuhnPosition(OurKuhn(), ranks), 2, "") for ranks in deals]
    assert sum(expected(play, policy) for play in plays) / len(plays) == pytest.approx(1 / 8)


def test_what_a_seat_was_not_told_is_drawn() -> None:
    """Who holds the queen and has heard a pass finds either card with the other seat."""
    bridge = KuhnBridge(OurKuhn(), 2, 1)
    bridge.hear(1, Card(2))
    bridge.hear(1, Acted(0, bets=False))
    worlds = [bridge.world(Random(seed)) for seed in range(20)]
    assert {str(world) for world in worlds} == {"0 1 p", "2 1 p"}
    assert {world.information_state_string(1) for world in worlds} == {"1p"}


def gops(seat: int, *, turn_based: bool) -> GoofspielBridge:
    bridge = GoofspielBridge(Gops(cards=4), 3, seat, turn_based=turn_based)
    for event in (Prize(2), Bids((1, 2, 3)), Prize(4)):
        bridge.hear(seat, event)
    return bridge


@pytest.mark.parametrize(("seat", "hands"), [(0, "234 134 124"), (1, "134 124 234")])
def test_where_all_bid_in_turn_a_seat_is_put_first(seat: int, hands: str) -> None:
    """So no bid of this round stands in the state before its own; the others follow in order."""
    bridge = gops(seat, turn_based=True)
    world = bridge.world(Random(1))
    assert world.current_player() == bridge.player == 0
    assert [world.legal_actions(0)] == [[int(card) - 1 for card in hands.split(maxsplit=1)[0]]]
    lines = [f"P{at} hand: {' '.join(hand)} " for at, hand in enumerate(hands.split())]
    assert [line for line in str(world).splitlines() if "hand" in line] == lines


def test_where_all_bid_at_once_seats_are_players() -> None:
    """There the state is exact, with its node for all players."""
    bridge = gops(1, turn_based=False)
    world = bridge.world(Random(1))
    assert world.is_simultaneous_node()
    assert bridge.player == 1
    assert world.legal_actions(1) == [0, 2, 3]


def test_a_policy_is_told_who_bids_where_all_bid_at_once() -> None:
    """A policy of OpenSpiel's Python gives the cards of the player that is asked for."""
    bridge = gops(1, turn_based=False)
    policy = UniformRandomPolicy(bridge.game)
    drawn = {sample_action(policy, bridge.world(Random(1)), 1, Random(seed)) for seed in range(50)}
    assert drawn == {0, 2, 3}


class Stubborn(pyspiel.Bot):  # type: ignore[misc]  # OpenSpiel has no types
    """Answers 7, whatever is asked."""

    def step(self, state: Any) -> int:
        return 7


def test_an_illegal_action_is_said() -> None:
    """A bot that answers what is not legal is not taken for one that does."""
    state = KuhnBridge(OurKuhn(), 2, 0, ranks={0: 1, 1: 2}).world(Random(1))
    with pytest.raises(
        ValueError, match=r"answered 7, which is not a legal action \(legal: \[0, 1\]\)"
    ):
        decide_action(state, 0, build_decide(Stubborn(), Random(1)))


def test_where_there_is_no_choice_nobody_is_asked() -> None:
    """The last card is laid without OpenSpiel, which has no node for it."""
    bridge = GoofspielBridge(Gops(cards=2), 2, 0)
    for event in (Prize(1), Bids((1, 2)), Prize(2)):
        bridge.hear(0, event)
    assert bridge.choose(Bid(OneOf((2,))), lambda *_: 1 // 0, Random(1)) == 2


def test_no_bot_and_no_policy_is_refused() -> None:
    """What can neither step nor give chances cannot play."""
    with pytest.raises(UserError, match="not a bot or a policy"):
        build_decide("nobody", Random(1))


@pytest.mark.parametrize(
    ("game", "options", "seats", "kind", "words"),
    [
        ("gops", {"ties": "split"}, 2, UniformPolicy, "supports only ties=discard, not ties=split"),
        ("gops", {"cards": 2, "prizes": (1, 1)}, 2, UniformPolicy, "only the prizes from 1"),
        ("gops", {}, 2, Cfr, "more than 20000 leaves"),
        ("hearts", {}, 3, UniformPolicy, "4 seats, not 3"),
        ("hearts", {"moon": "self"}, 4, UniformPolicy, "supports only moon=others"),
        ("bs", {}, 3, UniformPolicy, r"unknown game 'bs' \(available: gops, hearts, kuhn\)"),
    ],
)
def test_what_openspiel_has_not_is_refused(
    game: str, options: dict[str, Any], seats: int, kind: Callable[[], PolicyKind], words: str
) -> None:
    """A variant that the bot's state could not follow is refused at the greeting, in words."""
    variant = load_game(game).read_variant(options)
    with pytest.raises(UserError, match=words):
        OpenSpielBot(kind()).greet(Greeting(game, 0, seats, variant, "seed"))


@frozen
class JackHearts(Hearts):
    """Hearts with an option that came after the bridge, with or without its value."""

    jack: bool = False


def test_an_option_that_a_game_gains_is_refused() -> None:
    """A bridge plays a variant that it was not written for only where the new option is unused."""
    assert HeartsBridge(JackHearts(), 4).mismatch == ""
    assert HeartsBridge(JackHearts(jack=True), 4).mismatch == (
        "the bridge to OpenSpiel does not know the option jack=True"
    )


@pytest.mark.parametrize("name", BRIDGES)
def test_a_bridge_names_options_that_its_game_has(name: str) -> None:
    """An option that is renamed in a game, is renamed in its bridge."""
    options = {option.name for option in fields(get_plugins().find_game(name).variant)}
    assert BRIDGES[name].translated <= options


@pytest.mark.parametrize("options", [SomeOf(("AS", "KS"), 1, 2), Text(".*", "x")])
def test_a_question_of_another_kind_is_refused(options: Any) -> None:
    """Only one answer, or a fixed number of cards, are actions of OpenSpiel's."""
    with pytest.raises(UserError, match="no counterpart of Question"):
        KuhnBridge(OurKuhn(), 2, 0).choose(Question(options), lambda *_: 0, Random(1))


def test_the_same_seed_gives_the_same_answers() -> None:
    """All chance of a bot comes from the seed that it is greeted with."""

    def bets(seed: str) -> list[bool]:
        bot = OpenSpielBot(UniformPolicy())
        bot.greet(Greeting("kuhn", 0, 2, OurKuhn(), seed))
        bot.hear(Card(1))
        return [bot.choose(Bet(OneOf((False, True)))) for _ in range(30)]

    assert bets("one") == bets("one") != bets("other")
