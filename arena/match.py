"""The host: one play, its players, their clocks, and verdicts. The only place with a clock.

Whoever is concerned is asked at once. Programs are written to first; a bot in this
process thinks after that; then one poll loop waits for all the others. A player that
fails gets a verdict, and the autopilot plays its seat on, so that nobody else's game
is spoiled and nobody gains by failing. A fault of the host or of the rules is nobody's:
the match is void.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from random import Random
from typing import Any

from attrs import evolve

from arena.clock import Clock, Limits
from arena.codec import Greeting
from arena.errors import and_where
from arena.observer import Answered, Observer
from arena.outcome import End, Failed, Fault, Outcome, Verdict, places
from arena.play import Play
from arena.players.local import Autopilot, Local
from arena.players.loop import Loop
from arena.players.player import NOT_YET, Player
from arena.players.process import end
from arena.seeds import derived
from arena.table import Illegal, Question, Seat

Reply = tuple[Seat, object]
FOREVER = float("inf")
USUAL = Limits()


class Match:
    """One play hosted to its end: `Match(play, players).run()`.

    `game` is what the greeting calls the game; `key` names the match among those of the
    same deal: the bots' own seeds and the autopilot's draws come from it.
    """

    def __init__(
        self,
        play: Play,
        players: Sequence[Player],
        limits: Limits | None = None,
        *,
        game: str = "",
        key: str | None = None,
        observers: Sequence[Observer] = (),
    ) -> None:
        self.play = play
        self.verdicts: dict[Seat, Verdict] = {}
        self._limits = limits or USUAL
        self._game = game
        self._key = key or derived(play.seed, "match")
        self._present = list(players)  # whose programs have not been ended
        self._players = list(players)
        self._clocks = [Clock(self._limits) for _ in players]
        self._at_once = all(player.blocking for player in players)  # is nobody waited for?
        # programs are told and asked before anybody thinks in this process
        self._order = sorted(range(len(players)), key=lambda seat: players[seat].blocking)
        self._loop: Loop  # there is one if there is anybody to wait for
        self._observers = tuple(observers)
        self._spare = max(0, len(players) - 2)  # so many may fail
        self._asks = 0
        self._failed: list[tuple[Seat, Player]] = []  # in the open ask, not yet ended
        self.problem: Exception | None = None  # why the match is void
        self._answers: list[Answered] = []  # to the open ask, for the observers

    def run(self) -> Outcome:
        """Play to the end, or until fewer than two seats are without a verdict."""
        ending, detail, grace = End.VOID, "", 0.0
        try:
            self._host()
            ending = End.FORFEITED if len(self.verdicts) > self._spare else End.FINISHED
            grace = self._limits.grace
        except Exception as problem:  # noqa: BLE001  # of the rules, of a plugin, of the machine
            self.problem, detail = problem, and_where(problem)
        finally:
            end([one for player in self._present for one in player.processes], grace)
        return self._show_end(self._outcome(ending, detail))

    @cached_property
    def _draws(self) -> Random:
        return Random(derived(self._key, "arrival"))

    def _host(self) -> None:
        if not self._at_once:
            self._loop = Loop()
            for player in self._players:
                player.join(self._loop)
        self._greet()
        while self.play.pending and len(self.verdicts) <= self._spare:
            self._ask()
        self._say_the_rest()

    def _greet(self) -> None:
        """Tell each seat where it sits; its own seed must not give the deal's away."""
        variant, seats = self.play.position.variant, len(self._players)
        for seat in self._order:
            own = derived(self._key, "bot", seat)
            self._players[seat].greet(Greeting(self._game, seat, seats, variant, own))

    def _ask(self) -> None:
        """Let all hear what they are told, put one ask, and see that every answer comes in."""
        self._asks += 1
        arrival = self.play.arrival
        try:
            if self._at_once and not arrival:
                self._put(self.play.pending, self._settle)
            else:
                self._await()
            if self._failed:
                self._dismiss()
        finally:
            if self._observers:
                self._show_answers(arrival)

    def _put(
        self, pending: Mapping[Seat, Question[Any]], take: Callable[[Seat, object], None]
    ) -> None:
        """Send each seat what it is told and asked, in one go, and have its reply taken."""
        heard, players = self._drain(pending), self._players
        for seat in self._order:
            if seat in pending:
                take(seat, players[seat].ask(heard[seat], pending[seat]))
            elif heard[seat]:
                players[seat].hear(heard[seat])

    def _await(self) -> None:
        """Take the replies that are there, and the others as they come.

        Where the order of arrival matters, what was there at once is no earlier than what
        the first look finds: a bot in this process is not ahead of the fastest program.
        """
        ready: list[Reply] = []
        waiting: list[Seat] = []

        def sort(seat: Seat, reply: object) -> None:
            if reply is NOT_YET:
                waiting.append(seat)
            else:
                ready.append((seat, reply))

        self._put(self.play.pending, sort)
        for seat in waiting:  # often the first has answered when the last is asked
            self._players[seat].look()
        found, waiting = self._find(waiting)
        if found or not self.play.arrival:
            found, ready = ready + found, []
        due = {seat: self._players[seat].asked + self._allowed(seat) for seat in waiting}
        while waiting:
            if found:
                self._take(ready + found)
                ready = []
            self._loop.wait(min([due[seat] for seat in waiting]))
            found, waiting = self._find(waiting)
            found += [(seat, self._late(seat)) for seat in waiting if self._loop.woke >= due[seat]]
            waiting = [seat for seat in waiting if self._loop.woke < due[seat]]
        self._take(ready + found)

    def _late(self, seat: Seat) -> Failed:
        """Give what a player that is overdue gets in place of its answer."""
        self._players[seat].answered = self._loop.woke
        return Failed(Fault.TIMEOUT, "no answer in time")

    def _find(self, waiting: Sequence[Seat]) -> tuple[list[Reply], list[Seat]]:
        """Give the replies that are there, and who is still waited for."""
        found: list[Reply] = []
        still: list[Seat] = []
        for seat in waiting:
            reply = self._players[seat].answer()
            if reply is NOT_YET:
                still.append(seat)
            else:
                found.append((seat, reply))
        return found, still

    def _take(self, replies: list[Reply]) -> None:
        """Take what one look has found, in an order drawn if that matters."""
        if self.play.arrival:
            self._draws.shuffle(replies)
        for seat, reply in replies:
            self._settle(seat, reply)

    def _settle(self, seat: Seat, reply: object) -> None:
        """Let an answer go into the play, or hold it against the player."""
        player, clock, play = self._players[seat], self._clocks[seat], self.play
        question = play.pending[seat]
        seconds = player.answered - player.asked
        if player.blocking and seconds > clock.allowed and player.timed:  # nobody looked before
            reply = Failed(Fault.TIMEOUT, "it thought for too long")
        if type(reply) is Failed:
            answer = self._fail(seat, reply)
            if self._observers:
                self._note(seat, question, answer, seconds, player.latency)
        else:
            answer = reply
            try:
                answer = play.answer(seat, reply)
            except Illegal as problem:
                answer = self._fail(seat, Failed(Fault.ILLEGAL, str(problem)))
            finally:  # an answer on which the rules themselves fail is seen, too
                if self._observers:
                    self._note(seat, question, answer, seconds, player.latency)
        if player.timed:
            clock.spend(seconds)

    def _note(
        self, seat: Seat, question: Question[Any], answer: Any, seconds: float, latency: float
    ) -> None:
        """Keep an answer for those who watch."""
        gone = seat in self.verdicts
        self._answers.append(Answered(seat, question, answer, seconds, latency, gone))

    def _fail(self, seat: Seat, failed: Failed) -> Any:
        """Hold it against the player, and let the autopilot play on from this question."""
        player, question = self._players[seat], self.play.pending[seat]
        seconds = player.answered - player.asked
        limit = self._clocks[seat].allowed
        self.verdicts[seat] = Verdict(
            failed.fault, question, player.line, limit, seconds, failed.detail, self._asks
        )
        autopilot = Autopilot(derived(self._key, "autopilot", seat))
        self._players[seat] = Local(autopilot, timed=False)
        self._failed.append((seat, player))
        return self.play.answer(seat, autopilot.choose(question))

    def _dismiss(self) -> None:
        """End the programs that have failed, now that nobody's clock runs."""
        crashed = any(self.verdicts[seat].kind is Fault.CRASHED for seat, _ in self._failed)
        grace = self._limits.grace if crashed else 0.0  # its exit status tells more than a kill
        end([one for _, player in self._failed for one in player.processes], grace)
        for seat, player in self._failed:
            self._present.remove(player)
            verdict = self.verdicts[seat]
            if verdict.kind is Fault.CRASHED and player.epitaph:
                verdict = evolve(verdict, detail=f"{verdict.detail}: {player.epitaph}")
                self.verdicts[seat] = verdict
            for observer in self._observers:
                observer.failed(seat, verdict)
        self._failed.clear()

    def _allowed(self, seat: Seat) -> float:
        return self._clocks[seat].allowed if self._players[seat].timed else FOREVER

    def _say_the_rest(self) -> None:
        """Let all hear how it ended."""
        heard = self._drain({})
        for seat in self._order:
            self._players[seat].hear(heard[seat])

    def _drain(self, pending: Mapping[Seat, Question[Any]]) -> Sequence[Sequence[Any]]:
        """Give what each seat hears now; those who watch see it first."""
        told = self.play.drain()
        for observer in self._observers:
            for to, event in told:
                observer.told(to, event)
            if pending:
                observer.asked(dict(pending))
        public = [event for to, event in told if to is None]
        if len(public) == len(told):
            return [public] * len(self._players)
        seats = range(len(self._players))
        return [[event for to, event in told if to in (None, seat)] for seat in seats]

    def _show_answers(self, arrival: bool) -> None:
        """Let those who watch see the answers, whose order is shown only where it matters."""
        arrived, self._answers = self._answers, []
        if not arrival:
            arrived.sort(key=lambda answer: answer.seat)
        for observer in self._observers:
            for answer in arrived:
                observer.answered(answer)

    def _show_end(self, outcome: Outcome) -> Outcome:
        """Let those who watch see the end; a match that one of them loses is void."""
        for observer in self._observers:
            try:
                observer.ended(outcome)
            except Exception as problem:  # noqa: BLE001  # of a plugin, of the machine
                self.problem = problem
        if self.problem and outcome.end is not End.VOID:
            return self._outcome(End.VOID, and_where(self.problem))
        return outcome

    def _outcome(self, ending: End, detail: str) -> Outcome:
        scores = None if ending is End.VOID else self.play.scores
        return Outcome(
            ending,
            max(0, self.play.number - 1),
            scores,
            None if scores is None else places(scores, self.verdicts),
            self.verdicts,
            tuple(clock.used for clock in self._clocks),
            detail,
        )
