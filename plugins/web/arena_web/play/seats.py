"""A person's seat at a table: its feed, the way of answers into the match, the player, hints."""

from __future__ import annotations

import re
import select
import socket
from collections import Counter, deque
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from math import inf
from random import Random
from time import time
from typing import Any

from attrs import define, evolve, field, frozen

from arena import (
    Between,
    Fault,
    Greeting,
    Hint,
    HintSource,
    IllegalAnswerError,
    MalformedLineError,
    Mark,
    MarkedLine,
    OneOf,
    OneSeat,
    Question,
    Seat,
    SomeOf,
    Text,
    TimeLeft,
    UserError,
    Verdict,
)
from arena.players import NOT_YET, PollLoop, Process, now
from arena.records import MatchStep, Perspective
from arena.rules import PlayerFailure
from arena.search import Follower
from arena.wires import decode_answer, freeze, to_printable
from arena_web.hints import KnownState
from arena_web.http.caches import LimitedThreads
from arena_web.http.sse import STEPS, EventBroadcast

MAX_PARALLEL_HINTS = 1  # hints that are computed at once: each may take a second
MAX_WAITING_HINTS = 20  # hints that are waited for; the next request is refused
HINT_RETRY_SECONDS = 2  # seconds after which a refused request may come again

MAX_MISSED_ANSWERS = 3  # answers in a row for which the time ran out; the last loses the seat
TIMEOUT_MESSAGE = f"Your time has run out {MAX_MISSED_ANSWERS} times in a row."
MAX_LINE_LENGTH = 500  # characters that are typed
SCALARS = (str, int, float, bool, type(None))
MAX_WAITING_ANSWERS = 16  # answers that were sent and not looked at; a person sends one

LEFT_FAILURE = PlayerFailure(Fault.CRASHED, "left the table")


class TableClosedError(UserError):
    """The server stops, so the table closes: the match is void, without a fault."""


@frozen
class Departure:
    """Why a person is out of a match."""

    news: str  #: what the others are told of the person
    reason: str  #: what the person is told


LEFT = Departure("has left", "You left the table.")
TIMED_OUT = Departure("ran out of time", TIMEOUT_MESSAGE)


@define(eq=False)
class BrowserSeat:
    """A seat, which outlives connections and belongs to whoever knows its secret."""

    name: str  #: of the person
    secret: str
    feed: EventBroadcast
    asked: int = 0  #: the number of the open question; 0 where there is none
    question: OpenQuestion | None = None  #: that is open, with what this seat knows
    hints: dict[int, dict[str, Any]] = field(factory=dict)  #: that were shown, by question
    earlier_hints: int = 0  #: that were shown before the server was started
    standing: str = ""  #: the label of the answer that is given unasked, if there is one
    on_standing: Callable[[str], object] | None = None  #: is called with the label of another one
    on_asked: Callable[[], object] | None = None  #: is called when a question is opened or closed
    awaits_others: bool = False  #: has it answered, and been told nothing since then?
    departure: Departure | None = None  #: why the person is out of the match; None: is in it
    is_lost: bool = False  #: has the match a verdict on the seat?
    closed: bool = False  #: does the server end?
    _answers: deque[SentAnswer] = field(factory=lambda: deque(maxlen=MAX_WAITING_ANSWERS))
    _pipe: tuple[socket.socket, ...] = ()  # for answers, while the match is played

    def open(self) -> int:
        """Return the file descriptor that becomes readable when an answer arrives."""
        self._pipe = reading, writing = socket.socketpair()
        reading.setblocking(False)
        writing.setblocking(False)
        return reading.fileno()

    @property
    def hint_count(self) -> int:
        """How many hints the person took."""
        return self.earlier_hints + len(self.hints)

    @property
    def has_left(self) -> bool:
        """Whether the person left the table, or was away for too long."""
        return self.departure not in (None, TIMED_OUT)

    def send(self, answer: SentAnswer) -> bool:
        """Submit an answer, from another thread; return whether its question is open."""
        if not self.asked or answer.number != self.asked:
            return False
        self._answers.append(answer)
        self._wake()
        return True

    def open_question(self, question: OpenQuestion) -> None:
        """Record that a question is open."""
        self.question = question
        self.asked = question.number  # last: who reads it finds the question
        self._report_asked()

    def close_question(self) -> None:
        """Record that there is no open question."""
        self.asked, self.question = 0, None
        self._report_asked()

    def _report_asked(self) -> None:
        if self.on_asked:
            self.on_asked()

    def stand(self, label: str) -> None:
        """Have another answer given unasked, or none."""
        if label != self.standing:
            self.standing = label
            if self.on_standing:
                self.on_standing(label)

    def ask_again(self) -> None:
        """Take back the answer that stands, from another thread, and tell the seat's pages."""
        self.stand("")
        self.feed.put(STEPS, [{"standing": ""}])

    def leave(self) -> None:
        """Leave the table, from another thread."""
        self._depart(LEFT)

    def be_replaced_by(self, name: str) -> None:
        """Leave the table to whom this name belongs, who has waited for long enough."""
        reason = f"You were away, so {name} went on without you."
        self._depart(Departure("was away for too long", reason))

    def lose(self, verdict: Verdict) -> Departure:
        """Record that the match has a verdict on the seat; return why it goes on without it."""
        if self.departure is None:  # of who crashed, it was forgotten in a restart of the server
            self.departure = LEFT if verdict.kind is Fault.CRASHED else TIMED_OUT
        self.is_lost = True
        self.close_question()
        return self.departure

    def _depart(self, departure: Departure) -> None:
        if not self.has_left:
            self.departure = departure
        self.stand("")
        self.feed.put(STEPS, [{"standing": "", "over": True, "left": True}])
        self._wake()

    def close(self) -> None:
        """Make the match void, from another thread, when the server stops."""
        self.closed = True
        self._wake()

    def read(self) -> None:
        """Clear the signal that an answer was sent."""
        with suppress(BlockingIOError):
            self._pipe[0].recv(4096)

    def next(self) -> SentAnswer | None:
        """Return the next answer, or None."""
        return self._answers.popleft() if self._answers else None

    def release(self) -> None:
        """Close the pipe for answers after the match."""
        self.close_question()
        for end in self._pipe:
            end.close()

    def _wake(self) -> None:
        with suppress(OSError):  # it was woken already, or the match is over
            for end in self._pipe[1:]:
                end.send(b"!")


@frozen
class SentAnswer:
    """An answer from a person, as a value, as a typed line, or as one that stands."""

    number: int  #: of the question
    answer: Any = None  #: what JSON brought
    line: str | None = None  #: what was typed, in place of an answer
    standing: str = ""  #: the label of the answer that is to stand, in place of an answer


def is_answer(answer: object, depth: int = 2) -> bool:
    """Whether an answer is a scalar value, a list of them, or a list of such lists."""
    if isinstance(answer, list):
        return depth > 0 and all(is_answer(part, depth - 1) for part in answer)
    return isinstance(answer, SCALARS)


class BrowserPlayer(Follower):
    """A person at a page; an invalid answer repeats the question while the clock runs.

    When the time runs out, the default answer counts. Only where that happens several times in a
    row, nothing is answered in the person's place, so that the host finds them late.
    """

    blocking = False
    hears = True
    errors = exit_reason = void_reason = ""

    def __init__(self, eye: Perspective, seat: Seat, chair: BrowserSeat, *, timed: bool) -> None:
        self.timed = timed
        self._eye, self._seat, self._chair = eye, seat, chair
        self._number = 0  # of the last question, whether the person was asked or not
        self._times = Counter[type]()  # that a kind of question came
        self._question: Question[Any]
        self._greeting: Greeting
        self._events: list[Any] = []  # the events of this seat, for hints
        self._deadline = inf  # of the open question
        self._missed = 0  # answers in a row for which the time ran out
        self.asked = self.begun = self.answered = self.latency = 0.0
        self.line = ""

    @property
    def processes(self) -> Sequence[Process]:
        """No processes."""
        return ()

    def join(self, loop: PollLoop) -> None:
        """Watch for answers in this loop."""
        loop.watch(self._chair.open(), select.POLLIN, self._chair.read)

    def greet(self, greeting: Greeting) -> None:
        """Show the start of the match."""
        self._greeting = greeting
        self._show([self._eye.begin()])

    def hear(self, events: Sequence[Any]) -> None:
        """Show events."""
        self._show(self._see_events(events))

    def ask(self, events: Sequence[Any], question: Question[Any], left: TimeLeft) -> object:
        """Show events and the question, unless there is nothing to decide or an answer stands."""
        self._number += 1
        steps, eye = self._see_events(events), self._eye
        self.line, self._question = "", question
        if (answer := self._find_unasked_answer(question)) is not None:
            self.asked = self.begun = self.answered = now()
            self.line = eye.narrator.say(question, answer)
            self._show([*steps, evolve(eye.see_answer(self._seat, question, answer), words=())])
            return answer
        if self._chair.has_left:
            self._show(steps)
            self.asked = self.begun = now()
            return self.answer()
        self._times[type(question)] += 1
        title, step = self._see_question(question)
        form = self._serialize_question(question, title, left)
        put = {**step.json, "ask": form, "standing": self._chair.standing}
        state = KnownState(self._greeting, tuple(self._events), question, self.find_juncture())
        say = partial(eye.narrator.say, question)
        self._chair.open_question(OpenQuestion(self._number, state, say, form))
        self._chair.feed.put(STEPS, [*(step.json for step in steps if step), put])
        self.asked = self.begun = now()
        self._deadline = self.begun + left.move if self.timed else inf
        return self.answer()

    def repeat(
        self, events: Sequence[Any], question: Question[Any], _: TimeLeft, answer: object
    ) -> None:
        """Show events and a question, with the answer before the server was started anew."""
        self._number += 1
        steps, eye = self._see_events(events), self._eye
        if eye.narrator.find_forced_answer(question) is None:
            self._times[type(question)] += 1
            steps.append(self._see_question(question)[1])
        if answer is not NOT_YET:
            steps.append(eye.see_answer(self._seat, question, answer))
        self._show(steps)

    def _find_unasked_answer(self, question: Question[Any]) -> object | None:
        """Return the answer that is forced, or stands; end a standing one that holds no more."""
        answer, label = self._eye.narrator.find_forced_answer(question), self._chair.standing
        if answer is None and label:
            standing = self._eye.narrator.list_standing_answers(question)
            answer = standing.get(label)
            if label not in standing:
                self._chair.stand("")
        return answer

    def look(self) -> None:
        """Do nothing: a person never answers immediately."""

    def answer(self) -> object:
        """Return the person's answer, once a legal one has arrived."""
        self.answered = now()
        if self._chair.closed:
            raise TableClosedError("the server has stopped")
        if self._chair.has_left:
            self._chair.close_question()
            return LEFT_FAILURE
        while reply := self._chair.next():
            if reply.number != self._number:
                continue
            try:
                answer = self._read(reply)
            except (MalformedLineError, IllegalAnswerError) as problem:
                self._chair.feed.put("no", {"n": self._number, "why": str(problem)})
                continue
            self._missed = 0
            return self._take(answer)
        if self.answered < self._deadline or self._missed == MAX_MISSED_ANSWERS - 1:
            return NOT_YET
        return self._take_default_answer()

    def withdraw(self) -> bool:
        """Withdraw the question."""
        self.answered = max(self.asked, now())
        self._close(self._eye.see_withdrawal(self._seat, self._question))
        return False

    def _take(self, answer: object, *words: str) -> object:
        """Close the question with this answer, and show it after these words."""
        step = self._eye.see_answer(self._seat, self._question, answer)
        self._chair.awaits_others = True
        self._close(evolve(step, words=(*words, *step.words)))
        return answer

    def _close(self, step: MatchStep) -> None:
        """Close the question with this step, which every page of the seat is shown."""
        self._chair.close_question()
        closed = {"closed": self._number, "standing": self._chair.standing}
        self._chair.feed.put(STEPS, [{**step.json, **closed}])

    def _take_default_answer(self) -> object:
        """Answer in the person's place, as the fallback bot would, and say so."""
        question = self._question
        answer = question.default
        if answer is None:
            answer = question.options.draw(Random(f"{self._greeting.seed}/{self._number}"))
        self._missed += 1
        self.line = self._eye.narrator.say(question, answer)
        words = (
            f"Your time ran out, so this counts as your answer: {to_printable(self.line)}"
            f" (time out {self._missed} of {MAX_MISSED_ANSWERS} in a row, then you lose your seat)."
        )
        return self._take(answer, MarkedLine(words, Mark.LOST))

    def _see_events(self, events: Sequence[Any]) -> list[MatchStep]:
        self._events += events
        self._chair.awaits_others = False
        return [self._eye.see_event(self._seat, event) for event in events]

    def _see_question(self, question: Question[Any]) -> tuple[str, MatchStep]:
        """Return the title of a question, and the step with all else that is said of it.

        The title stands above the hand; a log of what happened would say it again and again.
        """
        step = self._eye.see_question(self._seat, question)
        title = format_title(question, step.words)
        return title, evolve(
            step, words=tuple(line for line in step.words if line.strip() != title)
        )

    def _show(self, steps: Sequence[MatchStep]) -> None:
        if packed := [step.json for step in steps if step]:
            self._chair.feed.put(STEPS, packed)

    def _read(self, reply: SentAnswer) -> object:
        """Return the answer that was chosen, or typed."""
        narrator, question = self._eye.narrator, self._question
        if reply.standing:
            answer = narrator.list_standing_answers(question).get(reply.standing)
            if answer is None:
                raise IllegalAnswerError("this answer cannot stand for later questions")
            self._chair.stand(reply.standing)
            self.line = narrator.say(question, answer)
            return answer
        if reply.line is not None:
            self.line = reply.line
            return question.options.read(decode_answer(narrator, question, reply.line))
        answer = question.options.read(freeze(reply.answer))
        self.line = narrator.say(question, answer)
        return answer

    def _serialize_question(
        self, question: Question[Any], title: str, left: TimeLeft
    ) -> dict[str, Any]:
        """Return the question as the page needs it."""
        standing = self._eye.narrator.list_standing_answers(question)
        return {
            "n": self._number,
            "title": title,
            "options": self._serialize_options(question),
            "standing": [label for label, answer in standing.items() if answer is not None],
            "default": question.default,
            "guide": self._find_remark(question),
            "allowed": left.move if self.timed else None,
            "at": time(),
        }

    def _find_remark(self, question: Question[Any]) -> str:
        """Return what the game tells a beginner at this question; often nothing."""
        remarks = self._eye.game.presentation.guide.get(type(question), ())
        return "".join(remarks[self._times[type(question)] - 1 :][:1])

    def _serialize_options(self, question: Question[Any]) -> dict[str, Any]:
        """Return the legal answers as JSON, with labels if there is a choice."""
        match question.options:
            case OneOf() as options:
                about = [
                    to_printable(self._eye.narrator.explain(question, option)) for option in options
                ]
                return {"one": [*options], "labels": self._label(question, options), "about": about}
            case SomeOf(cards) as options:
                sizes = options.sizes
                return {
                    "some": [*cards],
                    "labels": self._label(question, cards),
                    "least": sizes[0],
                    "most": sizes[-1],
                    "submits": [self._eye.narrator.submit(question, size) for size in sizes],
                }
            case Between(low, high, step) as numbers:
                return {"number": {"min": low, "max": high, "step": step}, "hint": str(numbers)}
            case Text(pattern):
                return {"text": pattern, "hint": f"a text that matches {pattern}"}
        return {"line": ""}

    def _label(self, question: Question[Any], options: Sequence[Any]) -> list[str]:
        """Return the narrator's words for options; those that are no name of a player begin big."""
        labels = [self._eye.narrator.spell(question, option)[0] for option in options]
        if isinstance(question.options, OneSeat):
            return labels
        return [label[:1].upper() + label[1:] for label in labels]


def format_title(question: Question[Any], words: Sequence[str]) -> str:
    """Return the title of a question: the narrator's own, or one from its class name.

    >>> format_title(Question(OneOf((1, 2))), ["Your hand: 1 2"])
    'Your turn: question'
    """
    questions = [line.strip() for line in words if "?" in line]
    if questions:
        return questions[-1]
    name = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", type(question).__name__).lower()
    return f"Your turn: {name}"


@frozen
class OpenQuestion:
    """A question that a person is asked, with all that the seat knows."""

    number: int  #: of the question at this seat
    state: KnownState  #: the seat's own, without what others were told
    say: Callable[[Any], str]  #: writes an answer in the words of the game
    form: Mapping[str, Any]  #: the question as JSON, with labels and time, as a page needs it


@define(eq=False)
class HintDesk:
    """Computes hints, one at a time."""

    _threads: LimitedThreads = field(init=False, factory=lambda: LimitedThreads(MAX_PARALLEL_HINTS))

    async def find(self, source: HintSource, question: OpenQuestion) -> dict[str, Any]:
        """Return a hint as JSON.

        Raises:
            UserError: The source knows nothing of this position.
            HTTPException: Too many people wait for hints.
        """
        compute_hint = partial(source.compute_hint, question.state)
        hint = await self._threads.run(compute_hint, MAX_WAITING_HINTS, HINT_RETRY_SECONDS)
        return serialize_hint(source, hint, question.say)


def serialize_hint(source: HintSource, hint: Hint, say: Callable[[Any], str]) -> dict[str, Any]:
    """Return a hint as JSON, with its answers in the words of the game."""
    answers = [
        {
            "answer": candidate.answer,
            "label": to_printable(say(candidate.answer)),
            "share": min(1.0, max(0.0, candidate.share)),
            "text": to_printable(candidate.text),
        }
        for candidate in hint.answers
    ]
    about = {"source": to_printable(hint.source or source.title), "text": to_printable(hint.text)}
    return {**about, "answers": answers}
