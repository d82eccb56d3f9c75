"""The host: one play, its players, their clocks, and verdicts. The only place with a clock.

Whoever is concerned is asked at once. Programs are written to first; a bot in this
process thinks after that; then one poll loop waits for all the others. A player that
fails gets a verdict, and the fallback bot plays its seat on, so that nobody else's game
is spoiled and nobody gains by failing. A fault of the host or of the rules is nobody's:
the match is void.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from random import Random
from typing import Any

from attrs import evolve

from arena.host.clock import Clock, Limits
from arena.host.waiting import FOREVER, Replies, await_first, find, take_back
from arena.players import NOT_YET, FallbackBot, InProcess, Loop, Player, end
from arena.plugins import Answered, Observer, sees_turns
from arena.rules import (
    LONGEST_WORDS,
    End,
    Failed,
    Fault,
    Illegal,
    Outcome,
    Play,
    Question,
    Seat,
    Verdict,
    and_where,
    derived,
    hearing,
)  # fmt: skip
from arena.wires import Greeting

USUAL = Limits()


class Match:
    """One play hosted to its end: `Match(play, players).run()`.

    `game` is what the greeting calls the game; `key` names the match among those of the
    same deal: the bots' own seeds and the fallback bot's draws come from it.
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
        self.play = play  #: what is hosted
        self.verdicts: dict[Seat, Verdict] = {}  #: so far
        self._limits, self._game = limits or USUAL, game
        self._key = key or derived(play.seed, "match")
        self._players = list(players)
        self._present = list(players)  # whose programs have not been ended
        self._clocks = [Clock(self._limits) for _ in players]
        waited_for = [seat for seat, player in enumerate(players) if not player.blocking]
        thinking = [seat for seat, player in enumerate(players) if player.blocking]
        self._at_once = not waited_for
        self._order = waited_for + thinking  # all are asked before anybody thinks in this process
        self._heard = any(player.hears for player in players)  # is there anybody to be told?
        self._loop: Loop  # there is one if there is anybody to wait for
        self._witnesses, self._observers = observers, [one for one in observers if sees_turns(one)]
        self._spare = max(0, len(players) - 2)  # so many may fail
        self._asks = 0
        self._failed: list[tuple[Seat, Player]] = []  # in the open ask, not yet ended
        self.problem: Exception | None = None  #: why the match is void
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
        arrival, first = self.play.arrival, self.play.passing is not None
        try:
            if self._at_once and not arrival:
                self._put(self.play.pending, self._settle)
            elif first:
                self._await_first()
            else:
                self._await()
            if self._failed:
                self._dismiss()
        finally:
            if self._observers:
                self._show_answers(arrival)
        if first:
            for observer in self._observers:
                observer.withdrawn(self.play.withdrawn)

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
        replies: dict[Seat, object] = {}
        self._put(self.play.pending, replies.__setitem__)
        ready = [pair for pair in replies.items() if pair[1] is not NOT_YET]
        waiting = [seat for seat, reply in replies.items() if reply is NOT_YET]
        for seat in waiting:  # often the first has answered when the last is asked
            self._players[seat].look()
        found, waiting = find(self._players, waiting)
        if found or not self.play.arrival:
            found, ready = ready + found, []
        while waiting:
            if found:
                self._take(ready + found)
                ready = []
            found, waiting = self._wait(waiting)
        self._take(ready + found)

    def _wait(self, waiting: Sequence[Seat], until: float = FOREVER) -> tuple[Replies, list[Seat]]:
        """Wait for a reply, or until somebody is late, or up to a moment; sort as `find` does."""
        self._loop.wait(min([until, *map(self._due, waiting)]))
        found, waiting = find(self._players, waiting)
        late = [seat for seat in waiting if self._loop.woke >= self._due(seat)]
        for seat in late:
            self._players[seat].answered = self._loop.woke
            found.append((seat, Failed(Fault.TIMEOUT, "no answer in time")))
        return found, [seat for seat in waiting if seat not in late]

    def _await_first(self) -> None:
        """Take replies until one of them ends the ask, and take the other questions back."""
        replies: dict[Seat, object] = {}
        self._put(self.play.pending, replies.__setitem__)
        await_first(self.play, self._players, replies, self._wait, self._take)
        take_back(self.play, self._players, self._clocks)

    def _take(self, replies: Replies) -> None:
        """Take what one look has found, in an order drawn if that matters, as far as asked."""
        closed = self.play.closed
        if self.play.arrival:
            self._draws.shuffle(replies)
        for seat, reply in replies:
            if self.play.closed == closed:
                self._settle(seat, reply)

    def _settle(self, seat: Seat, reply: object) -> None:
        """Let an answer go into the play, or hold it against the player."""
        player, clock = self._players[seat], self._clocks[seat]
        seconds = player.answered - player.asked
        if seconds > clock.allowed and player.blocking and player.timed:  # nobody looked before
            reply = Failed(Fault.TIMEOUT, "it thought for too long")
        if self._observers:
            self._answer_seen(seat, reply, seconds, player.latency)
        else:
            self._answer(seat, reply)
        if player.timed and clock.constant:
            clock.used += seconds
        elif player.timed:
            clock.spend(seconds)

    def _answer(self, seat: Seat, reply: object) -> Any:
        """Give the play an answer, the fallback bot's where there is a verdict; return it."""
        if type(reply) is Failed:
            return self._fail(seat, reply)
        try:
            return self.play.answer(seat, reply)
        except Illegal as problem:
            return self._fail(seat, Failed(Fault.ILLEGAL, str(problem)))

    def _answer_seen(self, seat: Seat, reply: object, seconds: float, latency: float) -> None:
        """Do the same, and keep the answer for those who watch."""
        question, answer = self.play.pending[seat], reply
        try:
            answer = self._answer(seat, reply)
        finally:  # an answer on which the rules themselves fail is seen, too
            if type(answer) is not Failed:
                gone = seat in self.verdicts
                self._answers.append(Answered(seat, question, answer, seconds, latency, gone))

    def _fail(self, seat: Seat, failed: Failed) -> Any:
        """Hold it against the player, and let the fallback bot play on from this question."""
        player, question = self._players[seat], self.play.pending[seat]
        seconds, limit = player.answered - player.asked, self._clocks[seat].allowed
        self.verdicts[seat] = Verdict(
            failed.fault, question, player.line, limit, seconds, failed.detail, self._asks
        )
        fallback = FallbackBot(derived(self._key, "fallback", seat))
        self._players[seat] = InProcess(fallback, timed=False)
        self._failed.append((seat, player))
        return self.play.answer(seat, fallback.choose(question))

    def _dismiss(self) -> None:
        """End the programs that have failed, now that nobody's clock runs."""
        crashed = any(self.verdicts[seat].kind is Fault.CRASHED for seat, _ in self._failed)
        grace = self._limits.grace if crashed else 0.0  # its exit status tells more than a kill
        end([one for _, player in self._failed for one in player.processes], grace)
        for seat, player in self._failed:
            self._present.remove(player)
            verdict = self.verdicts[seat]
            if verdict.kind is Fault.CRASHED and player.exit_reason:
                verdict = evolve(verdict, detail=f"{verdict.detail}: {player.exit_reason}")
            self.verdicts[seat] = verdict = evolve(verdict, errors=player.errors[-LONGEST_WORDS:])
            for observer in self._witnesses:
                observer.failed(seat, verdict)
        self._failed.clear()

    def _due(self, seat: Seat) -> float:
        """Return when this seat is late."""
        player = self._players[seat]
        return player.begun + self._clocks[seat].allowed if player.timed else FOREVER

    def _say_the_rest(self) -> None:
        """Let all hear how it ended."""
        for seat, heard in enumerate(self._drain({})):
            self._players[seat].hear(heard)

    def _drain(self, pending: Mapping[Seat, Question[Any]]) -> Sequence[Sequence[Any]]:
        """Return what each seat hears now; those who watch see it first."""
        told = self.play.drain()
        for observer in self._observers:
            for to, event in told:
                observer.told(to, event)
            if pending:
                observer.asked(dict(pending))
        return hearing(told, len(self._players)) if self._heard else ((),) * len(self._players)

    def _show_answers(self, arrival: bool) -> None:
        """Let those who watch see the answers, whose order is shown only where it matters."""
        arrived = self._answers if arrival else sorted(self._answers, key=lambda one: one.seat)
        self._answers = []
        for observer in self._observers:
            for answer in arrived:
                observer.answered(answer)

    def _show_end(self, outcome: Outcome) -> Outcome:
        """Let those who watch see the end; a match that one of them loses is void."""
        for observer in self._witnesses:
            try:
                observer.ended(outcome)
            except Exception as problem:  # noqa: BLE001  # of a plugin, of the machine
                self.problem = problem
        if self.problem and outcome.end is not End.VOID:
            return self._outcome(End.VOID, and_where(self.problem))
        return outcome

    def _outcome(self, ending: End, detail: str) -> Outcome:
        used = [clock.used for clock in self._clocks]
        return Outcome.of(ending, self.play, self.verdicts, tuple(used), detail)
