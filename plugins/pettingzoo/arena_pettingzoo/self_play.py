"""Many matches at once: a network answers all open questions of all of them in one pass.

In half of the matches the network plays itself. In the others it sits on one side, and the quick
bots of the game (`Learning.substitutes`) on the others: who only plays itself learns nothing of
those who play differently.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import inf
from statistics import fmean
from typing import Any

import numpy as np
from attrs import Factory, define, field, frozen

from arena import Bot, Greeting, Play, Question, Seat, UserError
from arena.rules import compute_beaten_share, derive_seed, find_sides, rank_seats
from arena.search import ChanceBot, Substitutes
from arena.wires import TimeLeft
from arena_pettingzoo.answer_parts import AllowedAnswers, AnswerParts, Numbers
from arena_pettingzoo.encodings import GameSetup
from arena_pettingzoo.learned_bot import find_encoder
from arena_pettingzoo.networks import Floats, LayeredNetwork

UNLIMITED = TimeLeft(inf)


@define(eq=False)
class LearningTable:
    """A match in progress, in which the network has one side, or all of them."""

    play: Play
    bots: dict[Seat, Bot]
    encoders: dict[Seat, Any]  # of the seats of the network
    decisions: dict[Seat, list[int]]  # the numbers of their decisions, in their order
    leads: dict[Seat, list[float]]  # of each of these seats, at each decision

    @classmethod
    def open(cls, setup: GameSetup, seed: str, bots: dict[Seat, type[Bot]]) -> LearningTable:
        """Deal, and greet all."""
        make_encoder = find_encoder(setup.game)
        seated, encoders = dict[Seat, Bot](), dict[Seat, Any]()
        for seat in range(setup.seats):
            own = derive_seed(seed, "bot", seat) if seat in bots else ""
            greeting = Greeting(setup.game.name, seat, setup.seats, setup.variant, own)
            if seat in bots:
                seated[seat] = bots[seat]()
                seated[seat].greet(greeting)
                seated[seat].time = UNLIMITED
            else:
                encoders[seat] = make_encoder(greeting)
        play = Play.deal(setup.variant, setup.seats, derive_seed(seed, "deal"))
        table = cls(
            play, seated, encoders, {seat: [] for seat in encoders}, {seat: [] for seat in encoders}
        )
        table.pass_on()
        return table

    def pass_on(self) -> None:
        """Pass each new event on to those who may know it."""
        for to, event in self.play.drain():
            for seat in range(self.play.seats) if to is None else (to,):
                if seat in self.encoders:
                    self.encoders[seat].tell(event)
                else:
                    self.bots[seat].hear(event)

    def answer_for_bots(self) -> list[tuple[Seat, Question[Any]]]:
        """Let the bots answer until only the network is asked; return what it is asked."""
        play = self.play
        while play.pending:
            asked = dict(play.pending)
            for seat, question in asked.items():
                if seat in self.bots and play.pending.get(seat) is question:
                    self.give(seat, self.bots[seat].choose(question))
            left = [(seat, each) for seat, each in play.pending.items() if seat in self.encoders]
            if left and not any(seat in self.bots for seat in play.pending):
                return left
        return []

    def measure_lead(self, seat: Seat) -> float:
        """Return what a seat's side has more than the others have on average."""
        scores, sides = self.play.scores, self.play.sides
        means = {side: fmean(float(scores[at]) for at in side) for side in sides}
        own = next(mean for side, mean in means.items() if seat in side)
        return own - (sum(means.values()) - own) / (len(means) - 1)

    def measure_share(self, seat: Seat) -> float:
        """Return which share of the other sides a seat's side has finished ahead of."""
        places, sides = rank_seats(self.play, {}), self.play.sides
        own = next(number for number, side in enumerate(sides) if seat in side)
        return compute_beaten_share([places[side[0]] for side in sides], own)

    def give(self, seat: Seat, answer: Any) -> None:
        """Give an answer; withdraw from bots what they were asked in vain."""
        play, closed = self.play, self.play.closed
        play.answer(seat, answer)
        if play.closed != closed:
            for other, question in play.withdrawn.items():
                if other in self.bots:
                    self.bots[other].withdraw(question)
            self.pass_on()


@frozen(eq=False)
class Experience:
    """What the network was asked in some matches, what it answered, and how they came out."""

    observations: Floats  #: a row for each decision
    allowed: AllowedAnswers
    chosen: Numbers  #: of each decision, among its allowed answers
    logarithms: Floats  #: of the probability of each chosen answer
    sequences: Sequence[Numbers]  #: the decisions of each seat in a match
    leads: Sequence[Floats]  #: at each of these decisions, and at the end
    shares: Floats  #: of the others that each of these seats has beaten
    against_bots: float | None  #: the mean share in the matches against bots, if there were any


@frozen(eq=False)
class SelfPlay:
    """Plays matches of a game for a network to learn from."""

    setup: GameSetup
    parts: AnswerParts
    seed: str
    opponents: Sequence[type[Bot]] = Factory(
        lambda self: list_opponents(self.setup), takes_self=True
    )

    def play(
        self, network: LayeredNetwork, first: int, matches: int, random: np.random.Generator
    ) -> Experience:
        """Play matches, the first of which has this number."""
        tables = [self._open(number) for number in range(first, first + matches)]
        record = DecisionRecord()
        waiting = tables
        while waiting:
            asked = [(table, *each) for table in waiting for each in table.answer_for_bots()]
            waiting = [table for table in waiting if table.play.pending]
            if asked:
                self._decide(network, asked, record, random)
        return record.build(tables)

    def _open(self, number: int) -> LearningTable:
        """Open the table of a match; every other one has bots, each kind and side in turn."""
        seed, seats = derive_seed(self.seed, "match", number), dict[Seat, type[Bot]]()
        if number % 2 and self.opponents:
            turn, sides = number // 2, find_sides(self.setup.variant, self.setup.seats)
            own, turn = sides[turn % len(sides)], turn // len(sides)
            others = [seat for seat in range(self.setup.seats) if seat not in own]
            kind = self.opponents[turn % len(self.opponents)]
            seats = dict.fromkeys(others, kind)
        return LearningTable.open(self.setup, seed, seats)

    def _decide(
        self,
        network: LayeredNetwork,
        asked: Sequence[tuple[LearningTable, Seat, Question[Any]]],
        record: DecisionRecord,
        random: np.random.Generator,
    ) -> None:
        """Answer all that is asked, and record what there was to choose."""
        rows = [
            self.parts.list_rows(question, getattr(table.encoders[seat], "rename", None))
            for table, seat, question in asked
        ]
        observations = np.array(
            [table.encoders[seat].observation() for table, seat, _ in asked], np.float32
        )
        allowed = AllowedAnswers.join(rows)
        logarithms = allowed.compute_logarithms(network.compute(observations)[1])
        chosen = allowed.draw(logarithms, random)
        for at, (table, seat, question) in enumerate(asked):
            if table.play.pending.get(seat) is not question:
                continue  # it was withdrawn: another answer came first
            start, count, choice = allowed.starts[at], len(rows[at]), int(chosen[at])
            if count > 1:
                number = record.add(observations[at], rows[at], choice, logarithms[start + choice])
                table.decisions[seat].append(number)
                table.leads[seat].append(table.measure_lead(seat))
            options: Any = question.options
            table.give(seat, options[choice])


@define(eq=False)
class DecisionRecord:
    """Decisions in the order in which they were made."""

    observations: list[Floats] = field(factory=list)
    rows: list[Numbers] = field(factory=list)
    chosen: list[int] = field(factory=list)
    logarithms: list[float] = field(factory=list)

    def add(self, observation: Floats, rows: Numbers, chosen: int, logarithm: float) -> int:
        """Record a decision, and return its number."""
        self.observations.append(observation)
        self.rows.append(rows)
        self.chosen.append(chosen)
        self.logarithms.append(logarithm)
        return len(self.chosen) - 1

    def build(self, tables: Sequence[LearningTable]) -> Experience:
        """Return what there is to learn, once the matches are over; raise UserError for nothing."""
        if not self.chosen:
            raise UserError("nobody had a choice of answers, so there is nothing to learn")
        sequences, leads, shares = list[Numbers](), list[Floats](), list[float]()
        for table in tables:
            for seat, numbers in table.decisions.items():
                if numbers:
                    sequences.append(np.array(numbers))
                    leads.append(
                        np.array([*table.leads[seat], table.measure_lead(seat)], np.float32)
                    )
                    shares.append(table.measure_share(seat))
        against = [table.measure_share(min(table.encoders)) for table in tables if table.bots]
        return Experience(
            np.stack(self.observations),
            AllowedAnswers.join(self.rows),
            np.array(self.chosen),
            np.array(self.logarithms, np.float32),
            sequences,
            leads,
            np.array(shares, np.float32),
            float(np.mean(against)) if against else None,
        )


def list_opponents(setup: GameSetup) -> list[type[Bot]]:
    """Return the game's quick bots that can play this without parameters."""
    kinds = Substitutes.of(setup.game, setup.variant, setup.seats).kinds
    return [kind for kind in kinds if kind is not ChanceBot]
