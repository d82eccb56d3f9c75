"""The game as one object."""

from __future__ import annotations

from pathlib import Path

from arena import Game
from arena_bs.bots import BOTS, SCENARIOS
from arena_bs.rules import MESSAGES, Bs, ChooseCards, Judged, PileTaken, Shown
from arena_bs.show import RULES, BsBoardView, BsNarrator, BsTurningPoints, build_view
from arena_bs.wire import CUES, BsLines

GAME = Game(
    name="bs",
    title="BS",
    summary="BS (Cheat): lay cards face down, and claim what they are",
    variant=Bs,
    seats=range(2, 53),
    messages=MESSAGES,
    wires={"text": BsLines},
    cues={"text": CUES},
    page="docs/reference/bs.md",
    view=build_view,
    board=BsBoardView,
    narrator=BsNarrator,
    turning_points=BsTurningPoints,
    bots=BOTS,
    scenarios=SCENARIOS,
    rules=RULES,
    strengths=Path(__file__).with_name("strengths.json"),
    opponents=("honest", "cautious", "liar", "caller", "counter"),
    unit="turn",
    demo=("counter", "liar", "honest", "caller"),
    deals_hands=True,
    reveals=(Shown, PileTaken, Judged),
    secret_answers={ChooseCards: len},
)
