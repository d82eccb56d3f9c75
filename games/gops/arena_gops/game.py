"""The game, in one object."""

from __future__ import annotations

from arena import Game
from arena_gops.board import GopsBoard
from arena_gops.bots import BOTS
from arena_gops.encoding import Figures, actions
from arena_gops.rules import Bid, Bids, Gops, Prize
from arena_gops.situations import SITUATIONS
from arena_gops.view import RULES, view
from arena_gops.wire import CUES, RubyQuiz116

GAME = Game(
    name="gops",
    summary="GOPS (Goofspiel): bid cards for prizes, all at once",
    variant=Gops,
    seats=range(2, 11),
    messages=(Prize, Bids, Bid),
    wires={"text": RubyQuiz116},
    cues={"text": CUES},
    page="docs/writing-a-bot/gops.md",
    view=view,
    board=GopsBoard,
    demo=("planner", "hard"),
    bots=BOTS,
    situations=SITUATIONS,
    rules=RULES,
    opponents=("easy", "medium", "hard", "hard-patterned", "nash"),
    actions=actions,
    encoder=Figures,
)
