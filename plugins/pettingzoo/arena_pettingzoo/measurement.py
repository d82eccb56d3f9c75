"""The strength of a learned bot against each bundled bot, in deals that it did not learn from."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from statistics import fmean
from time import monotonic
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
MAX_DEALS = 200
FIRST_DEALS = 3  # which say how long a deal takes
OPPONENT_SECONDS = 60.0  # for the matches against one opponent


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
    learned: Learned, folder: Path, deals: int | None = None
) -> Iterator[MeasuredShare]:
    """Measure the bot of a folder against each bundled bot that can play there.

    Args:
        learned: what the bot has learned.
        folder: where it was written.
        deals: against each bot; None: by how often the bot is asked in a match, and fewer where
            that would take longer than a minute or so.
    """
    setup = learned.setup
    bot, met = build_folder_entrant(setup.game, str(folder), folder), list_opponents(setup)
    for name, other in list_bundled_bots(learned):
        shares = _play_deals(learned, bot, other, deals)
        share = estimate_share_over_deals(shares)
        yield MeasuredShare(name, share, len(shares), setup.game.bots[name] in met)


def _play_deals(
    learned: Learned, bot: Entrant, other: Entrant, deals: int | None
) -> Sequence[float]:
    """Return the bot's mean share in each deal; where no number is given, the first ones tell."""
    if deals is not None:
        return _play_series(learned, bot, other, "deals", deals)
    begun = monotonic()
    first = _play_series(learned, bot, other, "first deals", FIRST_DEALS)
    sides = len(find_sides(learned.setup.variant, learned.setup.seats))
    asks = max(1.0, learned.decisions / max(1, learned.matches))
    wanted = min(round(ANSWERS / asks / sides), MAX_DEALS)
    most = int(OPPONENT_SECONDS * FIRST_DEALS / max(monotonic() - begun, 1e-9))
    more = min(wanted, most) - FIRST_DEALS
    return [*first, *(_play_series(learned, bot, other, "deals", more) if more > 0 else ())]


def _play_series(
    learned: Learned, bot: Entrant, other: Entrant, purpose: str, deals: int
) -> Sequence[float]:
    setup, seed = learned.setup, derive_seed(learned.seed, "measurement", purpose)
    stage = Stage(setup.game, setup.variant, setup.seats, seed, workers=1, progress=None)
    return [fmean(deal) for deal in stage.play_against(bot, other, deals)]


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
