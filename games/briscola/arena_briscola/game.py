"""The game as one object."""

from __future__ import annotations

from pathlib import Path

from arena import Game, Learning, Presentation, Wire
from arena_briscola.bots import BOTS, SCENARIOS, CardCounter, Thrifty
from arena_briscola.rules import MESSAGES, Briscola, Hand, PlayCard
from arena_briscola.show import (
    RULES,
    TYPING,
    BriscolaBoardView,
    BriscolaNarrator,
    BriscolaTurningPoints,
)
from arena_briscola.wire import CUES, BriscolaLines, BriscolaObservationEncoder, actions

GAME = Game(
    name="briscola",
    summary="Briscola: tricks with a trump, and a draw after each",
    variant=Briscola,
    seats=range(2, 5),
    messages=MESSAGES,
    unit="trick",
    deals_hands=True,
    bots=BOTS,
    scenarios=SCENARIOS,
    wires={
        "text": Wire(
            BriscolaLines,
            silent=(Hand,),  # the question shows the hand
            cues=CUES,
            page="docs/reference/briscola.md",
        )
    },
    presentation=Presentation(
        rules=RULES,
        typing=TYPING,
        scoring="Points are those in the tricks taken, 120 in each deal.",
        narrator=BriscolaNarrator,
        board=BriscolaBoardView,
        turning_points=BriscolaTurningPoints,
        guide={
            PlayCard: (
                "Any card may be played: suit need not be followed.",
                "Aces and threes are most of the points: keep them for tricks that you will take.",
                "The highest trump takes the trick, so a small one is worth keeping.",
            )
        },
        strengths=Path(__file__).with_name("strengths.json"),
    ),
    learning=Learning(
        actions=actions, encoder=BriscolaObservationEncoder, substitutes=(Thrifty, CardCounter)
    ),
)
