"""The gate, which makes entrants ready to play, and tells the unfit from those that have to wait.

An entrant that cannot play by a fault of its bot is unfit. By a fault of the host nobody is: it is
raised, and the entrant is tried again later.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TypeVar

from attrs import Factory, frozen

from arena.check import check
from arena.host import BotError, Culprit, Entrant, check_partners, find_culprit, is_bundled
from arena.players import SEARCHES_HERE
from arena.rules import UserError, derive_seed
from arena.tournament.bots.seatable_entrants import build_entrant
from arena.tournament.bots.versions import BotVersions
from arena.tournament.entries import Entry, ReadyEntry
from arena.tournament.file.spec import TournamentSpec
from arena.tournament.run.entrant_sandboxes import SandboxResolver
from arena.tournament.run.roster import open_versions
from arena.tournament.store import Store

T = TypeVar("T")


@frozen
class Unfit:
    """What became of an entrant that cannot play."""

    why: str  #: the fault of its bot


@frozen
class EntrantGate:
    """Makes entrants of a tournament ready to play, and checks them."""

    spec: TournamentSpec
    sandboxes: SandboxResolver = Factory(lambda self: SandboxResolver(self.spec), takes_self=True)
    #: of the bots, with the folder of their copies
    versions: BotVersions = Factory(lambda self: open_versions(self.spec), takes_self=True)

    def try_prepare(self, entry: Entry) -> ReadyEntry | Unfit:
        """Make an entrant ready that was checked before; raise UserError or OSError of the host."""
        return _tell_unfit(partial(self.prepare, entry))

    def try_build(self, entry: Entry) -> Entrant | Unfit:
        """Return who can be seated for an entrant; raise UserError or OSError of the host."""
        return _tell_unfit(lambda: self._build(self.prepare(entry)))

    def try_check(
        self, entry: Entry, store: Store, report: Callable[[str], None]
    ) -> ReadyEntry | Unfit:
        """Make an entrant ready and check it; raise UserError or OSError of the host.

        Args:
            entry: the entrant.
            store: of its tournament, which keeps who has passed a trial match.
            report: called with what takes a while.
        """
        return _tell_unfit(partial(self._check, entry, store, report))

    def _check(self, entry: Entry, store: Store, report: Callable[[str], None]) -> ReadyEntry:
        if self.versions.needs_build(entry):
            report("building")
        ready = self.prepare(entry)
        needs_trial = self._needs_trial(entry) and entry.id not in store.facts.checked
        if needs_trial:
            report("checking")
        self.check_fit(ready)
        if needs_trial:
            self._play_trial(ready, store.facts.secret)
            store.entries.record_check(entry.id)
        return ready

    def prepare(self, entry: Entry) -> ReadyEntry:
        """Build an entrant's copy, and find its sandbox; raise UserError."""
        return self.versions.prepare(entry, self.sandboxes.resolve(entry))

    def check_fit(self, ready: ReadyEntry) -> None:
        """Raise UserError unless an entrant supports the variant and its seats."""
        spec = self.spec
        entrant = self._build(ready)
        entrant.check_support(spec.variant, spec.seats_per_match)
        check_partners([entrant], spec.sides)
        if spec.file.hill and entrant.searches:
            raise BotError(f"{ready.entry.bot} cannot play on a hill: {SEARCHES_HERE}")

    def _build(self, ready: ReadyEntry) -> Entrant:
        return build_entrant(self.spec.game.name, ready, self.spec.home, self.versions.bots)

    def _needs_trial(self, entry: Entry) -> bool:
        """Return whether an entrant has to pass a trial match before its first match."""
        return self.spec.file.check and not all(map(self._is_bundled, entry.members))

    def _play_trial(self, ready: ReadyEntry, secret: str) -> None:
        """Raise BotError unless each bot of an entrant passes its trial match."""
        spec = self.spec
        for member in ready.members:
            if self._is_bundled(member.entry):
                continue
            report = check(
                spec.game,
                self._build(member),
                spec.variant,
                sizes=[spec.seats_per_match],
                limits=spec.file.time,
                seed=derive_seed(secret, "check", member.id),
                quick=True,
            )
            if not report.passed:
                finding = report.findings[0]
                raise BotError(
                    f"{finding.kind} ({finding.situation}): {finding.detail}. {finding.advice}"
                )

    def _is_bundled(self, entry: Entry) -> bool:
        return is_bundled(self.spec.game, entry.bot)


def _tell_unfit(prepare: Callable[[], T]) -> T | Unfit:
    """Return what this returns, or the fault of a bot that it raises."""
    try:
        return prepare()
    except UserError as problem:
        if find_culprit(problem) is not Culprit.BOT:
            raise
        return Unfit(str(problem))
