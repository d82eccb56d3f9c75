"""The bundled bots of BS in whole games."""

from __future__ import annotations

from collections import Counter as Tally
from collections.abc import Iterator, Sequence
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena import Bot, Greeting, Play, Seat
from arena.host import Match
from arena.players import BotPlayer
from arena.rules import Outcome
from arena_bs import GAME, Bs, BsPosition
from arena_bs.bots import PILE, Caller, CardCounter, CardPlayer, Honest, Liar
from arena_bs.rules import DECK, ChooseCards

pytestmark = pytest.mark.slow  # whole games of bots that think
NAMES = list(GAME.bots)


def match(kinds: Sequence[type[Bot]], seed: str) -> tuple[Outcome, list[Bot]]:
    play = Play.deal(Bs(order="fair"), len(kinds), seed)
    bots = [kind() for kind in kinds]
    game = Match(play, [BotPlayer(bot) for bot in bots], game="bs")
    outcome = game.run()
    assert game.problem is None, game.problem
    return outcome, bots


def tables(games: int) -> Iterator[tuple[list[type[Bot]], str]]:
    """Return any bots for 2 to 8 seats, and a seed."""
    random = Random("tables")
    for number in range(games):
        names = random.choices(NAMES, k=2 + number % 7)
        yield [GAME.bots[name] for name in names], f"table {number}"


def test_many_games_without_a_verdict() -> None:
    """Bots answer what the rules allow, and their games hardly ever reach the last turn."""
    outcomes = [match(kinds, seed)[0] for kinds, seed in tables(35)]
    assert not [verdict for outcome in outcomes for verdict in outcome.verdicts.values()]
    assert sum(outcome.rounds == Bs().max_turns for outcome in outcomes) <= 1


@pytest.mark.release  # three hundred games
def test_seasoned_has_the_best_places_of_four() -> None:
    """In games of four different bots it is the furthest ahead; others may win more often."""
    random, points = Random("four"), Tally[str]()
    for number in range(300):
        names = random.sample(NAMES, 4)
        places = match([GAME.bots[name] for name in names], f"four {number}")[0].places
        assert places
        points.update({name: 4 - place for name, place in zip(names, places, strict=True)})
    assert max(points, key=points.__getitem__) == "seasoned"


def seated(seat: Seat, seats: int, seed: str) -> CardPlayer:
    kind = Random(f"{seed}{seat}").choice([Honest, Liar, Caller, CardCounter])
    bot: CardPlayer = kind()
    bot.greet(Greeting("bs", seat, seats, Bs(), f"{seed}{seat}"))
    return bot


def asks(play: Play, bots: Sequence[CardPlayer], random: Random) -> Iterator[None]:
    """Play to the end; stop each time somebody is asked."""
    while play.pending:
        for to, event in play.drain():
            for bot in bots if to is None else [bots[to]]:
                bot.hear(event)
        yield
        seat = random.choice(list(play.pending))
        play.answer(seat, bots[seat].choose(play.pending[seat]))


@given(st.integers(2, 8), st.integers(0, 2**32).map(str))
def test_memory_never_rules_out_the_truth(seats: int, seed: str) -> None:
    """Every card is where the bots believe that it can be, and the counts are right."""
    play = Play.deal(Bs(max_turns=60), seats, seed)
    bots = [seated(seat, seats, seed) for seat in range(seats)]
    for _ in asks(play, bots, Random(seed)):
        if isinstance(next(iter(play.pending.values())), ChooseCards):
            for bot in bots:
                check(bot, play.position)


def check(bot: CardPlayer, position: object) -> None:
    """Compare what a bot keeps in mind with how it is."""
    assert isinstance(position, BsPosition)
    memory = bot.memory
    held = [*enumerate(position.hands), *[(PILE, laid) for _, laid in position.pile]]
    for place, some in held:
        assert all(place in memory.find_places(card) for card in some)
    known = {card for card in DECK if memory.find_places(card) == {bot.seat}}
    assert known == set(memory.hand)
    assert position.pile or not memory.possible[PILE]
    assert memory.hand == position.hands[bot.seat]
    assert memory.counts == {seat: len(hand) for seat, hand in enumerate(position.hands)}
    claims = [(claim.seat, claim.count) for claim in reversed(memory.pile)]
    assert claims == [(seat, len(laid)) for seat, laid in position.pile]
    assert (memory.current, memory.rank) == (position.turn, position.rank)
