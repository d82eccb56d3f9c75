"""Who answered first: only where the rules ask, and then fairly."""

from __future__ import annotations

import os
from collections import Counter
from functools import partial
from pathlib import Path

import pytest

from arena import Bot, Question
from arena.players import NOT_YET, BotPlayer, Player, Process, Program
from tests.support.programs import LIMITS, PYTHON, HostedMatch, host, program
from tests.support.toys import TOY, Answers, Toy, by_arrival

ROUNDS = 200
ONES = "import sys\nfor line in sys.stdin:\n  if '\"ask\"' in line: print(1, flush=True)"


class One(Bot):
    """Answers at once."""

    def choose(self, question: Question[int]) -> int:
        return 1


def first(hosted: HostedMatch) -> Counter[int]:
    """Count who was first how often."""
    orders = [event.pairs for _, event in hosted.seen.told_ if isinstance(event, Answers)]
    assert len(orders) == ROUNDS
    return Counter(order[0][0] for order in orders)


def players(kinds: str, mark: str) -> list[Player]:
    """Return a bot in this process for each b, a program for each p."""
    made: list[Player] = []
    for kind in kinds:
        wire = TOY.build_codec("json", 0)
        made.append(BotPlayer(One()) if kind == "b" else program(ONES, wire, mark))
    return made


@pytest.mark.parametrize("kinds", ["bp", "pb", "bb", "bbp"])
def test_nobody_is_first_for_being_in_this_process(mark: str, kinds: str) -> None:
    """A bot's answer joins the first look at the programs, whose order is drawn."""
    hosted = host(players(kinds, mark), Toy((by_arrival,) * ROUNDS), LIMITS, game="toy")
    counts = first(hosted)
    for seat in range(len(kinds)):
        assert counts[seat] > ROUNDS / len(kinds) / 2, counts


def test_the_order_is_recorded_as_it_was(mark: str) -> None:
    """Answers are shown to those who watch in the order in which the rules got them."""
    hosted = host(players("bpb", mark), Toy((by_arrival,) * ROUNDS), LIMITS, game="toy")
    orders = [event.pairs for _, event in hosted.seen.told_ if isinstance(event, Answers)]
    seen = [(answer.seat, answer.answer) for answer in hosted.seen.answers]
    assert [pair for order in orders for pair in order] == seen
    assert sum(hosted.outcome.scores or ()) == ROUNDS


class TellingProgram(Program):
    """A program whose answers are told to a pipe when they are taken."""

    told = -1

    def answer(self) -> object:
        reply = super().answer()
        if reply is not NOT_YET:
            os.write(self.told, b"x")
        return reply


def test_a_slower_program_is_later(mark: str, tmp_path: Path) -> None:
    """What one look finds is drawn; what another look finds comes behind."""
    os.mkfifo(tmp_path / "told")
    slow = f"told = open({str(tmp_path / 'told')!r}, 'rb', 0)\n" + ONES.replace(
        "print(", "told.read(1); print("
    )
    quick = TellingProgram(partial(Process, [*PYTHON, ONES]), TOY.build_codec("json", 1))
    made: list[Player] = [program(slow, TOY.build_codec("json", 0), mark), quick, BotPlayer(One())]
    quick.told = os.open(tmp_path / "told", os.O_RDWR)
    hosted = host(made, Toy((by_arrival,) * ROUNDS), LIMITS, game="toy")
    os.close(quick.told)
    counts = first(hosted)
    assert counts[0] == 0
    assert counts[1] > ROUNDS / 4


def test_draws_come_from_the_matchs_key() -> None:
    """Among bots in this process alone, the same match is played again."""
    one, again = (
        host(players("bbb", ""), Toy((by_arrival,) * ROUNDS), game="toy") for _ in range(2)
    )
    assert one.outcome.scores == again.outcome.scores
    assert min(one.outcome.scores or (0,)) > ROUNDS / 6
