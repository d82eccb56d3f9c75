"""The hill's own bots in the table of the deal of the day: they play it, and stand among people."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from urllib.parse import quote

from attrs import frozen

from arena_hill.daily_deal import DailyDeal, DailyFolder
from arena_hill.hill import Hill
from arena_web.play.daily import DailyResult
from arena_web.play.seating import Seating


@frozen
class HillDailyBots:
    """The bots of a hill, which its judge has play the deal of the day."""

    hill: Hill

    @property
    def _folder(self) -> DailyFolder:
        return DailyFolder(self.hill.spec.data_folder)

    def announce(self, seating: Seating) -> None:
        """Write down for the judge which deal its bots are to play, unless it stands there."""
        if not self._can_play(seating):
            return
        deal, written = build_daily_deal(seating), self._folder.read_deal()
        if written is None or (written.day, written.seed) != (deal.day, deal.seed):
            with suppress(OSError):  # a full disk: the bots play once there is room
                self._folder.write_deal(deal)

    def find_results(self, seating: Seating) -> Sequence[DailyResult]:
        """Return the results of the bots that take part now, under the names that are shown."""
        if not self._can_play(seating):
            return ()
        scores = self._folder.read_scores(seating.setup.terms.daily)
        entries = self.hill.query_tournament(
            lambda store: store.entries.list_active(), aliased=True
        )
        name = quote(self.hill.name)
        return [
            DailyResult(
                entry.label, score.place, score.players, score.score, score.is_shared,
                address=f"t/{name}/bots/{quote(entry.name)}",
            )
            for entry in entries or ()
            if (score := scores.get(entry.version))
        ]  # fmt: skip

    def _can_play(self, seating: Seating) -> bool:
        """Whether it is a deal of the hill's game, and there are bots."""
        is_own = seating.setup.game.name == self.hill.spec.game.name
        return is_own and self.hill.has_tournament()


def build_daily_deal(seating: Seating) -> DailyDeal:
    """Return the match of a seating, in which a bot has the seat of the person."""
    spec, setup = seating.spec, seating.setup
    variant = spec.game.write_variant(spec.variant)
    seat = seating.find_seat(0)
    return DailyDeal(
        setup.terms.daily, spec.game.name, variant, spec.seed, spec.key, spec.names, spec.bots, seat
    )
