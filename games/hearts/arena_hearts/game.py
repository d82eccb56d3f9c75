"""The game as one object."""

from __future__ import annotations

from pathlib import Path

from arena import Count, Game, Learning, Presentation, Secrecy, Secret, Wire
from arena_hearts.bots import BOTS, SCENARIOS, Careful, LowCardPlayer
from arena_hearts.memory import Memory
from arena_hearts.rules import MESSAGES, Hearts, PassCards, PlayCard, Received
from arena_hearts.show import (
    RULES,
    TYPING,
    HeartsBoardView,
    HeartsNarrator,
    HeartsTurningPoints,
)
from arena_hearts.wire import CUES, HeartsLines, HeartsObservationEncoder, actions

GAME = Game(
    name="hearts",
    summary="Hearts: take no points in tricks, or take them all",
    variant=Hearts,
    seats=range(3, 6),
    messages=MESSAGES,
    unit="deal",
    deals_hands=True,
    bots=BOTS,
    scenarios=SCENARIOS,
    secrecy=Secrecy(secret_answers={PassCards: Secret()}, private_reveals=(Received,)),
    wires={"text": Wire(HeartsLines, cues=CUES, page="docs/reference/hearts.md")},
    presentation=Presentation(
        rules=RULES,
        typing=TYPING,
        count=Count("point", fewest=True),
        scoring="Points are those that were taken in all deals; the fewest win.",
        board=HeartsBoardView,
        narrator=HeartsNarrator,
        turning_points=HeartsTurningPoints,
        guide={
            PassCards: (
                "Pass Q♠, K♠ and A♠ (not with four lower spades), then high cards of short suits.",
            ),
            PlayCard: (
                "The highest card of the suit that was led takes the trick, with its points.",
                "Who lacks the suit led may play anything: a chance to be rid of Q♠ or hearts.",
            ),
        },
        strengths=Path(__file__).with_name("strengths.json"),
    ),
    learning=Learning(
        actions=actions,
        encoder=HeartsObservationEncoder,
        recall=lambda greeting: Memory(greeting.seat, greeting.seats, greeting.variant),
        substitutes=(LowCardPlayer, Careful),
    ),
)
