"""The game as one object."""

from __future__ import annotations

from pathlib import Path

from arena import Game
from arena_briscola.bots import BOTS, SCENARIOS
from arena_briscola.rules import MESSAGES, Briscola, Hand
from arena_briscola.show import RULES, BriscolaNarrator, BriscolaTurningPoints, describe
from arena_briscola.wire import CUES, BriscolaLines, BriscolaObservationEncoder, actions

GAME = Game(
    name="briscola",
    summary="Briscola: tricks with a trump, and a draw after each",
    variant=Briscola,
    seats=range(2, 5),
    messages=MESSAGES,
    wires={"text": BriscolaLines},
    cues={"text": CUES},
    page="docs/reference/briscola.md",
    silent={"text": (Hand,)},  # the question shows the hand
    describe=describe,
    narrator=BriscolaNarrator,
    turning_points=BriscolaTurningPoints,
    bots=BOTS,
    scenarios=SCENARIOS,
    rules=RULES,
    strengths=Path(__file__).with_name("strengths.json"),
    unit="trick",
    deals_hands=True,
    actions=actions,
    encoder=BriscolaObservationEncoder,
)
