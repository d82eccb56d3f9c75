"""The host: one play, its players, their clocks, and verdicts. The only place with a clock.

Whoever is concerned is asked at once. Programs are written to first; a bot in this
process thinks after that; then one poll loop waits for all the others. A player that
fails gets a verdict, and the autopilot plays its seat on, so that nobody else's game
is spoiled and nobody gains by failing. A fault of the host or of the rules is nobody's:
the match is void.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from random import Random
from typing import Any

from attrs import evolve

from arena.clock import Clock, Limits
from arena.codec import Greeting
from arena.errors import in_words
from arena.observer import Answered, Observer
from arena.outcome import End, Failed, Fault, Outcome, Verdict, places
from arena.play import Play
from arena.players.local import Autopilot, Local
from arena.players.loop import Loop
from arena.players.player import NOT_YET, Player
from arena.players.process import end
from arena.seeds import derived
from arena.table import Illegal, Question, Seat, Told

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
        self._loop = Loop()
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
            self.problem, detail = problem, in_words(problem)
        finally:
            end([one for player in self._present for one in player.processes], grace)
        return self._show_end(self._outcome(ending, detail))

    @cached_property
    def _draws(self) -> Random:
        return Random(derived(self._key, "arrival"))

    def _host(self) -> None:
        if not self._at_once:  # else there is nobody to wait for
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
        replies = self._put(self.play.pending)
        try:
            if self._at_once:
                self._take(replies)
            else:
                self._await(replies)
            if self._failed:
                self._dismiss()
        finally:
            if self._observers:
                self._show_answers(arrival)

    def _put(self, pending: Mapping[Seat, Question[Any]]) -> list[Reply]:
        """Send each seat what it is told and asked, in one go; give the replies."""
        heard, players = self._drain(pending), self._players
        replies: list[Reply] = []
        for seat in self._order:
            if seat in pending:
                replies.append((seat, players[seat].ask(heard[seat], pending[seat])))
            elif heard[seat]:
                players[seat].hear(heard[seat])
        return replies

    def _await(self, replies: list[Reply]) -> None:
        """Take the replies that are there, and the others as they come.

        Where the order of arrival matters, what was there at once is no earlier than what
        the first look finds: a bot in this process is not ahead of the fastest program.
        """
        ready = [reply for reply in replies if reply[1] is not NOT_YET]
        waiting = [seat for seat, reply in replies if reply is NOT_YET]
        if not waiting or not self.play.arrival:
            ready = self._take(ready)
        while waiting:
            found, waiting = self._look(waiting)
            if found:
                ready = self._take(ready + found)

    def _look(self, waiting: Sequence[Seat]) -> tuple[list[Reply], list[Seat]]:
        """Wait for some of them, each until a moment that nothing it sends can move."""
        players, loop = self._players, self._loop
        due = {seat: players[seat].asked + self._allowed(seat) for seat in waiting}
        loop.wait(min(due.values()))
        found: list[Reply] = []
        for seat in waiting:
            reply = players[seat].answer()
            if reply is not NOT_YET:
                found.append((seat, reply))
            elif loop.woke >= due[seat]:
                found.append((seat, Failed(Fault.TIMEOUT, "no answer in time")))
        there = {seat for seat, _ in found}
        return found, [seat for seat in waiting if seat not in there]

    def _take(self, replies: list[Reply]) -> list[Reply]:
        """Take what one look has found, in an order drawn if that matters; leave nothing."""
        if self.play.arrival:
            self._draws.shuffle(replies)
        for seat, reply in replies:
            self._settle(seat, reply)
        return []

    def _settle(self, seat: Seat, reply: object) -> None:
        """Let an answer go into the play, or hold it against the player."""
        player, clock, play = self._players[seat], self._clocks[seat], self.play
        question = play.pending[seat]
        seconds = player.answered - player.asked
        if player.blocking and seconds > clock.allowed and player.timed:  # nobody looked before
            reply = Failed(Fault.TIMEOUT, "it thought for too long")
        if type(reply) is Failed:
            answer = self._fail(seat, reply)
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
        late = failed.fault is Fault.TIMEOUT and not player.blocking
        seconds = (self._loop.woke if late else player.answered) - player.asked
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
        return heard(told, len(self._players))

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
            return self._outcome(End.VOID, in_words(self.problem))
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


def heard(told: Sequence[Told], seats: int) -> Sequence[Sequence[Any]]:
    """Sort what the rules have told by who hears it: a list of events for each seat."""
    public = [event for to, event in told if to is None]
    if len(public) == len(told):
        return [public] * seats
    return [[event for to, event in told if to in (None, seat)] for seat in range(seats)]
