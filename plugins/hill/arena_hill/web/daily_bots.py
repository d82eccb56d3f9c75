"""The hill's own bots in the table of the deal of the day: they play it, and stand among people."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from urllib.parse import quote

from attrs import frozen

from arena_hill.daily_deal import DailyDeal, DailyFolder
from arena_hill.hill_access import HillAccess
from arena_web.play.daily import DailyResult
from arena_web.play.seating import Seating


@frozen
class HillDailyBots:
    """Finds the results of a hill's bots, which its judge has play."""

    access: HillAccess

    def find_results(self, seating: Seating) -> Sequence[DailyResult]:
        """Return the results of the bots that take part now, under the names that are shown.

        The first call of a day says which deal it is.
        """
        spec, setup = self.access.spec, seating.setup
        if setup.game.name != spec.game.name or not self.access.has_tournament():
            return ()
        folder, deal = DailyFolder(spec.data_folder), build_daily_deal(seating)
        known = folder.read_deal()
        if known is None or (known.day, known.seed) != (deal.day, deal.seed):
            with suppress(OSError):  # a full disk: the bots play once there is room
                folder.write_deal(deal)
        scores = folder.read_scores(deal.day)
        with self.access.tournament.open() as store:  # hidden names are aliases there
            entries = store.entries.list_active()
        name = quote(self.access.name)
        return [
            DailyResult(
                entry.label, score.place, score.players, score.score, score.is_shared,
                address=f"t/{name}/bots/{quote(entry.name)}",
            )
            for entry in entries
            if (score := scores.get(entry.version))
        ]  # fmt: skip


def build_daily_deal(seating: Seating) -> DailyDeal:
    """Return the match of a seating, in which a bot has the seat of the person."""
    spec, setup = seating.spec, seating.setup
    variant = spec.game.write_variant(spec.variant)
    seat = seating.find_seat(0)
    return DailyDeal(
        setup.daily, spec.game.name, variant, spec.seed, spec.key, spec.names, spec.bots, seat
    )
