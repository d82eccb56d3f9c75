"""The host: one play, its players, their clocks, and verdicts. The only place with a clock.

All players of an ask are asked at once. The host writes to programs first; then bots in this
process think; then one poll loop waits for all the others. A player that fails gets a verdict, and
the fallback bot takes over its seat, so that nobody else's game is spoiled and nobody gains by
failing. If the host or the rules fail, no player is to blame, and the match is void.

The clocks of all players who have not answered run until the ask is over. A program owes one line
to each question, even if the question was withdrawn because another answer was first
(`Table.ask_first`): the host drops the line when it comes, and the whole limit of the next question
counts from then.

An interrupted match is played again up to the interruption, from its seed and its answers
(`PastAsk`). Players are asked the same questions again, so that bots learn and draw the same; their
replies are dropped, and the recorded answers count.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from functools import cached_property
from random import Random
from typing import Any, Self

from attrs import evolve, frozen

from arena.host.clock import SeatClock
from arena.players import NOT_YET, BotPlayer, FallbackBot, Player, PollLoop, end_programs, now
from arena.plugins import AcceptedAnswer, Game, Observer, observes_turns
from arena.records import unpack_verdict
from arena.rules import (
    MAX_STDERR_LENGTH,
    AddressedEvent,
    End,
    Fault,
    IllegalAnswerError,
    Outcome,
    Play,
    PlayerFailure,
    Question,
    Seat,
    UserError,
    Verdict,
    derive_seed,
    describe_error_with_line,
    is_decided,
    split_by_seat,
)
from arena.search import Follower
from arena.wires import Greeting, Limits, freeze


@frozen
class PastAnswer:
    """An answer that was given before the interruption."""

    seat: Seat
    answer: Any
    seconds: float  #: by the seat's clock
    latency: float  #: seconds that the host took to find it


@frozen
class PastAsk:
    """An ask that was answered before the interruption."""

    answers: tuple[PastAnswer, ...]  #: in the order in which the transcript has them
    verdicts: Mapping[Seat, Verdict]  #: of those who failed in it

    @classmethod
    def parse(cls, game: Game, lines: Iterable[str]) -> Self:
        """Read an ask from the lines of its transcript that have answers and verdicts.

        Raises:
            ValueError: where that is not what they have.
        """
        answers, verdicts = [], {}
        try:
            for value in map(json.loads, lines):
                if "verdict" in value:
                    verdict = value["verdict"]
                    verdicts[verdict["seat"]] = unpack_verdict(game, verdict)
                else:
                    answers.append(
                        PastAnswer(
                            value["from"], freeze(value["answer"]),
                            value["seconds"], value["latency"],
                        )
                    )  # fmt: skip
        except (KeyError, TypeError) as problem:
            raise ValueError(f"no answers of a transcript: {problem!r}") from None
        return cls(tuple(answers), verdicts)


class UnavailablePlayerError(UserError):
    """Raised where a trusted program says that it cannot play, through no fault of its own."""


Replies = list[tuple[Seat, object]]
FOREVER = float("inf")
HEAD_START_SECONDS = 0.05  # that programs get before a bot in this process may be first
DEFAULT_LIMITS = Limits()


class Match:
    """One play hosted to its end: `Match(play, players).run()`.

    `game` is what the greeting calls the game; `key` names the match among those of the
    same deal: the bots' own seeds and the fallback bot's draws come from it. `end` ends programs.
    `past` are the asks that were answered before the match was interrupted.
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
        end: Callable[[Sequence[Player], float], None] = end_programs,
        past: Iterable[PastAsk] = (),
    ) -> None:
        self.play = play  #: what is hosted
        self.verdicts: dict[Seat, Verdict] = {}  #: so far
        self._limits, self._game = limits or DEFAULT_LIMITS, game
        self._key = key or derive_seed(play.seed, "match")
        self._players, self._end, self._past = list(players), end, past
        self._running = list(players)  # whose programs have not been ended
        self._clocks = [SeatClock(self._limits) for _ in players]
        waited_for = [seat for seat, player in enumerate(players) if not player.blocking]
        thinking = [seat for seat, player in enumerate(players) if player.blocking]
        self._is_synchronous, self._asking_order = not waited_for, waited_for + thinking
        self._has_listeners = any(player.hears for player in players)
        self._silence = ((),) * len(players)  # what each hears where nobody listens
        self._loop: PollLoop  # there is one if there is anybody to wait for
        self._observers = observers
        self._turn_observers = [observer for observer in observers if observes_turns(observer)]
        self._sides = play.sides
        self._ask_count = 0
        self._failed: list[tuple[Seat, Player]] = []  # in the open ask, not yet ended
        self.problem: Exception | None = None  #: why the match is void
        #: all that the play has told so far, where anybody follows it; else nothing
        self.history: list[AddressedEvent] = []
        self._has_followers = any(isinstance(player, Follower) for player in players)
        self._answers: list[AcceptedAnswer] = []  # to the open ask, for the observers

    def hand_junctures(self, game: Game) -> None:
        """Let those who follow look at the play, as far as their seats know it."""
        for seat, player in enumerate(self._players):
            if isinstance(player, Follower):
                player.follow(game, self.play, seat, self.history)

    def run(self) -> Outcome:
        """Play to the end, or until fewer than two sides are without a verdict."""
        grace = 0.0
        try:
            self._play_to_end()
            outcome = self._build_outcome()
            grace = self._limits.grace
        except Exception as problem:  # noqa: BLE001  # of the rules, of a plugin, of the machine
            outcome = self._build_void_outcome(problem)
        finally:
            self._end(self._running, grace)
        return self._notify_end(outcome)

    @cached_property
    def _arrival_rng(self) -> Random:
        return Random(derive_seed(self._key, "arrival"))

    def _play_to_end(self) -> None:
        if not self._is_synchronous:
            self._loop = PollLoop()
            for player in self._players:
                player.join(self._loop)
        self._greet()
        for ask in self._past:
            self._repeat(ask)
        while self.play.pending and not self._is_decided():
            self._ask()
        self._deliver_remaining_events()

    def _is_decided(self) -> bool:
        return bool(self.verdicts) and is_decided(self._sides, self.verdicts)

    def _greet(self) -> None:
        """Tell each seat where it sits; its own seed must not give the deal's away."""
        variant, seats = self.play.position.variant, len(self._players)
        for seat in self._asking_order:
            own = derive_seed(self._key, "bot", seat)
            greeting = Greeting(self._game, seat, seats, variant, own, limits=self._limits)
            self._players[seat].greet(greeting)

    def _ask(self) -> None:
        """Let all hear what they are told, put one ask, and see that every answer comes in."""
        self._ask_count += 1
        arrival, first = self.play.arrival, self.play.passing is not None
        try:
            if self._is_synchronous and not arrival:
                self._send_questions(self.play.pending, self._process_reply)
            elif first:
                self._collect_first_answer()
            else:
                self._collect_replies()
            if self._failed:
                self._end_failed_programs()
        finally:
            if self._turn_observers:
                self._notify_answers(arrival)
        if first:
            self._notify_withdrawal()

    def _repeat(self, past: PastAsk) -> None:
        """Put an ask that was answered before the match was interrupted, and take that answer."""
        self._ask_count += 1
        pending, arrival = dict(self.play.pending), self.play.arrival
        first, given = self.play.passing is not None, {one.seat: one for one in past.answers}
        heard = self._distribute_events(pending)
        for seat in self._asking_order:
            if seat in pending:
                answer = given[seat].answer if seat in given else NOT_YET
                left = self._clocks[seat].left
                self._players[seat].repeat(heard[seat], pending[seat], left, answer)
            elif heard[seat]:
                self._players[seat].hear(heard[seat])
        for seat, verdict in past.verdicts.items():
            player = self._replace_player(seat, verdict)
            self._players[seat].ask((), pending[seat], self._clocks[seat].left)
            self._running.remove(player)
            end_programs([player], 0.0)
            for observer in self._observers:
                observer.on_verdict(seat, verdict)
        for seat, one in given.items():
            answer, gone = self.play.answer(seat, one.answer), seat in self.verdicts
            self._answers.append(
                AcceptedAnswer(seat, pending[seat], answer, one.seconds, one.latency, gone)
            )
            self._clocks[seat].spend(one.seconds)
        self._notify_answers(arrival)
        if first:
            self._notify_withdrawal()

    def _send_questions(
        self, pending: Mapping[Seat, Question[Any]], take: Callable[[Seat, object], None]
    ) -> None:
        """Send each seat what it is told and asked, in one go, and have its reply taken."""
        heard, players = self._distribute_events(pending), self._players
        for seat in self._asking_order:
            if seat in pending:
                left = self._clocks[seat].left
                take(seat, players[seat].ask(heard[seat], pending[seat], left))
            elif heard[seat]:
                players[seat].hear(heard[seat])

    def _collect_replies(self) -> None:
        """Take the replies that are there, and the others as they come.

        Where the order of arrival matters, what was there at once is no earlier than what
        the first look finds: a bot in this process is not ahead of the fastest program.
        """
        ready, waiting = self._ask_all()
        for seat in waiting:  # often the first has answered when the last is asked
            self._players[seat].look()
        found, waiting = self._find_replies(waiting)
        if found or not self.play.arrival:
            found, ready = ready + found, []
        while waiting:
            if found:
                self._process_replies(ready + found)
                ready = []
            found, waiting = self._wait(waiting)
        self._process_replies(ready + found)

    def _ask_all(self) -> tuple[Replies, list[Seat]]:
        """Send all questions; return the replies that come at once, and who is waited for."""
        replies: dict[Seat, object] = {}
        self._send_questions(self.play.pending, replies.__setitem__)
        ready = [pair for pair in replies.items() if pair[1] is not NOT_YET]
        return ready, [seat for seat, reply in replies.items() if reply is NOT_YET]

    def _find_replies(self, waiting: Sequence[Seat]) -> tuple[Replies, list[Seat]]:
        """Return the replies that are there, and who is still waited for."""
        found: Replies = []
        still: list[Seat] = []
        for seat in waiting:
            reply = self._players[seat].answer()
            if reply is NOT_YET:
                still.append(seat)
            else:
                found.append((seat, reply))
        return found, still

    def _wait(self, waiting: Sequence[Seat], until: float = FOREVER) -> tuple[Replies, list[Seat]]:
        """Wait for a reply, or until somebody is late, or up to a moment; then find replies."""
        self._loop.wait(min([until, *map(self._compute_deadline, waiting)]))
        found, waiting = self._find_replies(waiting)
        late = [seat for seat in waiting if self._loop.woke_at >= self._compute_deadline(seat)]
        for seat in late:
            self._players[seat].answered = self._loop.woke_at
            found.append((seat, PlayerFailure(Fault.TIMEOUT, "no answer in time")))
        return found, [seat for seat in waiting if seat not in late]

    def _collect_first_answer(self) -> None:
        """Take replies as they come until one of them ends the ask; withdraw the other questions.

        Those that are there at once wait for the first look that finds something: for programs a
        moment, so that a bot in this process is not ahead of them; for a person without end.
        """
        ready, waiting = self._ask_all()
        hurried = ready and all(self._players[seat].timed for seat in waiting)
        closed, start = self.play.closed, now() + HEAD_START_SECONDS if hurried else FOREVER
        while self.play.closed == closed:
            found, waiting = self._wait(waiting, start) if waiting else ([], waiting)
            if found or not waiting or now() >= start:
                self._process_replies(ready + found)
                ready, start = [], FOREVER
        self._withdraw_questions()

    def _withdraw_questions(self) -> None:
        """Withdraw the questions of the slower seats, and charge their clocks up to now."""
        for seat in sorted(self.play.withdrawn):
            player = self._players[seat]
            replied = player.withdraw()
            if player.timed:
                self._clocks[seat].spend(player.answered - player.asked, started=replied)

    def _process_replies(self, replies: Replies) -> None:
        """Take what one look has found, in an order drawn if that matters, as far as asked."""
        closed = self.play.closed
        if self.play.arrival:
            self._arrival_rng.shuffle(replies)
        for seat, reply in replies:
            if self.play.closed == closed:
                self._process_reply(seat, reply)

    def _process_reply(self, seat: Seat, reply: object) -> None:
        """Let an answer go into the play, or hold it against the player."""
        player, clock = self._players[seat], self._clocks[seat]
        seconds = player.answered - player.asked
        if seconds > clock.allowed and player.blocking and player.timed:  # nobody looked before
            reply = PlayerFailure(Fault.TIMEOUT, "it thought for too long")
        if self._turn_observers:
            self._record_answer(seat, reply, seconds, player.latency)
        else:
            self._apply_reply(seat, reply)
        if player.timed and clock.constant:
            clock.used += seconds
        elif player.timed:
            clock.spend(seconds)

    def _apply_reply(self, seat: Seat, reply: object) -> Any:
        """Give the play an answer, the fallback bot's where there is a verdict; return it."""
        if type(reply) is PlayerFailure:
            return self._record_failure(seat, reply)
        try:
            return self.play.answer(seat, reply)
        except IllegalAnswerError as problem:
            return self._record_failure(seat, PlayerFailure(Fault.ILLEGAL, str(problem)))

    def _record_answer(self, seat: Seat, reply: object, seconds: float, latency: float) -> None:
        """Do the same, and keep the answer for those who watch."""
        question, answer = self.play.pending[seat], reply
        try:
            answer = self._apply_reply(seat, reply)
        finally:  # an answer on which the rules themselves fail is seen, too
            if type(answer) is not PlayerFailure:
                gone = seat in self.verdicts
                self._answers.append(AcceptedAnswer(seat, question, answer, seconds, latency, gone))

    def _record_failure(self, seat: Seat, failed: PlayerFailure) -> Any:
        """Hold it against the player, and let the fallback bot play on from this question."""
        player, question = self._players[seat], self.play.pending[seat]
        seconds, limit = player.answered - player.asked, self._clocks[seat].allowed
        verdict = Verdict(
            failed.fault, question, player.line, limit, seconds, failed.detail, self._ask_count
        )
        self._failed.append((seat, self._replace_player(seat, verdict)))
        answer = self._players[seat].ask((), question, self._clocks[seat].left)
        return self.play.answer(seat, answer)

    def _replace_player(self, seat: Seat, verdict: Verdict) -> Player:
        """Seat the fallback bot for a player with this verdict; return the player."""
        player, self.verdicts[seat] = self._players[seat], verdict
        fallback = FallbackBot(derive_seed(self._key, "fallback", seat))
        self._players[seat] = BotPlayer(fallback, timed=False)
        return player

    def _end_failed_programs(self) -> None:
        """End the programs that have failed, now that nobody's clock runs."""
        crashed = any(self.verdicts[seat].kind is Fault.CRASHED for seat, _ in self._failed)
        grace = self._limits.grace if crashed else 0.0  # its exit status tells more than a kill
        end_programs([player for _, player in self._failed], grace)
        for seat, player in self._failed:
            self._running.remove(player)
            if player.void_reason:
                del self.verdicts[seat]
                raise UnavailablePlayerError(f"seat {seat} could not play: {player.void_reason}")
            verdict = self.verdicts[seat]
            if verdict.kind is Fault.CRASHED and player.exit_reason:
                verdict = evolve(verdict, detail=f"{verdict.detail}: {player.exit_reason}")
            self.verdicts[seat] = verdict = evolve(
                verdict, errors=player.errors[-MAX_STDERR_LENGTH:]
            )
            for observer in self._observers:
                observer.on_verdict(seat, verdict)
        self._failed.clear()

    def _compute_deadline(self, seat: Seat) -> float:
        """Return the moment at which this seat's answer is late."""
        player = self._players[seat]
        return player.begun + self._clocks[seat].allowed if player.timed else FOREVER

    def _deliver_remaining_events(self) -> None:
        """Let all hear how it ended."""
        for seat, heard in enumerate(self._distribute_events({})):
            self._players[seat].hear(heard)

    def _distribute_events(self, pending: Mapping[Seat, Question[Any]]) -> Sequence[Sequence[Any]]:
        """Return the new events for each seat, after showing them to the observers."""
        told = self.play.drain()
        if self._has_followers:
            self.history += told
        for observer in self._turn_observers:
            for to, event in told:
                observer.on_event(to, event)
            if pending:
                observer.on_questions(dict(pending))
        return split_by_seat(told, len(self._players)) if self._has_listeners else self._silence

    def _notify_answers(self, arrival: bool) -> None:
        """Let those who watch see the answers, whose order is shown only where it matters."""
        if not arrival:
            self._answers.sort(key=lambda answer: answer.seat)
        answers, self._answers = self._answers, []
        for observer in self._turn_observers:
            for answer in answers:
                observer.on_answer(answer)

    def _notify_withdrawal(self) -> None:
        """Let those who watch see whose questions the first answer has ended."""
        for observer in self._turn_observers:
            observer.on_withdrawal(self.play.withdrawn)

    def _notify_end(self, outcome: Outcome) -> Outcome:
        """Let those who watch see the end; a match that one of them loses is void."""
        result = outcome
        for observer in self._observers:
            try:
                observer.on_outcome(outcome)
            except Exception as problem:  # noqa: BLE001  # of a plugin, of the machine
                if result.end is not End.VOID:
                    result = self._build_void_outcome(problem)
        return result

    def _build_outcome(self) -> Outcome:
        ending = End.FORFEITED if self._is_decided() else End.FINISHED
        return Outcome.of(ending, self.play, self.verdicts, self._list_seconds())

    def _build_void_outcome(self, problem: Exception) -> Outcome:
        self.problem, rounds = problem, 0
        with suppress(Exception):  # the rules that have failed may not be able to count them
            rounds = self.play.rounds
        seconds, detail = self._list_seconds(), describe_error_with_line(problem)
        return Outcome(End.VOID, rounds, None, None, self.verdicts, seconds, detail)

    def _list_seconds(self) -> tuple[float, ...]:
        return tuple([clock.used for clock in self._clocks])
