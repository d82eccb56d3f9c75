"""The game as one object."""

from __future__ import annotations

from pathlib import Path

from arena import Game, Learning, Presentation, Wire
from arena_gops.bots import (
    BOTS,
    SCENARIOS,
    AdaptiveBluffer,
    HighPrizeBluffer,
    Matching,
    Outbidder,
    Planner,
)
from arena_gops.rules import Bid, Bids, Gops, Prize
from arena_gops.show import RULES, TYPING, GopsBoardView, GopsNarrator, GopsTurningPoints
from arena_gops.solver_package import INSTALL_SOLVER
from arena_gops.wire import CUES, GopsObservationEncoder, RubyQuiz116, actions

GAME = Game(
    name="gops",
    title="GOPS",
    summary="GOPS (Goofspiel): bid cards for prizes, all at once",
    variant=Gops,
    seats=range(2, 11),
    messages=(Prize, Bids, Bid),
    bots=BOTS,
    bots_elsewhere=dict.fromkeys(("nash", "nash-win"), INSTALL_SOLVER),
    scenarios=SCENARIOS,
    wires={"text": Wire(RubyQuiz116, cues=CUES, page="docs/reference/gops.md")},
    presentation=Presentation(
        rules=RULES,
        typing=TYPING,
        scoring="Points are the sum of the prizes that were won.",
        board=GopsBoardView,
        narrator=GopsNarrator,
        turning_points=GopsTurningPoints,
        guide={
            Bid: (
                "The highest bid takes the prize, and every card that was bid is gone.",
                "All began with the same cards, so what others can still bid is in sight.",
            )
        },
        strengths=Path(__file__).with_name("strengths.json"),
        demo=("planner", "hard"),
    ),
    learning=Learning(
        actions=actions,
        encoder=GopsObservationEncoder,
        substitutes=(Outbidder, AdaptiveBluffer, HighPrizeBluffer, Planner, Matching),
    ),
)
