"""The player of the deal of the day: each bot of a hill plays it, while the judge has time."""

from __future__ import annotations

from collections import Counter
from contextlib import suppress
from threading import Event, Thread
from time import monotonic

from attrs import define, field

from arena import MatchSpec, UserError
from arena.host import (
    Culprit,
    Entrant,
    HostConfig,
    Result,
    find_culprit,
    host,
    parse_entrant,
)
from arena.records import to_json_number
from arena.sandbox import release_all
from arena.tournament.bots.versions import comes_with_game
from arena.tournament.entries import Entry
from arena.tournament.run.entrant_gate import EntrantGate, Unfit
from arena.tournament.run.entrant_sandboxes import SandboxResolver
from arena_hill.daily_deal import DailyDeal, DailyFolder, DailyScore
from arena_hill.hill import Hill
from arena_hill.host_problems import LastingProblem
from arena_hill.pauses import Pause
from arena_hill.shared_copies import SharedCopies

IDLE_SECONDS = 10.0  # when every bot has played, until the next check for one that has not
SHUTDOWN_SECONDS = 10.0  # for a thread whose programs were ended
JOIN_SECONDS = 0.25


@define(eq=False)
class DailyPlayer:
    """Has one bot after the other play the deal, in the sandbox; each match has its own thread."""

    copies: SharedCopies
    gate: EntrantGate
    folder: DailyFolder
    _thread: Thread | None = field(default=None, init=False)
    _pause: Pause = field(factory=Pause, init=False)
    _stopping: Event = field(factory=Event, init=False)
    _host_failures: Counter[str] = field(factory=Counter, init=False)  # by version
    _problem: LastingProblem = field(factory=LastingProblem, init=False)

    @classmethod
    def of(cls, copies: SharedCopies, *, trust_everybody: bool = False) -> DailyPlayer:
        """Return the player for the bots of a hill."""
        spec = copies.hill.spec
        gate = EntrantGate(spec, SandboxResolver(spec, trust_everybody))
        return cls(copies, gate, DailyFolder(spec.data_folder))

    @property
    def hill(self) -> Hill:
        """The hill."""
        return self.copies.hill

    def poll(self) -> None:
        """Begin the next match, if there is one and none is going on."""
        if not self._pause.is_over or (self._thread and self._thread.is_alive()):
            return
        self._thread = Thread(target=self._work, name="daily deal", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """End a match that is going on; it does not count."""
        self._stopping.set()
        thread, until = self._thread, monotonic() + SHUTDOWN_SECONDS
        while thread and thread.is_alive() and monotonic() < until:
            release_all(thread.ident)
            thread.join(JOIN_SECONDS)

    def _work(self) -> None:
        has_played = False
        try:
            has_played = self.play_next()
            self._problem.clear()
        except Exception as problem:  # noqa: BLE001  # the database is away, the disk is full
            self._problem.log("the deal of the day could not be played", problem)
        if not has_played:
            self._pause.begin(IDLE_SECONDS)

    def play_next(self) -> bool:
        """Have the next bot play that has not played today; return whether there was one.

        Raises:
            Exception: what the host failed at. It is not the bot's fault, so the bot plays later,
                after those at which the host failed less often.
        """
        deal = self.folder.read_deal()
        if deal is None:
            return False
        entries = self.hill.query_tournament(lambda store: store.entries.list_active()) or ()
        scores = self.folder.read_scores(deal.day)
        waiting = [entry for entry in entries if self._is_to_play(entry, scores)]
        if not waiting:
            return False
        entry = min(waiting, key=lambda entry: self._host_failures[entry.version])
        try:
            score = self._play(deal, entry)
        except Exception:
            self._host_failures[entry.version] += 1
            raise
        if not self._stopping.is_set():
            self.folder.write_score(deal.day, entry.version, score)
        return True

    def _is_to_play(self, entry: Entry, scores: dict[str, DailyScore | None]) -> bool:
        """Whether a bot is one of the hill's own, plays alone, is built, and has not played yet."""
        is_own = not comes_with_game(self.hill.spec.game, entry.bot)
        is_due = is_own and len(entry.members) == 1 and entry.version not in scores
        return is_due and not self._needs_build(entry)

    def _needs_build(self, entry: Entry) -> bool:
        """Whether a bot is still to be built, which is the coordinator's business."""
        with suppress(UserError):  # then it cannot be made ready either, which says why
            return self.gate.versions.needs_build(entry)
        return False

    def _play(self, deal: DailyDeal, entry: Entry) -> DailyScore | None:
        """Return the score of a bot; None where it fails. Raise what the host failed at."""
        game = self.hill.spec.game
        with self.copies.hold():
            own = self.gate.try_build(entry)
        if isinstance(own, Unfit):
            return None
        variant = game.read_variant(deal.variant)
        spec = MatchSpec(deal.key, game, variant, deal.seed, deal.names, deal.bots)
        players = [
            Entrant(
                name, bot, own.factory if seat == deal.seat else parse_entrant(game, bot).factory
            )
            for seat, (name, bot) in enumerate(zip(deal.names, deal.bots, strict=True))
        ]
        result = host(spec, players, HostConfig(self.hill.spec.file.time))
        if result.problem and find_culprit(result.problem) is Culprit.HOST:
            raise result.problem
        return _build_score(result, deal)


def _build_score(result: Result, deal: DailyDeal) -> DailyScore | None:
    """Return the score of a deal's seat; None for a failure, or where the game itself failed."""
    places, scores, seat = result.places, result.scores, deal.seat
    if not places or not scores or result.verdicts[seat]:
        return None
    score = float(to_json_number(scores[seat]))
    return DailyScore(places[seat], len(places), score, places.count(places[seat]) > 1)
