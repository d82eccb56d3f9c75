"""The game as one object."""

from __future__ import annotations

from pathlib import Path

from arena import Count, Game, Learning, Presentation, Secrecy, Secret, Wire
from arena_coup.bots import BOTS, SCENARIOS, Bold, CardCounter, Honest
from arena_coup.rules import MESSAGES, Block, Challenge, ChooseAction, Coup, Drawn, KeepCards
from arena_coup.show import RULES, TYPING, CoupBoardView, CoupNarrator, CoupTurningPoints
from arena_coup.wire import CUES, CoupLines, CoupObservationEncoder, actions

GAME = Game(
    name="coup",
    summary="Coup: claim characters of the court, and be the last with influence",
    variant=Coup,
    seats=range(2, 7),
    messages=MESSAGES,
    unit="turn",
    deals_hands=True,
    bots=BOTS,
    scenarios=SCENARIOS,
    secrecy=Secrecy(reveals=(Drawn,), secret_answers={KeepCards: Secret()}),
    wires={"text": Wire(CoupLines, cues=CUES, page="docs/reference/coup.md")},
    presentation=Presentation(
        rules=RULES,
        typing=TYPING,
        count=Count("player beaten", "players beaten"),
        scoring="Players who have less influence, or were out earlier, are beaten.",
        narrator=CoupNarrator,
        board=CoupBoardView,
        turning_points=CoupTurningPoints,
        guide={
            ChooseAction: (
                "You may claim a character that you do not have, as long as nobody challenges it.",
                "A coup costs 7 coins and cannot be blocked; with 10 coins it is all you may do.",
            ),
            Challenge: (
                "Challenge a lie, and its player loses influence; challenge the truth, and you do.",
            ),
            Block: ("A block claims a character, too: it may be a lie, and may be challenged.",),
        },
        strengths=Path(__file__).with_name("strengths.json"),
    ),
    learning=Learning(
        actions=actions, encoder=CoupObservationEncoder, substitutes=(CardCounter, Honest, Bold)
    ),
)
