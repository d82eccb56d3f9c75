"""The game as one object."""

from __future__ import annotations

from pathlib import Path

from arena import Count, Game, Learning, Presentation, Secrecy, Secret, Wire
from arena_bs.bots import BOTS, SCENARIOS, Caller, CardCounter, Cautious, Liar
from arena_bs.rules import MESSAGES, Bs, ChooseCards, Declare, Judged, PileTaken, Shown
from arena_bs.show import RULES, TYPING, BsBoardView, BsNarrator, BsTurningPoints
from arena_bs.wire import CUES, BsLines

GAME = Game(
    name="bs",
    title="BS",
    summary="BS (Cheat): lay cards face down, and claim what they are",
    variant=Bs,
    seats=range(2, 53),
    messages=MESSAGES,
    unit="turn",
    deals_hands=True,
    bots=BOTS,
    scenarios=SCENARIOS,
    secrecy=Secrecy(
        reveals=(Shown, PileTaken, Judged),
        secret_answers={
            ChooseCards: Secret(
                at_once=len,
                later={
                    Shown: lambda lays: lays[-1],
                    Judged: lambda lays: {card[0] for card in lays[-1][1]},
                },
            )
        },
    ),
    wires={"text": Wire(BsLines, cues=CUES, page="docs/reference/bs.md")},
    presentation=Presentation(
        rules=RULES,
        typing=TYPING,
        count=Count("card", fewest=True),
        scoring="Cards are those that are left in hand; the fewest win.",
        board=BsBoardView,
        narrator=BsNarrator,
        turning_points=BsTurningPoints,
        guide={
            ChooseCards: (
                "Lay one card or more, whatever they are: the claim may be a lie.",
                "Whoever turns out wrong takes the pile: a large one makes a lie dear.",
            ),
            Declare: (
                "Whoever calls BS on a claim that is true takes the pile; on a lie, the liar does.",
                "Your own cards tell: of a rank there are only four.",
            ),
        },
        strengths=Path(__file__).with_name("strengths.json"),
        demo=("counter", "liar", "honest", "caller"),
    ),
    learning=Learning(substitutes=(CardCounter, Cautious, Liar, Caller)),
)
