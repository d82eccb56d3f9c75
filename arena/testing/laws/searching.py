"""Laws for `arena.search`: a juncture holds what its seat knows; worlds look like the truth.

Whoever searches is handed a juncture. Were it another one for what the seat cannot know, such as
the others' open or secret answers, it could tell the seat of them. So the truth is exchanged for
another that the seat cannot tell from it, and the juncture has to stay the same. Only the position
in it comes by chance: it is not always the true one.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from random import Random
from typing import Any

from attrs import frozen

from arena.plugins import Game
from arena.rules import AddressedEvent, GivenAnswer, IllegalAnswerError, Play, Seat, is_same
from arena.search import ChanceBot, Juncture, Search, Substitutes, Worlds, list_candidates
from arena.testing.harness.cases import (
    MANY_SEATS,
    MOVE_RANGE,
    Case,
    choose_legal_answer,
    iterate_plays,
    sample_asked_seats,
)
from arena.testing.harness.hypothesis_strategies import cases_by_seats
from arena.testing.law import law
from arena.testing.laws.hosted_matches import host_match

MAX_DEALS = 24  # in which a position that can be dealt otherwise has to be
WORLDS = 2  # of each juncture
MAX_OTHER_ANSWERS = 8  # that are tried instead of a secret one
MAX_SUBSTITUTE_JUNCTURES = 3  # of a case in which each kind of bot plays on
SEARCH_PLAYOUTS = 4


@frozen(eq=False)
class _Ask:
    """A seat that is asked in a case, and the play."""

    game: Game
    play: Play
    seat: Seat
    settled: Sequence[GivenAnswer]  # to the asks of the round that are over
    history: Sequence[AddressedEvent]

    @property
    def juncture(self) -> Juncture:
        return Juncture.of(self.game, self.play, self.seat, self.history)

    def find_juncture(self, seed: str, answers: Sequence[GivenAnswer]) -> Juncture | None:
        """Return the juncture of another truth, or None where the seat is not asked in it."""
        play = self.play
        try:
            other = Play(play.position, play.seats, seed, play.number, answers)
        except IllegalAnswerError:
            return None
        if other.number != play.number or self.seat not in other.pending:
            return None
        return Juncture.of(self.game, other, self.seat, [*self.juncture.past, *other.drain()])


def _sample_asks(game: Game, case: Case) -> Iterator[_Ask]:
    """Yield some of the seats that are asked in a case."""
    history = list[AddressedEvent]()
    settled, closed = tuple[GivenAnswer, ...](), -1
    for look, play in zip(case.sampling_decisions(), iterate_plays(game, case), strict=False):
        history += play.drain()
        if play.closed != closed:
            settled, closed = play.answers, play.closed
        if look and not play.over:
            for seat in sample_asked_seats(case, play):
                yield _Ask(game, play, seat, settled, tuple(history))


def _list_known(juncture: Juncture) -> Sequence[Any]:
    """Return all of a juncture but its position, which is dealt by chance."""
    return juncture.question, juncture.asks, juncture.told, juncture.past


@law()
def junctures_leave_out_open_answers(game: Game, case: Case) -> None:
    """A juncture is the same, whatever the others have answered in the open ask."""
    for ask in _sample_asks(game, case):
        before = ask.find_juncture(ask.play.seed, ask.settled)
        assert before, f"seat {ask.seat} is asked, but not if the others have not answered yet"
        assert _list_known(ask.juncture) == _list_known(before), (
            f"the juncture of seat {ask.seat} depends on answers of an ask that is still open"
        )


@law()
def junctures_withhold_secret_answers(game: Game, case: Case) -> None:
    """A juncture is the same for another secret answer of which the seat knows the same."""
    secrets = game.secrecy.secret_answers
    for ask in _sample_asks(game, case) if secrets else ():
        random, here = case.random(f"secrets/{len(ask.history)}"), ask.juncture
        again = Play(ask.play.position, ask.play.seats, ask.play.seed, ask.play.number)
        for at, (seat, answer) in enumerate(ask.settled):
            question = again.pending[seat]
            secret = secrets.get(type(question))
            for _ in range(MAX_OTHER_ANSWERS if secret and seat != ask.seat else 0):
                assert secret
                other = choose_legal_answer(question, random.randrange(MOVE_RANGE))
                if is_same(other, answer) or secret.at_once(other) != secret.at_once(answer):
                    continue
                answers = [*ask.settled[:at], (seat, other), *ask.settled[at + 1 :]]
                there = ask.find_juncture(ask.play.seed, answers)
                if there is None or (there.told, there.question) != (here.told, here.question):
                    continue  # by what came of the other answer, the seat could tell
                assert _list_known(here) == _list_known(there), (
                    f"the juncture of seat {ask.seat} depends on a secret answer of seat {seat} to"
                    f" {type(question).__name__}"
                )
            again.answer(seat, answer)


@law()
def junctures_are_dealt_anew(game: Game, case: Case) -> None:
    """The position in a juncture is not always the true one, if the seat cannot know it."""
    for ask in _sample_asks(game, case):
        truth, deals = ask.play.position, range(MAX_DEALS)
        dealt = (truth.resample_hidden(ask.seat, Random(f"{case.seed}/{deal}")) for deal in deals)
        if all(position == truth for position in dealt):
            continue
        seeds = (f"{ask.play.seed}/{deal}" for deal in deals)
        found = [ask.juncture]
        for seed in seeds:
            if found[-1].position != truth:
                break
            found += filter(None, [ask.find_juncture(seed, ask.settled)])
        assert found[-1].position != truth or len(found) < MAX_DEALS, (
            f"the juncture of seat {ask.seat} has the true position"
        )


@law()
def worlds_look_like_the_truth(game: Game, case: Case) -> None:
    """In a world the seat knows the same as in truth, and all chance to come is another."""
    for number, ask in enumerate(_sample_asks(game, case)):
        here = ask.juncture
        worlds = Worlds(here, Substitutes(ChanceBot, [ChanceBot]), case.random(f"worlds/{number}"))
        drawn = [worlds.draw() for _ in range(WORLDS)]
        assert all(drawn) or not game.learning.recall, (
            f"no position that Learning.recall deals for seat {ask.seat} fits what it was told"
        )
        for world in filter(None, drawn):
            assert world.seed != ask.play.seed, "a world has the true seed, which tells all chance"
            play = world.play
            there = Juncture.of(game, play, ask.seat, [*here.past, *play.drain()])
            for name in ("question", "asks", "told", "past"):
                first, second = getattr(here, name), getattr(there, name)
                assert first == second, (
                    f"seat {ask.seat} could tell a world from the truth: {name} is {second}, and in"
                    f" truth {first}"
                )


@law(cases_by_seats)
def substitutes_can_play_on(game: Game, case: Case) -> None:
    """Each kind of bot that plays on can do so in every seat, told the past as far as announced."""
    variant = game.read_variant(case.options)
    able = Substitutes.of(game, variant, case.seats)
    for number, ask in enumerate(_sample_asks(game, case)):
        if number == MAX_SUBSTITUTE_JUNCTURES or case.seats > MANY_SEATS:  # more are like these
            break
        random = case.random(f"substitutes/{number}")
        answer = list_candidates(ask.juncture.question, random)[0]
        for kind in able.kinds:
            if world := Worlds(ask.juncture, Substitutes(kind, [kind]), random).draw():
                try:
                    world.play_on(answer)
                except Exception as problem:
                    problem.add_note(
                        f"{kind.__name__} cannot play on for others; it is told what is announced"
                        " before a round, and what its seat is told in it. If that cannot be"
                        " changed, leave it out of Learning.substitutes"
                    )
                    raise


@law(cases_by_seats)
def search_plays_without_fault(game: Game, case: Case) -> None:
    """The bot `search` plays the game, at the smallest table."""
    if case.seats == game.seats[0]:
        others = [ChanceBot() for _ in range(case.seats - 1)]
        outcome, _ = host_match(game, case, [Search(SEARCH_PLAYOUTS), *others])
        assert not outcome.verdicts, f"search fails: {outcome.verdicts}"
