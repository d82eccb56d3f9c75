"""A person's chair at a table: its feed, the open question, and whether the person has left."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from attrs import define, field, frozen

from arena import Fault, Seat, Verdict
from arena_web.hints import KnownState
from arena_web.http.sse import EventBroadcast
from arena_web.play.chairs.sent_answers import AnswerInbox, SentAnswer
from arena_web.play.seat_secrets import Secret
from arena_web.protocol.messages import QuestionForm, SeatStep, Steps
from arena_web.protocol.replies import GivenHint

MAX_MISSED_ANSWERS = 3  # answers in a row for which the time ran out; the last loses the seat
TIMEOUT_MESSAGE = f"Your time has run out {MAX_MISSED_ANSWERS} times in a row."


@frozen
class Departure:
    """Why a person is out of a match."""

    news: str  #: what the others are told of the person
    reason: str  #: what the person is told


LEFT = Departure("has left", "You left the table.")
TIMED_OUT = Departure("ran out of time", TIMEOUT_MESSAGE)


@define(eq=False)
class Chair:
    """What a person has in a seat: it outlives connections, and belongs to who knows its secret.

    Two threads share it, without a lock: the one of the match, and the one of the event loop, which
    serves the pages. Both read all fields; the lines between them say who writes which.
    """

    # Nobody: these stay as they were given.
    name: str  #: of the person
    seat: Seat  #: of the person in the match
    secret: Secret  #: of the person
    feed: EventBroadcast  #: takes messages from any thread
    earlier_hints: int = 0  #: that were shown before the server was started
    on_standing: Callable[[str], object] = field(default=lambda _: None)
    """Is called with the label of another standing answer, by who writes it."""
    on_hint: Callable[[], object] = field(default=lambda: None)
    """Is called when the person took a hint, in the event loop."""
    on_asked: Callable[[], object] = field(default=lambda: None)
    """Is called when a question is opened or closed, in the thread of the match."""

    # The thread of the match.
    question: OpenQuestion | None = None  #: that is open, with what the seat knows
    awaits_others: bool = False  #: whether it has answered, and was told nothing since
    is_lost: bool = False  #: whether the match has a verdict on the seat

    # The event loop.
    hints: dict[int, GivenHint] = field(factory=dict)  #: that were shown, by question
    closed: bool = False  #: whether the table is closed, which the match sees when it looks next

    # Both: the match by an answer or a verdict, the event loop where a person takes an answer back
    # or leaves. The last one holds.
    standing: str = ""  #: the label of the answer that is given unasked, if there is one
    departure: Departure | None = None  #: why the person is out of the match; None: is in it

    @property
    def open_number(self) -> int:
        """The number of the open question; 0 where there is none."""
        question = self.question  # once: another thread may close it
        return question.number if question else 0

    @property
    def hint_count(self) -> int:
        """How many hints the person took."""
        return self.earlier_hints + len(self.hints)

    def add_hint(self, number: int, hint: GivenHint) -> None:
        """Record a hint at the question of this number: one that was taken twice counts once."""
        if number not in self.hints:
            self.hints[number] = hint
            self.on_hint()

    @property
    def has_left(self) -> bool:
        """Whether the person left the table, or was away for too long."""
        return self.departure not in (None, TIMED_OUT)

    def send(self, answer: SentAnswer) -> bool:
        """Submit an answer, from another thread; return whether its question is open."""
        question = self.question
        if question is None or question.number != answer.number:
            return False
        question.inbox.put(answer)
        return True

    def open_question(self, question: OpenQuestion) -> None:
        """Record that a question is open."""
        self.question = question
        self.on_asked()

    def close_question(self) -> None:
        """Record that there is no open question."""
        self.question = None
        self.on_asked()

    def stand(self, label: str) -> None:
        """Set the answer that is given unasked, or none."""
        if label != self.standing:
            self.standing = label
            self.on_standing(label)

    def ask_again(self) -> None:
        """Take back the answer that stands, from another thread, and tell the person's pages."""
        self.stand("")
        self.feed.put(Steps([SeatStep(standing="")]))

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
        self.feed.put(Steps([SeatStep(standing="", left=True)]))
        self._wake()

    def close(self) -> None:
        """Make the match void, from another thread, when the server stops."""
        self.closed = True
        self._wake()

    def _wake(self) -> None:
        """Wake the match if it waits for an answer; else it looks at the chair by itself."""
        if question := self.question:
            question.inbox.wake()


@frozen
class OpenQuestion:
    """A question that a person is asked, with all that the seat knows."""

    number: int  #: of the question at this seat
    state: KnownState  #: the seat's own, without what others were told
    say: Callable[[Any], str]  #: writes an answer in the words of the game
    inbox: AnswerInbox  #: where answers are waited for
    form: QuestionForm  #: the question with labels and time, as a page needs it
