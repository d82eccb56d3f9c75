"""The strength of a learned bot against each bundled bot, in deals that it did not learn from."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from attrs import asdict, frozen

from arena import UserError
from arena.host import Entrant, build_entrants, build_folder_entrant
from arena.rules import derive_seed, find_sides
from arena.study.estimates import estimate_share_over_deals
from arena.study.run import Stage
from arena.tournament import Estimate
from arena_pettingzoo.learner import Learned
from arena_pettingzoo.self_play import list_opponents

ANSWERS = 16_000  # of the learned bot, in all matches against one opponent
DEALS = range(20, 201)


@frozen
class MeasuredShare:
    """What a learned bot does against one bundled bot."""

    opponent: str
    share: Estimate  #: of its opponents that it finished ahead of, with a 95 % interval
    deals: int  #: each played in all rotations of the seats
    met: bool  #: whether it has learned from matches against this bot

    def pack(self) -> dict[str, Any]:
        """Return it as JSON."""
        return {
            "opponent": self.opponent,
            **asdict(self.share),
            "deals": self.deals,
            "met": self.met,
        }


def measure_bot(
    learned: Learned,
    folder: Path,
    progress: Callable[[str, int, int], object] | None = None,
    deals: int | None = None,
) -> Iterator[MeasuredShare]:
    """Measure the bot of a folder against each bundled bot that can play there.

    Args:
        learned: what the bot has learned.
        folder: where it was written.
        progress: called after each match with the series, how many are over, and how many it has.
        deals: against each bot; None: by how often the bot is asked in a match.
    """
    setup = learned.setup
    game, sides = setup.game, len(find_sides(setup.variant, setup.seats))
    bot = build_folder_entrant(game, str(folder), folder)
    seed = derive_seed(learned.seed, "measurement")
    stage = Stage(game, setup.variant, setup.seats, seed, workers=1, progress=progress)
    count = deals or _choose_deals(learned, sides)
    met = list_opponents(setup)
    for name, other in list_bundled_bots(learned):
        shares = [sum(deal) / sides for deal in stage.play_against(bot, other, count)]
        yield MeasuredShare(
            name, estimate_share_over_deals(shares), len(shares), game.bots[name] in met
        )


def list_bundled_bots(learned: Learned) -> Iterator[tuple[str, Entrant]]:
    """Yield the bundled bots that can play this, but for those that search."""
    setup = learned.setup
    for name, kind in setup.game.bots.items():
        if not kind.searches:
            (entrant,) = build_entrants(setup.game, [name])
            try:
                entrant.check_support(setup.variant, setup.seats)
            except UserError:
                continue
            yield name, entrant


def _choose_deals(learned: Learned, sides: int) -> int:
    """Return how many deals have about as many answers of the bot as are measured."""
    asks = max(1.0, learned.decisions / max(1, learned.matches))
    return min(max(round(ANSWERS / asks / sides), DEALS[0]), DEALS[-1])
