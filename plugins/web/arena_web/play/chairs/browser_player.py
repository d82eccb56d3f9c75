"""The player of a person at a page: shows what happens, asks, and reads the answers that come."""

from __future__ import annotations

import select
from collections import Counter
from collections.abc import Sequence
from functools import partial
from math import inf
from random import Random
from typing import Any

from attrs import evolve

from arena import (
    Fault,
    Greeting,
    IllegalAnswerError,
    MalformedLineError,
    Mark,
    MarkedLine,
    Question,
    Seat,
    TimeLeft,
    UserError,
    Zone,
    ZoneKind,
)
from arena.players import NOT_YET, PollLoop, Process, now
from arena.records import MatchStep, Perspective
from arena.rules import PlayerFailure
from arena.search import Follower
from arena.wires import decode_answer, freeze, to_printable
from arena_web.hints import KnownState
from arena_web.play.chairs.chair import MAX_MISSED_ANSWERS, Chair, OpenQuestion
from arena_web.play.chairs.question_forms import build_question_form, split_title
from arena_web.play.chairs.sent_answers import AnswerInbox, SentAnswer
from arena_web.protocol.messages import Refusal, SeatStep, Steps

LEFT_FAILURE = PlayerFailure(Fault.CRASHED, "left the table")


class TableClosedError(UserError):
    """The server stops, so the table closes: the match is void, without a fault."""


class BrowserPlayer(Follower):
    """A person at a page; an invalid answer repeats the question while the clock runs.

    When the time runs out, the default answer counts. Only where that happens several times in a
    row, nothing is answered in the person's place, so that the host finds them late.
    """

    blocking = False
    hears = True
    errors = exit_reason = void_reason = ""

    def __init__(
        self, eye: Perspective, seat: Seat, chair: Chair, inbox: AnswerInbox, *, timed: bool
    ) -> None:
        self.timed = timed
        self._eye, self._seat, self._chair, self._inbox = eye, seat, chair, inbox
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
        loop.watch(self._inbox.fileno(), select.POLLIN, self._inbox.clear_signal)

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
        allowed = left.move if self.timed else None
        form = build_question_form(
            eye.narrator, question, number=self._number, title=title,
            guide=self._find_remark(question), allowed=allowed, hand=self._find_hand(),
        )  # fmt: skip
        asking = SeatStep(step, ask=form, standing=self._chair.standing)
        state = KnownState(self._greeting, tuple(self._events), question, self.find_juncture())
        say = partial(eye.narrator.say, question)
        self._chair.open_question(OpenQuestion(self._number, state, say, self._inbox, form))
        self._chair.feed.put(Steps([*filter(None, steps), asking]))
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
        while reply := self._inbox.take():
            if reply.number != self._number:
                continue
            try:
                answer = self._read(reply)
            except (MalformedLineError, IllegalAnswerError) as problem:
                self._chair.feed.put(Refusal(self._number, str(problem)))
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
        standing = self._chair.standing
        closing = SeatStep(step, standing=standing, closed_question=self._number)
        self._chair.feed.put(Steps([closing]))

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
        title, words = split_title(question, step.words)
        return title, evolve(step, words=words)

    def _show(self, steps: Sequence[MatchStep]) -> None:
        if shown := [step for step in steps if step]:
            self._chair.feed.put(Steps(shown))

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

    def _find_hand(self) -> Zone | None:
        """Return the hand of the seat, if one lies on the board."""
        zones = self._eye.board.zones.values() if self._eye.board else ()
        hands = (zone for zone in zones if zone.kind == ZoneKind.HAND and zone.of == self._seat)
        return next(hands, None)

    def _find_remark(self, question: Question[Any]) -> str:
        """Return the tip of the game for a beginner at this question; mostly empty."""
        remarks = self._eye.game.presentation.guide.get(type(question), ())
        return "".join(remarks[self._times[type(question)] - 1 :][:1])
