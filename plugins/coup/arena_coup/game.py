"""The game, in one object."""

from __future__ import annotations

from arena import Game
from arena_coup.bots import BOTS
from arena_coup.learning import Figures, actions
from arena_coup.messages import MESSAGES, Drawn
from arena_coup.rules import Coup
from arena_coup.situations import SITUATIONS
from arena_coup.view import RULES, view
from arena_coup.wire import CUES, CoupLines

GAME = Game(
    name="coup",
    summary="Coup: claim characters of the court, and be the last with influence",
    variant=Coup,
    seats=range(2, 7),
    messages=MESSAGES,
    wires={"text": CoupLines},
    cues={"text": CUES},
    page="docs/writing-a-bot/coup.md",
    view=view,
    bots=BOTS,
    situations=SITUATIONS,
    rules=RULES,
    opponents=("honest", "trusting", "bold", "counter"),
    unit="turn",
    deals_hands=True,
    reveals=(Drawn,),
    actions=actions,
    encoder=Figures,
)
