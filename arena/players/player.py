"""The interface of players, which a match tells, asks and waits for; and bots of this process."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from random import Random
from time import monotonic
from typing import Any, Protocol

from arena.players.bots import GREETED, Bot
from arena.players.poll_loop import CLOCK, MAX_GAP_SECONDS, PollLoop
from arena.players.process import Process, end_processes
from arena.rules import Fault, PlayerFailure, Question, describe_error_with_line
from arena.wires import Greeting, TimeLeft


class NotYet:
    """The type of NOT_YET, the reply of a player that has not answered."""

    def __repr__(self) -> str:
        return "NOT_YET"


NOT_YET = NotYet()
"""The reply of a player that has not answered yet."""


class Player(Protocol):
    """A player, which answers for a seat; only a Python bot's own thinking blocks.

    A reply is an answer, NOT_YET, or a `PlayerFailure`.
    """

    blocking: bool  #: does it think in this process, so that it comes after all others?
    timed: bool  #: is it held to the clock?
    hears: bool  #: does it take note of events?
    asked: float  #: when, by the host's own time
    begun: float  #: when it could begin to think: when asked, or when the line it owed had come
    answered: float  #: when its answer was there, by the same clock
    latency: float  #: seconds until the host found it; its doubt is the player's benefit

    def join(self, loop: PollLoop) -> None:
        """Let the loop watch the player's descriptors, if it has any."""

    def greet(self, greeting: Greeting) -> None:
        """Send the greeting: the game and the seat."""

    def hear(self, events: Sequence[Any]) -> None:
        """Pass the events on."""

    def ask(self, events: Sequence[Any], question: Question[Any], left: TimeLeft) -> object:
        """Pass the events on and put the question, with the time that is left for it.

        Returns a reply at once, as `answer` does.
        """

    def repeat(
        self, events: Sequence[Any], question: Question[Any], left: TimeLeft, answer: object
    ) -> None:
        """Pass on what was told and asked before the match was interrupted, and drop the reply.

        `answer` is what the player answered then, NOT_YET where the question was withdrawn.
        """

    def look(self) -> None:
        """Read what the player has sent since it was asked, without waiting."""

    def answer(self) -> object:
        """Return the player's reply."""

    def withdraw(self) -> bool:
        """Withdraw the question; return whether the player had replied."""

    @property
    def line(self) -> str:
        """Return the last answer as it came."""

    @property
    def errors(self) -> str:
        """Return the end of what it wrote to its stderr."""

    @property
    def exit_reason(self) -> str:
        """The reason why the program ended, once it has."""

    @property
    def void_reason(self) -> str:
        """The reason, once it has ended, for which its end makes the match void, or ""."""

    @property
    def processes(self) -> Sequence[Process]:
        """The processes to end when the player leaves."""


def end_programs(players: Iterable[Player], grace: float) -> None:
    """End the programs of these players together, after `grace` seconds to end by themselves."""
    end_processes([process for player in players for process in player.processes], grace)


class BotPlayer:
    """A player that is a Python bot, for `Match`; an exception counts as its crash.

    `timed`: whether it is held to the clock. It is always `blocking`, and `hears` says whether it
    takes note of events. The host reads when it was `asked`, had `begun` and had `answered`, with
    which `latency`; `line`, `errors`, `exit_reason` and `void_reason` are those of programs, and
    empty.
    """

    blocking = True
    errors = exit_reason = void_reason = ""

    def __init__(self, bot: Bot, *, timed: bool = True) -> None:
        self.timed, self._bot = timed, bot
        self._question: Question[Any]
        self._greet = bot.greet
        self._choose: Callable[[Question[Any]], object] = bot.choose
        self._withdraw: Callable[[Question[Any]], None] = bot.withdraw
        # a bot that need not know is not told, which is most of the cost of telling
        self.hears = type(bot).hear is not Bot.hear
        self._hear = bot.hear if self.hears else None
        self.asked = self.begun = self.answered = self.latency = 0.0
        self.line = ""
        CLOCK.start()

    @property
    def processes(self) -> Sequence[Process]:
        """Return no processes."""
        return ()

    def join(self, loop: PollLoop) -> None:
        """Do nothing: a bot has no descriptors."""

    def greet(self, greeting: Greeting) -> None:
        """Pass the greeting to the bot."""
        try:
            self._greet(greeting)
        except BaseException as problem:  # noqa: BLE001
            self._crash(problem)

    def hear(self, events: Sequence[Any]) -> None:
        """Pass the events to the bot, one after the other."""
        if self._hear:
            try:
                for event in events:
                    self._hear(event)
            except BaseException as problem:  # noqa: BLE001
                self._crash(problem)

    def ask(self, events: Sequence[Any], question: Question[Any], left: TimeLeft) -> object:
        """Pass the events to the bot, and return its answer."""
        beat = CLOCK.latest
        self._bot.time, self._question = left, question
        self.asked = asked = monotonic()
        if self._hear:
            self.hear(events)
        try:
            reply = self._choose(question)
        except BaseException as problem:  # noqa: BLE001
            reply = self._crash(problem)
        self.answered = answered = monotonic()
        if answered - asked > MAX_GAP_SECONDS:  # the host may have stood still
            self.answered = max(asked, answered - CLOCK.compute_lost_since(beat))
        return reply

    def repeat(
        self, events: Sequence[Any], question: Question[Any], left: TimeLeft, answer: object
    ) -> None:
        """Bring the bot to what it knew and drew then."""
        self.ask(events, question, left)
        if answer is NOT_YET:
            self.withdraw()

    def look(self) -> None:
        """Do nothing: it has answered."""

    def answer(self) -> object:
        """Return NOT_YET; never needed, since the bot answers when it is asked."""
        return NOT_YET

    def withdraw(self) -> bool:
        """Tell the bot; return True, since it has always answered."""
        try:
            self._withdraw(self._question)
        except BaseException as problem:  # noqa: BLE001
            self._crash(problem)
        return True

    def _crash(self, problem: BaseException) -> PlayerFailure:
        """Record a crash, which is the bot's reply from now on.

        A stranger's bot may raise anything; only an interrupt means the host.
        """
        if isinstance(problem, KeyboardInterrupt):
            raise problem
        failed = PlayerFailure(Fault.CRASHED, describe_error_with_line(problem) + _advise(problem))
        self._hear, self._choose, self._withdraw = None, lambda _: failed, lambda _: None
        return failed


def _advise(problem: BaseException) -> str:
    """Return advice for a bot that was not greeted, or nothing."""
    if isinstance(problem, AttributeError) and problem.name in GREETED:
        return "; `greet` has to call `super().greet(greeting)`"
    return ""


class FallbackBot(Bot):
    """Plays on for a failed player: with the default answer, or a random one."""

    def __init__(self, seed: str) -> None:
        self._random = Random(seed)

    def choose(self, question: Question[Any]) -> Any:
        """Return the default answer, or a random one."""
        if question.default is not None:
            return question.default
        return question.options.draw(self._random)
